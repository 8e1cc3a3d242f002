package engine

import (
	"context"
	"database/sql"
	"errors"

	"github.com/jmoiron/sqlx"
)

// Args are the named parameters of a query; a row with db tags serves as well.
type Args map[string]any

// handle is a pool of connections with the hot statements prepared on it.
type handle struct {
	db      *sqlx.DB
	dialect dialect
	hot     map[string]*sqlx.NamedStmt // by query text; never changed after prepare
}

func newHandle(db *sqlx.DB, d dialect) *handle {
	return &handle{db: db, dialect: d, hot: map[string]*sqlx.NamedStmt{}}
}

// prepare makes the queries hot: parsed once per connection instead of at each
// call.
func (h *handle) prepare(ctx context.Context, queries []string) error {
	for _, query := range queries {
		text := h.dialect.text(query)
		if text == "" {
			continue
		}
		stmt, err := h.db.PrepareNamedContext(ctx, text)
		if err != nil {
			return err
		}
		h.hot[query] = stmt
	}
	return nil
}

func (h *handle) close() error {
	var err error
	for _, stmt := range h.hot {
		err = errors.Join(err, stmt.Close())
	}
	return errors.Join(err, h.db.Close())
}

// get reads the one row of a query. Its error is sql.ErrNoRows when there is
// none.
func (h *handle) get(ctx context.Context, dest any, query string, arg any) error {
	if stmt, ok := h.hot[query]; ok {
		return stmt.GetContext(ctx, dest, arg)
	}
	return h.getOn(ctx, h.db, dest, query, arg)
}

// list reads all rows of a query into a slice.
func (h *handle) list(ctx context.Context, dest any, query string, arg any) error {
	if stmt, ok := h.hot[query]; ok {
		return stmt.SelectContext(ctx, dest, arg)
	}
	return h.listOn(ctx, h.db, dest, query, arg)
}

// exec changes rows outside a transaction, in one statement, and returns how
// many.
func (h *handle) exec(ctx context.Context, query string, arg any) (int64, error) {
	if stmt, ok := h.hot[query]; ok {
		return affected(stmt.ExecContext(ctx, arg))
	}
	return h.execOn(ctx, h.db, query, arg)
}

func (h *handle) getOn(ctx context.Context, on sqlx.QueryerContext, dest any, query string, arg any) error {
	bound, values, err := sqlx.BindNamed(h.dialect.bind, h.dialect.text(query), arg)
	if err != nil {
		return err
	}
	return sqlx.GetContext(ctx, on, dest, bound, values...)
}

func (h *handle) listOn(ctx context.Context, on sqlx.QueryerContext, dest any, query string, arg any) error {
	bound, values, err := sqlx.BindNamed(h.dialect.bind, h.dialect.text(query), arg)
	if err != nil || bound == "" {
		return err
	}
	return sqlx.SelectContext(ctx, on, dest, bound, values...)
}

func (h *handle) execOn(ctx context.Context, on sqlx.ExecerContext, query string, arg any) (int64, error) {
	bound, values, err := sqlx.BindNamed(h.dialect.bind, h.dialect.text(query), arg)
	if err != nil || bound == "" {
		return 0, err
	}
	return affected(on.ExecContext(ctx, bound, values...))
}

func affected(result sql.Result, err error) (int64, error) {
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}
