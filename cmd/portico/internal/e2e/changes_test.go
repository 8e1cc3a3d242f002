package e2e

import (
	"encoding/base64"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/portico-id/portico/internal/harness/passkeytest"
	"github.com/portico-id/portico/internal/harness/smtptest"
	"github.com/portico-id/portico/provider/people"
)

// changing is a person whose password or factor comes to be another: they are
// signed in here and elsewhere, and an app acts for them.
type changing struct {
	*changes
	id              string
	here, elsewhere *visitor
	app             client
	access, refresh string
}

// changes are two servers on one database, and an administrator.
type changes struct {
	*site
	second *site
	mails  *smtptest.Server
	admin  *visitor
	token  string // the administrator's, of the API
	people int
}

// renewal is a way to another password or factor.
type renewal struct {
	event  string          // of the trail
	has    func(*changing) // what the person has before; nil: a password
	do     func(*changing)
	signed bool // the sign-in that it is done in goes on
}

func hasAuthenticator(w *changing) { w.here.addsAuthenticator() }
func hasPasskey(w *changing)       { w.here.addsPasskey() }

const (
	passwordSet   = "user.password_set"
	factorAdded   = "user.factor_added"
	factorRemoved = "user.factor_removed"
	codesMade     = "user.recovery_codes_made"
)

// changesOfPeople are all of them, by the route or command that begins them.
var changesOfPeople = map[string]renewal{
	"POST /account/password": {event: passwordSet, signed: true, do: func(w *changing) {
		w.pressed(w.here, "/account/password", "password", fresh, "again", fresh)
	}},
	"POST /forgotten": {event: passwordSet, do: func(w *changing) {
		w.visitor("").asks("/forgotten", "forgotten-form", w.here.email)
		w.mailedLink()
	}},
	"POST /account/v1/recovery": {event: passwordSet, do: func(w *changing) {
		w.ownAPI("", "POST", "/recovery", `{"email":"`+w.here.email+`"}`)
		w.mailedLink()
	}},
	"POST /admin/users/{userId}/reset": {event: passwordSet, do: func(w *changing) {
		shown := w.admin.press("/admin/users/" + w.id + "/reset")
		w.follows(inner(shown.Body, "<", `id="revealed-link"`, ">"))
	}},
	"POST /admin/v1/users/{userId}/password-link": {event: passwordSet, do: func(w *changing) {
		w.follows(w.api(w.token, "POST", "/users/"+w.id+"/password-link", "").text("url"))
	}},
	"user password-link": {event: passwordSet, do: func(w *changing) {
		var made struct{ URL string }
		w.commandJSON(&made, "", "user", "password-link", w.id)
		w.follows(made.URL)
	}},
	"user set-password": {event: passwordSet, do: func(w *changing) {
		w.command(fresh, "user", "set-password", w.id, "--password-stdin")
	}},
	"POST /account/security/authenticator": {event: factorAdded, signed: true, do: hasAuthenticator},
	"POST /account/security/passkey":       {event: factorAdded, signed: true, do: hasPasskey},
	"POST /login/enrol": {event: factorAdded, do: func(w *changing) {
		p, v := w.mustEnrol()
		w.enrolled(v.submit(p, "enrol-form", form("code", shownCode(secretOf(p.Body), 0))))
	}},
	"POST /login/enrol with a passkey": {event: factorAdded, do: func(w *changing) {
		p, v := w.mustEnrol()
		user, err := base64.RawURLEncoding.DecodeString(found(personInPage, p.Body))
		w.must(err)
		key := passkeytest.New("localhost", v.URL, string(user))
		w.enrolled(v.submit(p, "passkey-form", form("label", "Phone", "passkey", key.Made(found(challengeInPage, p.Body)))))
	}},
	"POST /account/security/remove": {event: factorRemoved, signed: true, has: hasAuthenticator, do: func(w *changing) {
		w.pressed(w.here, securityPath+"/remove")
	}},
	"POST /account/security/passkey/{passkeyId}": {event: factorRemoved, signed: true, has: hasPasskey,
		do: func(w *changing) { w.pressed(w.here, passkeyPath+"/"+w.here.passkeyID()) }},
	"POST /account/security/codes": {event: codesMade, signed: true, has: hasAuthenticator, do: func(w *changing) {
		if got := w.here.press(securityPath + "/codes"); !strings.Contains(got.Body, `id="revealed-recovery-codes"`) {
			w.Fatalf("new codes: %d\n%s", got.Status, got.Body)
		}
	}},
	"POST /admin/users/{userId}/second-factor": {event: factorRemoved, has: hasPasskey, do: func(w *changing) {
		w.pressed(w.admin, "/admin/users/"+w.id+"/second-factor")
	}},
	"DELETE /admin/v1/users/{userId}/second-factor": {event: factorRemoved, has: hasAuthenticator, do: func(w *changing) {
		w.api(w.token, "DELETE", "/users/"+w.id+"/second-factor", "")
	}},
	"user factor remove": {event: factorRemoved, has: hasAuthenticator, do: func(w *changing) {
		w.command("", "user", "factor", "remove", w.id, "--yes")
	}},
}

