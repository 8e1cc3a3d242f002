package provider_test

import (
	"net/http"
	"net/url"
	"testing"

	"github.com/portico-id/portico/internal/harness/passkeytest"
	"github.com/portico-id/portico/provider/apps"
	"github.com/portico-id/portico/storage"
)

// wayIn is one to a session: what the person has done by then, and what the browser
// sends at last.
type wayIn struct {
	page func(b *browser) visit               // where the last form stands
	form string                               // its id
	last func(b *browser, v visit) url.Values // what it is filled with
}

const demanded = "demanded@example.test"

// waysIn are all of them but the upstreams, each for a person of its own, from the
// sign-in page at the address.
func (w *world) waysIn(address string) map[string]wayIn {
	login := func(b *browser) visit { return b.get(address) }
	typed := func(email string) func(b *browser) visit {
		return func(b *browser) visit {
			return b.submit(login(b), "login-form", form("username", email, "password", goodPassword))
		}
	}
	w.person("typed@example.test")
	app, lost := w.guarded("app@example.test"), w.guarded("lost@example.test")
	alone, beside := w.person("alone@example.test"), w.person("beside@example.test")
	keyAlone, keyBeside := w.passkey(alone), w.passkey(beside)
	newcomers := map[string]storage.User{"app": w.person("1" + demanded), "key": w.person("2" + demanded)}
	uses := func(p *passkeytest.Passkey) func(*browser, visit) url.Values {
		return func(b *browser, v visit) url.Values { return form("passkey", p.Used(v.challenge(b))) }
	}
	return map[string]wayIn{
		"a password": {login, "login-form", func(*browser, visit) url.Values {
			return form("username", "typed@example.test", "password", goodPassword)
		}},
		"a code": {typed("app@example.test"), "code-form",
			func(*browser, visit) url.Values { return form("code", app.code(0)) }},
		"a recovery code": {typed("lost@example.test"), "code-form",
			func(*browser, visit) url.Values { return form("code", lost.codes[0]) }},
		"a passkey":                     {login, "passkey-form", uses(keyAlone)},
		"a passkey beside the password": {typed("beside@example.test"), "passkey-form", uses(keyBeside)},
		"an app that is added on the way": {typed("1" + demanded), "enrol-form", func(b *browser, v visit) url.Values {
			d := &device{world: w, user: newcomers["app"], secret: b.offered(v)}
			return form("code", d.code(0))
		}},
		"a passkey that is made on the way": {typed("2" + demanded), "passkey-form",
			func(b *browser, v visit) url.Values {
				p := passkeytest.New("id.example.test", passkeySite, newcomers["key"].ID)
				return form("label", "Phone", "passkey", p.Made(v.challenge(b)))
			}},
	}
}

func ofDemanded(u storage.User) bool { return len(u.Email) > 1 && u.Email[1:] == demanded }

// filled is what a browser would send at last, with the hidden fields of its page.
func (way wayIn) filled(b *browser) (address string, values url.Values) {
	b.Helper()
	v := way.page(b)
	action, values := v.form(b, way.form)
	for name, value := range way.last(b, v) {
		values[name] = value
	}
	to, err := v.At.Parse(action)
	b.must(err)
	return to.RequestURI(), values
}

// goes is the whole way, on our own pages.
func (way wayIn) goes(b *browser) {
	b.Helper()
	v := way.page(b)
	b.submit(v, way.form, way.last(b, v))
}

// Rules: SIGNIN-2, FACTOR-5
func TestAPlantedCookieIsNobodysSessionWhateverTheWayIn(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database, demand: ofDemanded})
		w.person(somebody)
		w.liar("works")
		at, err := url.Parse(w.URL)
		w.must(err)
		ways := map[string]func(*browser){"an upstream": func(b *browser) { b.visitUpstream("works") }}
		again := w.authorizeURL(w.app(apps.Registration{}), "prompt", "login") // whoever is signed in
		for name, way := range w.waysIn(again) {
			ways[name] = way.goes
		}
		for name, goes := range ways {
			planter := w.browser()
			planter.signIn(somebody, goodPassword)
			planted := &http.Cookie{Name: "portico", Value: planter.cookie("portico"), Path: "/"}
			if !planter.isSignedIn() {
				t.Fatal("nothing to plant")
			}
			b := w.browser()
			b.client.Jar.SetCookies(at, []*http.Cookie{planted})
			goes(b)
			if now := b.cookie("portico"); !b.isSignedIn() || now == planted.Value || now == "" {
				t.Errorf("%s: signed in %v, with the planted cookie %v", name, b.isSignedIn(), now == planted.Value)
			}
			if planter.isSignedIn() {
				t.Errorf("%s: the planted session goes on", name)
			}
		}
	})
}

// Rule: SIGNIN-16
func TestNoOtherSiteSignsABrowserInAsItsOwnPerson(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database, demand: ofDemanded})
		w.person(somebody)
		for name, way := range w.waysIn(w.URL + "/login") {
			attacker, victim, fresh := w.browser(), w.browser(), w.browser()
			victim.signIn(somebody, goodPassword)
			before := victim.cookie("portico")
			address, values := way.filled(attacker)
			for _, header := range [][]string{{"Sec-Fetch-Site", "cross-site"}, {"Sec-Fetch-Site", "same-site"},
				{"Origin", "https://evil.example"}, {"Origin", "null"}} {
				for _, b := range []*browser{victim, fresh} {
					b.crossSite(visit{At: b.address(address)}, header, values)
				}
			}
			if victim.cookie("portico") != before || !victim.isSignedIn() || fresh.isSignedIn() {
				t.Errorf("%s: another site changed who is signed in", name)
			}
			if name != "a password" { // which a person may type anywhere
				if fresh.posts(address, values); fresh.isSignedIn() {
					t.Errorf("%s: what was begun in one browser ends in another", name)
				}
			}
			if attacker.posts(address, values); !attacker.isSignedIn() {
				t.Errorf("%s: from our own page, in its own browser, nobody is signed in", name)
			}
		}
	})
}

// Rule: SIGNIN-16
func TestAnAnswerOfAnUpstreamSignsInNoBrowserButTheOneThatAsked(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		w.person(somebody)
		w.liar("works")
		attacker, victim, fresh := w.browser(), w.browser(), w.browser()
		victim.signIn(somebody, goodPassword)
		before := victim.cookie("portico")
		out := attacker.get(w.URL + "/login/upstream/works")
		r, err := http.NewRequest(http.MethodGet, out.Away.String(), nil)
		w.must(err)
		back := w.do(plain, r)
		to, err := out.Away.Parse(back.Header.Get("Location"))
		w.must(err)
		for _, b := range []*browser{victim, fresh} {
			if v := b.get(to.String()); v.Status != http.StatusBadRequest {
				t.Errorf("in another browser: status %d on %s", v.Status, v.At)
			}
			b.posts(to.Path, to.Query()) // as Apple's page answers
		}
		if victim.cookie("portico") != before || !victim.isSignedIn() || fresh.isSignedIn() {
			t.Error("somebody else's answer changed who is signed in")
		}
		if attacker.get(to.String()); !attacker.isSignedIn() {
			t.Error("in its own browser nobody is signed in")
		}
	})
}

// address is that of a path of the server.
func (b *browser) address(path string) *url.URL {
	b.Helper()
	at, err := url.Parse(b.URL + path)
	b.must(err)
	return at
}
