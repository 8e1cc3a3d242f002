package provider_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/portico-id/portico/provider/apps"
	"github.com/portico-id/portico/storage"
)

// comer is somebody who came to an app by an upstream, and their browser.
type comer struct {
	*browser
	app   app
	token string // refresh token
}

// comes lets somebody sign in to an app of their own by the liar.
func (l *liar) comes() *comer {
	l.Helper()
	a, b := l.app(apps.Registration{}), l.world.browser()
	v := b.get(b.authorizeURL(a))
	v = b.through(b.visitUpstream("works", v.At.RawQuery), "")
	if v.Away == nil {
		l.Fatalf("on %s: %d", v.At, v.Status)
	}
	token, _ := b.redeem(a, v.Away.Query().Get("code")).JSON(l)["refresh_token"].(string)
	return &comer{b, a, token}
}

// goesOn shows the refresh token, and returns how often the upstream was asked for it.
func (c *comer) goesOn(l *liar, want int) int {
	c.Helper()
	before := l.refreshes.Load()
	got := c.world.token(c.app, form("grant_type", "refresh_token", "refresh_token", c.token))
	if got.Status != want {
		c.Errorf("status %d, want %d: %s", got.Status, want, got.Body)
	}
	if got.Status == http.StatusOK {
		c.token = got.JSON(c)["refresh_token"].(string)
	} else if got.JSON(c)["error"] != "invalid_grant" {
		c.Errorf("the error is %s", got.Body)
	}
	return int(l.refreshes.Load() - before)
}

const ok, out = http.StatusOK, http.StatusBadRequest

// Rule: FED-24
func TestWhoIsGoneThereIsOutAtTheNextRefresh(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		w.must(w.Store.CreateUserGroup(t.Context(), w.act(), storage.UserGroup{ID: "g", Name: "Drawers",
			CreatedAt: w.ambient.Now()}))
		l := w.liar("works", "groups_claim", "groups", "own_groups", "true")
		w.must(w.Store.SetUpstreamGroups(t.Context(), w.act(), "works", []storage.UpstreamGroup{
			{External: "draw", GroupID: "g"}}))
		in := func() int {
			groups, err := w.Store.ListGroupsOfUser(t.Context(), w.whose("one@works.test").ID)
			w.must(err)
			return len(groups)
		}
		l.refresh, l.says = "r", map[string]any{"groups": []string{"draw"}}
		one := l.comes()
		if n := one.goesOn(l, ok); n != 0 || in() != 1 {
			t.Errorf("at once: asked %d times, in %d groups", n, in())
		}
		w.wait(16 * time.Minute)
		l.says = map[string]any{"groups": []string{}}
		if n := one.goesOn(l, ok); n != 1 || in() != 0 {
			t.Errorf("after 16 minutes: asked %d times, in %d groups", n, in())
		}
		if n := one.goesOn(l, ok); n != 0 {
			t.Errorf("once more: asked %d times", n)
		}
		w.wait(16 * time.Minute)
		l.refuses = "invalid_grant"
		if n := one.goesOn(l, out); n != 1 || one.isSignedIn() {
			t.Errorf("gone: asked %d times, still signed in %v", n, one.isSignedIn())
		}
		l.refuses = ""
		if n := one.goesOn(l, out); n != 0 {
			t.Errorf("what has ended is asked for %d times", n)
		}
		again := l.comes()
		w.wait(16 * time.Minute)
		if n := again.goesOn(l, ok); n != 1 || !again.isSignedIn() {
			t.Errorf("back: asked %d times", n)
		}
		w.wait(time.Hour)
		again.goesOn(l, ok)
		w.wait(-time.Hour) // the clock was ahead
		if n := again.goesOn(l, ok); n != 1 {
			t.Errorf("after a clock was put right: asked %d times", n)
		}
		w.wait(16 * time.Minute)
		again.goesOn(l, ok)
		w.wait(-10 * time.Minute) // it was ahead by less than what passes between two questions
		if n := again.goesOn(l, ok) + again.goesOn(l, ok); n != 1 {
			t.Errorf("after a clock was put right by ten minutes: asked %d times", n)
		}
		w.set("works", "recheck", "0")
		w.wait(16 * time.Minute)
		if n := again.goesOn(l, ok); n != 0 {
			t.Errorf("never to be asked: asked %d times", n)
		}
	})
}

