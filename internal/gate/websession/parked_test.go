package websession_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/gate/websession"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/storage"
)

// office is a page with a form that is grave on demand, and a browser that
// somebody sits at.
type office struct {
	*house
	page, form http.Handler
	cookies    []*http.Cookie
	sent       url.Values // what the form was carried out with
	waiting    *httpio.Parked
	asked      string // of the page
}

func newOffice(t *testing.T, grave bool) *office {
	t.Helper()
	o := &office{house: newHouse(t)}
	gate := o.Gate(func(w http.ResponseWriter, _ *http.Request, err error) {
		http.Error(w, fault.From(err).Reason, http.StatusTeapot)
	})
	show := func(_ http.ResponseWriter, r *http.Request, _ websession.Visit) error {
		o.waiting, o.asked = httpio.From(r.Context()).Person.Parked, r.URL.RawQuery
		return nil
	}
	act := func(w http.ResponseWriter, r *http.Request, _ websession.Visit) error {
		var err error
		o.sent, err = httpio.ReadForm(w, r)
		http.Redirect(w, r, "/done", http.StatusSeeOther)
		return err
	}
	route := httpio.At("/things").Get(gate.Show(show)).Post(gate.Form(act))
	if grave {
		route = gate.Grave(route, show, act)
	}
	o.page, o.form = route.Methods["GET"].Handler, route.Methods["POST"].Handler
	o.sits(t)
	return o
}

// sits signs the house's person in at the browser.
func (o *office) sits(t *testing.T) {
	t.Helper()
	_, session := o.signIn(t)
	w := httptest.NewRecorder()
	o.RememberBrowser(w, o.user.ID, nil)
	o.cookies = []*http.Cookie{session, onlyCookie(t, w)}
}

