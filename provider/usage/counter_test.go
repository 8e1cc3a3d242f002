package usage

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/internal/sealing"
	"github.com/portico-id/portico/storage"
)

// ledger is a store that may be away.
type ledger struct {
	storage.UsageStore
	mu    sync.Mutex
	away  error
	added [][]storage.UsageAdded
}

func (l *ledger) AddUsage(_ context.Context, added []storage.UsageAdded) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.away == nil {
		l.added = append(l.added, added)
	}
	return l.away
}

// sum is all that was written, by client and hour, with people in the place of the crowd.
func (l *ledger) sum() map[string]storage.UsageCounts {
	all := map[string]storage.UsageCounts{}
	for _, added := range l.added {
		for _, one := range added {
			key := fmt.Sprintf("%s %02d:00 %d", one.ClientID, one.Hour.Hour(), len(one.Crowd))
			c := all[key]
			c.SignIns, c.Tokens = c.SignIns+one.SignIns, c.Tokens+one.Tokens
			c.Refused, c.Failed = c.Refused+one.Refused, c.Failed+one.Failed
			all[key] = c
		}
	}
	return all
}

type bench struct {
	testing.TB
	*Counter
	ledger *ledger
	clock  *ambient.FixedClock
	log    *bytes.Buffer
}

func newBench(t testing.TB) *bench {
	source, clock := ambient.Fixed(time.Date(2026, 11, 25, 13, 58, 30, 0, time.UTC), 1)
	ring, err := sealing.New([]byte(strings.Repeat("secret ", 8)), nil, source)
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{TB: t, ledger: &ledger{}, clock: clock, log: &bytes.Buffer{}}
	b.Counter = NewCounter(b.ledger, ring, source, slog.New(slog.NewTextHandler(b.log, nil)))
	return b
}

func (b *bench) flush() {
	b.Helper()
	if err := b.Flush(context.Background()); err != nil {
		b.Fatal(err)
	}
}

var code = httpio.Tokens{GrantType: "authorization_code", AppType: "web"}

// Rule: USAGE-1
func TestWhatARequestWasIsCountedOfItsAppAndOfTheServer(t *testing.T) {
	refused := fault.New(fault.Invalid, "invalid_grant", "No.")
	none, no, broken := storage.UsageCounts{}, storage.UsageCounts{Refused: 1}, storage.UsageCounts{Failed: 1}
	for name, c := range map[string]struct {
		exchange httpio.Exchange
		status   int
		app, all storage.UsageCounts
		people   int
	}{
		"a sign-in to the server": {httpio.Exchange{SignIn: "signed_in", UserID: "U1"}, 303, none,
			storage.UsageCounts{SignIns: 1}, 1},
		"a sign-in that failed": {httpio.Exchange{SignIn: "wrong_login"}, 422, none,
			no, 0},
		"somebody comes to an app": {httpio.Exchange{ClientID: "a", UserID: "U1", Issued: code}, 200,
			storage.UsageCounts{SignIns: 1, Tokens: 1}, storage.UsageCounts{Tokens: 1}, 1},
		"a refresh": {httpio.Exchange{ClientID: "a", UserID: "U1", Issued: httpio.Tokens{GrantType: "refresh_token"}}, 200,
			storage.UsageCounts{Tokens: 1}, storage.UsageCounts{Tokens: 1}, 1},
		"a token of the app itself": {httpio.Exchange{ClientID: "a", Issued: httpio.Tokens{GrantType: "client_credentials"}},
			200, storage.UsageCounts{Tokens: 1}, storage.UsageCounts{Tokens: 1}, 0},
		"a service account": {httpio.Exchange{ClientID: "a", UserID: "U1", NoPerson: true}, 200, none,
			none, 0},
		"a call of the API":          {httpio.Exchange{ClientID: "a", UserID: "U1"}, 200, none, none, 1},
		"a call that is refused":     {httpio.Exchange{ClientID: "a", UserID: "U1"}, 403, no, no, 0},
		"a refusal by way of a link": {httpio.Exchange{ClientID: "a", Err: refused}, 303, no, no, 0},
		"a wrong secret":             {httpio.Exchange{Blamed: "a", Err: refused}, 401, no, no, 0},
		"a device that is early":     {httpio.Exchange{ClientID: "a", Err: refused, Usual: true}, 400, none, none, 0},
		"a fault of ours":            {httpio.Exchange{ClientID: "a", UserID: "U1"}, 503, broken, broken, 0},
		"one who went away":          {httpio.Exchange{ClientID: "a", UserID: "U1", Err: refused}, 499, none, none, 0},
		"nobody":                     {httpio.Exchange{}, 200, none, none, 0},
	} {
		b := newBench(t)
		b.Answered(&c.exchange, c.status)
		b.flush()
		want := map[string]storage.UsageCounts{}
		if c.people > 0 || c.all != (storage.UsageCounts{}) {
			want[fmt.Sprintf(" 13:00 %d", c.people)] = c.all
		}
		if c.exchange.ClientID+c.exchange.Blamed != "" && (c.people > 0 || c.app != (storage.UsageCounts{})) {
			want[fmt.Sprintf("a 13:00 %d", c.people)] = c.app
		}
		if diff := cmp.Diff(want, b.ledger.sum()); diff != "" {
			t.Errorf("%s: -want +got\n%s", name, diff)
		}
	}
}

