package engine

import (
	"context"
	"database/sql"
	"errors"
	"sync"

	"github.com/jmoiron/sqlx"
)

// handle is a pool of connections with the hot statements of what runs on it.
type handle struct {
	db      *sqlx.DB
	dialect dialect
	hot     *hots
	layouts sync.Map // layout by reflect.Type
}

// pool wraps an opened database with limits that fit long-lived servers.
func pool(db *sql.DB, d dialect, limit int) *handle {
	db.SetMaxOpenConns(limit)
	db.SetMaxIdleConns(limit)
	return newHandle(sqlx.NewDb(db, string(d.engine)), d)
}

func newHandle(db *sqlx.DB, d dialect) *handle {
	return &handle{db: db, dialect: d, hot: newHots(db)}
}

// heat makes the queries hot.
func (h *handle) heat(queries []string) {
	for _, query := range queries {
		h.hot.add(query, h.dialect.text(query))
	}
}

func (h *handle) close() error { return errors.Join(h.hot.close(), h.db.Close()) }

// runner is what a query runs on: the pool, or a transaction with statements of its own.
type runner interface {
	QueryContext(ctx context.Context, query string, values ...any) (*sql.Rows, error)
	ExecContext(ctx context.Context, query string, values ...any) (sql.Result, error)
}

// bind returns a query as the engine wants it, and the values of its placeholders.
func (h *handle) bind(query string, arg any) (string, []any, error) {
	text, names := h.dialect.named(h.dialect.text(query))
	values, err := h.values(names, arg)
	return text, values, err
}

// query runs a query; without rows there was nothing to be done.
func (h *handle) query(ctx context.Context, query string, arg any) (*sql.Rows, error) {
	if stmt := h.hot.find(query); stmt != nil {
		return h.queryHot(h.calm(ctx), stmt.Stmt.Stmt, stmt.Params, arg)
	}
	return h.queryOn(ctx, h.db, query, arg)
}

// calm is the context of a hot statement: on SQLite to watch whether somebody still waits for
// it takes longer than the statement. Where it has to wait for a connection that is watched.
func (h *handle) calm(ctx context.Context) context.Context {
	if h.dialect.rowLocks || ctx.Err() != nil {
		return ctx
	}
	if pool := h.db.Stats(); pool.InUse >= pool.MaxOpenConnections {
		return ctx
	}
	return context.WithoutCancel(ctx)
}

func (h *handle) queryHot(ctx context.Context, stmt *sql.Stmt, names []string, arg any) (*sql.Rows, error) {
	values, err := h.values(names, arg)
	if err != nil {
		return nil, err
	}
	return stmt.QueryContext(ctx, values...)
}

func (h *handle) queryOn(ctx context.Context, on runner, query string, arg any) (*sql.Rows, error) {
	text, values, err := h.bind(query, arg)
	if err != nil || text == "" {
		return nil, err
	}
	return on.QueryContext(ctx, text, values...)
}

// exec changes rows outside a transaction, in one statement, and returns how
// many.
func (h *handle) exec(ctx context.Context, query string, arg any) (int64, error) {
	if stmt := h.hot.find(query); stmt != nil {
		return h.execHot(h.calm(ctx), stmt.Stmt.Stmt, stmt.Params, arg)
	}
	return h.execOn(ctx, h.db, query, arg)
}

func (h *handle) execHot(ctx context.Context, stmt *sql.Stmt, names []string, arg any) (int64, error) {
	values, err := h.values(names, arg)
	if err != nil {
		return 0, err
	}
	return affected(stmt.ExecContext(ctx, values...))
}

func (h *handle) execOn(ctx context.Context, on runner, query string, arg any) (int64, error) {
	text, values, err := h.bind(query, arg)
	if err != nil || text == "" {
		return 0, err
	}
	return affected(on.ExecContext(ctx, text, values...))
}

func affected(result sql.Result, err error) (int64, error) {
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}
