package provider_test

import (
	"encoding/base32"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/portico-id/portico/internal/gate/websession"
	"github.com/portico-id/portico/internal/harness/passkeytest"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/internal/password"
	"github.com/portico-id/portico/provider/apps"
	"github.com/portico-id/portico/provider/factors"
	"github.com/portico-id/portico/provider/outbox"
	"github.com/portico-id/portico/provider/people"
	"github.com/portico-id/portico/storage"
)

// questions is a world with everybody and everything that pages ask about.
type questions struct {
	*world
	any, others, screen app
	liar                *liar
	more                []httpio.Route // pages of other packages
	n                   int
}

const mustHaveTwo = "must-have-two@example.test"

func newQuestions(t *testing.T) *questions {
	w := newWorld(t, settings{demand: func(u storage.User) bool { return u.Email == mustHaveTwo }})
	q := &questions{world: w}
	w.person(somebody)
	w.person(mustHaveTwo)
	other := w.person(somebodyElse)
	q.any, q.others, q.screen = w.app(apps.Registration{PostLogoutRedirectURIs: []string{bye}}),
		w.app(apps.Registration{}), w.screen()
	w.only(q.others, other)
	q.liar = w.liar("works", "join", "off")
	w.lain("one@works.test", false)
	mails := outbox.New(outbox.Options{Ambient: w.ambient})
	mails.Ring = w.ring
	desk := people.NewDesk(people.DeskOptions{BaseURL: w.URL, Sessions: w.sessions, Pages: w.pages, Web: w.web,
		People: people.New(people.Options{Store: w.Store, Ambient: w.ambient, Passwords: password.NewCheap(w.ambient),
			BaseURL: w.URL, Post: mails, SignUp: people.SignUp{Mode: people.SignUpOpen}})})
	guards := factors.NewPages(factors.PagesOptions{Factors: w.Factors, Sessions: w.sessions, Pages: w.pages, Web: w.web})
	shown := w.sessions.Gate(w.web.Error).Shown(func(http.ResponseWriter, *http.Request, websession.Visit,
		websession.Shown) error {
		return nil
	})
	q.more = append(append(desk.JoinRoutes(), desk.LinkRoutes()...), guards.Routes()...)
	w.desks = httpio.Router{WriteError: w.web.Error,
		Areas: []httpio.Area{{Routes: append(q.more, httpio.At("/shown/{form}").Get(shown))}}}.Handler()
	return q
}

// ofDesks reports whether the path is one of newQuestions' other packages.
func ofDesks(path string) bool {
	for _, of := range []string{"/forgotten", "/sign-up", "/password", "/setup", "/address", "/account/", "/shown/"} {
		if strings.HasPrefix(path, of) {
			return true
		}
	}
	return false
}

// fresh is an address that nobody has had.
func (q *questions) fresh() string {
	q.n++
	return fmt.Sprintf("person-%d@example.test", q.n)
}

// later is a browser that has all its tries.
func (q *questions) later() *browser {
	q.wait(2 * time.Hour)
	return q.browser()
}

// signedIn is a browser in which the person signed in a moment ago.
func (q *questions) signedIn(email string) *browser {
	q.Helper()
	b := q.later()
	b.submit(b.get(b.URL+"/login"), "login-form", form("username", email, "password", goodPassword))
	if !b.isSignedIn() {
		q.Fatalf("%s is not signed in", email)
	}
	return b
}

// on is a page for somebody who is signed in.
func (q *questions) on(path string) func() (*browser, visit) {
	return func() (*browser, visit) {
		b := q.signedIn(somebody)
		return b, b.get(q.URL + path)
	}
}

// asOf is the page to which the sign-in for an app leads.
func (q *questions) asOf(a *app) func() (*browser, visit) {
	return func() (*browser, visit) {
		b := q.later()
		return b, b.submit(b.get(q.authorizeURL(*a, "prompt", "consent")), "login-form",
			form("username", somebody, "password", goodPassword))
	}
}

func (q *questions) open(path string) func() (*browser, visit) {
	return func() (*browser, visit) {
		b := q.later()
		return b, b.get(q.URL + path)
	}
}

func typing(pairs ...string) func(*browser, visit) url.Values {
	return func(*browser, visit) url.Values { return form(pairs...) }
}

// all are the forms.
func (q *questions) all() []asking {
	return append(q.ofSignIn(), q.ofOthers()...)
}

