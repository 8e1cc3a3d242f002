// Package migrations holds the database schema as numbered steps, the same
// numbers and names for SQLite and PostgreSQL, and the runner that applies them.
//
// It knows tables, not records: what the columns mean to the program is in
// storage/sqlstore. Start at Runner; the steps are in sqlite/ and postgres/.
//
// Every step also notes, in table schema_support, the oldest version of the
// binary that can work with the schema it leaves. So an older binary can go on
// beside a newer one while a fleet is being replaced, and is stopped by
// CheckSupported where it could not.
package migrations

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/golang-migrate/migrate/v4"
	"github.com/golang-migrate/migrate/v4/source"
	"github.com/golang-migrate/migrate/v4/source/iofs"
	"github.com/lib/pq"
	"github.com/lib/pq/pqerror"
)

//go:embed sqlite/*.sql postgres/*.sql
var embedded embed.FS

const (
	// lockWait is how long a process waits for another one that is migrating, or
	// that holds what is to be changed.
	lockWait = 5 * time.Minute

	// betweenTurns is how long others have their turn before a migration tries again.
	betweenTurns = time.Second
)

// Options says what to migrate.
type Options struct {
	DB     *sql.DB
	Engine Engine
	Binary string // version of the running program: MAJOR.MINOR.PATCH
	Files  fs.FS  // the steps, in a folder named like the engine; nil: Portico's own
}

// Runner brings a database to another version of the schema. Any number of
// processes may run one on the same database at once: one works, the others
// wait for it and find nothing left to do. A run is one transaction, so that
// a killed process leaves the schema as it was before.
type Runner struct {
	db      *sql.DB
	dialect dialect
	binary  version
	files   fs.FS
	folder  string
	known   int
}

// Status tells where a database stands.
type Status struct {
	Applied int    // number of the last applied step; 0: none
	Known   int    // number of the last step this binary knows
	Oldest  string // oldest binary version the schema supports; empty: any
}

// New returns a runner, or an error for an unknown engine, a binary version
// that is none, or steps that can't be read.
func New(opts Options) (*Runner, error) {
	d, ok := dialects[opts.Engine]
	if !ok {
		return nil, fmt.Errorf("no migrations for database engine %q", opts.Engine)
	}
	binary, err := parseVersion(opts.Binary)
	if err != nil {
		return nil, fmt.Errorf("version of this binary: %w", err)
	}
	r := &Runner{db: opts.DB, dialect: d, binary: binary, files: opts.Files, folder: string(opts.Engine)}
	if r.files == nil {
		r.files = embedded
	}
	r.known, err = r.lastStep()
	return r, err
}

// Up applies every step that is missing. A schema that is newer than this
// binary knows is left alone, if it supports it, and is an *UnsupportedError
// otherwise.
func (r *Runner) Up(ctx context.Context) error {
	status, err := r.Status(ctx)
	if err != nil {
		return err
	}
	if status.Applied < r.known {
		err = r.run(ctx, (*migrate.Migrate).Up)
	}
	if err != nil && !errors.Is(err, errNewerSchema) {
		return fmt.Errorf("migrating the database up from step %d: %w", status.Applied, err)
	}
	return r.CheckSupported(ctx)
}

// Down takes back the given number of steps, at least one and no more than are
// applied. The data in what they added is lost.
func (r *Runner) Down(ctx context.Context, steps int) error {
	status, err := r.Status(ctx)
	if err != nil {
		return err
	}
	if status.Applied > r.known {
		return fmt.Errorf("the database is at step %d, this binary knows only %d: take steps back with the newer binary",
			status.Applied, r.known)
	}
	if steps < 1 || steps > status.Applied {
		return fmt.Errorf("can't take back %d steps: %d are applied", steps, status.Applied)
	}
	err = r.run(ctx, func(m *migrate.Migrate) error { return m.Steps(-steps) })
	if err != nil {
		return fmt.Errorf("migrating the database %d steps down from step %d: %w", steps, status.Applied, err)
	}
	return nil
}

// To brings an empty database to a step, up or down: what is in it may be lost.
func (r *Runner) To(ctx context.Context, step int) error {
	if step < 1 || step > r.known {
		return fmt.Errorf("there is no step %d, this binary knows those up to %d", step, r.known)
	}
	err := r.run(ctx, func(m *migrate.Migrate) error { return m.Migrate(uint(step)) })
	if err != nil {
		return fmt.Errorf("bringing the database to step %d: %w", step, err)
	}
	return nil
}

// Status reads where the database stands, and changes nothing.
func (r *Runner) Status(ctx context.Context) (Status, error) {
	status := Status{Known: r.known}
	applied, err := r.appliedStep(ctx)
	if err != nil || applied == 0 {
		return status, err
	}
	status.Applied = applied
	support, err := r.support(ctx)
	if err != nil {
		return status, err
	}
	if newest := support.strictest(); newest != nil {
		status.Oldest = newest.oldest.text
	}
	return status, nil
}

// run works, again and again while others hold what it changes: it waits for a
// table only for a moment each time, as everybody who comes after waits with it.
func (r *Runner) run(ctx context.Context, work func(*migrate.Migrate) error) error {
	waiting, cancel := context.WithTimeout(ctx, lockWait)
	defer cancel()
	for {
		err := r.runOnce(ctx, work)
		if pq.As(err, pqerror.LockNotAvailable) == nil {
			return err
		}
		select {
		case <-time.After(betweenTurns):
		case <-waiting.Done():
			return fmt.Errorf("others held what is to be changed for %v: %w", lockWait, err)
		}
	}
}

// runOnce lets golang-migrate do the work on a connection of its own.
func (r *Runner) runOnce(ctx context.Context, work func(*migrate.Migrate) error) error {
	steps, err := r.steps()
	if err != nil {
		return err
	}
	conn, err := r.db.Conn(ctx)
	if err != nil {
		return err
	}
	d := &driver{ctx: ctx, conn: conn, dialect: r.dialect, known: r.known}
	m, err := migrate.NewWithInstance("iofs", steps, "portico", d)
	if err != nil {
		return errors.Join(err, d.Close())
	}
	m.LockTimeout = lockWait + time.Minute // ours ends first, with a better message
	err = work(m)
	if errors.Is(err, migrate.ErrNoChange) {
		err = nil
	}
	sourceErr, driverErr := m.Close()
	return errors.Join(err, sourceErr, driverErr)
}

// appliedStep returns the number of the last applied step, 0 for none.
func (r *Runner) appliedStep(ctx context.Context) (int, error) {
	var exists bool
	if err := r.db.QueryRowContext(ctx, r.dialect.hasVersionTable).Scan(&exists); err != nil {
		return 0, fmt.Errorf("looking for the schema version: %w", err)
	}
	if !exists {
		return 0, nil
	}
	var applied int
	err := r.db.QueryRowContext(ctx, selectVersion).Scan(&applied)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("reading the schema version: %w", err)
	}
	return applied, nil
}

// lastStep returns the number of the newest step in the files.
func (r *Runner) lastStep() (int, error) {
	steps, err := r.steps()
	if err != nil {
		return 0, err
	}
	defer steps.Close()
	last, err := steps.First()
	for next := last; err == nil; next, err = steps.Next(last) {
		last = next
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return 0, fmt.Errorf("listing the migrations: %w", err)
	}
	return int(last), nil
}

func (r *Runner) steps() (source.Driver, error) {
	steps, err := iofs.New(r.files, r.folder)
	if err != nil {
		return nil, fmt.Errorf("reading the migrations: %w", err)
	}
	return steps, nil
}
