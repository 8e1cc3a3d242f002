package provider_test

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/portico-id/portico/provider"
	"github.com/portico-id/portico/storage"
)

// asking is a form of a page that asks somebody for something.
type asking struct {
	at     string                               // the route that it is sent to
	form   string                               // its id
	shown  func() (*browser, visit)             // to its person, anew
	fills  func(b *browser, v visit) url.Values // as they would; nil: there is nothing to fill in
	anyone bool                                 // whoever sends it in a browser of their own may
	anew   bool                                 // sent again it is done again
	again  int                                  // status of what is seen then; 0: any but a failure
}

// sent is a form as it is sent.
type sent struct {
	*browser
	action string
	fields url.Values
}

func (a asking) filledIn(t *testing.T) (sent, visit) {
	t.Helper()
	b, v := a.shown()
	action, fields := v.form(b, a.form)
	if a.fills != nil {
		maps.Copy(fields, a.fills(b, v))
	}
	return sent{b, action, fields}, v
}

// by is the form as another browser sends it.
func (s sent) by(b *browser) sent { return sent{b, s.action, s.fields} }

func (s sent) send() visit { return s.posted(s.action, s.fields) }

// sends sends a body as the form, with the headers.
func (s sent) sends(method, action, body string, headers ...string) answer {
	s.Helper()
	r, err := http.NewRequest(method, s.URL+action, strings.NewReader(body))
	s.must(err)
	if method == http.MethodPost {
		r.Header.Set("Content-Type", formType)
	}
	for pair := range slices.Chunk(headers, 2) {
		r.Header.Set(pair[0], pair[1])
	}
	return s.do(s.client, r)
}

// tries are what is noted of one that came to nothing.
var tries = []string{"user.sign_in_failed", "user.factor_refused"}

// lastDone is what was done last by anybody.
func (w *world) lastDone() (last storage.AuditEvent) {
	w.Helper()
	events, _, err := w.Store.ListAudit(w.Context(), storage.AuditFilter{}, storage.PageRequest{Limit: 100})
	w.must(err)
	for _, e := range events {
		if !slices.Contains(tries, e.Kind) {
			return e
		}
	}
	return last
}

// nothing fails when something was done.
func (w *world) nothing(t *testing.T, what string, act func()) {
	t.Helper()
	before := w.lastDone()
	act()
	if now := w.lastDone(); now.ID != before.ID {
		t.Errorf("%s: it does something: %s", what, now.Kind)
	}
}

// Every form of the pages that ask a person for something is held to what can be asked of all
// alike. The forms of the portal and of administrators are walked in the whole server.
//
// Rules: SIGNIN-4, TOKEN-1, PAGE-1, FORM-1, FORM-7
func TestEveryFormThatAsksAPersonIsForThemAndOurPagesAlone(t *testing.T) {
	q := newQuestions(t)
	all := q.all()
	q.namesEveryForm(t, all)
	for _, a := range all {
		t.Run(a.at+" "+a.form, func(t *testing.T) {
			form, page := a.filledIn(t)
			ofOurOwn(t, page)
			q.nothing(t, "asked for", func() { q.asksFor(t, form) })
			q.nothing(t, "from another site", func() { foreignTo(t, form) })
			if a.fills != nil {
				q.nothing(t, "malformed", func() { malformed(t, form) })
			}
			if !a.anyone {
				other := q.signedIn(somebodyElse)
				q.nothing(t, "by somebody else", func() { form.by(other).send() })
				q.nothing(t, "by a stranger", func() { form.by(q.browser()).send() })
			}
			hostile(t, form)
			q.twice(t, a)
		})
	}
}

// ofOurOwn looks at the headers of a page that asks.
func ofOurOwn(t *testing.T, page visit) {
	t.Helper()
	policy := directives(page.Header.Get("Content-Security-Policy"))
	if policy["frame-ancestors"] != "'none'" || policy["default-src"] != "'none'" ||
		page.Header.Get("Cache-Control") != "no-store" || page.Header.Get("Referrer-Policy") != "same-origin" {
		t.Errorf("the page at %s has %v", page.At, page.Header)
	}
}

// asksFor has a link do what the form would.
func (q *questions) asksFor(t *testing.T, form sent) {
	t.Helper()
	joint := "?"
	if strings.Contains(form.action, "?") {
		joint = "&"
	}
	if got := form.sends(http.MethodGet, form.action+joint+form.fields.Encode(), ""); got.Status >= 500 {
		t.Errorf("GET: %d\n%s", got.Status, got.Body)
	}
}

// foreignTo sends the form as another site makes a browser send it.
func foreignTo(t *testing.T, form sent) {
	t.Helper()
	for _, headers := range [][]string{{"Sec-Fetch-Site", "cross-site"}, {"Sec-Fetch-Site", "same-site"},
		{"Origin", "https://evil.example"}, {"Origin", "null"}} {
		got := form.sends(http.MethodPost, form.action, form.fields.Encode(), headers...)
		if got.Status != http.StatusForbidden || got.Header.Get("Set-Cookie") != "" {
			t.Errorf("with %v: %d %v", headers, got.Status, got.Header)
		}
	}
}

