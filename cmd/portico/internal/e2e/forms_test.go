package e2e

import (
	"context"
	"database/sql"
	"fmt"
	"hash/fnv"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// unguarded are the forms that are not carried out once, with the reason.
var unguarded = map[string]string{
	// TestSignInAndAllowClickedTwiceLeadToTheApp shows these two.
	"/login":                    "each sign-in is one of its own, and takes the place of the browser's former one",
	"/consent":                  "a parked request is answered once",
	"/device":                   "a code is looked for; only the answer to what it names does something",
	"/signout":                  "who is signed out has nothing to sign out of",
	"/authentication/v2/logout": "the same",
	"/account/delete":           "whoever is gone has nothing to send: TestAPersonDeletesTheirAccountAndAllEndsEverywhere",
	passkeyPath:                 "a browser makes the passkey: TestAPasskeyIsAddedOnce sends this one",
}

// reveals reports whether what the form makes is shown once: a secret, a link or
// the result of a try-out. One with a person leads to their consent first.
func reveals(key string) bool {
	path, fields, _ := strings.Cut(key, " ")
	if path == "/apps/{}/try" {
		return !strings.Contains(fields, "scopes.openid")
	}
	return slices.Contains([]string{
		"/apps/new", "/apps/{}/secrets", "/apps/{}/service-accounts/{}/keys", "/admin/users/new", "/admin/users/{}/reset",
		"/admin/connections/{}/tokens", "/admin/registrations", "/admin/directories/works/test",
		"/admin/directories/off/test", "/admin/users/{}/invite",
		authenticatorPath, securityPath + "/codes",
	}, path)
}

// saves reports whether the form gives a file, and its page stays.
func saves(key string) bool { return strings.Contains(key, "/zip ") }

// anew reports whether the form gives another file each time: its page stays, where
// something else may be chosen meanwhile.
func anew(key string) bool { return strings.Contains(key, "/chosen/zip ") }

// officeWith furnishes a site and adds a developer with apps of their own.
func officeWith(t *testing.T, database string) (f *furnished, crowd []*visitor) {
	t.Helper()
	f = furnish(t, database, nil)
	f.person("dev@example.test")
	f.person("member@example.test")
	dev := f.signedIn("dev@example.test")
	dev.registered("web", "name", "Own Site")
	service, _ := dev.registered("service", "name", "Own Program")
	dev.press("/apps/"+service+"/service-accounts", "name", "own-robot")
	account := inner(dev.fetch("GET", "/apps/"+service).Body, `"`, `id="account-`)
	dev.press("/apps/" + service + "/service-accounts/" + account + "/keys")
	f.person("helped@example.test") // by the administrator, who removes the factor
	f.signedIn("helped@example.test").addsAuthenticator()
	f.person("guarded@example.test")
	guarded := f.signedIn("guarded@example.test")
	guarded.addsAuthenticator()
	guarded.addsPasskey()
	person := f.signedIn("person@example.test")
	f.undoable(person)
	return f, []*visitor{dev, person, f.admin, guarded, f.near(t, person, guarded)}
}

// Rules: FORM-1, FORM-2, FORM-9
func TestEveryFormOfEveryPageActsOnceHoweverOftenItIsSent(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, database string) {
		f, crowd := officeWith(t, database)
		walk := f.walk(t, crowd)
		for _, form := range walk.forms {
			walk.once(t, form, func(v *visitor, form pageForm) bool { return v.sendsThrice(t, form) })
		}
		walk.judge(t)
		walk.meetsEveryForm(t)
	})
}

