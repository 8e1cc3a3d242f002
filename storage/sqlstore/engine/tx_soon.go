package engine

import (
	"context"
	"errors"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"
	"github.com/lib/pq/pqerror"
	sqlite3 "modernc.org/sqlite/lib"
)

// LockWait is how long a change waits for others in its project.
const LockWait = 2 * time.Second

// WriteSoon is Write for what may give up: TookTooLong tells that it did.
func (d *DB) WriteSoon(ctx context.Context, act func(Tx) error) error {
	return d.persist(ctx, func() error { return d.attemptSoon(ctx, act) })
}

// errBusy says that the one connection that writes, or the lock of the file,
// was not free in time.
var errBusy = errors.New("another change is under way")

// attemptSoon is attempt, but on SQLite, where a transaction is the lock, it
// waits no longer than lockWait for its turn: first among ourselves, then for
// other processes.
func (d *DB) attemptSoon(ctx context.Context, act func(Tx) error) error {
	if d.writer.dialect.rowLocks {
		return d.attempt(ctx, act)
	}
	soon, cancel := context.WithTimeout(ctx, LockWait)
	defer cancel()
	conn, err := d.writer.db.Connx(soon)
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		return errBusy
	}
	if err != nil {
		return err
	}
	defer conn.Close()
	t, err := beginSoon(ctx, conn)
	if err != nil {
		return err
	}
	defer t.Rollback() // after a commit it does nothing
	if err := act(Tx{sqlx: t, handle: d.writer}); err != nil {
		return err
	}
	return t.Commit()
}

// beginSoon begins a transaction of SQLite, which takes the lock of the file.
func beginSoon(ctx context.Context, conn *sqlx.Conn) (*sqlx.Tx, error) {
	if _, err := conn.ExecContext(ctx, `PRAGMA busy_timeout = 2000`); err != nil {
		return nil, err
	}
	t, err := conn.BeginTxx(ctx, nil)
	if sqliteCode(err)&0xff == sqlite3.SQLITE_BUSY {
		err = errBusy
	}
	_, restored := conn.ExecContext(context.WithoutCancel(ctx), `PRAGMA `+busyTimeout)
	if err == nil && restored != nil {
		return nil, errors.Join(restored, t.Rollback())
	}
	return t, err
}

// TookTooLong reports whether a lock could not be had in time.
func TookTooLong(err error) bool {
	return errors.Is(err, errBusy) || pq.As(err, pqerror.LockNotAvailable) != nil
}
