package websession_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/gorilla/mux"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/gate/websession"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/storage"
)

// desk is a page with a form that counts how often it acted, and fails on demand.
type desk struct {
	*house
	router *mux.Router
	cookie *http.Cookie
	login  storage.LoginSession
	acted  int
	fails  error
}

func newDesk(t *testing.T) *desk {
	t.Helper()
	d := &desk{house: newHouse(t), router: mux.NewRouter()}
	gate := d.Gate(func(w http.ResponseWriter, _ *http.Request, err error) {
		http.Error(w,
			err.Error(), http.StatusTeapot)
	})
	act := gate.Form(func(w http.ResponseWriter, r *http.Request, v websession.Visit) error {
		if d.acted++; d.fails != nil {
			return d.fails
		}
		return v.Show(w, r, "made", "/next")
	}).Handler
	d.router.Handle("/act", act).Methods("POST")
	d.router.Handle("/of/others", act).Methods("POST")
	d.router.Handle("/things/new", act).Methods("POST")
	for _, route := range []string{"/of/things/{thing}/{what}", "/of/things/{thing}/people/{who}/remove",
		"/of/others/{thing}/delete", "/things/{thing}/delete"} {
		d.router.HandleFunc(route, func(w http.ResponseWriter, r *http.Request) {
			act.ServeHTTP(w, r.WithContext(httpio.With(r.Context(), &httpio.Exchange{Route: route})))
		})
	}
	d.router.Handle("/shown/{form}", gate.Shown(func(w http.ResponseWriter, _ *http.Request, _ websession.Visit,
		s websession.Shown) error {
		text := string(s.Page) + " then " + s.Then
		if s.Again {
			text += " again"
		}
		_, err := w.Write([]byte(text))
		return err
	}).Handler)
	d.login, d.cookie = d.signIn(t)
	return d
}

// ask sends a request and returns what is said, or where it leads.
func (d *desk) ask(method, path string) string { return d.send(method, path, "") }

func (d *desk) send(method, path, typed string) string {
	patience, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	r := httptest.NewRequestWithContext(patience, method, path, strings.NewReader(typed))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.AddCookie(d.cookie)
	w := httptest.NewRecorder()
	d.router.ServeHTTP(w, r)
	if to := w.Header().Get("Location"); to != "" {
		return to
	}
	return strings.TrimSpace(w.Body.String())
}

// Rule: FORM-2
func TestWhatAFormMadeIsShownOnceToItsSignInWhileItLasts(t *testing.T) {
	d := newDesk(t)
	want := func(what, got, want string) {
		t.Helper()
		if got != want {
			t.Errorf("%s: %q, want %q", what, got, want)
		}
	}
	first := d.ask("POST", "/act?form=a")
	want("shown", d.ask("GET", first), `"made" then /next`)
	want("reloaded", d.ask("GET", first), `"made" then /next again`)
	want("sent again", d.ask("POST", "/act?form=a"), first)
	want("shown again", d.ask("GET", first), `"made" then /next`)
	second := d.ask("POST", "/act?form=b")
	if d.acted != 2 {
		t.Errorf("acted %d times", d.acted)
	}
	d.clock.Advance(5 * time.Minute)
	want("too late", d.ask("GET", second), "then /next")
	mine := d.cookie
	d.addUser(t, "other@example.test")
	_, d.cookie = d.signIn(t)
	if got := d.ask("GET", first); !strings.Contains(got, "nothing to show") {
		t.Errorf("another sign-in sees %q", got)
	}
	d.cookie = mine
	want("a form without a token", d.ask("POST", "/act")[:7], "/shown/")
}

// A browser that goes back may show the form as it was, token and all.
//
// Rule: FORM-1
func TestAFormThatIsSentWithSomethingElseInItIsAnother(t *testing.T) {
	d := newDesk(t)
	send := func(kind, body string) string {
		r := httptest.NewRequest("POST", "/act?form=a", strings.NewReader(body))
		r.Header.Set("Content-Type", kind)
		r.AddCookie(d.cookie)
		w := httptest.NewRecorder()
		d.router.ServeHTTP(w, r)
		return w.Header().Get("Location")
	}
	const typed = "application/x-www-form-urlencoded"
	file := func(boundary, text string) string {
		return send("multipart/form-data; boundary="+boundary, "--"+boundary+
			"\r\nContent-Disposition: form-data; name=\"f\"; filename=\"f\"\r\n\r\n"+text+"\r\n--"+boundary+"--\r\n")
	}
	for i, sent := range [][2]string{
		{send(typed, "name=One"), send(typed, "name=One")}, {send(typed, "name=Two"), send(typed, "name=Two")},
		{file("first", "one\ntwo"), file("second", "one\ntwo")}, {file("third", "one\nto"), file("third", "one\nto")},
		{send(typed, "name=One"), send(typed, "name=One")}, {send(typed, ""), send(typed, "")},
	} {
		if sent[0] == "" || sent[0] != sent[1] {
			t.Errorf("%d: %q and %q", i, sent[0], sent[1])
		}
	}
	if d.acted != 6 {
		t.Errorf("acted %d times", d.acted)
	}
}

