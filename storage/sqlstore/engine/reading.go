package engine

import (
	"context"
	"strconv"
	"time"

	"github.com/lib/pq"
	"github.com/lib/pq/pqerror"
	sqlite3 "modernc.org/sqlite/lib"
)

// Reading is a transaction of queries alone, so that they have one connection from
// beginning to end. What has an index is not looked for in the whole table, as
// PostgreSQL's planner would who thinks that a value is common everywhere because
// it is common elsewhere.
type Reading struct {
	tx   Tx
	ctx  context.Context // of the queries
	soon context.Context // ends with the budget; nil as long as there is none
}

// BeginReading begins a reading, which Done ends.
func (d *DB) BeginReading(ctx context.Context) (*Reading, error) {
	t, err := d.reader.db.BeginTxx(ctx, nil)
	if err != nil {
		return nil, err
	}
	r := &Reading{tx: newTx(t, d.reader), ctx: ctx}
	if _, err := r.tx.Exec(ctx, `{seek by index}`, Args{}); err != nil {
		r.Done()
		return nil, err
	}
	return r, nil
}

// Done ends the reading.
func (r *Reading) Done() { _ = r.tx.sqlx.Rollback() } // it only reads

// Hurry lets the queries that follow end with a budget, of which so much is left.
// PostgreSQL would lose its connection to a context that ends.
func (r *Reading) Hurry(soon context.Context, left time.Duration) error {
	if r.soon != nil {
		return nil
	}
	r.soon = soon
	if !r.tx.handle.dialect.rowLocks {
		r.ctx = soon
		return nil
	}
	var is []string
	return r.List(&is, `SELECT set_config('statement_timeout', :left, true)`,
		Args{"left": strconv.FormatInt(max(1, left.Milliseconds()), 10)})
}

// List reads all rows of a query into a slice.
func (r *Reading) List(dest any, query string, arg any) error {
	return r.tx.List(r.ctx, dest, query, arg)
}

// TooLate reports whether a query was ended because the budget is spent.
func (r *Reading) TooLate(err error) bool {
	if err == nil || r.soon == nil {
		return false
	}
	return pq.As(err, pqerror.QueryCanceled) != nil || r.soon.Err() != nil ||
		sqliteCode(err)&0xff == sqlite3.SQLITE_INTERRUPT
}

// FirstOfEach joins to each row before it the first rows of a table that are
// inside; the table is known by the alias.
func (r *Reading) FirstOfEach(f, inside *Filter, columns, table, alias, orderAndLimit string) string {
	return r.tx.handle.dialect.firstOfEach(f, inside, columns, table, alias, orderAndLimit)
}