func (q *questions) ofSignIn() []asking {
	keyed, guarded := q.passkey(q.person("keyed@example.test")), q.guarded("guarded@example.test")
	answering := func(b *browser, v visit) url.Values { return form("passkey", keyed.Used(v.challenge(b))) }
	return []asking{
		{at: "/login", form: "login-form", anyone: true, anew: true,
			fills: typing("username", somebody, "password", goodPassword), shown: func() (*browser, visit) {
				b := q.later()
				return b, b.get(q.authorizeURL(q.any))
			}},
		{at: "/login/passkey", form: "passkey-form", shown: q.open("/login"), fills: answering, again: 422},
		{at: "/login/code", form: "code-form", shown: func() (*browser, visit) {
			b := q.later()
			return b, b.password(b.get(q.URL+"/login"), guarded.user.Email)
		}, fills: func(*browser, visit) url.Values { return form("code", guarded.code(0)) }},
		{at: "/login/enrol", form: "enrol-form", shown: func() (*browser, visit) {
			b := q.later()
			return b, b.submit(b.get(q.URL+"/login"), "login-form", form("username", mustHaveTwo, "password", goodPassword))
		}, fills: func(b *browser, v visit) url.Values {
			d := &device{world: q.world, secret: b.offered(v)}
			return form("code", d.code(0))
		}},
		{at: "/consent", form: "consent-form", shown: q.asOf(&q.any), fills: typing("decision", "allow"), again: 410},
		{at: "/consent", form: "barred-form", shown: q.asOf(&q.others), fills: typing("decision", "deny"), again: 410},
		{at: "/signout", form: "signout-form", anyone: true, shown: func() (*browser, visit) {
			b := q.signedIn(somebody)
			return b, b.get(q.logoutURL("post_logout_redirect_uri", bye, "client_id", q.any.ID))
		}, fills: typing()},
		{at: "/device", form: "device-form", shown: q.on("/device"), fills: func(*browser, visit) url.Values {
			return form("user_code", q.begin(q.screen).user)
		}},
		{at: "/device/confirm", form: "consent-form", shown: func() (*browser, visit) {
			b := q.signedIn(somebody)
			return b, b.typed(q.begin(q.screen).user)
		}, fills: typing("decision", "allow")},
		{at: "/login/claim", form: "claim-form", shown: func() (*browser, visit) {
			b := q.later()
			q.liar.says = nil
			return b, b.visitUpstream("works")
		}},
		{at: "/account/identities/confirm", form: "confirm", shown: func() (*browser, visit) {
			b := q.signedIn(somebody)
			q.liar.says = map[string]any{"sub": q.fresh(), "email": somebody}
			return b, b.throughAway(b.get(q.URL + "/account/identities/connect/works"))
		}},
	}
}

func (q *questions) ofOthers() []asking {
	linked := q.person("linked@example.test")
	guardedOn := func(path string) func() (*browser, visit) {
		return func() (*browser, visit) {
			d, b := q.guarded(q.fresh()), q.later()
			b.typesCode(b.password(b.get(q.URL+"/login"), d.user.Email), d.code(0))
			return b, b.get(q.URL + path)
		}
	}
	freshOn := func(path string) func() (*browser, visit) {
		return func() (*browser, visit) {
			b := q.signedIn(q.person(q.fresh()).Email)
			return b, b.get(q.URL + path)
		}
	}
	address := func(*browser, visit) url.Values { return form("email", q.fresh()) }
	return []asking{
		{at: "/forgotten", form: "forgotten-form", anyone: true, shown: q.open("/forgotten"), fills: address},
		{at: "/sign-up", form: "sign-up-form", anyone: true, shown: q.open("/sign-up"), fills: address},
		{at: "/password", form: "password-form", anyone: true, shown: func() (*browser, visit) {
			link, err := q.People.PasswordLink(q.Context(), q.act(), linked)
			q.must(err)
			return q.browser(), q.browser().get(link.PasswordURL(q.URL))
		}, fills: typing("password", "another good password", "again", "another good password")},
		{at: "/account/address", form: "change-address-form", shown: q.on("/account/address"), fills: address},
		{at: "/account/security/authenticator", form: "authenticator-form",
			shown: freshOn("/account/security/authenticator"), fills: func(b *browser, v visit) url.Values {
				_, tag, _ := strings.Cut(string(v.Body), `id="secret"`)
				_, text, _ := strings.Cut(tag, ">")
				secret, err := base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(text[:32])
				q.must(err)
				return form("code", (&device{world: q.world, secret: secret}).code(0))
			}},
		{at: "/account/security/codes", form: "confirm", shown: guardedOn("/account/security/codes")},
		{at: "/account/security/remove", form: "confirm", shown: guardedOn("/account/security/remove")},
		{at: "/account/security/passkey", form: "passkey-form", shown: freshOn("/account/security/passkey"),
			fills: func(b *browser, v visit) url.Values {
				p := passkeytest.New("id.example.test", passkeySite, "whoever")
				return form("label", "Phone", "passkey", p.Made(v.challenge(b)))
			}},
	}
}