// sendsThrice sends a form twice at once and then again. All three are answered
// alike, and what a form shows it shows once. It is false for a form that could
// not be carried out.
func (v *visitor) sendsThrice(t *testing.T, form pageForm) bool {
	t.Helper()
	var answers [2]answer
	var both sync.WaitGroup
	for i := range answers {
		both.Go(func() { answers[i] = v.sends(form) })
	}
	both.Wait()
	if answers[0].Status != http.StatusSeeOther {
		t.Logf("%s: %d %s", form.key, answers[0].Status, inner(answers[0].Body, "</", `id="form-errors"`))
		return false
	}
	to := answers[0].Header.Get("Location")
	for _, again := range []answer{answers[1], v.sends(form)} {
		if again.Status != http.StatusSeeOther || again.Header.Get("Location") != to && !anew(form.key) {
			t.Errorf("%s: sent again it is answered with %d %s, at first with %s", form.key, again.Status,
				again.Header.Get("Location"), to)
		}
	}
	if shown := strings.HasPrefix(to, "/shown/"); shown != reveals(form.key) {
		t.Errorf("%s: say in this test whether it shows what it made; it leads to %s", form.key, to)
	} else if shown {
		v.seesOnce(t, form, to)
	} else if saves(form.key) {
		if got := v.fetch("GET", to); !strings.HasPrefix(got.Header.Get("Content-Disposition"), "attachment") {
			t.Errorf("%s leads to %s, which is no file: %d", form.key, to, got.Status)
		}
	} else if !strings.HasSuffix(form.at.Path, "/try") && !strings.Contains(v.fetch("GET", to).Body, `id="done"`) {
		t.Errorf("%s leads to %s, which does not say that it was done", form.key, to)
	}
	return true
}

// seesOnce looks at what a form made.
func (v *visitor) seesOnce(t *testing.T, form pageForm, to string) {
	t.Helper()
	if got := v.fetch("HEAD", to); got.Status != http.StatusOK {
		t.Errorf("%s: a look at the headers: %d", form.key, got.Status)
	}
	first, again := v.fetch("GET", to), v.fetch("GET", to)
	reveals := strings.Contains(first.Body, `id="revealed-`)
	if first.Status != http.StatusOK || !reveals && !strings.Contains(first.Body, `id="try-`) {
		t.Errorf("%s shows %d\n%s", form.key, first.Status, first.Body)
	}
	if reveals && (again.Status != http.StatusGone || strings.Contains(again.Body, `id="revealed-`) ||
		!strings.Contains(again.Body, `id="continue"`)) {
		t.Errorf("%s: a reload shows %d\n%s", form.key, again.Status, again.Body)
	}
	stranger := "admin@example.test" // nobody whom a form before has deleted
	if v.email == stranger {
		stranger = "person@example.test"
	}
	if got := v.signedIn(stranger).fetch("GET", to); got.Status != http.StatusNotFound {
		t.Errorf("%s: somebody else sees %d", form.key, got.Status)
	}
}

// formWalk is every form that people find from their first page on.
type formWalk struct {
	*furnished
	forms []pageForm
	kind  func(pageForm) string // of each, one is sent
	tried map[string]bool       // by kind, true: carried out
	did   map[string][]string   // by key
	least int                   // so many kinds there are, at least
}

// walk finds the forms. What ends something comes last, the smaller before the
// larger.
func (f *furnished) walk(t *testing.T, crowd []*visitor) *formWalk {
	t.Helper()
	w := &formWalk{furnished: f, tried: map[string]bool{}, did: map[string][]string{}, least: 30,
		kind: func(form pageForm) string { return form.key }}
	for _, v := range crowd {
		w.forms = append(w.forms, v.crawl(t)...)
	}
	imported := "/admin/users/import/" + f.web["importId"] // a file leads there, and no link
	w.forms = append(w.forms, formsOf(f.admin, imported, f.admin.fetch("GET", imported).Body)...)
	for _, v := range crowd { // and a sign-in elsewhere here, once
		w.forms = append(w.forms, only(formsOf(v, identityAsked, v.fetch("GET", identityAsked).Body), identityAsked)...)
	}
	slices.SortStableFunc(w.forms, func(a, b pageForm) int { return a.rank() - b.rank() })
	return w
}

// share leaves the walk one part of several of the kinds of forms: what an office does
// not send, another of the same kind sends meanwhile.
func (w *formWalk) share(part, of int) *formWalk {
	w.least /= of
	w.forms = slices.DeleteFunc(w.forms, func(form pageForm) bool {
		return partOf(w.kind(form), of) != part
	})
	return w
}

