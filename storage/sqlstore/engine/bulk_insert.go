package engine

import (
	"context"
	"strings"
)

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
	var ids []int64
	return ids, t.List(ctx, &ids, `{new ids}`, Args{"name": name, "n": n})
}

// InsertAll adds the rows as fast as the engine can.
func (t Tx) InsertAll(ctx context.Context, all Table) error {
	*t.aging = true
	return t.handle.dialect.insertAll(ctx, t.sqlx, all)
}
