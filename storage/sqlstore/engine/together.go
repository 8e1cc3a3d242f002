package engine

import (
	"context"
	"errors"
	"os"
	"strings"
	"sync"

	"github.com/portico-id/portico/internal/fault"
)

// WriteTogether is WriteOne by the connection of WriteUnsynced, for a statement that is
// worth it.
func (d *DB) WriteTogether(ctx context.Context, query string, arg any) (int64, error) {
	n, err := d.WriteUnsynced(ctx, query, arg)
	return n, d.onDisk(ctx, err)
}

// onDisk returns when what was written is on the disk, and what came before: also to whoever
// is refused because of that. All who wait at a time wait for it once, and on SQLite others
// write and see meanwhile what was written: what they do follows it onto the disk.
// PostgreSQL sees to that itself.
func (d *DB) onDisk(ctx context.Context, err error) error {
	if d.syncs == nil || err != nil && !fault.Is(err, fault.Conflict) {
		return err
	}
	if failed := d.syncs.wait(ctx); failed != nil {
		return failed
	}
	return err
}

// FindKept is Find for what others are told to have been kept.
func FindKept[T any](ctx context.Context, db *DB, what, query string, arg any) (T, error) {
	row, err := Find[T](ctx, db, what, query, arg)
	return row, db.onDisk(ctx, err)
}

// syncs have the disk keep a file, for all who wait for it at a time.
type syncs struct {
	sync func() error
	end  func() error // when nobody waits any more
	turn sync.Mutex   // one after the other

	mu   sync.Mutex
	next *syncing
}

// syncing keeps what was written before it begins.
type syncing struct {
	once sync.Once
	done chan struct{}
	err  error // once it is done
}

func newSyncing() *syncing { return &syncing{done: make(chan struct{})} }

func newSyncs(sync func() error) *syncs {
	return &syncs{sync: sync, end: func() error { return nil }, next: newSyncing()}
}

// close waits for the last sync.
func (s *syncs) close() error {
	s.turn.Lock()
	defer s.turn.Unlock()
	return s.end()
}

// wait returns when all is on the disk that was written before. A disk that says nothing is
// waited for no longer than the context.
func (s *syncs) wait(ctx context.Context) error {
	s.mu.Lock()
	own := s.next
	s.mu.Unlock()
	own.once.Do(func() { go s.carryOut(own) })
	var err error
	select {
	case <-own.done:
		err = own.err
	case <-ctx.Done():
		err = ctx.Err()
	}
	if err == nil {
		return nil
	}
	return unsure(err)
}

func (s *syncs) carryOut(own *syncing) {
	defer close(own.done)
	s.turn.Lock()
	defer s.turn.Unlock()
	s.mu.Lock()
	s.next = newSyncing() // who comes from now on may come too late for this one
	s.mu.Unlock()
	own.err = s.sync()
}

// logKeeper has the disk keep the write-ahead log. After a failure the log may lack
// something amid what came later, as a system tells once that it lost what it had to write:
// then all of it is written anew before anything is called kept. Who opens it later is told
// nothing of that, so one that is begun by others is taken for such.
type logKeeper struct {
	sync, rewrite func() error
	torn          bool
}

// keepLog begins to have the disk keep the log, and to put it into the file, which is sound
// where who had it before left no log.
func (d *DB) keepLog(sound bool) error {
	log := &logFile{path: d.log.path}
	rewrite := func() error {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		return d.persist(ctx, func() error { return d.alone(ctx, log.rewrite) })
	}
	d.keeper = &logKeeper{sync: log.sync, rewrite: rewrite, torn: true}
	d.syncs = newSyncs(func() error {
		err := d.keeper.keep()
		if err == nil && log.full() {
			d.checkpointSoon()
		}
		return err
	})
	d.syncs.end = log.close
	file, err := os.OpenFile(strings.TrimSuffix(d.log.path, "-wal"), os.O_RDWR, 0)
	d.file = &checkedFile{file: file, sound: sound}
	return AsFault(errors.Join(err, log.open()))
}

func (l *logKeeper) keep() error {
	if l.torn {
		if err := l.rewrite(); err != nil {
			return err
		}
	}
	err := l.sync()
	l.torn = err != nil
	return err
}

// alone does something while nobody writes to SQLite's file, nor begins its log anew. The
// context ends the waiting for that alone.
func (d *DB) alone(ctx context.Context, work func() error) error {
	conn, err := d.writer.db.Connx(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	t, err := conn.BeginTxx(context.WithoutCancel(ctx), nil)
	if err != nil {
		return err
	}
	defer t.Rollback() // it changes nothing
	return work()
}