// malformed sends bodies that no form is.
func malformed(t *testing.T, form sent) {
	t.Helper()
	for _, bad := range badForms {
		got := form.sends(http.MethodPost, form.action, bad.body, "Content-Type", bad.contentType, "Sec-Fetch-Site",
			"same-origin")
		if got.Status != bad.status || !strings.Contains(string(got.Body), `id="error-page"`) {
			t.Errorf("%s: %d, want a page with %d", bad.name, got.Status, bad.status)
		}
	}
}

// strange are things to type that nobody should.
var strange = []string{"\r\nSet-Cookie: planted=1", "\u202e\"><script>alert(1)</script>\u2066",
	strings.Repeat("é", 9000)}

// hostile types them into each field, and into each part of the address.
func hostile(t *testing.T, form sent) {
	t.Helper()
	path, query, _ := strings.Cut(form.action, "?")
	asked, err := url.ParseQuery(query)
	form.must(err)
	look := func(what, action string, fields url.Values) {
		t.Helper()
		got := form.sends(http.MethodPost, action, fields.Encode(), "Sec-Fetch-Site", "same-origin")
		if got.Status >= 500 || strings.Contains(string(got.Body), "<script>alert") ||
			strings.Contains(strings.Join(got.Header.Values("Set-Cookie"), ""), "planted") {
			t.Errorf("%s: %d %v\n%s", what, got.Status, got.Header, got.Body)
		}
	}
	for _, text := range strange {
		for name := range form.fields {
			fields := maps.Clone(form.fields)
			fields.Set(name, text)
			look(name, form.action, fields)
		}
		for name := range asked {
			query := maps.Clone(asked)
			query.Set(name, text)
			look("the address's "+name, path+"?"+query.Encode(), form.fields)
		}
	}
	for _, bad := range []string{"%00", "%ff", "%zz", "%"} {
		for name := range asked {
			look("the address's "+name+" of "+bad, path+"?"+name+"="+bad, form.fields)
		}
	}
}

// twice sends the form as a second click does.
func (q *questions) twice(t *testing.T, a asking) {
	t.Helper()
	form, _ := a.filledIn(t)
	first := form.send()
	if first.Status >= 400 {
		t.Errorf("sent: %d at %s\n%s", first.Status, first.At, first.Body)
	}
	done := q.lastDone()
	second := form.send()
	if a.again != 0 && second.Status != a.again || a.again == 0 && second.Status >= 400 {
		t.Errorf("sent again: %d at %s\n%s", second.Status, second.At, second.Body)
	}
	if now := q.lastDone(); now.ID != done.ID && !a.anew {
		t.Errorf("sent again it does something: %s", now.Kind)
	}
}

// excused are forms that have tests of their own, with their names.
var excused = map[string]string{
	"/setup":          "cmd/portico/internal/e2e TestFormsOfOneTimeLinksActOnceAndAnswerAgainAlike",
	"/address":        "cmd/portico/internal/e2e TestAnAddressIsChangedWhenBothAddressesConfirmIt",
	"/account/invite": "cmd/portico/internal/e2e TestAPersonInvitesByPageAndProgramWhereTheyMay",

	"/account/identities/disconnect/{upstreamId}":     "the walk of the whole server",
	"/account/security/passkey/{passkeyId}":           "the walk of the whole server",
	"/login/upstream/{upstreamId}/callback":           "an answer of Apple's, from its page",
	"/login/upstream/{upstreamId}/backchannel-logout": "a program sends it",
	"/authentication/v2/device_authorization":         "a program sends it",
}

// namesEveryForm fails for a form that nobody walks.
func (q *questions) namesEveryForm(t *testing.T, all []asking) {
	t.Helper()
	routes := slices.Concat(q.Provider.PageRoutes(), provider.DeviceRoutes(q.Provider), q.visits.Routes(), q.more)
	for _, r := range routes {
		_, takes := r.Methods[http.MethodPost]
		walked := slices.ContainsFunc(all, func(a asking) bool { return a.at == r.Template })
		if takes && !walked && excused[r.Template] == "" && !strings.HasPrefix(r.Template, "/admin/") {
			t.Errorf("no test walks the form of %s", r.Template)
		}
	}
}

// An address may hold what a database does not take for text.
//
// Rule: FORM-5
func TestAFormWithAnAddressThatIsNoTextIsNoFailure(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		user := w.person(somebody)
		b := w.browser()
		b.signIn(somebody, goodPassword)
		for _, id := range []string{"%00", "%ff", "%0d%0ax", "x"} {
			r, err := http.NewRequest(http.MethodPost, w.URL+"/account/identities/disconnect/"+id+"?by="+user.ID, nil)
			w.must(err)
			r.AddCookie(&http.Cookie{Name: "portico-browser", Value: b.cookie("portico-browser")})
			if got := w.do(plain, r); got.Status != http.StatusSeeOther {
				t.Errorf("%s: %d\n%s", id, got.Status, got.Body)
			}
		}
	})
}