// pressed presses a button that must work.
func (w *changing) pressed(v *visitor, path string, pairs ...string) {
	w.Helper()
	if got := v.press(path, pairs...); got.Status != http.StatusSeeOther {
		w.Fatalf("%s: %d\n%s", path, got.Status, got.Body)
	}
}

// follows chooses a password behind a link.
func (w *changing) follows(link string) {
	w.Helper()
	v := w.visitor("")
	v.goes = []string{w.second.URL + "/"} // which may have sent the link
	if p := v.chooses(link, "", fresh); p.Status != http.StatusOK {
		w.Fatalf("the link %q: %d\n%s", link, p.Status, p.Body)
	}
}

// mailedLink follows the link of the newest mail that has one to choose a password.
func (w *changing) mailedLink() {
	w.Helper()
	var link string
	w.eventually("a link", func() bool {
		for _, m := range w.mails.To(w.here.email) {
			if to := linkInText.FindString(m.Text); strings.Contains(to, "/password?") {
				link = to
			}
		}
		return link != ""
	})
	w.follows(link)
}

// mustEnrol signs in to an app that demands a second factor, as far as adding one.
func (w *changing) mustEnrol() (page, *visitor) {
	w.Helper()
	strict := w.client("--redirect-uri", callback, "--require-second-factor")
	v := w.visitor(w.here.email)
	p, err := v.through(v.open(w.authorizeURL(strict)))
	w.must(err)
	if p.At.Path != "/login/enrol" {
		w.Fatalf("it leads to %s, %d\n%s", p.At, p.Status, p.Body)
	}
	return p, v
}

func (w *changing) enrolled(p page, err error) {
	w.Helper()
	w.must(err)
	if !strings.Contains(p.Body, `id="revealed-recovery-codes"`) {
		w.Fatalf("enrolling ends at %s, %d\n%s", p.At, p.Status, p.Body)
	}
}

// somebody is a fresh person with all that a change must end, each of it seen alive on
// the second server.
func (c *changes) somebody(has func(*changing)) *changing {
	c.Helper()
	c.people++
	email := "person-" + string(rune('a'+c.people/26)) + string(rune('a'+c.people%26)) + "@example.test"
	w := &changing{changes: c, id: c.person(email)}
	w.here = c.signedIn(email)
	if has != nil {
		has(w)
	}
	w.elsewhere = c.visitor(email)
	w.elsewhere.recovery = w.here.recovery
	w.app = c.client("--redirect-uri", callback, "--scope", "openid offline_access user-profile:read")
	tokens := w.elsewhere.tokens(w.app, "scope", "openid offline_access user-profile:read")
	tokens = c.second.refresh(w.app, tokens.text("refresh_token"))
	w.access, w.refresh = tokens.text("access_token"), tokens.text("refresh_token")
	if !w.signedInAt(w.here) || !w.signedInAt(w.elsewhere) || !w.acts() {
		c.Fatal("what is to end was never there")
	}
	return w
}

