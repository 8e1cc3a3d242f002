package provider_test

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/portico-id/portico/internal/gate/websession"
	"github.com/portico-id/portico/internal/sealing"
	"github.com/portico-id/portico/provider/apps"
	"github.com/portico-id/portico/provider/upstreams"
	"github.com/portico-id/portico/storage"
)

// Rule: FED-18
func TestUserInfoTellsByWhichAccountsSomebodySignsIn(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		w.liar("works")
		user := w.person(somebody)
		a := w.app(apps.Registration{})
		listed := func() []any {
			t.Helper()
			tokens := w.browser().tokens(a, somebody, "scope", "openid user-profile:read")
			told, _ := w.userInfo(tokens["access_token"].(string)).JSON(t)["social_userinfo_list"].([]any)
			return told
		}
		if got := listed(); len(got) > 0 {
			t.Errorf("without an account elsewhere: %v", got)
		}
		w.must(w.Store.LinkIdentity(t.Context(), w.act(), storage.UpstreamIdentity{UpstreamID: "works", Issuer: "i",
			Subject: "s-1", UserID: user.ID, LinkedAt: w.ambient.Now()}))
		want := map[string]any{"socialUserId": "s-1", "providerId": "works", "providerName": "Works works"}
		got := listed()
		if len(got) != 1 || got[0].(map[string]any)["socialUserId"] != want["socialUserId"] ||
			got[0].(map[string]any)["providerId"] != want["providerId"] ||
			got[0].(map[string]any)["providerName"] != want["providerName"] {
			t.Errorf("got %v, want %v", got, want)
		}
	})
}

// brokenUpstreams is a store that lists no upstreams when it is told to.
type brokenUpstreams struct {
	upstreams.Store

	broken bool
	asked  int
}

func (b *brokenUpstreams) ListUpstreams(ctx context.Context) ([]storage.Upstream, error) {
	if b.asked++; b.broken {
		return nil, errors.New("out of reach")
	}
	return b.Store.ListUpstreams(ctx)
}

// Rule: FED-19
func TestTheSignInPageStandsWhereUpstreamsCannotBeRead(t *testing.T) {
	w := newWorld(t, settings{})
	w.liar("works", "domains", "works.test")
	store := &brokenUpstreams{Store: w.Store, broken: true}
	ring, err := sealing.New([]byte(strings.Repeat("k", 32)), nil, w.ambient)
	w.must(err)
	rules := upstreams.New(upstreams.Options{BaseURL: w.URL, Store: store, Ambient: w.ambient, Ring: ring})
	if all, err := rules.Offered(t.Context()); err != nil || len(all) > 0 {
		t.Errorf("never read: %v %v", all, err)
	}
	if _, err := rules.Leads(t.Context(), "one@works.test"); err == nil {
		t.Error("whether somebody signs in elsewhere alone is not known, and nobody says so")
	}
	if _, err := rules.Leads(t.Context(), "one"); err != nil {
		t.Errorf("a name without an address: %v", err)
	}
	store.broken = false
	w.wait(time.Second)
	for range 20 {
		if all, err := rules.Offered(t.Context()); err != nil || len(all) != 1 {
			t.Fatalf("read: %v %v", all, err)
		}
	}
	if store.asked > 3 {
		t.Errorf("the store was asked %d times", store.asked)
	}
	store.broken = true
	w.wait(time.Second)
	if all, err := rules.Offered(t.Context()); err != nil || len(all) != 1 {
		t.Errorf("what was known is forgotten: %v %v", all, err)
	}
}

// Rule: FED-21
func TestAnAccountIsConnectedInTheSessionThatAskedForIt(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		w.person(somebody)
		w.liar("works")
		b := w.browser()
		b.signIn(somebody, goodPassword)
		out := b.get(b.URL + "/account/identities/connect/works")
		b.signOut()
		b.signIn(somebody, goodPassword)
		if v := b.throughAway(out); v.Status != http.StatusBadRequest {
			t.Errorf("in another session: %d on %s", v.Status, v.At)
		}
		v := b.throughAway(b.get(b.URL + "/account/identities/connect/works"))
		if v.At.Path != "/account/identities/confirm" {
			t.Errorf("in its own: %d on %s", v.Status, v.At)
		}
	})
}

// Rules: FED-1, FED-30
func TestFiftyWindowsOfANewcomerMakeOnePerson(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		w.liar("works")
		var all sync.WaitGroup
		var in, turned atomic.Int32
		for range 50 {
			b := w.browser()
			all.Go(func() {
				switch v := b.visitUpstream("works"); {
				case v.At.Path == "/" && b.isSignedIn():
					in.Add(1)
				case v.Status == http.StatusServiceUnavailable:
					turned.Add(1) // no more than a few are at an upstream at once
				default:
					t.Errorf("%d on %s", v.Status, v.At)
				}
			})
		}
		all.Wait()
		if in.Load() < 2 || in.Load()+turned.Load() != 50 || w.people() != 1 {
			t.Errorf("%d of 50 are in, as %d people", in.Load(), w.people())
		}
	})
}