// partOf says to which of several parts something of the name always belongs.
func partOf(name string, of int) int {
	sum := fnv.New32a()
	_, _ = sum.Write([]byte(name))
	return int(sum.Sum32() % uint32(of))
}

// once lets a form of the kind act, the first that can, and sees that nothing
// more happened than when it is sent once.
func (w *formWalk) once(t *testing.T, found pageForm, act func(v *visitor, form pageForm) bool) {
	t.Helper()
	kind := w.kind(found)
	if w.tried[kind] || unguarded[found.at.Path] != "" || strings.Contains(found.page, w.adminID) {
		return
	}
	form, there := found.by.again(found)
	if !there {
		return
	}
	if form.at.Query().Get("form") == "" {
		t.Errorf("the form %s of %s has no token", form.key, form.page)
	}
	before := found.by.happened()
	w.tried[kind] = act(found.by, form)
	if w.tried[kind] {
		w.did[form.key] = found.by.happened()[len(before):]
	}
	counted := map[string]int{}
	for _, kind := range w.did[form.key] {
		if counted[kind]++; counted[kind] > 1 && !strings.HasPrefix(kind, "session.") &&
			kind != "user.recovery_code_used" { // one for the sign-in, one for the form
			t.Errorf("%s did twice: %v", form.key, w.did[form.key])
		}
	}
}

// judge fails for forms that nobody could send: the test has to learn what
// belongs into them.
func (w *formWalk) judge(t *testing.T) {
	t.Helper()
	for _, form := range w.forms {
		if unguarded[form.at.Path] == "" && !w.tried[w.kind(form)] && !strings.Contains(form.page, w.adminID) {
			t.Errorf("the form %s of %s could not be sent", form.key, form.page)
			w.tried[w.kind(form)] = true
		}
	}
	w.enough(t, len(w.tried))
}

// enough fails for a walk that found next to nothing.
func (w *formWalk) enough(t *testing.T, kinds int) {
	t.Helper()
	if kinds < w.least {
		t.Errorf("only %d forms were found, of %d at least", kinds, w.least)
	}
}

// happened are the kinds of all audited events, the oldest first, but for those of
// the server itself: it makes keys when it has time. They are read where they are kept:
// a walk asks hundreds of times, and a command takes longer than the form in between.
func (s *site) happened() (kinds []string) {
	s.Helper()
	rows, err := s.kept().QueryContext(s.Context(),
		"SELECT kind FROM audit_events WHERE actor_kind <> 'system' ORDER BY id")
	s.must(err)
	defer rows.Close()
	for rows.Next() {
		var kind string
		s.must(rows.Scan(&kind))
		kinds = append(kinds, kind)
	}
	s.must(rows.Err())
	return kinds
}

// kept is the site's database, beside its servers.
func (s *site) kept() *sql.DB {
	s.Helper()
	s.opened.Do(func() {
		driver, database := s.driver()
		if driver == "sqlite" {
			database += patiently
		}
		s.beside = must(sql.Open(driver, database))
		s.Cleanup(func() { s.must(s.beside.Close()) })
	})
	return s.beside
}

// Rule: FORM-1
func TestFormsOfOneTimeLinksActOnceAndAnswerAgainAlike(t *testing.T) {
	s := newSite(t, sqliteURL(t))
	s.spawn()
	link, err := os.ReadFile(filepath.Join(s.dataDir(), "setup-url"))
	s.must(err)
	v := s.visitor("admin@example.test")
	p, err := v.open(strings.TrimSpace(string(link)))
	s.must(err)
	forms := formsOf(v, p.At.RequestURI(), p.Body)
	if len(forms) != 1 || !v.sendsThrice(t, forms[0]) {
		t.Errorf("%d forms on %s", len(forms), p.At)
	}
	var made struct{ URL string }
	s.commandJSON(&made, "", "user", "password-link", forms[0].fields.Get("email"))
	at, err := url.Parse(made.URL)
	s.must(err)
	forms = formsOf(v, at.RequestURI(), v.fetch("GET", at.RequestURI()).Body)
	if len(forms) != 1 || !v.sendsThrice(t, forms[0]) {
		t.Errorf("%d forms on %s", len(forms), at)
	}
}

