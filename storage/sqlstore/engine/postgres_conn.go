package engine

import (
	"context"
	"database/sql/driver"
	"time"
)

// pqConn is what a connection of lib/pq can do.
type pqConn interface {
	driver.Conn
	driver.ConnBeginTx
	driver.ConnPrepareContext
	driver.ExecerContext
	driver.QueryerContext
	driver.Pinger
	driver.NamedValueChecker
	driver.SessionResetter
	driver.Validator
}

// bounded is a connection on which nothing waits for longer than its context.
// lib/pq asks the server to cancel and then waits for its word: one that stands
// still, or is gone, never gives it.
type bounded struct {
	pqConn
	wire *wire
	of   *connector
	age  int64
}

// unhurried is the key in a context of an act that may take its time.
type unhurried struct{}

// Unhurried has the statements of an act take as long as they need, where
// nothing else ends the context.
func Unhurried(ctx context.Context) context.Context { return context.WithValue(ctx, unhurried{}, true) }

func isUnhurried(ctx context.Context) bool { return ctx.Value(unhurried{}) != nil }

// watch cuts the connection when the context is over and the server had its
// time to hear of it. What was watched says when it is done.
func (c *bounded) watch(ctx context.Context) (done func()) {
	over := c.watchEnd(ctx)
	_, has := ctx.Deadline()
	patience := time.Duration(c.of.patience.Load())
	if has || patience == 0 || isUnhurried(ctx) {
		return over
	}
	late := time.AfterFunc(patience, c.cut)
	return func() { late.Stop(); over() }
}

// watchEnd is watch for a context that ends: one of a request ends without a
// deadline that was known before.
func (c *bounded) watchEnd(ctx context.Context) (done func()) {
	if ctx.Done() == nil {
		return func() {}
	}
	over := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		late := time.NewTimer(cancelWithin)
		defer late.Stop()
		select {
		case <-over:
		case <-late.C:
			c.cut()
		}
	})
	return func() {
		if !stop() {
			close(over)
		}
	}
}

func (c *bounded) cut() {
	c.of.renew(c.age)
	c.wire.cut()
}

// current reports whether nothing is known that speaks against the connection.
func (c *bounded) current() bool { return c.age == c.of.age.Load() }

// seen notes what an error says of where the connection leads.
func (c *bounded) seen(err error) error {
	if isReadOnly(err) {
		c.of.renew(c.age)
	}
	return err
}

func (c *bounded) ResetSession(ctx context.Context) error {
	if !c.current() {
		return driver.ErrBadConn
	}
	return c.pqConn.ResetSession(ctx)
}

func (c *bounded) IsValid() bool { return c.current() && c.pqConn.IsValid() }

// Close never fails: the other side may be gone before our goodbye, and nothing
// of ours waits in a connection that nobody uses.
func (c *bounded) Close() error {
	_ = c.pqConn.Close()
	return nil
}

func (c *bounded) Ping(ctx context.Context) error {
	defer c.watch(ctx)()
	return c.pqConn.Ping(ctx)
}

func (c *bounded) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	defer c.watch(ctx)()
	result, err := c.pqConn.ExecContext(ctx, query, args)
	return result, c.seen(err)
}

func (c *bounded) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	done := c.watch(ctx)
	rows, err := c.pqConn.QueryContext(ctx, query, args)
	return c.rows(rows, err, done)
}

// rows are watched until they are closed.
func (c *bounded) rows(rows driver.Rows, err error, done func()) (driver.Rows, error) {
	if err != nil {
		done()
		return nil, c.seen(err)
	}
	return &boundedRows{rows, done}, nil
}

type boundedRows struct {
	driver.Rows
	done func()
}

func (r *boundedRows) Close() error {
	defer r.done()
	return r.Rows.Close()
}

func (c *bounded) PrepareContext(ctx context.Context, query string) (driver.Stmt, error) {
	defer c.watch(ctx)()
	stmt, err := c.pqConn.PrepareContext(ctx, query)
	if err != nil {
		return nil, c.seen(err)
	}
	if plain, ok := stmt.(pqStmt); ok {
		return &boundedStmt{plain, c}, nil
	}
	return &boundedCopy{stmt, c, ctx}, nil
}

// pqStmt is what a statement of lib/pq can do.
type pqStmt interface {
	driver.Stmt
	driver.StmtExecContext
	driver.StmtQueryContext
}

// boundedCopy is a COPY, whose statement of lib/pq knows no contexts.
type boundedCopy struct {
	driver.Stmt
	on  *bounded
	ctx context.Context
}

func (s *boundedCopy) ExecContext(ctx context.Context, args []driver.NamedValue) (driver.Result, error) {
	defer s.on.watch(ctx)()
	values := make([]driver.Value, len(args))
	for i, arg := range args {
		values[i] = arg.Value
	}
	return s.Exec(values)
}

// Close waits for the server's word on a COPY that was not ended.
func (s *boundedCopy) Close() error {
	defer s.on.watch(s.ctx)()
	return s.Stmt.Close()
}

type boundedStmt struct {
	pqStmt
	on *bounded
}

func (s *boundedStmt) Close() error {
	defer s.on.watch(context.Background())()
	return s.pqStmt.Close()
}

func (s *boundedStmt) ExecContext(ctx context.Context, args []driver.NamedValue) (driver.Result, error) {
	defer s.on.watch(ctx)()
	result, err := s.pqStmt.ExecContext(ctx, args)
	return result, s.on.seen(err)
}

func (s *boundedStmt) QueryContext(ctx context.Context, args []driver.NamedValue) (driver.Rows, error) {
	done := s.on.watch(ctx)
	rows, err := s.pqStmt.QueryContext(ctx, args)
	return s.on.rows(rows, err, done)
}

// BeginTx begins a transaction whose end has no context but this one.
func (c *bounded) BeginTx(ctx context.Context, options driver.TxOptions) (driver.Tx, error) {
	defer c.watch(ctx)()
	tx, err := c.pqConn.BeginTx(ctx, options)
	if err != nil {
		return nil, c.seen(err)
	}
	return &boundedTx{tx, c, ctx}, nil
}

type boundedTx struct {
	driver.Tx
	on  *bounded
	ctx context.Context
}

func (t *boundedTx) Commit() error {
	defer t.on.watch(t.ctx)()
	return t.Tx.Commit()
}

func (t *boundedTx) Rollback() error {
	defer t.on.watch(t.ctx)()
	return t.Tx.Rollback()
}
