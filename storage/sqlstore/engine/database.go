package engine

import (
	"context"
	"database/sql/driver"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/portico-id/portico/internal/fault"
)

// DB is an open database. It is safe for concurrent use.
type DB struct {
	reader   *handle
	writer   *handle // the same as reader on PostgreSQL
	unsynced *handle // of WriteUnsynced; the same as reader on PostgreSQL

	connector *connector    // nil on SQLite
	log       *writeLog     // nil on PostgreSQL
	syncs     *syncs        // of the log; nil on PostgreSQL
	keeper    *logKeeper    // has the disk keep it; nil on PostgreSQL
	file      *checkedFile  // nil on PostgreSQL
	unwaited  atomic.Uint64 // statements for which nobody waited
	grown     atomic.Uint64
	goesOn    sync.Mutex // held by an act that nobody waits for: see ToTheEnd
	closing   chan struct{}
	ending    sync.Once
}

// Close gives back every connection. Transactions under way are taken back.
func (d *DB) Close() error {
	d.endLast()
	if d.writer == d.reader {
		return d.reader.close()
	}
	if d.syncs == nil { // it was never used
		return errors.Join(d.unsynced.close(), d.writer.close(), d.reader.close())
	}
	err := d.syncs.close()
	ends := d.mayEnd()
	err = errors.Join(err, d.unsynced.close(), d.reader.close())
	if !ends {
		return err // whoever opens the file next finds the log
	}
	err = errors.Join(err, d.writer.close())
	_ = d.file.file.Close() // nothing was written by it
	return err
}

// Ping asks whether the database serves queries, and may be written to.
func (d *DB) Ping(ctx context.Context) error {
	var readOnly string
	err := d.Get(ctx, &readOnly, `SELECT {read only}`, Args{})
	if err != nil {
		return fault.New(fault.Unavailable, "", "It can't serve a query.").Because(err)
	}
	if readOnly == "on" {
		d.connector.renew(d.connector.age.Load()) // another host may be the one by now
		return fault.New(fault.Unavailable, ReasonDatabaseReadOnly, "It can't be written to.")
	}
	return nil
}

// Array is a list of numbers as a parameter for {among ids}.
func (d *DB) Array(values []int64) driver.Valuer { return d.reader.dialect.array(values) }

// Texts is a list of texts as a parameter for {among texts}.
func (d *DB) Texts(values []string) driver.Valuer { return d.reader.dialect.array(values) }

// Get reads the one row of a query. Its error is sql.ErrNoRows when there is
// none, else a fault.
func (d *DB) Get(ctx context.Context, dest any, query string, arg any) error {
	s := d.reader.follow(ctx, query)
	rows, err := d.reader.query(ctx, query, arg)
	err = d.reader.readOne(rows, err, dest)
	if ended(s, err); IsNoRow(err) {
		return err
	}
	return AsFault(err)
}

// List reads all rows of a query into a slice. Its errors are faults.
func (d *DB) List(ctx context.Context, dest any, query string, arg any) error {
	s := d.reader.follow(ctx, query)
	rows, err := d.reader.query(ctx, query, arg)
	err = d.reader.readAll(rows, err, dest)
	ended(s, err)
	return AsFault(err)
}

// Clock returns what time it is by the database, which on SQLite is now.
func (d *DB) Clock(ctx context.Context, now time.Time) (time.Time, error) {
	var at int64
	err := d.Get(ctx, &at, `SELECT {clock or now}`, Args{"now": now})
	return time.UnixMicro(at).UTC(), AsFault(err)
}

// Pool is how the connections of a pool are used.
type Pool struct {
	Name              string // reader or writer; both are one on PostgreSQL
	Most, InUse, Idle int
	Waits             int64 // how often somebody waited for one
	Waited            time.Duration
}

// Pools returns how the pools are used.
func (d *DB) Pools() []Pool {
	pools := []Pool{d.reader.stats("reader")}
	if d.writer != d.reader {
		pools = append(pools, d.writer.stats("writer"))
	}
	return pools
}

func (h *handle) stats(name string) Pool {
	s := h.db.Stats()
	return Pool{name, s.MaxOpenConnections, s.InUse, s.Idle, s.WaitCount, s.WaitDuration}
}
