package sqlstore

import (
	"context"
	"slices"

	"github.com/jmoiron/sqlx"
)

// manyAtOnce is how many rows or values a statement is given at once.
const manyAtOnce = 500

// execRows runs a statement with a mark where a query of rows of values belongs,
// as often as it takes. The values are texts and numbers (int64).
func (t tx) execRows(ctx context.Context, text string, rows [][]any) error {
	for chunk := range slices.Chunk(rows, manyAtOnce) {
		query, values := t.handle.dialect.rows(text, chunk)
		if _, err := t.sqlx.ExecContext(ctx, query, values...); err != nil {
			return err
		}
	}
	return nil
}

// listRows is execRows for a query, whose rows are added to dest.
func listRows[R any](ctx context.Context, t tx, dest *[]R, text string, rows [][]any) error {
	for chunk := range slices.Chunk(rows, manyAtOnce) {
		query, values := t.handle.dialect.rows(text, chunk)
		var some []R
		if err := sqlx.SelectContext(ctx, t.sqlx, &some, query, values...); err != nil {
			return err
		}
		*dest = append(*dest, some...)
	}
	return nil
}

// listAmong adds to dest, a pointer to a slice, the rows of a query with one
// IN (?), a list of which there may be many values. It goes through the
// transaction, or through the handle.
func listAmong[R, V any](ctx context.Context, on sqlx.QueryerContext, d dialect, dest *[]R, query string, values []V, before ...any) error {
	for chunk := range slices.Chunk(values, manyAtOnce) {
		text, bound, err := d.oneOf(query, chunk, before)
		if err != nil {
			return err
		}
		var some []R
		if err := sqlx.SelectContext(ctx, on, &some, text, bound...); err != nil {
			return err
		}
		*dest = append(*dest, some...)
	}
	return nil
}

// among is listAmong inside a transaction.
func among[R, V any](ctx context.Context, t tx, dest *[]R, query string, values []V, before ...any) error {
	return listAmong(ctx, t.sqlx, t.handle.dialect, dest, query, values, before...)
}
