package e2e

import (
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/portico-id/portico/internal/gate/websession"
)

// withoutSession is the visitor's browser when the sign-in is over.
func (v *visitor) withoutSession() *visitor {
	v.Helper()
	at, err := url.Parse(v.URL)
	v.must(err)
	jar, err := cookiejar.New(nil)
	v.must(err)
	jar.SetCookies(at, slices.DeleteFunc(v.http.Jar.Cookies(at), func(c *http.Cookie) bool { return c.Name == "portico" }))
	away, browser := *v, *v.http
	browser.Jar, away.http = jar, &browser
	return &away
}

// Rules: FORM-5, FORM-6
func TestEveryFormOfEveryPageIsThereAgainAfterAnotherSignIn(t *testing.T) {
	t.Parallel()
	// A network has a hundred sign-ins at once: each half of the forms has a site of its own.
	for half := range 2 {
		f, crowd := officeWith(t, sqliteURL(t))
		f.findAgain(t, f.walk(t, crowd).share(half, 2))
	}
}

// findAgain sends each kind of form without a sign-in, and finds it again.
func (f *furnished) findAgain(t *testing.T, walk *formWalk) {
	t.Helper()
	before, tried := f.happened(), map[string]bool{}
	for _, form := range walk.forms {
		if unguarded[form.at.Path] == "" && !tried[form.key] {
			tried[form.key] = true
			form.by.withoutSession().findsAgain(t, form)
		}
	}
	walk.enough(t, len(tried))
	for _, kind := range f.happened()[len(before):] {
		if kind != "user.signed_in" && kind != "user.recovery_code_used" {
			t.Errorf("a form without a sign-in did something: %s", kind)
		}
	}
}

// findsAgain sends the form without a sign-in, signs in, and finds it filled in,
// secrets and files aside.
func (v *visitor) findsAgain(t *testing.T, form pageForm) {
	t.Helper()
	sent := v.sends(form)
	to := sent.Header.Get("Location")
	if sent.Status != http.StatusSeeOther || !strings.HasPrefix(to, "/login?then=") {
		t.Errorf("%s: %d, sent to %q", form.key, sent.Status, to)
		return
	}
	p, err := v.through(v.open(v.URL + to))
	v.must(err)
	now := slices.DeleteFunc(formsOf(v, p.At.RequestURI(), p.Body), func(f pageForm) bool {
		return f.key != form.key || f.at.Path != form.at.Path ||
			f.fields.Get("session") != form.fields.Get("session") // one of several buttons that are alike
	})
	if p.Status != http.StatusOK || len(now) != 1 {
		t.Errorf("%s: after the sign-in %d forms on %s, status %d", form.key, len(now), p.At, p.Status)
		return
	}
	for name := range form.fields {
		if got, want := now[0].fields.Get(name), form.fields.Get(name); form.file == "" &&
			!websession.Secret(name) && got != want {
			t.Errorf("%s: %s is %q, and was %q", form.key, name, got, want)
		}
	}
	if !strings.Contains(p.Body, `id="done"`) {
		t.Errorf("%s: nothing says that it was not done yet", form.key)
	}
}

// Rule: FORM-7
func TestAFormOfSomebodyElseDoesNothing(t *testing.T) {
	f := furnish(t, sqliteURL(t), nil)
	page := f.admin.fetch("GET", "/admin/groups")
	forms := formsOf(f.admin, "/admin/groups", page.Body)
	forms = slices.DeleteFunc(forms, func(form pageForm) bool { return form.at.Path != "/admin/groups" })
	f.person("second@example.test", "--admin")
	second := f.signedIn("second@example.test")
	if got := second.sends(forms[0]); got.Status != http.StatusConflict || !strings.Contains(got.Body, `id="way-on"`) {
		t.Errorf("the form of another administrator: %d\n%s", got.Status, got.Body)
	}
	if got := f.admin.sends(forms[0]); got.Status != http.StatusSeeOther {
		t.Errorf("their own: %d\n%s", got.Status, got.Body)
	}
}