// Rule: FED-24
func TestWhatAnUpstreamCouldNotTellEndsNobodyForADay(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		l := w.liar("works")
		l.refresh = "r"
		one := l.comes()
		for _, fails := range []func(){
			func() { l.refuses = "temporarily_unavailable" },
			func() { l.refuses = "invalid_client" },
			func() { l.refuses, l.says = "", map[string]any{"sub": "person-2"} },
			func() { l.says = map[string]any{"aud": "another"} },
		} {
			fails()
			w.said.Reset()
			w.wait(16 * time.Minute)
			if n := one.goesOn(l, ok); n != 1 || !strings.Contains(w.said.String(), "cause=") {
				t.Errorf("asked %d times; the log says %s", n, w.said)
			}
		}
		w.wait(25 * time.Hour)
		if n := one.goesOn(l, out); n != 1 {
			t.Errorf("after a day: asked %d times", n)
		}
		w.wait(3 * time.Second)
		if n := one.goesOn(l, out); n != 0 {
			t.Errorf("soon again: asked %d times", n)
		}
		l.refuses, l.says = "", nil
		w.wait(11 * time.Second)
		if n := one.goesOn(l, ok); n != 1 {
			t.Errorf("told again: asked %d times", n)
		}
	})
}

// Of many apps that go on at the same moment one has the upstream asked, for what it
// gave is good once; and none waits longer than two seconds, after which the answer
// counts all the same.
//
// Rule: FED-24
func TestAnUpstreamIsAskedByOneAndHoldsUpNone(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		l := w.liar("works")
		l.refresh = "r"
		var all []*comer
		for range 5 {
			all = append(all, l.comes())
		}
		w.wait(16 * time.Minute)
		l.stalls = make(chan struct{})
		var group sync.WaitGroup
		began := time.Now()
		for _, one := range all {
			group.Go(func() { one.goesOn(l, ok) })
		}
		group.Wait()
		if took := time.Since(began); l.refreshes.Load() != 1 || took > 4*time.Second {
			t.Errorf("asked %d times, and it took %v", l.refreshes.Load(), took)
		}
		close(l.stalls)
		for range 100 { // the answer comes later
			if all, err := w.Store.ListRechecks(t.Context(), "works", w.whose("one@works.test").ID); err != nil ||
				len(all) == 1 && all[0].ToldAt.Equal(all[0].AskedAt) {
				break
			}
			time.Sleep(20 * time.Millisecond)
		}
		w.wait(16 * time.Minute)
		if n := all[0].goesOn(l, ok); n != 1 { // it holds the request to the token that it gave last
			t.Errorf("asked %d times", n)
		}
	})
}