// asks sends a request of the browser, and returns where it leads, or what is said.
func (o *office) asks(h http.Handler, method, address, body string, cookies ...*http.Cookie) string {
	r := httptest.NewRequest(method, address, strings.NewReader(body))
	if body != "" {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	for _, c := range cookies {
		r.AddCookie(c)
	}
	r = r.WithContext(httpio.With(r.Context(), &httpio.Exchange{}))
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	if to := w.Header().Get("Location"); to != "" {
		return to
	}
	return strings.TrimSpace(w.Body.String())
}

// after is where a sign-in leads.
func after(t *testing.T, signIn string) string {
	t.Helper()
	u, err := url.Parse(signIn)
	if err != nil || u.Path != "/login" {
		t.Fatalf("sent to %q, not to sign in", signIn)
	}
	return u.Query().Get("then")
}

const typedForm = "name=Own+Site&password=hush&again=hush&new_password=hush&secret="

// Rule: FORM-5
func TestAFormThatComesAfterItsSignInWaitsForItsPerson(t *testing.T) {
	o := newOffice(t, false)
	address := "/things?q=1&form=a&by=" + o.user.ID
	if got := o.asks(o.form, "POST", address, typedForm, o.cookies...); got != "/done" ||
		o.sent.Get("password") != "hush" {
		t.Fatalf("signed in it leads to %q with %v", got, o.sent)
	}
	o.sent = nil
	browser := o.cookies[1:]
	then := after(t, o.asks(o.form, "POST", address, typedForm, browser...))
	if !strings.HasPrefix(then, "/things?parked=") || websession.Then(then) != then || !websession.Waits(then) {
		t.Errorf("after the sign-in: %s", then)
	}
	looks := func() *httpio.Parked {
		o.waiting = nil
		o.asks(o.page, "GET", then, "", o.cookies...)
		return o.waiting
	}
	want := &httpio.Parked{Action: "/things", Query: "q=1", Values: url.Values{"name": {"Own Site"}, "secret": {""}}}
	for range 2 { // a reload too
		if diff := cmp.Diff(want, looks()); diff != "" || o.asked != "q=1" {
			t.Errorf("shown with %q, -want +got:\n%s", o.asked, diff)
		}
	}
	mine := o.cookies
	o.addUser(t, "other@example.test")
	o.sits(t)
	if got := looks(); got != nil {
		t.Errorf("somebody else finds %+v", got)
	}
	o.cookies = mine
	o.clock.Advance(59 * time.Minute)
	if looks() == nil {
		t.Error("gone after 59 minutes")
	}
	o.clock.Advance(time.Minute)
	if got := looks(); got != nil {
		t.Errorf("after an hour there is still %+v", got)
	}
	if o.sent != nil {
		t.Errorf("it was carried out: %v", o.sent)
	}
}

// The address of a form about a hundred files is longer than one that a sign-in leads on to.
//
// Rules: FORM-5, PORTAL-15
func TestAFormWithALongAddressWaitsAsWell(t *testing.T) {
	o := newOffice(t, false)
	query := "of=" + strings.Repeat("x", 3000)
	sent := o.asks(o.form, "POST", "/things?"+query+"&form=a&by="+o.user.ID, typedForm, o.cookies[1:]...)
	then := after(t, sent)
	if o.asks(o.page, "GET", websession.Then(then), "", o.cookies...); o.waiting == nil || o.asked != query ||
		o.waiting.Values.Get("name") != "Own Site" {
		t.Errorf("after the sign-in %s is shown with %d bytes of query and %+v", then, len(o.asked), o.waiting)
	}
	if then := after(t, o.asks(o.page, "GET", "/things?"+query, "")); then != "/things" {
		t.Errorf("a page with a long address comes back as %q", then)
	}
}

// Rule: FORM-6
func TestOnlyABrowserOfThePersonLeavesAFormForThem(t *testing.T) {
	o := newOffice(t, false)
	address, stranger, session := "/things?form=a&by="+o.user.ID, o.user.ID, o.cookies[0]
	if got := o.asks(o.form, "POST", address, typedForm); got != websession.ReasonSignInFirst {
		t.Errorf("a program without cookies: %q", got)
	}
	browser := o.cookies[1:]
	o.addUser(t, "other@example.test")
	for _, by := range []string{"", o.user.ID, "x"} {
		if got := o.asks(o.form, "POST", "/things?form=a&by="+by, typedForm,
			browser...); got != websession.ReasonSignInFirst {
			t.Errorf("a browser of %s leaves a form for %q: %q", stranger, by, got)
		}
	}
	for inAddress, inFields := range map[int]int{0: 33 << 10, 17 << 10: 17 << 10} {
		address, large := "/things?by="+stranger+"&of="+strings.Repeat("x", inAddress), "name="+strings.Repeat("x", inFields)
		o.asks(o.page, "GET", after(t, o.asks(o.form, "POST", address, large, browser...)), "", session)
		if o.waiting == nil || len(o.waiting.Query) < inAddress || len(o.waiting.Values) > 0 {
			t.Errorf("what is too much is kept: %v", o.waiting)
		}
	}
	later := o.clock.Now().Add(2 * storage.KeepSentForms)
	kept := func() int {
		n, err := o.store.SweepExpired(t.Context(), later, time.Hour, 100)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	kept()
	long := "/things/" + strings.Repeat("x", 33<<10)
	if o.asks(o.form, "POST", long+"?by="+stranger, typedForm, browser...); kept() > 0 {
		t.Error("what waits where nobody comes is kept")
	}
}

// Rule: FORM-7
func TestAFormActsForWhomItWasShownToAlone(t *testing.T) {
	o := newOffice(t, false)
	address := "/things?form=a&by=" + o.user.ID
	o.addUser(t, "other@example.test")
	o.sits(t)
	if got := o.asks(o.form, "POST", address, typedForm, o.cookies...); got != websession.ReasonAnother || o.sent != nil {
		t.Errorf("the form of somebody else: %q, %v", got, o.sent)
	}
	if got := o.asks(o.form, "POST", "/things?form=b&by="+o.user.ID, typedForm, o.cookies...); got != "/done" {
		t.Errorf("their own: %q", got)
	}
}

// Rules: FORM-8, SERVER-53
func TestASignInByAClockThatWasAheadIsNotFreshForLonger(t *testing.T) {
	o := newOffice(t, true)
	o.clock.Step(-10 * time.Minute)
	if got := o.asks(o.page, "GET", "/things", "", o.cookies...); got != "" {
		t.Errorf("by clocks that differ a little the question is answered with %q", got)
	}
	o.clock.Step(-time.Hour)
	if got := o.asks(o.page, "GET", "/things", "", o.cookies...); !strings.HasSuffix(got, "&again=1") {
		t.Errorf("after a clock was put right by an hour the question is answered with %q", got)
	}
}

// Rule: FORM-8
func TestGraveActsNeedASignInOfTheLastTenMinutes(t *testing.T) {
	o := newOffice(t, true)
	address := "/things?form=a&by=" + o.user.ID
	o.clock.Advance(10 * time.Minute)
	if got := o.asks(o.page, "GET", "/things", "", o.cookies...); got != "" {
		t.Errorf("in time the question is answered with %q", got)
	}
	o.clock.Advance(time.Second)
	if got := o.asks(o.page, "GET", "/things?q=1", "", o.cookies...); got != "/login?then=%2Fthings%3Fq%3D1&again=1" {
		t.Errorf("later the question leads to %q", got)
	}
	got := o.asks(o.form, "POST", address, typedForm, o.cookies...)
	if then := after(t, got); !strings.HasSuffix(got, "&again=1") || !websession.Waits(then) || o.sent != nil {
		t.Errorf("later the form leads to %q, carried out with %v", got, o.sent)
	}
	o.sits(t)
	if got := o.asks(o.form, "POST", address, typedForm, o.cookies...); got != "/done" {
		t.Errorf("after another sign-in: %q", got)
	}
}