// Rule: FORM-3
func TestWhatOneServerMadeAnotherShowsAndAnswersAgain(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, database string) {
		f, crowd := officeWith(t, database)
		second := start(t, database)
		dev := crowd[0]
		forms := formsOf(dev, "/apps/new", dev.fetch("GET", "/apps/new").Body)
		forms = slices.DeleteFunc(forms, func(form pageForm) bool { return form.at.Path != "/apps/new" })
		first := dev.sends(forms[0])
		before := f.happened()
		elsewhere := *dev
		elsewhere.site = second // on the same host, so that the cookie is good
		again := elsewhere.sends(forms[0])
		if diff := cmp.Diff(first.Header.Get("Location"), again.Header.Get("Location")); diff != "" {
			t.Errorf("status %d, -first +again:\n%s%s", again.Status, diff, again.Body)
		}
		if diff := cmp.Diff(before, f.happened()); diff != "" {
			t.Errorf("it was done again:\n%s", diff)
		}
		if got := elsewhere.fetch("GET", again.Header.Get("Location")); got.Status != http.StatusOK ||
			!strings.Contains(got.Body, "revealed-client-secret") {
			t.Errorf("the other server shows %d\n%s", got.Status, got.Body)
		}
	})
}

// clicked is what a browser shows alike of a form that is sent: the way it is answered, and
// where it stands. What each form does however often it is sent, the walk without a browser
// shows; soak-pages clicks on each.
func (f pageForm) clicked() string {
	area, _, _ := strings.Cut(f.page[1:], "/")
	return fmt.Sprint(area, reveals(f.key), saves(f.key), anew(f.key), f.file)
}

// Rules: FORM-1, FORM-9
func TestASecondClickOnASlowLineActsOnceAndShowsWhatWasMade(t *testing.T) {
	t.Parallel()
	f, crowd := officeWith(t, sqliteURL(t))
	walk := f.walk(t, crowd)
	if !soaking() {
		walk.kind, walk.least = pageForm.clicked, 10
	}
	browser, tabs := chromium(t), map[string]*tab{}
	for _, form := range walk.forms {
		walk.once(t, form, func(v *visitor, form pageForm) bool {
			b := f.tabOf(t, browser, tabs, v)
			b.patiently()
			defer b.handsOver(v)
			return b.clicksTwice(form)
		})
	}
	walk.judge(t)
}

// tabOf returns the tab in which somebody goes on with their session.
func (f *furnished) tabOf(t *testing.T, browser context.Context, tabs map[string]*tab, v *visitor) *tab {
	t.Helper()
	b := tabs[v.URL+v.email]
	if b == nil {
		b = newTab(t, browser, true)
		b.continues(v)
		b.open(v.URL + "/apps")
		b.await("account")
		tabs[v.URL+v.email] = b
	}
	return b
}

// Each click is a sign-in of its own, or a decision on a request that is there
// until its answer has gone out.
//
// Rule: FORM-1
func TestSignInAndAllowClickedTwiceLeadToTheApp(t *testing.T) {
	t.Parallel()
	browser := chromium(t)
	for _, mode := range []string{"", "form_post"} {
		t.Run("mode="+mode, func(t *testing.T) {
			s := start(t, sqliteURL(t))
			subject := s.person("person@example.test")
			rp := s.relyingParty(mode)
			for _, remembered := range []bool{false, true} {
				b := newTab(t, browser, true)
				b.open(rp.URL + "/start")
				b.await("login-submit")
				b.fill("username", "person@example.test")
				b.fill("password", password)
				b.clickTwice("login-submit")
				if !remembered {
					b.await("consent-allow")
					b.clickTwice("consent-allow")
				}
				if got := b.text("signed-in"); got != subject {
					t.Errorf("allowed before: %v: signed in as %s", remembered, got)
				}
				rp.checkTokens(s.URL, subject, "person@example.test")
			}
		})
	}
}
