package migrations

import (
	"context"
	"database/sql"
	sqldriver "database/sql/driver"
	"errors"
	"fmt"
	"io"

	"github.com/golang-migrate/migrate/v4/database"
)

// Statements that are the same on both engines.
const (
	selectVersion = `SELECT version FROM schema_version`
	deleteVersion = `DELETE FROM schema_version`
	commit        = `COMMIT`
	rollback      = `ROLLBACK`
)

// errNewerSchema reports a database whose schema this binary doesn't know.
var errNewerSchema = errors.New("the schema is newer than this binary")

// driver is golang-migrate's view of the database: one connection that nobody
// else uses, and one transaction from Lock to Unlock.
//
// The library's own drivers commit each step and its "dirty" mark apart, so a
// process killed in between leaves a database that needs a hand; and on SQLite
// several processes starting at once get in each other's way. Here the lock is
// the transaction itself: steps and version arrive together or not at all.
type driver struct {
	ctx     context.Context // of the run: the library's interface carries none
	conn    *sql.Conn
	dialect dialect
	known   int
	failed  bool // something went wrong: Unlock must not commit
}

var _ database.Driver = (*driver)(nil)

// Open is part of the interface; the runner makes its drivers itself.
func (d *driver) Open(string) (database.Driver, error) {
	return nil, errors.New("migrations: a driver can't be opened by URL")
}

// Close drops the connection instead of giving it back, since its settings
// were changed.
func (d *driver) Close() error {
	err := d.conn.Raw(func(any) error { return sqldriver.ErrBadConn })
	if errors.Is(err, sqldriver.ErrBadConn) {
		return nil
	}
	return err
}

// Lock begins the transaction that keeps every other migrating process out.
func (d *driver) Lock() error {
	ctx, cancel := context.WithTimeout(d.ctx, lockWait)
	defer cancel()
	for _, statement := range d.dialect.lock {
		if _, err := d.conn.ExecContext(ctx, statement); err != nil {
			d.abandon()
			return fmt.Errorf("waiting for other processes to finish migrating: %w", err)
		}
	}
	return nil
}

// Unlock ends the transaction: with everything if all went well, with nothing
// otherwise.
func (d *driver) Unlock() error {
	if d.failed {
		return d.abandon()
	}
	if err := d.checkReferences(); err != nil {
		return errors.Join(err, d.abandon())
	}
	if _, err := d.conn.ExecContext(d.ctx, commit); err != nil {
		return errors.Join(err, d.abandon())
	}
	return nil
}

// Run applies one step.
func (d *driver) Run(migration io.Reader) error {
	statements, err := io.ReadAll(migration)
	if err != nil {
		return d.fail(err)
	}
	_, err = d.conn.ExecContext(d.ctx, string(statements))
	return d.fail(err)
}

// SetVersion notes the step that is now the last. The mark of an unfinished
// step is not kept: nobody could ever see it.
func (d *driver) SetVersion(version int, dirty bool) error {
	if dirty {
		return nil
	}
	_, err := d.conn.ExecContext(d.ctx, deleteVersion)
	if err == nil && version > 0 {
		_, err = d.conn.ExecContext(d.ctx, d.dialect.insertVersion, version)
	}
	return d.fail(err)
}

// Version returns the last step, and never "dirty".
func (d *driver) Version() (int, bool, error) {
	version := database.NilVersion
	err := d.conn.QueryRowContext(d.ctx, selectVersion).Scan(&version)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return 0, false, d.fail(err)
	}
	if version > d.known {
		return 0, false, errNewerSchema
	}
	return version, false, nil
}

// Drop is part of the interface; nothing here deletes a whole database.
func (d *driver) Drop() error {
	return errors.New("migrations: dropping a database is left to its administrator")
}

// checkReferences looks for rows whose parent got lost while SQLite's foreign
// keys were off. PostgreSQL has checked by itself.
func (d *driver) checkReferences() error {
	if d.dialect.checkReferences == "" {
		return nil
	}
	rows, err := d.conn.QueryContext(d.ctx, d.dialect.checkReferences)
	if err != nil {
		return err
	}
	defer rows.Close()
	if rows.Next() {
		return errors.New("a migration left rows that refer to nothing; it was taken back")
	}
	return rows.Err()
}

// abandon takes back the transaction, even when the run was called off.
func (d *driver) abandon() error {
	_, err := d.conn.ExecContext(context.WithoutCancel(d.ctx), rollback)
	return err
}

// fail remembers that there was an error, and returns it.
func (d *driver) fail(err error) error {
	if err != nil {
		d.failed = true
	}
	return err
}
