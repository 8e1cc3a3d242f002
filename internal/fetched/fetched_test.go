package fetched_test

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/fetched"
)

const address = "https://id.example/keys"

// world is a publisher that counts how often it is asked.
type world struct {
	source *ambient.Source
	clock  *ambient.FixedClock
	asked  atomic.Int32
	all    *fetched.Documents[string]
	say    func(ctx context.Context, address string) (string, http.Header, error)
}

func newWorld() *world {
	source, clock := ambient.Fixed(time.Date(2026, 11, 23, 0, 0, 0, 0, time.UTC), 1)
	w := &world{source: source, clock: clock}
	w.says("one", http.Header{}, nil)
	w.all = fetched.New(fetched.Options[string]{Ambient: source, Timeout: time.Second, Least: 5 * time.Minute,
		Most: time.Hour, Get: func(ctx context.Context, address string) (string, http.Header, error) {
			w.asked.Add(1)
			return w.say(ctx, address)
		}})
	return w
}

func (w *world) says(what string, header http.Header, err error) {
	w.say = func(context.Context, string) (string, http.Header, error) { return what, header, err }
}

func anything(string) bool { return true }

func gladly() error { return nil }

// find looks for a document, and for how often it was asked for until then.
func (w *world) find(t *testing.T, at string, has func(string) bool, want string, asked int32) {
	t.Helper()
	got, err := w.all.Find(t.Context(), at, has, gladly)
	if got != want || (err != nil) != (want == "") || w.asked.Load() != asked {
		t.Errorf("found %q, %v after asking %d times; want %q after %d", got, err, w.asked.Load(), want, asked)
	}
}

// Rule: PROOF-7
func TestADocumentIsKeptAsLongAsItsHeadersSayWithinBounds(t *testing.T) {
	for said, kept := range map[string]time.Duration{
		"":                       5 * time.Minute,
		"max-age=1":              5 * time.Minute,
		"public, max-age=600":    10 * time.Minute,
		"max-age=999999999":      time.Hour,
		"s-max-age=600, private": 5 * time.Minute,
	} {
		t.Run(said, func(t *testing.T) {
			w := newWorld()
			w.says("one", http.Header{"Cache-Control": {said}}, nil)
			w.find(t, address, anything, "one", 1)
			w.clock.Advance(kept - time.Second)
			w.find(t, address, anything, "one", 1)
			w.clock.Advance(time.Second)
			w.find(t, address, anything, "one", 2)
		})
	}
}

// Rule: PROOF-7
func TestWhatADocumentLacksIsAskedForOnceAMinute(t *testing.T) {
	w := newWorld()
	lacks := func(s string) bool { return s == "two" }
	w.find(t, address, lacks, "one", 1)
	w.clock.Advance(59 * time.Second)
	w.find(t, address, lacks, "one", 1)
	w.says("two", http.Header{}, nil)
	w.clock.Advance(time.Second)
	w.find(t, address, lacks, "two", 2)
}

// Rules: PROOF-7, PROOF-9
func TestAfterAFailureTheDocumentStaysAndItsPublisherIsLeftAlone(t *testing.T) {
	w := newWorld()
	w.find(t, address, anything, "one", 1)
	w.clock.Advance(5 * time.Minute)
	w.says("", http.Header{}, errors.New("no keys"))
	w.find(t, address, anything, "one", 2)
	w.find(t, address, anything, "one", 2)
	w.says("else", http.Header{}, nil)
	w.find(t, "https://id.example/else", anything, "else", 3) // the host is asked all the same
	w.says("", nil, errors.New("no answer"))
	w.find(t, "https://id.example/third", anything, "", 4)
	w.find(t, "https://id.example/fourth", anything, "", 4) // the host said nothing at all
	w.says("two", http.Header{}, nil)
	w.clock.Advance(10 * time.Second)
	w.find(t, address, anything, "two", 5)
}

