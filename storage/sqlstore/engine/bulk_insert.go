package engine

import (
	"context"
	"fmt"
	"strings"
)

// Table is rows to be added to a table.
type Table struct {
	Name    string
	Columns []string
	Rows    [][]any
}

// Add adds a row.
func (t *Table) Add(row ...any) { t.Rows = append(t.Rows, row) }

// TableOf makes a table of rows, with the columns of a list.
func TableOf[R any](t Tx, name, columns string, rows []R) (Table, error) {
	table := Table{Name: name, Columns: strings.Split(each(columns, func(c, _ string) string { return c }), ", ")}
	fields := strings.Split(each(columns, func(_, f string) string { return f }), ", ")
	for _, row := range rows {
		values, err := t.handle.values(fields, row)
		if err != nil {
			return table, err
		}
		table.Add(values...)
	}
	return table, nil
}

// NewIDs reserves ids of a table, so that rows that refer to each other can be
// made before they are written.
func (t Tx) NewIDs(ctx context.Context, name string, n int) ([]int64, error) {
	if n == 0 {
		return nil, nil
	}
	ids := make([]int64, 0, n)
	if t.handle.dialect.rowLocks {
		err := t.List(ctx, &ids, `SELECT nextval(pg_get_serial_sequence(:name, 'id')) FROM generate_series(1, :n)`,
			Args{"name": name, "n": n})
		return ids, err
	}
	var last int64
	if err := t.Get(ctx, &last, `SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = :name), 0)`, Args{"name": name}); err != nil {
		return nil, err
	}
	for i := range n {
		ids = append(ids, last+int64(i)+1)
	}
	return ids, nil
}

// InsertAll adds the rows as fast as the engine can.
func (t Tx) InsertAll(ctx context.Context, all Table) error {
	if t.handle.dialect.rowLocks {
		return t.copyIn(ctx, all)
	}
	return t.insertMany(ctx, all)
}

// copyIn is COPY of PostgreSQL.
func (t Tx) copyIn(ctx context.Context, all Table) error {
	stmt, err := t.sqlx.PrepareContext(ctx, "COPY "+all.Name+" ("+strings.Join(all.Columns, ", ")+") FROM STDIN")
	if err != nil {
		return err
	}
	defer stmt.Close()
	for _, row := range all.Rows {
		if _, err := stmt.ExecContext(ctx, row...); err != nil {
			return err
		}
	}
	_, err = stmt.ExecContext(ctx)
	return err
}

// rowsPerInsert keeps a statement of SQLite well below its 32 766 values.
const rowsPerInsert = 100

// insertMany is INSERT with many rows.
func (t Tx) insertMany(ctx context.Context, all Table) error {
	for len(all.Rows) > 0 {
		n := min(rowsPerInsert, len(all.Rows))
		var values []any
		for _, row := range all.Rows[:n] {
			values = append(values, row...)
		}
		one := "(?" + strings.Repeat(", ?", len(all.Columns)-1) + ")"
		text := fmt.Sprintf("INSERT INTO %s (%s) VALUES %s%s", all.Name, strings.Join(all.Columns, ", "),
			one, strings.Repeat(", "+one, n-1))
		if _, err := t.sqlx.ExecContext(ctx, text, values...); err != nil {
			return err
		}
		all.Rows = all.Rows[n:]
	}
	return nil
}
