package provider_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/portico-id/portico/internal/gate/websession"
	"github.com/portico-id/portico/provider/apps"
	"github.com/portico-id/portico/storage"
)

const administers = "openid account:read account:write"

// tool is an app that may administer the server.
func (w *world) tool(r apps.Registration) app {
	r.Scopes = strings.Fields(administers + " data:read")
	return w.app(r)
}

// Whoever sits at the browser of an administrator who went away would otherwise take along, in a
// minute, what administers the server for as long as it is refreshed.
//
// Rule: FORM-8
func TestNobodyLetsAnAppAdministerAtTheBrowserOfWhoWentAway(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		w.must(w.Store.UpdateUser(t.Context(), w.act(), w.person(somebody), new(true)))
		w.resource(orders, func(r *storage.Resource) { r.Scopes = []string{"account:read"} })
		web := w.tool(apps.Registration{FirstParty: true})
		native := w.tool(apps.Registration{Type: storage.ClientNative, RedirectURIs: []string{"http://127.0.0.1/cb"}})
		atNative := []string{"scope", administers, "redirect_uri", "http://127.0.0.1:7777/cb",
			"code_challenge", strings.Repeat("a", 43), "code_challenge_method", "S256"}
		b := w.browser()
		first := b.tokens(web, somebody, "scope", administers) // remembered from now on
		w.wait(websession.FreshFor - time.Minute)
		if got := b.answeredBy(web, "scope", administers); got != "" {
			t.Errorf("nine minutes later: %s", got)
		}
		if v := b.get(w.authorizeURL(native, atNative...)); v.At.Path != "/consent" {
			t.Errorf("a native app nine minutes later: at %s", v.At)
		}
		open := b.get(w.authorizeURL(native, atNative...))
		w.wait(time.Minute)
		for name, pairs := range map[string][]string{"both": {"scope", administers},
			"reading": {"scope", "openid account:read"}, "an old one is enough": {"scope", administers, "max_age", "9000"}} {
			if got := b.answeredBy(web, pairs...); got != "login_required" {
				t.Errorf("%s, without a page: %q", name, got)
			}
		}
		for name, pairs := range map[string][]string{"nothing of it": {"scope", "openid data:read"},
			"what a resource calls so": {"scope", "openid account:read", "resource", orders}} {
			if v := b.get(w.authorizeURL(web, pairs...)); v.At.Path == "/login" {
				t.Errorf("%s: at %s", name, v.At)
			}
		}
		if v := b.submit(open, "consent-form", form("decision", "allow")); v.At.Path != "/login" || v.Away != nil {
			t.Errorf("on a page from before: at %s, sent to %v", v.At, v.Away)
		}
		v := b.get(w.authorizeURL(web, "scope", administers))
		if v.At.Path != "/login" || !strings.Contains(string(v.Body), "Please sign in again") {
			t.Fatalf("at %s: %s", v.At, v.Body)
		}
		v = b.through(v, somebody)
		if v.Away == nil || v.Away.Query().Get("code") == "" {
			t.Fatalf("signed in again: at %s, sent to %v", v.At, v.Away)
		}
		w.wait(time.Hour)
		w.refreshWith(web, w.refreshWith(web, first).JSON(t)).JSON(t)
	})
}

// Rules: DEVICE-4, FORM-8
func TestADeviceThatAdministersWantsALateSignIn(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		w.must(w.Store.UpdateUser(t.Context(), w.act(), w.person(somebody), new(true)))
		w.resource(w.URL, func(r *storage.Resource) { r.MaxAge = time.Hour })
		a := w.tool(apps.Registration{Devices: true})
		for ago, at := range map[time.Duration]string{
			websession.FreshFor - time.Minute: "/device/confirm", websession.FreshFor: "/login", 2 * time.Hour: "/login",
		} {
			b := w.browser()
			b.signIn(somebody, goodPassword)
			w.wait(ago)
			d := w.begin(a, "scope", administers)
			v := b.typed(d.user)
			if v.At.Path != at {
				t.Fatalf("%s after the sign-in at %s", ago, v.At)
			}
			if at == "/login" {
				if v = b.submit(v, "login-form", form("username", somebody, "password", goodPassword)); v.At.Path != "/device" {
					t.Fatalf("signed in again, at %s", v.At)
				}
				v = b.submit(v, "device-form", form("user_code", d.user))
			}
			b.submit(v, "consent-form", form("decision", "allow"))
			w.granted(a, form("grant_type", deviceGrant, "device_code", d.device))
		}
	})
}

