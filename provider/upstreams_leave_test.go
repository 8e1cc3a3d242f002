package provider_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"github.com/portico-id/portico/provider/apps"
	"github.com/portico-id/portico/storage"
)

// hrefOf returns where the link with the id on the page leads.
func (b *browser) hrefOf(v visit, id string) string {
	b.Helper()
	root, err := html.Parse(strings.NewReader(string(v.Body)))
	b.must(err)
	for n := range root.Descendants() {
		said := map[string]string{}
		for _, a := range n.Attr {
			said[a.Key] = a.Val
		}
		if said["id"] == id {
			to, err := v.At.Parse(said["href"])
			b.must(err)
			return to.String()
		}
	}
	b.Fatalf("no link %s on %s, status %d:\n%s", id, v.At, v.Status, v.Body)
	return ""
}

// left is where signing out here ends when it is offered to sign out there, too.
func (b *browser) left(v visit, signedIn bool) (leave, stay string) {
	b.Helper()
	if v.Status != http.StatusOK || v.Away != nil || signedIn {
		b.Fatalf("on %s: status %d, sent to %v, still signed in %v", v.At, v.Status, v.Away, signedIn)
	}
	return b.hrefOf(v, "leave"), b.hrefOf(v, "stay")
}

// Rule: FED-23
func TestWhoSignsOutHereMaySignOutThereToo(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		there, here := newWorld(t, settings{}), newWorld(t, settings{database: database})
		there.person("one@works.test")
		client := there.app(apps.Registration{RedirectURIs: []string{here.Upstreams.RedirectURI("works")},
			PostLogoutRedirectURIs: []string{here.URL + "/login/upstream/works/signed-out"}})
		here.upstream("works", there.URL, client.ID, client.Secret, "scopes", "openid,email,profile",
			"offer_logout", "true")
		a := here.app(apps.Registration{PostLogoutRedirectURIs: []string{bye}})
		arrive := func() (b, elsewhere *browser, token string) {
			b, elsewhere = here.browser(), there.browser()
			v := b.get(b.authorizeURL(a))
			v = b.get(b.URL + "/login/upstream/works?" + v.At.RawQuery)
			away := elsewhere.through(elsewhere.get(v.Away.String()), "one@works.test")
			v = b.through(b.get(away.Away.String()), "")
			return b, elsewhere, b.redeem(a, v.Away.Query().Get("code")).JSON(t)["id_token"].(string)
		}
		asks := func(token string) string {
			return here.logoutURL("id_token_hint", token, "post_logout_redirect_uri", bye, "state", "app's")
		}
		b, elsewhere, token := arrive()
		v := b.get(asks(token))
		leave, _ := b.left(v, b.isSignedIn())
		if !elsewhere.isSignedIn() {
			t.Fatal("they are signed out there before they said so")
		}
		back := elsewhere.get(leave)
		if back.Away == nil || elsewhere.isSignedIn() {
			t.Fatalf("not signed out there: status %d on %s:\n%s", back.Status, back.At, back.Body)
		}
		if v = b.get(back.Away.String()); v.Away == nil || v.Away.String() != bye+"?state=app%27s" {
			t.Errorf("not back at the app: status %d on %s, sent to %v", v.Status, v.At, v.Away)
		}

		b, elsewhere, token = arrive()
		v = b.get(asks(token))
		_, stay := b.left(v, b.isSignedIn())
		if v = b.get(stay); v.Away == nil || v.Away.String() != bye+"?state=app%27s" || !elsewhere.isSignedIn() {
			t.Errorf("without signing out there: status %d, sent to %v", v.Status, v.Away)
		}

		here.set("works", "offer_logout", "false")
		b, elsewhere, token = arrive()
		if v = b.get(asks(token)); v.Away == nil || v.Away.String() != bye+"?state=app%27s" || b.isSignedIn() ||
			!elsewhere.isSignedIn() {
			t.Errorf("where it is not offered: status %d on %s, sent to %v", v.Status, v.At, v.Away)
		}
	})
}

