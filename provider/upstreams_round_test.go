package provider_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/provider/upstreams"
	"github.com/portico-id/portico/storage"
)

// signsIn lets somebody of the subject sign in, to no app.
func (l *liar) signsIn(subject string) *browser {
	l.Helper()
	l.says = map[string]any{"sub": subject, "email": subject + "@works.test"}
	b := l.world.browser()
	if v := b.visitUpstream("works"); !b.isSignedIn() {
		l.Fatalf("%s: status %d on %s", subject, v.Status, v.At)
	}
	l.says = nil
	return b
}

// rounds lets time pass, as much as it says, with a round at its end, and returns how
// often the upstream was asked.
func (l *liar) rounds(d time.Duration) int {
	l.Helper()
	before := l.refreshes.Load()
	l.wait(d)
	l.must(l.Upstreams.Recheck(l.Context()))
	return int(l.refreshes.Load() - before)
}

// Who has a browser here and no app that goes on is out within what recheck says.
//
// Rules: FED-25, SERVER-53
func TestWhoIsGoneThereIsOutInTheirBrowser(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		w.person(somebody)
		w.must(w.Store.CreateUserGroup(t.Context(), w.act(), storage.UserGroup{ID: "g", Name: "Drawers",
			CreatedAt: w.ambient.Now()}))
		l := w.liar("works", "groups_claim", "groups", "recheck", "10m")
		w.must(w.Store.SetUpstreamGroups(t.Context(), w.act(), "works", []storage.UpstreamGroup{
			{External: "draw", GroupID: "g"}}))
		l.refresh = "r"
		local := w.browser()
		local.signIn(somebody, goodPassword)
		goes, stays := l.signsIn("one"), l.signsIn("two")
		if n := l.rounds(0); n != 0 {
			t.Errorf("at once: asked %d times", n)
		}
		if n := l.rounds(10*time.Minute - upstreams.RecheckEvery - 10*time.Second); n != 0 {
			t.Errorf("too early: asked %d times", n)
		}
		l.says = map[string]any{"groups": []string{"draw"}}
		if n := l.rounds(10 * time.Second); n != 2 || !goes.isSignedIn() || !stays.isSignedIn() {
			t.Errorf("when their time has come: asked %d times", n)
		}
		in, err := w.Store.ListGroupsOfUser(t.Context(), w.whose("two@works.test").ID)
		w.must(err)
		if len(in) != 1 {
			t.Errorf("groups don't follow: %v", in)
		}
		l.gone.Store("one", true)
		if n := l.rounds(10 * time.Minute); n != 2 || goes.isSignedIn() || !stays.isSignedIn() || !local.isSignedIn() {
			t.Errorf("gone: asked %d times, signed in %v, another %v, here %v", n, goes.isSignedIn(), stays.isSignedIn(),
				local.isSignedIn())
		}
		if n := l.rounds(10 * time.Minute); n != 1 {
			t.Errorf("who is out is asked about: %d times", n)
		}
		if n := l.rounds(time.Hour) + l.rounds(-time.Hour) + l.rounds(0); n != 2 { // the clock was ahead
			t.Errorf("around a clock that was put right: asked %d times", n)
		}
		stays.signOut()
		if n := l.rounds(10 * time.Minute); n != 0 {
			t.Errorf("who has signed out is asked about: %d times", n)
		}
		l.gone.Clear()
		again := l.signsIn("one")
		w.must(w.Upstreams.Disable(t.Context(), w.act(), "works", true))
		if n := l.rounds(time.Hour); n != 0 || again.isSignedIn() {
			t.Errorf("switched off: asked %d times", n)
		}
		w.must(w.Upstreams.Disable(t.Context(), w.act(), "works", false))
		l.signsIn("one")
		w.set("works", "recheck", "0")
		if n := l.rounds(time.Hour); n != 0 {
			t.Errorf("never to be asked: asked %d times", n)
		}
	})
}

// Of two servers that make their rounds at once one asks about each person, and the token
// that it shows is the one that was given last.
//
// Rule: FED-25
func TestEachPersonIsAskedAboutByOneServer(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		second := newWorld(t, settings{database: database, beside: w})
		l := w.liar("works")
		l.refresh = "r"
		const people = 24
		for i := range people {
			l.signsIn(fmt.Sprint("person-", i))
		}
		for range 2 {
			before := l.refreshes.Load()
			w.wait(15 * time.Minute)
			var both sync.WaitGroup
			for _, rules := range []*upstreams.Upstreams{w.Upstreams, second.Upstreams, w.Upstreams} {
				both.Go(func() {
					if err := rules.Recheck(t.Context()); err != nil {
						t.Error(err)
					}
				})
			}
			both.Wait()
			if n := l.refreshes.Load() - before; n != people {
				t.Errorf("%d people were asked about %d times", people, n)
			}
		}
	})
}

// An upstream that does not answer costs a round a few questions, and nobody their sign-in
// for a day. Then it is over, until they come by it again.
//
// Rule: FED-25
func TestWhoseUpstreamIsSilentForADayIsOut(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		w.person(somebody)
		l := w.liar("works")
		l.refresh = "r"
		var all []*browser
		for i := range 12 {
			all = append(all, l.signsIn(fmt.Sprint("person-", i)))
		}
		count := func() (n int) {
			for _, one := range all {
				if one.isSignedIn() {
					n++
				}
			}
			return n
		}
		l.breaks = true
		for range 3 {
			if n := l.rounds(15 * time.Minute); n > 4 {
				t.Errorf("it does not answer, and was asked %d times in a round", n)
			}
		}
		if !strings.Contains(w.said.String(), "did not say whether somebody is still there") || count() != len(all) {
			t.Errorf("%d of %d are in; the log says %s", count(), len(all), w.said)
		}
		l.breaks = false
		if n := l.rounds(15 * time.Minute); n != len(all) {
			t.Errorf("it answers again: asked %d times about %d", n, len(all))
		}
		w.wait(23 * time.Hour)
		for _, one := range all {
			one.isSignedIn() // they are there, and not idle
		}
		l.breaks = true
		local := w.browser()
		local.signIn(somebody, goodPassword)
		l.rounds(30 * time.Minute)
		if count() != len(all) {
			t.Errorf("before a day is over %d of %d are in", count(), len(all))
		}
		if n := l.rounds(31 * time.Minute); n > 8 || count() != 0 || !local.isSignedIn() {
			t.Errorf("after a day: asked %d times, %d are in, who has a password %v", n, count(), local.isSignedIn())
		}
		l.breaks = false
		l.signsIn("person-1")
	})
}

// Rule: FED-25
func TestARoundEndsWithTheServerAndTellsOfItsStore(t *testing.T) {
	w := newWorld(t, settings{})
	l := w.liar("works")
	l.refresh = "r"
	l.signsIn("one")
	w.must(w.Store.Close())
	w.wait(16 * time.Minute)
	if err := w.Upstreams.Recheck(t.Context()); !fault.Is(err, fault.Internal) && !fault.Is(err, fault.Unavailable) {
		t.Errorf("without a store: %v", err)
	}
}
