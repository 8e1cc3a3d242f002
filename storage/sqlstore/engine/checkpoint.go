package engine

import (
	"context"
	"os"
	"time"
)

// lastPatience is how long the last checkpoint waits for who is writing.
const lastPatience = 2 * time.Second

// checkpoint puts what the log has into the file. Nobody of this process writes meanwhile.
func (d *DB) checkpoint(ctx context.Context) error {
	conn, err := d.writer.db.Connx(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	return d.file.take(func() (done checkpointed, err error) {
		err = conn.GetContext(context.WithoutCancel(ctx), &done, `PRAGMA wal_checkpoint(PASSIVE)`)
		return done, err
	})
}

// checkpointSoon begins one, unless one is under way. What it can't write is in the log still,
// and is tried again once more has been written there.
func (d *DB) checkpointSoon() {
	if !d.file.turn.TryLock() {
		return
	}
	go func() {
		defer d.file.turn.Unlock()
		_ = d.checkpoint(context.Background())
	}()
}

// mayEnd reports whether SQLite may put what is left of the log into the file and remove it,
// as it does where the last one closes the file: the disk has the log, or there is none, and
// the system knows the file as it is on the disk.
func (d *DB) mayEnd() bool {
	d.file.turn.Lock()
	defer d.file.turn.Unlock()
	if d.keeper.torn {
		log, err := os.Stat(d.log.path)
		return err == nil && log.Size() == 0
	}
	if !d.file.sound {
		ctx, cancel := context.WithTimeout(context.Background(), lastPatience)
		defer cancel()
		_ = d.checkpoint(ctx)
	}
	return d.file.sound
}