// Rule: USAGE-2
func TestAMinuteIsWrittenAtOnceHoweverMuchWasCounted(t *testing.T) {
	b := newBench(t)
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for n := range 500 {
				b.Answered(&httpio.Exchange{ClientID: fmt.Sprint("app ", n%5), UserID: fmt.Sprint("U", n%10, i%2),
					Issued: code}, http.StatusOK)
			}
		})
	}
	all.Wait()
	if len(b.ledger.added) != 0 {
		t.Error("requests write")
	}
	b.flush()
	b.flush()
	if len(b.ledger.added) != 1 || len(b.ledger.added[0]) != 6 {
		t.Fatalf("written: %v", b.ledger.added)
	}
	if got := b.ledger.sum()[" 13:00 20"]; got.Tokens != 4000 {
		t.Errorf("%+v", b.ledger.sum())
	}
}

// Rule: USAGE-2
func TestWhatAMinuteHasBelongsToTheHourInWhichItBegan(t *testing.T) {
	b := newBench(t)
	if until := b.UntilNext(); until != 30*time.Second {
		t.Errorf("the minute ends in %v", until)
	}
	for range 3 { // 13:59, 14:00 and 14:01
		b.clock.Advance(b.UntilNext())
		b.flush()
		b.Answered(&httpio.Exchange{ClientID: "a", Issued: code}, http.StatusOK)
	}
	b.clock.Advance(time.Second)
	b.flush()
	want := map[string]storage.UsageCounts{"a 13:00 0": {SignIns: 1, Tokens: 1}, "a 14:00 0": {SignIns: 2, Tokens: 2},
		" 13:00 0": {Tokens: 1}, " 14:00 0": {Tokens: 2}}
	if diff := cmp.Diff(want, b.ledger.sum()); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

// Rule: USAGE-4
func TestWhatCanNotBeWrittenIsWrittenLaterAndTakesLittleRoom(t *testing.T) {
	b := newBench(t)
	b.ledger.away = errors.New("the database is away")
	for range 10 {
		b.Answered(&httpio.Exchange{ClientID: "a", UserID: "U1", Issued: code}, http.StatusOK)
		if err := b.Flush(t.Context()); !errors.Is(err, b.ledger.away) {
			t.Errorf("said: %v", err)
		}
	}
	if len(b.waiting) != 2 {
		t.Errorf("%d wait", len(b.waiting))
	}
	b.ledger.away = nil
	b.flush()
	if got := b.ledger.sum()["a 13:00 1"]; got.SignIns != 10 {
		t.Errorf("%+v", b.ledger.sum())
	}
	b.ledger.away = errors.New("the database is away")
	for hour := range 8 {
		for app := range mostApps {
			b.Answered(&httpio.Exchange{ClientID: fmt.Sprint(app), Issued: code}, http.StatusOK)
		}
		_ = b.Flush(t.Context())
		b.clock.Advance(time.Hour)
		if len(b.waiting) > mostWaiting {
			t.Fatalf("after %d hours %d wait", hour, len(b.waiting))
		}
	}
	if !strings.Contains(b.log.String(), "there were too many") {
		t.Error("what is left out is not told")
	}
}

// Rule: USAGE-4
func TestAppsBeyondTheRoomAreCountedForTheServer(t *testing.T) {
	b := newBench(t)
	for app := range mostApps + 5 {
		b.Answered(&httpio.Exchange{ClientID: fmt.Sprint("app", app), Issued: code}, http.StatusOK)
	}
	b.flush()
	if got := b.ledger.sum()[" 13:00 0"].Tokens; len(b.ledger.added[0]) != mostApps+1 || got != mostApps+5 ||
		!strings.Contains(b.log.String(), "requests=5") {
		t.Errorf("%d rows, %d tokens, %s", len(b.ledger.added[0]), got, b.log)
	}
}

// Rule: USAGE-3
func TestNobodyIsToldFromAMarkNorTwoDaysFromEachOther(t *testing.T) {
	b := newBench(t)
	crowds := map[string]storage.Crowd{}
	for _, day := range []string{"a day", "the next"} {
		for n := range 3 * storage.CrowdSize {
			b.Answered(&httpio.Exchange{ClientID: "a", UserID: fmt.Sprint("U", n)}, http.StatusOK)
		}
		b.flush()
		last := b.ledger.added[len(b.ledger.added)-1]
		if len(last) != 2 || !slices.Equal(last[0].Crowd, last[1].Crowd) || len(last[0].Crowd) != storage.CrowdSize {
			t.Fatalf("%d rows", len(last))
		}
		if n := last[0].Crowd.People(); n < 2800 || n > 3400 {
			t.Errorf("3072 people are counted as %d", n)
		}
		crowds[day] = last[0].Crowd
		b.clock.Advance(24 * time.Hour)
		b.flush()
	}
	both := 0
	for _, mark := range crowds["a day"] {
		if slices.Contains(crowds["the next"], mark) {
			both++
		}
	}
	if both > 3 {
		t.Errorf("%d marks are those of the day before", both)
	}
	other := newBench(t)
	other.ring, _ = sealing.New([]byte(strings.Repeat("another ", 8)), nil, other.ambient)
	other.flush()
	if other.now.key.mark("U1") == newBench(t).now.key.mark("U1") {
		t.Error("the mark does not depend on the secret")
	}
	again := newBench(t).now.key
	if again.mark("U1") != newBench(t).now.key.mark("U1") || again.mark("U1") == again.mark("U2") {
		t.Error("servers of one secret make different marks, or people have the same")
	}
}

// Rule: USAGE-2
func TestCountingUsageAllocatesNothing(t *testing.T) {
	b := newBench(t)
	for name, e := range exchanges() {
		if n := testing.AllocsPerRun(1000, func() { b.Answered(e, http.StatusOK) }); n > 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}

func exchanges() map[string]*httpio.Exchange {
	return map[string]*httpio.Exchange{
		"nothing":  {},
		"a token":  {ClientID: "a", Issued: httpio.Tokens{GrantType: "client_credentials"}},
		"a person": {ClientID: "a", UserID: "ABCDEFGHIJKLMNOP"},
	}
}

// BenchmarkAnswered is what usage adds to a request.
func BenchmarkAnswered(b *testing.B) {
	for name, e := range exchanges() {
		b.Run(name, func(b *testing.B) {
			c := newBench(b)
			b.ReportAllocs()
			for b.Loop() {
				c.Answered(e, http.StatusOK)
			}
		})
	}
}