// Whoever came with a password, or by an upstream that has no such page, has one that is
// no page for browsers, or is down, signs out here as anybody does.
//
// Rule: FED-23
func TestSigningOutIsHeldUpByNoUpstream(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		w.person(somebody)
		l := w.liar("works", "offer_logout", "true")
		out := func(b *browser) visit { return b.get(b.URL + logoutPath) }
		plain := func(why string, b *browser) {
			t.Helper()
			if v := out(b); v.At.Path != "/login" || v.At.RawQuery != "signed_out=1" || b.isSignedIn() {
				t.Errorf("%s: status %d on %s", why, v.Status, v.At)
			}
		}
		arrived := func(logoutAt string) *browser {
			l.logoutAt = logoutAt
			w.wait(61 * time.Minute) // the metadata is read anew
			b := w.browser()
			b.visitUpstream("works")
			return b
		}
		good := l.URL + "/end?of=session"
		plain("no such page", arrived(""))
		plain("a script", arrived("javascript:alert(1)"))
		plain("no host", arrived("/end"))
		b := arrived(good)
		v := out(b)
		leave, stay := b.left(v, b.isSignedIn())
		to, err := url.Parse(leave)
		w.must(err)
		q := to.Query()
		hint := idTokenClaims(t, map[string]any{"id_token": q.Get("id_token_hint")})
		if to.Path != "/end" || q.Get("of") != "session" || q.Get("client_id") != "portico" || hint["sub"] != "person-1" ||
			q.Get("post_logout_redirect_uri") != w.URL+"/login/upstream/works/signed-out" || q.Get("state") == "" {
			t.Errorf("they are sent to %s", leave)
		}
		signedOut := func(why, address string) {
			t.Helper()
			if v := w.browser().get(address); v.At.Path != "/login" || v.At.RawQuery != "signed_out=1" {
				t.Errorf("%s: status %d on %s, sent to %v", why, v.Status, v.At, v.Away)
			}
		}
		signedOut("their own state", stay)
		signedOut("no state", w.URL+"/login/upstream/works/signed-out")
		signedOut("a made-up state", w.URL+"/login/upstream/works/signed-out?state="+url.QueryEscape("https://evil.test"))

		b = arrived(good)
		b.tokens(w.app(apps.Registration{}), somebody, "prompt", "login")
		plain("somebody else signed in by password", b)
		b = arrived(good)
		w.wait(61 * time.Minute)
		l.down = true
		plain("it is down", b)
		l.down = false
		w.wait(11 * time.Second)
		b = arrived(good)
		w.must(w.Store.SetUserDisabled(t.Context(), w.act(), w.whose("one@works.test").ID, true))
		plain("their account is disabled", b)
	})
}

// Who proves a second factor here carries the ID token through that step in a cookie,
// unless it is too long for one: then the upstream has to ask.
//
// Rule: FED-23
func TestWhatAnUpstreamIsToldComesThroughASecondStep(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		d := w.guarded("one@works.test")
		l := w.liar("works", "offer_logout", "true")
		l.logoutAt = l.URL + "/end"
		w.must(w.Store.LinkIdentity(t.Context(), w.act(), storage.UpstreamIdentity{UpstreamID: "works", Issuer: l.URL,
			Subject: "person-1", UserID: d.user.ID, LinkedAt: w.ambient.Now()}))
		for _, long := range []bool{false, true} {
			if l.says = nil; long {
				l.says = map[string]any{"groups": strings.Repeat("g", 4000)}
			}
			w.wait(time.Minute)
			b := w.browser()
			if v := b.typesCode(b.visitUpstream("works"), d.code(0)); !b.isSignedIn() {
				t.Fatalf("long %v: status %d on %s", long, v.Status, v.At)
			}
			v := b.get(b.URL + logoutPath)
			leave, _ := b.left(v, b.isSignedIn())
			if strings.Contains(leave, "id_token_hint=") == long || !strings.Contains(leave, "client_id=portico") {
				t.Errorf("long %v: they are sent to %s", long, leave)
			}
		}
	})
}