// Whoever disables something, enables it and goes back has the first button again; so does who
// gives a level, another one and the first, adds somebody, removes them and adds them, or makes
// something, deletes it and makes it.
//
// Rule: FORM-1
func TestAFormThatIsSentAfterAnotherOfTheSameThingActsAnew(t *testing.T) {
	const level, people = "/of/things/1/level", "/of/things/1/people"
	for i, sent := range [][3]string{
		{"/of/things/1/off?form=a", "/of/things/1/on?form=b"},
		{level + "?form=a", level + "?form=b", "level=view"},
		{people + "?form=a", people + "/you/remove?form=b", "who=you"},
		{"/act?form=a", "/act?form=b", "who=you"},
		{"/of/others?form=a", "/of/others/1/delete?form=b", "name=one"},
		{"/things/new?form=a", "/things/1/delete?form=b", "name=one"},
	} {
		d := newDesk(t)
		first := func() string { return d.send("POST", sent[0], sent[2]) }
		before, again := first(), first()
		elsewhere := d.ask("POST", "/of/things/2/off?form=c")
		if after := first(); before != again || before != after || before == elsewhere || d.acted != 2 {
			t.Errorf("%d: a second click leads from %s to %s and %s, acted %d times", i, before, again, after, d.acted)
		}
		d.ask("POST", sent[1])
		if after := first(); after == before || after != first() || d.acted != 4 {
			t.Errorf("%d: after another it leads to %s, acted %d times", i, after, d.acted)
		}
	}
}

// Of several clicks on a slow line the browser breaks off all but the last, some in the middle.
//
// Rule: FORM-1
func TestAFormThatBreaksOffInBetweenIsNoOther(t *testing.T) {
	h := newHouse(t)
	_, session := h.signIn(t)
	acted := 0
	form := h.Gate(func(http.ResponseWriter, *http.Request, error) {}).Form(
		func(w http.ResponseWriter, r *http.Request, _ websession.Visit) error {
			if _, err := httpio.ReadForm(w, r); err != nil {
				return err
			}
			acted++
			http.Redirect(w, r, "/done", http.StatusSeeOther)
			return nil
		})
	for i, body := range []io.Reader{strings.NewReader("name=One"), io.MultiReader(strings.NewReader("na"),
		iotest.ErrReader(io.ErrUnexpectedEOF)), strings.NewReader("name=One")} {
		r := httptest.NewRequest("POST", "/act?form=a", body)
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.AddCookie(session)
		w := httptest.NewRecorder()
		if form.Handler.ServeHTTP(w, r); (w.Header().Get("Location") == "/done") != (i != 1) {
			t.Errorf("%d: %v", i, w.Header())
		}
	}
	if acted != 1 {
		t.Errorf("acted %d times", acted)
	}
}

// What is noted of a form goes after a day, and what came of one that was sent later is
// still known then.
//
// Rule: FORM-1
func TestAFormThatIsShownForMoreThanADayActsForWhatIsTypedLast(t *testing.T) {
	h := newHouse(t)
	gate := h.Gate(nil)
	before := map[string]bool{}
	for _, then := range []struct {
		passes time.Duration
		held   string
	}{{0, "one"}, {storage.KeepSentForms / 2, "two"}, {storage.KeepSentForms/2 - 5*time.Minute, "three"},
		{time.Minute, "two"}, {storage.KeepSentForms, "three"}} {
		h.clock.Advance(then.passes)
		turn, err := gate.Turn(t.Context(), "somebody", "form", then.held)
		if err != nil || before[turn] {
			t.Errorf("%s is taken for what was sent before, %v", then.held, err)
		}
		before[turn] = true
		h.clock.Advance(2 * time.Minute)
		if again, err := gate.Turn(t.Context(), "somebody", "form", then.held); again != turn {
			t.Errorf("%s, sent again, is %s and not %s, %v", then.held, again, turn, err)
		}
	}
}

// large is a form with a file that is larger than any page takes, and nobody finds one in.
func large(path string, cookies ...*http.Cookie) (*http.Request, *strings.Reader) {
	body := strings.NewReader(strings.Repeat("x", 16<<20))
	r := httptest.NewRequest("POST", path, body)
	r.Header.Set("Content-Type", "multipart/form-data; boundary=mark")
	for _, c := range cookies {
		r.AddCookie(c)
	}
	return r, body
}