// That others take all places at the upstream is not its silence.
//
// Rules: FED-24, FED-25, FED-30
func TestACrowdAtAnUpstreamEndsNobodyOfWhomItWasNotAsked(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		l := w.liar("works")
		l.refresh = "r"
		var all []*comer
		for i := range 17 { // one more than there are places
			l.says = map[string]any{"sub": fmt.Sprint(i), "email": fmt.Sprint(i, "@works.test")}
			all = append(all, l.comes())
		}
		l.says, l.stalls = nil, make(chan struct{})
		last := all[16]
		for range 2 {
			w.wait(13 * time.Hour)
			last.isSignedIn() // they are there, and not idle
		}
		var crowd sync.WaitGroup
		for _, one := range all[:16] {
			crowd.Go(func() { one.goesOn(l, out) })
		}
		for l.refreshes.Load() < 16 {
			time.Sleep(time.Millisecond)
		}
		lastGoesOn := func() answer {
			return w.token(last.app, form("grant_type", "refresh_token", "refresh_token", last.token))
		}
		if got := lastGoesOn(); got.Status != http.StatusServiceUnavailable {
			t.Errorf("without a place an app is answered %d: %s", got.Status, got.Body)
		}
		if n := l.rounds(0); n != 0 || !last.isSignedIn() {
			t.Errorf("without a place a round asks %d times, still signed in %v", n, last.isSignedIn())
		}
		crowd.Wait()
		close(l.stalls)
		got := lastGoesOn()
		for ; got.Status == http.StatusServiceUnavailable; got = lastGoesOn() { // they leave in a moment
			time.Sleep(time.Millisecond)
		}
		if got.Status != ok {
			t.Errorf("with a place an app is answered %d: %s", got.Status, got.Body)
		}
	})
}

// Of two apps of theirs that go on after such a day one has the upstream asked, and the other
// is not told that it was silent.
//
// Rules: FED-24, FED-30
func TestWhoIsBeingAskedAboutIsNotGone(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		l := w.liar("works")
		l.refresh = "r"
		one, other := l.comes(), l.comes()
		w.wait(25 * time.Hour)
		l.stalls = make(chan struct{})
		goesOn := func(c *comer) answer {
			return w.token(c.app, form("grant_type", "refresh_token", "refresh_token", c.token))
		}
		var asks sync.WaitGroup
		asks.Go(func() { goesOn(one) })
		for l.refreshes.Load() == 0 {
			time.Sleep(time.Millisecond)
		}
		if got := goesOn(other); got.Status != http.StatusServiceUnavailable {
			t.Errorf("while they are asked about: %d %s", got.Status, got.Body)
		}
		close(l.stalls)
		asks.Wait()
		got := goesOn(other)
		for ; got.Status == http.StatusServiceUnavailable; got = goesOn(other) { // the answer may come later
			time.Sleep(time.Millisecond)
		}
		if got.Status != ok || l.refreshes.Load() != 1 {
			t.Errorf("once they are there: %d %s, asked %d times", got.Status, got.Body, l.refreshes.Load())
		}
	})
}

// Rule: FED-24
func TestWhoIsDisabledAtAnotherPorticoIsOutHere(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		there, here := newWorld(t, settings{}), newWorld(t, settings{database: database})
		person := there.person("one@works.test")
		client := there.app(apps.Registration{RedirectURIs: []string{here.Upstreams.RedirectURI("works")}})
		here.upstream("works", there.URL, client.ID, client.Secret, "scopes", "openid,email,profile")
		a, b := here.app(apps.Registration{}), here.browser()
		v := b.get(b.authorizeURL(a))
		v = b.get(b.URL + "/login/upstream/works?" + v.At.RawQuery)
		elsewhere := there.browser()
		away := elsewhere.through(elsewhere.get(v.Away.String()), "one@works.test")
		v = b.through(b.get(away.Away.String()), "")
		token := b.redeem(a, v.Away.Query().Get("code")).JSON(t)["refresh_token"].(string)
		goesOn := func(want int) {
			t.Helper()
			got := here.token(a, form("grant_type", "refresh_token", "refresh_token", token))
			if got.Status != want {
				t.Fatalf("status %d: %s", got.Status, got.Body)
			}
			token, _ = got.JSON(t)["refresh_token"].(string)
		}
		for range 2 {
			here.wait(16 * time.Minute)
			there.wait(16 * time.Minute)
			goesOn(ok)
		}
		there.must(there.Store.SetUserDisabled(t.Context(), there.act(), person.ID, true))
		here.wait(16 * time.Minute)
		goesOn(out)
		if b.isSignedIn() {
			t.Error("still signed in here")
		}
	})
}
