package engine

import (
	"bytes"
	"context"
	"errors"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/harness/sqlitetest"
	"github.com/portico-id/portico/storage"
)

// Rule: REFRESH-14
func TestWhoWaitsForTheDiskHasWhatTheyWroteOnIt(t *testing.T) {
	const writers = 64
	var written, kept, syncs atomic.Int64
	s := newSyncs(func() error {
		keeps := written.Load()
		syncs.Add(1)
		for written.Load() < writers { // the first one takes until all have written
			runtime.Gosched()
		}
		kept.Store(keeps)
		return nil
	})
	var all sync.WaitGroup
	for range writers {
		all.Go(func() {
			own := written.Add(1)
			if err := s.wait(t.Context()); err != nil || kept.Load() < own {
				t.Errorf("of %d only %d are kept: %v", own, kept.Load(), err)
			}
		})
	}
	all.Wait()
	if n := syncs.Load(); n > writers/2 {
		t.Errorf("%d who write at once wait for the disk %d times", writers, n)
	}
}

// Rules: FORM-4, REFRESH-14
func TestWhatIsWrittenTogetherIsOnTheDiskOrAnError(t *testing.T) {
	db := heated(t)
	real, syncs := db.syncs.sync, 0
	db.syncs = newSyncs(func() error { syncs++; return real() })
	const touching = `UPDATE event_positions SET last = last + 1`
	if n, err := db.WriteTogether(t.Context(), touching, Args{}); err != nil || n == 0 || syncs != 1 {
		t.Errorf("%d rows in %d syncs: %v", n, syncs, err)
	}
	db.syncs = newSyncs(func() error { return errors.New("input/output error") })
	if _, err := db.WriteTogether(t.Context(), touching, Args{}); !fault.Is(err, fault.Unavailable) ||
		!strings.Contains(err.Error(), "Look whether it was done before you try again.") {
		t.Errorf("what may not be on the disk is called so: %v", err)
	}
	if err := db.Write(t.Context(), touches); !fault.Is(err, fault.Unavailable) || !errors.Is(err, storage.ErrUnsure) {
		t.Errorf("a transaction that may not be on the disk ends with %v", err)
	}
	if err := (&logFile{path: db.log.path + "-not-there"}).sync(); err == nil {
		t.Error("a file that is not there is called kept")
	}
}

// A system tells once that it lost what it had to write, and what comes later is no good
// behind a gap: nor would be what a checkpoint began to write to the file itself.
//
// Rule: SERVER-70
func TestAfterADiskHasFailedNothingIsCalledKeptBeforeItHasAllOfTheLogAnew(t *testing.T) {
	db := heated(t)
	fails, rewritten, log := true, 0, &logFile{path: db.log.path}
	defer func() { _ = log.close() }()
	keeper := &logKeeper{
		sync: func() error {
			if fails {
				return errors.New("input/output error")
			}
			return log.sync()
		},
		rewrite: func() error { rewritten++; return db.alone(t.Context(), log.rewrite) },
	}
	db.syncs = newSyncs(keeper.keep)
	for n := range 2 {
		if err := db.Write(t.Context(), touches); !fault.Is(err, fault.Unavailable) || rewritten != n {
			t.Errorf("the disk fails: %v, rewritten %d times", err, rewritten)
		}
	}
	fails = false
	reading, err := db.BeginReading(t.Context())
	if err == nil {
		var n int
		err = reading.tx.Get(t.Context(), &n, `SELECT count(*) FROM event_positions`, Args{})
	}
	if err != nil {
		t.Fatal(err)
	}
	defer reading.Done() // which may take hours
	for range 2 {
		if err := db.Write(t.Context(), touches); err != nil || rewritten != 2 {
			t.Errorf("the disk works again: %v, rewritten %d times", err, rewritten)
		}
	}
}

