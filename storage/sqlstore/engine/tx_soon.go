package engine

import (
	"context"
	"errors"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"
	"github.com/lib/pq/pqerror"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
	sqlite3 "modernc.org/sqlite/lib"
)

// LockWait is how long a change waits for others in its project.
const LockWait = 2 * time.Second

// WriteSoon is Write for what may give up: TookTooLong tells that somebody else
// was at the same, and ReasonBusy that others write.
func (d *DB) WriteSoon(ctx context.Context, act func(Tx) error) error {
	return d.onDisk(ctx, d.persist(ctx, func() error { return d.attemptSoon(ctx, act) }))
}

// busy says that the one connection that writes, or the lock of the file, was
// not free in time.
func busy() *fault.Error {
	return fault.New(fault.Unavailable, storage.ReasonBusy, "Others are writing at the moment. Try again.").After(LockWait)
}

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
		return busy()
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
	return d.perform(ctx, newTx(t, d.writer), act)
}

// beginSoon begins a transaction of SQLite, which takes the lock of the file.
func beginSoon(ctx context.Context, conn *sqlx.Conn) (*sqlx.Tx, error) {
	if _, err := conn.ExecContext(ctx, `PRAGMA busy_timeout = 2000`); err != nil {
		return nil, err
	}
	t, err := conn.BeginTxx(ctx, nil)
	if sqliteCode(err)&0xff == sqlite3.SQLITE_BUSY {
		err = busy() // and no cause: it would be taken for what is tried again
	}
	_, restored := conn.ExecContext(context.WithoutCancel(ctx), `PRAGMA `+busyTimeout)
	if err == nil && restored != nil {
		return nil, errors.Join(restored, t.Rollback())
	}
	return t, err
}

// TookTooLong reports whether somebody else held a lock for too long.
func TookTooLong(err error) bool { return pq.As(err, pqerror.LockNotAvailable) != nil }
