package sqlstore

import (
	"context"
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

// tx is one transaction. Its queries go over its own connection only.
type tx struct {
	sqlx   *sqlx.Tx
	handle *handle
}

// write runs an act in one transaction: everything it does is kept, or nothing
// when it returns an error. The act may run more than once, so it must set what
// it hands out each time.
func (s *Store) write(ctx context.Context, act func(tx) error) error {
	return s.persist(ctx, func() error { return s.attempt(ctx, act) })
}

// writeOne runs a single statement, which needs no transaction around it, and
// returns how many rows it changed.
func (s *Store) writeOne(ctx context.Context, query string, arg any) (int64, error) {
	var n int64
	err := s.persist(ctx, func() error {
		var err error
		n, err = s.writer.exec(ctx, query, arg)
		return err
	})
	return n, err
}

// persist tries again while the database says that another transaction was in
// the way.
func (s *Store) persist(ctx context.Context, try func() error) error {
	pause := firstPause
	for attempt := 1; ; attempt++ {
		err := try()
		if err == nil {
			return nil
		}
		if attempt == maxAttempts || !inTheWay(err) || !wait(ctx, pause) {
			return asFault(err)
		}
		pause *= 2
	}
}

func (s *Store) attempt(ctx context.Context, act func(tx) error) error {
	t, err := s.writer.db.BeginTxx(ctx, nil)
	if err != nil {
		return err
	}
	defer t.Rollback() // after a commit it does nothing
	if err := act(tx{sqlx: t, handle: s.writer}); err != nil {
		return err
	}
	return t.Commit()
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

// get reads the one row of a query. Its error is sql.ErrNoRows when there is
// none.
func (t tx) get(ctx context.Context, dest any, query string, arg any) error {
	if stmt, ok := t.handle.hot[query]; ok {
		return t.sqlx.NamedStmtContext(ctx, stmt).GetContext(ctx, dest, arg)
	}
	return t.handle.getOn(ctx, t.sqlx, dest, query, arg)
}

// list reads all rows of a query into a slice.
func (t tx) list(ctx context.Context, dest any, query string, arg any) error {
	if stmt, ok := t.handle.hot[query]; ok {
		return t.sqlx.NamedStmtContext(ctx, stmt).SelectContext(ctx, dest, arg)
	}
	return t.handle.listOn(ctx, t.sqlx, dest, query, arg)
}

// exec changes rows and returns how many.
func (t tx) exec(ctx context.Context, query string, arg any) (int64, error) {
	if stmt, ok := t.handle.hot[query]; ok {
		return affected(t.sqlx.NamedStmtContext(ctx, stmt).ExecContext(ctx, arg))
	}
	return t.handle.execOn(ctx, t.sqlx, query, arg)
}

// execOne is exec for a change that must find a row: without one it returns
// absent.
func (t tx) execOne(ctx context.Context, absent *fault.Error, query string, arg any) error {
	n, err := t.exec(ctx, query, arg)
	if err == nil && n == 0 {
		return absent
	}
	return err
}

// mustExist returns the fault for an absent thing when the query, which selects
// an id by :id, finds nothing.
func (t tx) mustExist(ctx context.Context, what, query, id string) error {
	found, err := t.lock(ctx, query, id)
	if err == nil && !found {
		return absent(what)
	}
	return err
}

// lock runs a query that selects an id by :id, with a row lock or without, and
// reports whether the row is there.
func (t tx) lock(ctx context.Context, query, id string) (bool, error) {
	var found []string
	err := t.list(ctx, &found, query, args{"id": id})
	return len(found) > 0, err
}
