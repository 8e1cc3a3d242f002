package signing_test

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/portico-id/portico/internal/gate/signing"
)

func TestStoreThatIsDownChangesNothingForRunningServers(t *testing.T) {
	w := newWorld(t)
	var log bytes.Buffer
	set := w.open(func(o *signing.Options) { o.Log = slog.New(slog.NewTextHandler(&log, nil)) })
	w.store.setDown(true)
	for range 5 {
		w.clock.Advance(10 * time.Second)
		if _, err := set.VerifyAccess(t.Context(), w.access(set)); err != nil {
			t.Fatalf("while the store is down: %v", err)
		}
		if body, _ := set.KeySetDocument(t.Context()); !strings.Contains(string(body), firstKID) {
			t.Fatal("the keys are not published while the store is down")
		}
		set.Settle()
	}
	w.store.setDown(false)
	w.clock.Advance(10 * time.Second)
	w.access(set)
	set.Settle()
	if got := strings.Count(log.String(), "\n"); got != 2 {
		t.Errorf("%d lines were logged, want one when it broke and one when it worked again:\n%s", got, &log)
	}
}

func TestServerDoesNotStartWithoutItsStore(t *testing.T) {
	w := newWorld(t)
	w.store.setDown(true)
	if _, err := signing.Open(t.Context(), w.options()); err == nil {
		t.Error("it started")
	}
}

func TestKeysAreReadOncePerRefreshHoweverManyAsk(t *testing.T) {
	w := newWorld(t)
	set := w.open()
	before := w.store.listed()
	w.clock.Advance(time.Minute)
	var all sync.WaitGroup
	for range 50 {
		all.Go(func() { set.KeySetDocument(t.Context()) })
	}
	all.Wait()
	set.Settle()
	if reads := w.store.listed() - before; reads != 1 {
		t.Errorf("the store was asked %d times, want once", reads)
	}
}

func TestNothingIsReadWhileNobodyAsks(t *testing.T) {
	w := newWorld(t)
	set := w.open()
	before := w.store.listed()
	w.clock.Advance(time.Hour)
	set.Settle()
	if reads := w.store.listed() - before; reads != 0 {
		t.Errorf("the store was asked %d times by nobody", reads)
	}
}

func TestMadeUpKeyNamesDoNotFloodTheStore(t *testing.T) {
	w := newWorld(t)
	set := w.open()
	before := w.store.listed()
	w.clock.Advance(100 * time.Millisecond)
	token := encode(`{"alg":"RS256","kid":"made-up","typ":"at+jwt"}`) + "." + encode(`{}`) + "." + encode("signature")
	for range 100 {
		if _, err := set.VerifyAccess(t.Context(), token); !isInvalidToken(err) {
			t.Fatal(err)
		}
	}
	if reads := w.store.listed() - before; reads != 1 {
		t.Errorf("the store was asked %d times, want once", reads)
	}
}

func TestWaitingForAReloadEndsWithTheRequest(t *testing.T) {
	w := newWorld(t)
	set := w.open()
	w.clock.Advance(time.Minute)
	w.store.mu.Lock() // the store hangs
	defer set.Settle()
	defer w.store.mu.Unlock()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if body, _ := set.KeySetDocument(ctx); !strings.Contains(string(body), firstKID) {
		t.Error("the keys in memory were not used")
	}
}
