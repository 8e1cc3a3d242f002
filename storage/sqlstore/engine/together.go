package engine

import (
	"context"
	"sync"

	"github.com/portico-id/portico/internal/fault"
)

// WriteTogether is WriteOne for what others may see a moment before it is on the disk, as
// it is when this returns: all who wait for the disk at a time wait for it once. On SQLite
// others write meanwhile, and what came before is on the disk, too.
func (d *DB) WriteTogether(ctx context.Context, query string, arg any) (int64, error) {
	n, err := d.WriteUnsynced(ctx, query, arg)
	if err == nil && d.syncs != nil {
		err = d.syncs.wait()
	}
	return n, err
}

// syncs have the disk keep a file, for all who wait for it at a time.
type syncs struct {
	sync func() error
	turn sync.Mutex // one after the other

	mu   sync.Mutex
	next *syncing
}

// syncing keeps what was written before it begins.
type syncing struct {
	once sync.Once
	err  error
}

func newSyncs(sync func() error) *syncs { return &syncs{sync: sync, next: new(syncing)} }

// wait returns when all is on the disk that was written before.
func (s *syncs) wait() error {
	s.mu.Lock()
	own := s.next
	s.mu.Unlock()
	own.once.Do(func() {
		s.turn.Lock()
		defer s.turn.Unlock()
		s.mu.Lock()
		s.next = new(syncing) // who comes from now on may come too late for this one
		s.mu.Unlock()
		own.err = s.sync()
	})
	if own.err != nil {
		return fault.New(fault.Unavailable, "", "The database can't be used at the moment. Try again.").Because(own.err)
	}
	return nil
}
