package serviceaccounts

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/gate/jwt"
	"github.com/portico-id/portico/storage"
)

// flakyStore fails to write until it is mended, as a database does that is
// being restarted.
type flakyStore struct {
	Store
	mu      sync.Mutex
	broken  bool
	written []storage.ServiceAccountUse
	events  []storage.AuditEvent
}

func (s *flakyStore) MarkServiceAccountsUsed(_ context.Context, uses []storage.ServiceAccountUse) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.broken {
		return errors.New("no database")
	}
	s.written = append(s.written, uses...)
	return nil
}

func (s *flakyStore) RecordAudit(_ context.Context, event storage.AuditEvent) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.broken {
		return errors.New("no database")
	}
	s.events = append(s.events, event)
	return nil
}

func use(second int) storage.ServiceAccountUse {
	at := time.Unix(int64(second), 0).UTC()
	return storage.ServiceAccountUse{AccountID: "A", KID: "K", At: at, ExpiresAt: at.Add(time.Hour)}
}

// Rule: ACCOUNT-15
func TestUsesThatCannotBeWrittenStayAndAreWrittenLater(t *testing.T) {
	store := &flakyStore{broken: true}
	l := newLedger(store, slog.New(slog.DiscardHandler))
	l.used(use(5))
	if l.flush() == nil {
		t.Fatal("a failing store is no error")
	}
	if got := l.overlay(storage.ServiceAccount{ID: "A"}); !got.AccessedAt.Equal(use(5).At) {
		t.Errorf("after the failure the account shows %v", got.AccessedAt)
	}
	store.mend()
	if err := l.close(); err != nil || len(store.written) != 1 {
		t.Errorf("%v, %d written", err, len(store.written))
	}
	if got := l.overlay(storage.ServiceAccount{ID: "A"}); !got.AccessedAt.IsZero() {
		t.Error("what is written is still kept")
	}
}

// The store of this test fails every write and has no other method: whatever
// an exchange did with it beyond that would panic.
// Rule: ACCOUNT-15
func TestTakingAnAssertionWithoutAJTIWaitsForNoWrite(t *testing.T) {
	store := &flakyStore{broken: true}
	accounts := New(Options{Store: store, Ambient: ambient.System(), Log: slog.New(slog.DiscardHandler), KeysAhead: -1})
	act := storage.Act{At: use(5).At}
	if err := accounts.AcceptAssertion(t.Context(), act,
		storage.Assertion{ClientID: "C", AccountID: "A", KID: "K"}); err != nil {
		t.Fatalf("while nothing can be written: %v", err)
	}
	if got := accounts.ledger.overlay(storage.ServiceAccount{ID: "A"}); !got.AccessedAt.Equal(act.At) {
		t.Errorf("the account shows %v", got.AccessedAt)
	}
	store.mend()
	if err := accounts.Close(); err != nil || len(store.written) != 1 || store.written[0].KID != "K" {
		t.Errorf("once it can be: %v, %v", err, store.written)
	}
}

func (s *flakyStore) mend() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.broken = false
}

func TestOfManyUsesTheLatestIsWritten(t *testing.T) {
	store := &flakyStore{}
	l := newLedger(store, slog.New(slog.DiscardHandler))
	for _, second := range []int{5, 9, 7} {
		l.used(use(second))
	}
	if err := l.close(); err != nil || len(store.written) != 1 || store.written[0] != use(9) {
		t.Errorf("%v, %v", err, store.written)
	}
}

func TestAUseDuringTheWritingIsNotForgotten(t *testing.T) {
	l := newLedger(&flakyStore{}, slog.New(slog.DiscardHandler))
	l.used(use(9))
	dropWritten(l.accounts, "A", use(5).At) // 5 was written when 9 came
	if got := l.overlay(storage.ServiceAccount{ID: "A"}); !got.AccessedAt.Equal(use(9).At) {
		t.Errorf("the account shows %v", got.AccessedAt)
	}
	if err := l.close(); err != nil {
		t.Error(err)
	}
}

func TestAnEarlierUseOverlaysNothing(t *testing.T) {
	l := newLedger(&flakyStore{}, slog.New(slog.DiscardHandler))
	l.used(use(5))
	later := storage.ServiceAccount{ID: "A", AccessedAt: use(9).At, ExpiresAt: use(9).ExpiresAt}
	if got := l.overlay(later); got != later {
		t.Errorf("%v became %v", later, got)
	}
	if err := l.close(); err != nil {
		t.Error(err)
	}
}

// Rule: EXCHANGE-8
func TestRefusalsThatCannotBeWrittenStayAndAreWrittenLater(t *testing.T) {
	store := &flakyStore{broken: true}
	l := newLedger(store, slog.New(slog.DiscardHandler))
	l.closed = true // it is written when this test says so
	act := storage.Act{RequestID: "first", Actor: storage.Actor{Kind: storage.ActorClient, ID: "C"}}
	l.refused(act, "A", jwt.CauseForm)
	if l.flush() == nil {
		t.Fatal("a failing store is no error")
	}
	l.refused(storage.Act{RequestID: "second", Actor: act.Actor}, "A", jwt.CauseForm)
	l.refused(act, "A", jwt.CauseSignature)
	store.mend()
	if err := l.close(); err != nil || len(store.events) != 2 {
		t.Fatalf("%v, written are %+v", err, store.events)
	}
	for _, event := range store.events {
		ofForm, twice := strings.Contains(event.Detail, string(jwt.CauseForm)), strings.Contains(event.Detail, `"count":2`)
		if event.Act.RequestID != "first" || ofForm != twice {
			t.Errorf("%+v", event)
		}
	}
}

func TestTheNumberOfDifferentRefusalsIsBounded(t *testing.T) {
	store := &flakyStore{}
	l := newLedger(store, slog.New(slog.DiscardHandler))
	l.closed = true // nothing is written meanwhile
	for i := range maxRefusals + 10 {
		act := storage.Act{Actor: storage.Actor{Kind: storage.ActorClient, ID: fmt.Sprint(i)}}
		l.refused(act, "", jwt.CauseForm)
	}
	if err := l.close(); err != nil || len(store.events) != maxRefusals {
		t.Errorf("%v, %d events, want %d", err, len(store.events), maxRefusals)
	}
}
