package engine

// Table is rows to be added to a table.
type Table struct {
	Name    string
	Columns []string
	Rows    [][]any
}

// Add adds a row.
func (t *Table) Add(row ...any) { t.Rows = append(t.Rows, row) }