// signedInAt asks the second server.
func (w *changing) signedInAt(v *visitor) bool {
	away := *v
	away.site = w.second
	return away.fetch("GET", "/account/sessions").Status == http.StatusOK
}

// acts reports whether the second server takes the access token in any of two ways.
func (w *changing) acts() bool {
	return w.second.userInfo(w.access).Status == http.StatusOK ||
		strings.Contains(w.second.send(introspectPath, w.app, "token", w.access).Body, `"active":true`)
}

// ended is how long it took until the second server took nothing any more.
func (w *changing) ended(c renewal) time.Duration {
	w.Helper()
	c.do(w)
	began := time.Now()
	for w.acts() || w.signedInAt(w.elsewhere) || w.signedInAt(w.here) != c.signed {
		if time.Since(began) > patience {
			w.Fatalf("the app acts %v, elsewhere %v, here %v", w.acts(), w.signedInAt(w.elsewhere), w.signedInAt(w.here))
		}
	}
	took := time.Since(began)
	if got := w.second.refresh(w.app, w.refresh); !got.is(http.StatusBadRequest, "invalid_grant") {
		w.Errorf("the refresh token: %d %s", got.Status, got.Body)
	}
	if trail := w.command("", "audit", "list", "--kind", c.event, "--ndjson"); !strings.Contains(trail, w.id) {
		w.Errorf("the trail has no %s: %s", c.event, trail)
	}
	return took
}

// Rules: HOME-4, FACTOR-8, FACTOR-9, FACTOR-17, FACTOR-25, JOIN-3
func TestEveryChangeOfPasswordOrFactorEndsEverythingOnEveryServer(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, database string) {
		mails := smtptest.Start(t)
		s := start(t, database, "SMTP_URL="+mails.URL())
		c := &changes{site: s, second: start(t, database, "SMTP_URL="+mails.URL()), mails: mails}
		s.person("admin@example.test", "--admin")
		c.admin = s.signedIn("admin@example.test")
		tool := s.client("--redirect-uri", callback, "--scope", "openid account:read account:write")
		c.token = c.admin.tokens(tool, "scope", "openid account:read account:write").text("access_token")
		var longest time.Duration
		for name, way := range changesOfPeople {
			t.Run(name, func(t *testing.T) {
				withinASecond(t, func() time.Duration {
					took := c.somebody(way.has).ended(way)
					longest = max(longest, took)
					return took
				})
			})
		}
		t.Logf("the longest of %d took %s", len(changesOfPeople), longest)
	})
}

// notChanges are routes and events whose names sound like one.
var notChanges = []string{
	"POST /password",          // behind every link of the table
	"POST /login/passkey",     // a sign-in
	"user.recovery_asked",     // nothing has changed yet
	"user.recovery_code_used", // the person proves themselves
	"user.factor_refused",     // nobody did
}

// Rule: FACTOR-25
func TestEveryChangeOfPasswordOrFactorIsInTheTable(t *testing.T) {
	t.Parallel()
	sounds := func(name string) bool {
		return slices.ContainsFunc([]string{"password", "factor", "authenticator", "passkey", "recovery", "forgotten",
			"enrol", "/security/"}, func(word string) bool { return strings.Contains(name, word) })
	}
	events := map[string]bool{}
	for _, c := range changesOfPeople {
		events[c.event] = true
	}
	for _, kind := range people.AuditKinds() {
		if strings.HasPrefix(kind, "user.") && sounds(kind) && !events[kind] && !slices.Contains(notChanges, kind) {
			t.Errorf("no row leads to %s", kind)
		}
	}
	for _, route := range routesBelow(t, "/") {
		name := route.method + " " + route.template
		if _, in := changesOfPeople[name]; !in && route.method != "GET" && sounds(route.template) &&
			!slices.Contains(notChanges, name) {
			t.Errorf("%s is in no row", name)
		}
	}
}