// A browser shows no answer before it has sent all of a form.
//
// Rule: FILES-21
func TestAFormOfSomebodyKnownIsTakenToItsEndWhateverBecomesOfIt(t *testing.T) {
	h := newHouse(t)
	_, session := h.signIn(t)
	known := httptest.NewRecorder()
	h.RememberBrowser(known, h.user.ID, nil)
	form := h.Gate(func(http.ResponseWriter, *http.Request, error) {}).Form(
		func(w http.ResponseWriter, r *http.Request, _ websession.Visit) error {
			_, err := httpio.ReadUpload(w, r, "picture", 1<<20)
			return err
		})
	for name, c := range map[string]struct {
		by     string
		cookie *http.Cookie
		whole  bool
	}{
		"a picture that is too large": {h.user.ID, session, true},
		"signed out":                  {h.user.ID, onlyCookie(t, known), true},
		"somebody else's form":        {"somebody", session, true},
		"of nobody":                   {h.user.ID, nil, false},
	} {
		var cookies []*http.Cookie
		if c.cookie != nil {
			cookies = append(cookies, c.cookie)
		}
		r, body := large("/picture?form="+name[:1]+"&by="+c.by, cookies...)
		form.Handler.ServeHTTP(httptest.NewRecorder(), r)
		if whole := body.Len() == 0; whole != c.whole {
			t.Errorf("%s: %d bytes are left", name, body.Len())
		}
	}
}

// Rule: SERVER-19
func TestOfAFormThatAnybodySendsNoMoreIsReadThanFormsHave(t *testing.T) {
	gate := newHouse(t).Gate(func(http.ResponseWriter, *http.Request, error) {})
	form := gate.Open(func(http.ResponseWriter, *http.Request) error { return nil })
	r, body := large("/password?form=a")
	form.Handler.ServeHTTP(httptest.NewRecorder(), r)
	if read := int(body.Size()) - body.Len(); read > httpio.MaxForm+1 {
		t.Errorf("%d bytes were read", read)
	}
}

// Rule: FORM-4
func TestAFormThatCameToNothingMayBeSentAgain(t *testing.T) {
	d := newDesk(t)
	d.fails = errors.New("no")
	for range 2 {
		if got := d.ask("POST", "/act?form=a"); !strings.Contains(got, "no") {
			t.Errorf("%q", got)
		}
	}
	d.fails = nil
	if got := d.ask("POST", "/act?form=a"); !strings.HasPrefix(got, "/shown/a") || d.acted != 3 {
		t.Errorf("%q after %d", got, d.acted)
	}
}

// Rules: FORM-4, SERVER-53
func TestAFormThatNobodyFinishedIsNotCarriedOutAgain(t *testing.T) {
	d := newDesk(t)
	key := websession.KeyOf(d.login.ID, strings.TrimPrefix(d.ask("POST", "/act?form=a"), "/shown/"))
	if err := d.store.DropForm(t.Context(), key); err != nil {
		t.Fatal(err)
	}
	if _, mine, err := d.store.TakeForm(t.Context(), key, d.source.Now()); err != nil || !mine {
		t.Fatal(mine, err) // by a server that stops now
	}
	for _, passes := range []time.Duration{time.Minute, -time.Hour} { // or its clock was ahead
		d.clock.Step(passes)
		if got := d.ask("POST", "/act?form=a"); !strings.Contains(got, "Look whether it was done") || d.acted != 1 {
			t.Errorf("%s later: %q after %d", passes, got, d.acted)
		}
	}
}

// What others see is there, though it is not known to be kept: who is told of a failure and
// sends it again would have it twice.
//
// Rule: FORM-4
func TestAFormThatMayHaveBeenKeptIsNotCarriedOutAgain(t *testing.T) {
	d := newDesk(t)
	d.fails = fault.New(fault.Unavailable, "", "").Because(errors.Join(context.DeadlineExceeded, storage.ErrUnsure))
	for range 2 {
		if got := d.ask("POST", "/act?form=a"); !strings.Contains(got, "Look whether it was done") || d.acted != 1 {
			t.Errorf("%q after %d", got, d.acted)
		}
	}
	d.fails = nil
	if got := d.ask("POST", "/act?form=b"); !strings.HasPrefix(got, "/shown/b") {
		t.Errorf("from the page: %q", got)
	}
}

// full is a store that can be read, and takes nothing.
type full struct{ websession.Store }

func (full) ShowForm(context.Context, []byte, time.Time) (storage.SentForm, error) {
	return storage.SentForm{}, fault.New(fault.Unavailable, "", "The disk is full.")
}

// What a form has made known, or what was typed, is there once the store takes something.
//
// Rule: SERVER-23
func TestAStoreThatDoesNotAnswerIsNoWordOnWhatWaitsInIt(t *testing.T) {
	h := newHouse(t)
	_, cookie := h.signIn(t)
	var told error
	manager := websession.New(websession.Options{Store: full{h.store}, Ambient: h.source, Secure: true})
	gate := manager.Gate(func(_ http.ResponseWriter, _ *http.Request, err error) { told = err })
	router := mux.NewRouter()
	router.Handle("/shown/{form}", gate.Shown(func(http.ResponseWriter, *http.Request, websession.Visit,
		websession.Shown) error {
		return nil
	}).Handler)
	router.Handle("/things", gate.Show(func(http.ResponseWriter, *http.Request, websession.Visit) error {
		return nil
	}).Handler)
	for _, path := range []string{"/shown/a", "/things?parked=a"} {
		r := httptest.NewRequest("GET", path, nil)
		r.AddCookie(cookie)
		told = nil
		if router.ServeHTTP(httptest.NewRecorder(), r); !fault.Is(told, fault.Unavailable) {
			t.Errorf("%s: %v", path, told)
		}
	}
}