// A document is not gone by for ever because its publisher is.
// Rule: PROOF-7
func TestAnOldDocumentIsNoneAnyMore(t *testing.T) {
	w := newWorld()
	w.find(t, address, anything, "one", 1)
	w.says("", http.Header{}, errors.New("no keys"))
	w.clock.Advance(time.Hour - time.Second)
	w.find(t, address, anything, "one", 2)
	w.clock.Advance(10 * time.Second)
	w.find(t, address, anything, "", 3)
}

// Rule: PROOF-7
func TestManyWhoAskAtOnceAskOnce(t *testing.T) {
	w := newWorld()
	var all sync.WaitGroup
	for range 50 {
		all.Go(func() { w.find(t, address, anything, "one", 1) })
	}
	all.Wait()
}

// Rule: PROOF-9
func TestAFetchGoesOnWhenWhoeverAskedHangsUp(t *testing.T) {
	w := newWorld()
	ctx, hangUp := context.WithCancel(t.Context())
	w.say = func(ctx context.Context, _ string) (string, http.Header, error) {
		hangUp()
		return "one", http.Header{}, ctx.Err()
	}
	if got, err := w.all.Find(ctx, address, anything, gladly); got != "one" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	w.find(t, address, anything, "one", 1)
}

// Rule: PROOF-7
func TestWhoMayNotFetchIsToldSoAndKeepsNobodyElse(t *testing.T) {
	w := newWorld()
	tooOften := errors.New("too often")
	if _, err := w.all.Find(t.Context(), address, anything, func() error { return tooOften }); !errors.Is(err, tooOften) {
		t.Error(err)
	}
	w.find(t, address, anything, "one", 1)
}

// Anybody can name addresses; what was withdrawn would count again with its host down.
//
// Rules: PROOF-9, CIMD-5
func TestAddressesThatAreMadeUpPushNothingOutThatIsKnown(t *testing.T) {
	w, withdrawn := newWorld(), errors.New("withdrawn")
	w.all = fetched.New(fetched.Options[string]{Ambient: w.source, Timeout: time.Second, Least: time.Hour, Most: time.Hour,
		Ends: func(err error) bool { return errors.Is(err, withdrawn) },
		Get: func(ctx context.Context, address string) (string, http.Header, error) {
			w.asked.Add(1)
			return w.say(ctx, address)
		}})
	w.find(t, address, anything, "one", 1)
	w.says("", http.Header{}, withdrawn)
	w.find(t, "https://gone.example", anything, "", 2)
	tooOften := errors.New("too often")
	for n := range 2000 {
		made := "https://" + strconv.Itoa(n) + ".example"
		if _, err := w.all.Find(t.Context(), made, anything, func() error { return tooOften }); !errors.Is(err, tooOften) {
			t.Fatal(err)
		}
	}
	w.find(t, address, anything, "one", 2)
	w.clock.Advance(10 * time.Second)
	w.says("", nil, errors.New("no answer"))
	if _, err := w.all.Find(t.Context(), "https://gone.example", anything, gladly); !errors.Is(err, withdrawn) {
		t.Errorf("what was withdrawn: %v", err)
	}
}

// A clock that was an hour ahead must not keep a document, or a rest, for that hour.
// Rules: PROOF-7, SERVER-53
func TestAClockThatIsPutRightKeepsNoDocumentLonger(t *testing.T) {
	for _, step := range []time.Duration{-time.Hour, time.Hour} {
		w := newWorld()
		lacks := func(s string) bool { return s == "two" }
		w.find(t, address, lacks, "one", 1)
		w.clock.Step(step)
		w.find(t, address, lacks, "one", 1)
		w.says("two", http.Header{}, nil)
		w.clock.Advance(time.Minute)
		w.find(t, address, lacks, "two", 2)
		w.says("", nil, errors.New("no answer"))
		w.find(t, "https://other.example", anything, "", 3)
		w.clock.Step(step)
		w.says("three", http.Header{}, nil)
		w.clock.Advance(10 * time.Second)
		w.find(t, "https://other.example", anything, "three", 4)
	}
}
