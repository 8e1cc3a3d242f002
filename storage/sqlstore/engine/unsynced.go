package engine

import "context"

// dueUnsynced is how many statements go by that nobody waits for before the disk has to keep
// them: by them alone the log would only grow.
const dueUnsynced = 500

// WriteUnsynced is WriteOne for what may be taken back by a power cut: SQLite hands
// commits to the operating system in order, and they survive the end of the process.
// It takes the writer's turn, so that changes still come one after the other and in the
// order in which they queue.
//
// On PostgreSQL it is WriteOne: there the database is what may end at any time,
// and it waits for its disk without costing us anything.
func (d *DB) WriteUnsynced(ctx context.Context, query string, arg any) (int64, error) {
	if d.unsynced == d.writer {
		return d.WriteOne(ctx, query, arg)
	}
	var n int64
	err := d.persist(ctx, func() error {
		turn, err := d.writer.db.Conn(ctx)
		if err != nil {
			return err
		}
		defer turn.Close()
		// Watching for a cancellation would cost more than the statement.
		s := d.unsynced.follow(ctx, query)
		n, err = d.unsynced.exec(context.WithoutCancel(ctx), query, arg)
		ended(s, err)
		if !d.unsynced.hot.has(query) {
			d.grow()
		}
		return err
	})
	if d.unwaited.Add(1)%dueUnsynced == 0 {
		go func() { _ = d.syncs.wait(context.Background()) }()
	}
	return n, err
}

// ActUnsynced is Write for what may be taken back by a power cut, and must not be done twice:
// what others see is not called failed because SQLite's disk does not keep it.
func (d *DB) ActUnsynced(ctx context.Context, act func(Tx) error) error {
	return d.persist(ctx, func() error { return d.attempt(ctx, act) })
}