// Rule: FED-2
func TestTokensOfAnUpstreamThatIsSwitchedOffDieWithinASecond(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		w.liar("works")
		a := w.app(apps.Registration{})
		second := newWorld(t, settings{database: database, beside: w})
		var took []time.Duration
		for range 50 {
			b := w.browser()
			v := b.visitUpstream("works", b.get(b.authorizeURL(a, "prompt", "consent")).At.RawQuery)
			v = b.through(v, "")
			token := b.redeem(a, v.Away.Query().Get("code")).JSON(t)["access_token"].(string)
			if second.userInfo(token).Status != http.StatusOK {
				t.Fatal("the token is dead from the beginning")
			}
			w.must(w.Upstreams.Disable(t.Context(), w.act(), "works", true))
			from := time.Now()
			for second.userInfo(token).Status != http.StatusUnauthorized {
				if time.Since(from) > time.Second {
					t.Fatal("the token lives on after a second")
				}
			}
			took = append(took, time.Since(from))
			w.must(w.Upstreams.Disable(t.Context(), w.act(), "works", false))
		}
		t.Logf("the slowest of %d took %s", len(took), slices.Max(took))
	})
}

// Rule: FED-28
func TestWhoSignsInByAnUpstreamProvesAnewThereWhoTheyAre(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		l := w.liar("works")
		grave := w.URL + "/account/identities/disconnect/works"
		for name, says := range map[string]map[string]any{"it tells when": nil, "it does not": {"auth_time": nil}} {
			l.says = says
			b := w.browser()
			b.visitUpstream("works")
			w.wait(11 * time.Minute)
			v := b.get(grave)
			if v.At.Path != "/login" || !strings.Contains(string(v.Body), "/login/upstream/works?again=1") {
				t.Fatalf("%s: on %s: %d\n%s", name, v.At, v.Status, v.Body)
			}
			query := "again=1&then=" + url.QueryEscape(strings.TrimPrefix(grave, w.URL))
			out := b.get(w.URL + "/login/upstream/works?" + query)
			if asked := out.Away.Query(); asked.Get("prompt") != "login" || asked.Get("max_age") != "0" {
				t.Errorf("%s: the upstream is asked %v", name, asked)
			}
			if v = b.throughAway(out); w.URL+v.At.Path != grave || v.Status != http.StatusOK {
				t.Errorf("%s: comes back to %s: %d", name, v.At, v.Status)
			}
		}
		l.says = map[string]any{"auth_time": w.ambient.Now().Add(-time.Hour).Unix()}
		b := w.browser()
		b.visitUpstream("works")
		v := b.visitUpstream("works", "again=1&then=%2Faccount%2Fidentities%2Fdisconnect%2Fworks")
		if v.Status != http.StatusBadRequest {
			t.Errorf("an old sign-in there: %d on %s", v.Status, v.At)
		}
	})
}

// Somebody is signed in at the upstream for hours, and would come back with that for ever.
//
// Rules: FED-28, RES-18
func TestAnUpstreamHasPeopleSignInAsLatelyAsTheResourceDemands(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		l := w.liar("works")
		w.resource(orders, func(r *storage.Resource) { r.MaxAge = 30 * time.Minute })
		w.resource(billing)
		a := w.app(apps.Registration{Scopes: []string{"openid"}})
		for resource, lately := range map[string]bool{orders: true, billing: false} {
			b := w.browser()
			v := b.get(b.authorizeURL(a, "scope", "openid read", "resource", resource))
			out := b.get(w.URL + "/login/upstream/works?" + v.At.RawQuery)
			if asked := out.Away.Query(); asked.Has("max_age") != lately || (asked.Get("prompt") == "login") != lately {
				t.Errorf("%s: the upstream is asked %v", resource, asked)
			}
			v = b.through(b.throughAway(out), "")
			if v.Away == nil || v.Away.Query().Get("code") == "" {
				t.Fatalf("%s: on %s, sent to %v", resource, v.At, v.Away)
			}
			w.is(w.redeem(a, v.Away.Query().Get("code")).JSON(t), []string{resource}, "read")
		}
		l.says = map[string]any{"auth_time": w.ambient.Now().Add(-time.Hour).Unix()}
		b := w.browser()
		v := b.visitUpstream("works", b.get(b.authorizeURL(a, "scope", "openid read", "resource", orders)).At.RawQuery)
		if v.Status != http.StatusBadRequest {
			t.Errorf("an old sign-in there: %d on %s", v.Status, v.At)
		}
	})
}

