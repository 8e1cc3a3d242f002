package engine

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/portico-id/portico/internal/fault"
)

// maxAttempts is how often an act is tried when the database asks for it, and
// firstPause how long the wait before the second try is; it doubles each time.
const (
	maxAttempts = 6
	firstPause  = 2 * time.Millisecond
)

// Tx is one transaction. Its queries go over its own connection only.
type Tx struct {
	sqlx   *sqlx.Tx
	handle *handle
	posted *bool // whether the mails of its act are kept
	aging  *bool // whether the database grows older by it: see Age
}

func newTx(t *sqlx.Tx, h *handle) Tx {
	return Tx{sqlx: t, handle: h, posted: new(bool), aging: new(bool)}
}

// Write runs an act in one transaction: everything it does is kept, or nothing
// when it returns an error; only what the disk does not keep may be seen all the same.
// The act may run more than once, so it must set what it hands out each time.
func (d *DB) Write(ctx context.Context, act func(Tx) error) error {
	return d.onDisk(ctx, d.ActUnsynced(ctx, act))
}

// WriteOne runs a single statement, which needs no transaction around it, and
// returns how many rows it changed.
func (d *DB) WriteOne(ctx context.Context, query string, arg any) (int64, error) {
	var n int64
	err := d.persist(ctx, func() error {
		var err error
		s := d.writer.follow(ctx, query)
		n, err = d.writer.exec(ctx, query, arg)
		ended(s, err)
		if !d.writer.hot.has(query) {
			d.grow()
		}
		return err
	})
	return n, d.onDisk(ctx, err)
}

// Sweep is WriteOne for upkeep, which counts what it has done.
func (d *DB) Sweep(ctx context.Context, query string, arg any) (int, error) {
	n, err := d.WriteOne(ctx, query, arg)
	return int(n), err
}

// WriteMust is WriteOne for a change that must find a row: without one it returns
// absent.
func (d *DB) WriteMust(ctx context.Context, absent *fault.Error, query string, arg any) error {
	n, err := d.WriteOne(ctx, query, arg)
	if err == nil && n == 0 {
		return absent
	}
	return err
}

// persist tries again while the database says that another transaction was in
// the way.
func (d *DB) persist(ctx context.Context, try func() error) error {
	pause := firstPause
	for attempt := 1; ; attempt++ {
		err := try()
		if err == nil {
			return nil
		}
		if attempt == maxAttempts || !inTheWay(err) || !wait(ctx, pause) {
			if over := ctx.Err(); over != nil { // of which database/sql says many things
				err = errors.Join(err, over)
			}
			return AsFault(err)
		}
		pause *= 2
	}
}

func (d *DB) attempt(ctx context.Context, act func(Tx) error) error {
	s := d.writer.follow(ctx, "BEGIN")
	t, err := d.writer.db.BeginTxx(ctx, nil)
	if ended(s, err); err != nil {
		return err
	}
	defer t.Rollback() // after a commit it does nothing
	tx := newTx(t, d.writer)
	if isUnhurried(ctx) {
		if _, err := tx.Exec(ctx, `{lift timeout}`, Args{}); err != nil {
			return err
		}
	}
	return d.perform(ctx, tx, act)
}

// perform does the act and commits. Where it is not known whether the commit came
// through it is taken for that.
func (d *DB) perform(ctx context.Context, t Tx, act func(Tx) error) error {
	if err := act(t); err != nil {
		return err
	}
	s := d.writer.follow(ctx, "COMMIT")
	err := t.sqlx.Commit()
	ended(s, err)
	if *t.aging {
		d.grow()
	}
	if brokeOff(err) {
		err = unsure(err)
	}
	return err
}

// wait pauses, and reports whether there is still somebody to go on for.
func wait(ctx context.Context, pause time.Duration) bool {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// Get reads the one row of a query. Its error is sql.ErrNoRows when there is
// none.
func (t Tx) Get(ctx context.Context, dest any, query string, arg any) error {
	s := t.handle.follow(ctx, query)
	rows, err := t.query(ctx, query, arg)
	err = t.handle.readOne(rows, err, dest)
	ended(s, err)
	return err
}

// List reads all rows of a query into a slice.
func (t Tx) List(ctx context.Context, dest any, query string, arg any) error {
	s := t.handle.follow(ctx, query)
	rows, err := t.query(ctx, query, arg)
	err = t.handle.readAll(rows, err, dest)
	ended(s, err)
	return err
}

func (t Tx) query(ctx context.Context, query string, arg any) (*sql.Rows, error) {
	t.age(query)
	if stmt := t.handle.hot.find(query); stmt != nil {
		return t.handle.queryHot(ctx, t.sqlx.StmtContext(ctx, stmt.Stmt.Stmt), stmt.Params, arg)
	}
	return t.handle.queryOn(ctx, t.sqlx, query, arg)
}

// Exec changes rows and returns how many.
func (t Tx) Exec(ctx context.Context, query string, arg any) (int64, error) {
	s := t.handle.follow(ctx, query)
	n, err := t.exec(ctx, query, arg)
	ended(s, err)
	return n, err
}

func (t Tx) exec(ctx context.Context, query string, arg any) (int64, error) {
	t.age(query)
	if stmt := t.handle.hot.find(query); stmt != nil {
		return t.handle.execHot(ctx, t.sqlx.StmtContext(ctx, stmt.Stmt.Stmt), stmt.Params, arg)
	}
	return t.handle.execOn(ctx, t.sqlx, query, arg)
}

// ExecOne is exec for a change that must find a row: without one it returns
// absent.
func (t Tx) ExecOne(ctx context.Context, absent *fault.Error, query string, arg any) error {
	n, err := t.Exec(ctx, query, arg)
	if err == nil && n == 0 {
		return absent
	}
	return err
}

// Array is a list of numbers as a parameter for {among ids}.
func (t Tx) Array(values []int64) driver.Valuer { return t.handle.dialect.array(values) }

// MustExist returns the fault for an absent thing when the query, which selects
// an id by :id, finds nothing.
func (t Tx) MustExist(ctx context.Context, what, query, id string) error {
	found, err := t.Lock(ctx, query, id)
	if err == nil && !found {
		return Absent(what)
	}
	return err
}

// Lock runs a query that selects an id by :id, with a row lock or without, and
// reports whether the row is there.
func (t Tx) Lock(ctx context.Context, query, id string) (bool, error) {
	var found []string
	err := t.List(ctx, &found, query, Args{"id": id})
	return len(found) > 0, err
}
