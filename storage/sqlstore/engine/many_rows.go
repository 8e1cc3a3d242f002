package engine

import (
	"context"
	"slices"
)

// manyAtOnce is how many rows or values a statement is given at once.
const manyAtOnce = 500

// ExecRows runs a statement with a mark where a query of rows of values belongs,
// as often as it takes. The values are texts and numbers (int64).
func (t Tx) ExecRows(ctx context.Context, text string, rows [][]any) error {
	t.age(text)
	for chunk := range slices.Chunk(rows, manyAtOnce) {
		query, values := t.handle.dialect.rows(text, chunk)
		if _, err := t.sqlx.ExecContext(ctx, query, values...); err != nil {
			return err
		}
	}
	return nil
}

// within is a transaction, or that of a room.
type within interface{ plain() Tx }

func (t Tx) plain() Tx { return t }

// ListRows is ExecRows for a query, whose rows are added to dest.
func ListRows[R any](ctx context.Context, in within, dest *[]R, text string, rows [][]any) error {
	t := in.plain()
	t.age(text)
	for chunk := range slices.Chunk(rows, manyAtOnce) {
		query, values := t.handle.dialect.rows(text, chunk)
		found, err := t.sqlx.QueryContext(ctx, query, values...)
		if err := t.handle.readAll(found, err, dest); err != nil {
			return err
		}
	}
	return nil
}

// Among adds to dest the rows of a query with one IN (?), a list of which there
// may be many values.
func Among[R, V any](ctx context.Context, in within, dest *[]R, query string, values []V, before ...any) error {
	t := in.plain()
	t.age(query)
	return listAmong(ctx, t.handle, t.sqlx, dest, query, values, before)
}

// ReadAmong is Among outside a transaction.
func ReadAmong[R, V any](ctx context.Context, d *DB, dest *[]R, query string, values []V, before ...any) error {
	return listAmong(ctx, d.reader, d.reader.db, dest, query, values, before)
}

func listAmong[R, V any](ctx context.Context, h *handle, on runner, dest *[]R, query string,
	values []V, before []any) error {
	for chunk := range slices.Chunk(values, manyAtOnce) {
		text, bound, err := h.dialect.oneOf(query, chunk, before)
		if err != nil {
			return err
		}
		found, err := on.QueryContext(ctx, text, bound...)
		if err := h.readAll(found, err, dest); err != nil {
			return err
		}
	}
	return nil
}