// Most upstreams never say when somebody signed in there, and some do not let them do so anew.
//
// Rules: FED-28, RES-18
func TestAnUpstreamThatTellsNoTimeIsGoodForAResourceThatAllowsForIt(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		l := w.liar("works")
		w.resource(orders, func(r *storage.Resource) { r.MaxAge = 30 * time.Minute })
		w.resource(billing, func(r *storage.Resource) { r.MaxAge = 5 * time.Minute })
		a := w.app(apps.Registration{Scopes: []string{"openid"}})
		for name, c := range map[string]struct {
			tells    any
			resource string
			in       bool
		}{
			"no time, half an hour":                {nil, orders, true},
			"no time, five minutes":                {nil, billing, false},
			"twenty minutes ago, half an hour":     {20 * time.Minute, orders, true},
			"twenty minutes ago, five minutes":     {20 * time.Minute, billing, false},
			"forty minutes ago, half an hour":      {40 * time.Minute, orders, false},
			"this moment, of five minutes at most": {time.Duration(0), billing, true},
		} {
			l.says = map[string]any{"auth_time": nil}
			if ago, tells := c.tells.(time.Duration); tells {
				l.says["auth_time"] = w.ambient.Now().Add(-ago).Unix()
			}
			b := w.browser()
			v := b.get(b.authorizeURL(a, "scope", "openid read", "resource", c.resource))
			v = b.visitUpstream("works", v.At.RawQuery)
			if !c.in {
				if v.Status != http.StatusBadRequest {
					t.Errorf("%s: %d on %s, sent to %v", name, v.Status, v.At, v.Away)
				}
				continue
			}
			if v = b.through(v, ""); v.Away == nil || v.Away.Query().Get("code") == "" {
				t.Errorf("%s: %d on %s, sent to %v", name, v.Status, v.At, v.Away)
				continue
			}
			w.is(w.redeem(a, v.Away.Query().Get("code")).JSON(t), []string{c.resource}, "read")
		}
		w.preset("github", l.URL, "secret")
		for resource, in := range map[string]bool{orders: true, billing: false} {
			b := w.browser()
			v := b.get(b.authorizeURL(a, "scope", "openid read", "resource", resource))
			v = b.get(b.URL + "/login/upstream/github?" + v.At.RawQuery)
			if (v.Away != nil) != in || !in && v.Status != http.StatusForbidden {
				t.Errorf("GitHub for %s: %d, sent to %v", resource, v.Status, v.Away)
			}
		}
	})
}

// Rules: FED-28, RES-18
func TestComingBackForAGraveActOpensNoResourceThatDemandsALateSignIn(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		w.liar("works").says = map[string]any{"auth_time": nil}
		w.resource(billing, func(r *storage.Resource) { r.MaxAge = 5 * time.Minute })
		a := w.app(apps.Registration{Scopes: []string{"openid"}})
		d := w.app(apps.Registration{Devices: true})
		grave := "/account/identities/disconnect/works"
		b := w.browser()
		if v := b.visitUpstream("works", "again=1&then="+url.QueryEscape(grave)); v.At.Path != grave {
			t.Fatalf("for the grave act at %s: %d", v.At, v.Status)
		}
		w.wait(time.Minute)
		if v := b.get(w.URL + grave); v.At.Path != grave || v.Status != http.StatusOK {
			t.Errorf("once more for a grave act at %s: %d", v.At, v.Status)
		}
		if v := b.get(b.authorizeURL(a, "scope", "openid read", "resource", billing)); v.At.Path != "/login" {
			t.Errorf("for the resource at %s, sent to %v", v.At, v.Away)
		}
		got := w.post(devicePath, d, named(form("scope", "openid read"), billing)).JSON(t)
		user := got["user_code"].(string)
		v := b.submit(b.get(w.URL+"/device?user_code="+user), "device-form", form("user_code", user))
		if v.At.Path != "/login" {
			t.Fatalf("for the device at %s", v.At)
		}
		if v = b.visitUpstream("works", v.At.RawQuery); v.Status != http.StatusBadRequest {
			t.Errorf("for the device by the upstream at %s: %d", v.At, v.Status)
		}
		w.wait(websession.FreshFor)
		if v := b.get(w.URL + grave); v.At.Path != "/login" {
			t.Errorf("for a grave act much later at %s", v.At)
		}
	})
}

// Rule: FED-29
func TestWhatAnErrorOfAnUpstreamSays(t *testing.T) {
	w := newWorld(t, settings{})
	l := w.liar("works")
	for code, want := range map[string]int{"access_denied": 400, "server_error": 503, "temporarily_unavailable": 503,
		"invalid_scope": 400, "unauthorized_client": 400, "user_cancelled_authorize": 400, "user_cancelled_login": 400} {
		l.answer = map[string]string{"error": code}
		v := w.browser().visitUpstream("works")
		stopped := strings.Contains(string(v.Body), "You stopped the sign-in")
		refuses := strings.Contains(string(v.Body), "The provider refuses this server")
		stops := code == "access_denied" || strings.HasPrefix(code, "user_")
		if v.Status != want || stopped != stops || refuses != (want == 400 && !stopped) {
			t.Errorf("%s: %d, stopped %v, refuses %v", code, v.Status, stopped, refuses)
		}
	}
}