// Who signs in at an upstream alone has no other way, and most upstreams tell no time.
//
// Rules: FED-28, FORM-8
func TestAnUpstreamHasPeopleSignInAnewForAnAppThatAdministers(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		l := w.liar("works")
		a, d := w.tool(apps.Registration{}), w.tool(apps.Registration{Devices: true})
		for name, says := range map[string]map[string]any{"it tells when": nil, "it does not": {"auth_time": nil}} {
			l.says = says
			b := w.browser()
			b.visitUpstream("works")
			w.must(w.Store.UpdateUser(t.Context(), w.act(), w.whose("one@works.test"), new(true)))
			w.wait(11 * time.Minute)
			for range 2 {
				v := b.get(b.authorizeURL(a, "scope", administers))
				if v.At.Path != "/login" {
					t.Fatalf("%s: at %s, sent to %v", name, v.At, v.Away)
				}
				out := b.get(w.URL + "/login/upstream/works?" + v.At.RawQuery)
				if asked := out.Away.Query(); asked.Get("prompt") != "login" || asked.Get("max_age") != "0" {
					t.Errorf("%s: the upstream is asked %v", name, asked)
				}
				if v = b.through(b.throughAway(out), ""); v.Away == nil || v.Away.Query().Get("code") == "" {
					t.Fatalf("%s: at %s, sent to %v", name, v.At, v.Away)
				}
				w.wait(11 * time.Minute)
			}
			one := w.begin(d, "scope", administers)
			at := url.Values{"user_code": {one.user}}
			v := b.submit(b.get(w.URL+"/device?"+at.Encode()), "device-form", at)
			v = b.visitUpstream("works", v.At.RawQuery)
			if v = b.submit(v, "device-form", at); v.At.Path != "/device/confirm" {
				t.Errorf("%s: with a device at %s: %d", name, v.At, v.Status)
			}
		}
		l.says = map[string]any{"auth_time": w.ambient.Now().Add(-time.Hour).Unix()}
		b := w.browser()
		v := b.visitUpstream("works", b.get(b.authorizeURL(a, "scope", administers)).At.RawQuery)
		if v.At.Path != "/login" || !strings.Contains(v.At.RawQuery, "again=1") {
			t.Errorf("by an old sign-in there: at %s, sent to %v", v.At, v.Away)
		}
		if v = b.visitUpstream("works", v.At.RawQuery); v.Status != http.StatusBadRequest {
			t.Errorf("by the same once more: %d at %s, sent to %v", v.Status, v.At, v.Away)
		}
	})
}

// To choose an account is met by signing in for that very request: a sign-in for none would be
// asked for the choice, and the choice for a late sign-in, without end.
//
// Rules: FED-28, FORM-8, PROMPT-2
func TestWhoChoosesAnAccountSignsInAnewForTheSameRequest(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		w.liar("works").says = map[string]any{"auth_time": nil}
		a := w.tool(apps.Registration{})
		w.browser().visitUpstream("works")
		w.must(w.Store.UpdateUser(t.Context(), w.act(), w.whose("one@works.test"), new(true)))
		b := w.browser()
		v := b.get(b.authorizeURL(a, "scope", administers, "prompt", "select_account"))
		for times := 0; v.At.Path == "/login"; times++ {
			if times > 1 {
				t.Fatalf("asked for a third time, at %s", v.At)
			}
			v = b.visitUpstream("works", v.At.RawQuery)
		}
		if v = b.through(v, ""); v.Away == nil || v.Away.Query().Get("code") == "" {
			t.Errorf("at %s, sent to %v", v.At, v.Away)
		}
	})
}