// Rule: SERVER-70
func TestALogIsRewrittenAsItIsWhileNobodyWrites(t *testing.T) {
	db := heated(t)
	log := &logFile{path: db.log.path}
	defer func() { _ = log.close() }()
	err := db.Write(t.Context(), touches)
	if err == nil {
		err = os.Chtimes(log.path, time.Unix(1, 0), time.Unix(1, 0))
	}
	before, failed := os.ReadFile(log.path)
	if err = errors.Join(err, failed); err != nil || len(before) == 0 {
		t.Fatal(len(before), err)
	}
	other, err := db.unsynced.db.BeginTxx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := db.alone(t.Context(), log.rewrite); err == nil {
		t.Error("it is rewritten while somebody writes")
	}
	if err := errors.Join(other.Rollback(), db.alone(t.Context(), log.rewrite)); err != nil {
		t.Error(err)
	}
	after, err := os.ReadFile(log.path)
	if err != nil || !bytes.Equal(before, after) {
		t.Errorf("%d bytes became others, %d: %v", len(before), len(after), err)
	}
	if info, err := os.Stat(log.path); err != nil || info.ModTime().Unix() == 1 {
		t.Errorf("nothing was written: %v", err)
	}
	ctx, end := context.WithCancel(t.Context())
	err = db.alone(ctx, func() error {
		end()
		_, err := db.unsynced.db.ExecContext(t.Context(), `UPDATE event_positions SET last = last + 1`)
		return err
	})
	if err == nil {
		t.Error("somebody else writes once its time is over")
	}
}

// The server that met the failure may have ended, and nobody else is told of it.
//
// Rule: SERVER-70
func TestALogThatOthersBeganIsRewrittenBeforeAnythingInItIsCalledKept(t *testing.T) {
	opts := Options{URL: sqlitetest.URL(t), Version: "0.1.0", Migrate: true}
	first, err := Open(t.Context(), opts)
	if err != nil {
		t.Fatal(err)
	}
	defer first.Close() // by which there would be no log
	written := func() time.Time {
		info, err := os.Stat(first.log.path)
		if err != nil {
			t.Fatal(err)
		}
		return info.ModTime()
	}
	err = first.Write(t.Context(), touches)
	if err = errors.Join(err, os.Chtimes(first.log.path, time.Unix(1, 0), time.Unix(1, 0))); err != nil {
		t.Fatal(err)
	}
	if err := first.onDisk(t.Context(), nil); err != nil || written().Unix() != 1 {
		t.Errorf("whoever began it writes it anew at %v: %v", written(), err)
	}
	opts.Migrate = false
	second, err := Open(t.Context(), opts)
	if err != nil {
		t.Fatal(err)
	}
	defer second.Close()
	other, err := first.unsynced.db.BeginTxx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(2*time.Second, func() { _ = other.Rollback() }) // SQLite itself waits for less
	if err := second.onDisk(t.Context(), nil); err != nil || written().Unix() == 1 {
		t.Errorf("what others left in it was written anew at %v: %v", written(), err)
	}
}

// A request ends in time, whatever the disk does.
//
// Rule: SERVER-70
func TestADiskThatSaysNothingIsWaitedForNoLongerThanSomebodyWaits(t *testing.T) {
	db := heated(t)
	real, silent, goOn := db.syncs.sync, make(chan struct{}), make(chan struct{})
	db.syncs.sync = func() error {
		close(silent)
		<-goOn
		return real()
	}
	ctx, end := context.WithCancel(t.Context())
	written := make(chan error)
	go func() { written <- db.Write(ctx, touches) }()
	<-silent
	end()
	select {
	case err := <-written:
		if !fault.Is(err, fault.Unavailable) || !errors.Is(err, storage.ErrUnsure) {
			t.Errorf("nobody knows whether it is kept: %v", err)
		}
	case <-time.After(time.Minute):
		t.Error("who waits no longer waits for the disk")
	}
	close(goOn)
}

// Whoever goes on from a position would never be told of the change that gets it after a power
// cut has taken back the one that had it.
//
// Rule: SERVER-70
func TestAPositionIsToldOnceItIsOnTheDisk(t *testing.T) {
	db := heated(t)
	journal, fails := NewJournal(db), errors.New("input/output error")
	told := map[string]func() error{
		"the feed": func() error { _, _, err := journal.ListChanges(t.Context(), "project", 0, 1); return err },
		"now":      func() error { _, err := journal.LastPosition(t.Context()); return err },
	}
	db.syncs = newSyncs(func() error { return fails })
	for name, tell := range told {
		if err := tell(); err != nil {
			t.Errorf("%s, where nothing was written: %v", name, err)
		}
	}
	_ = db.Write(t.Context(), touches)
	for name, tell := range told {
		if err := tell(); !fault.Is(err, fault.Unavailable) {
			t.Errorf("%s tells what may not be on the disk: %v", name, err)
		}
	}
	if _, _, err := journal.ListChanges(t.Context(), "project", 1, 1); err != nil {
		t.Errorf("who was told before: %v", err)
	}
	fails = nil
	for name, tell := range told {
		if err := tell(); err != nil {
			t.Errorf("%s, once it is on the disk: %v", name, err)
		}
	}
}
