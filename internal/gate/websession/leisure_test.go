package websession_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/gate/middleware"
	"github.com/portico-id/portico/internal/gate/websession"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/internal/sealing"
	"github.com/portico-id/portico/storage"
)

// A file of thousands of people, or a large document for a twin, takes longer than the
// rest: its page says so, and is told of its end, not of the limit.
//
// Rule: FORM-10
func TestAFormThatMayTakeItsTimeComesToItsEnd(t *testing.T) {
	t.Parallel()
	gate, cookie := hurried(t)
	for _, test := range []struct {
		token   string
		atEase  bool
		refuses error
		want    string
	}{
		{"a", true, nil, "/done"}, {"b", true, errors.New("no"), "no"}, {"c", false, nil, "context canceled"},
	} {
		form := gate.Form(func(w http.ResponseWriter, r *http.Request, _ websession.Visit) error {
			if test.atEase {
				httpio.AtLeisure(w)
			}
			taken := time.After(3 * limit / 2)
			if !test.atEase {
				taken = nil
			}
			select {
			case <-r.Context().Done():
				return r.Context().Err()
			case <-taken:
			}
			if test.refuses == nil {
				http.Redirect(w, r, "/done", http.StatusSeeOther)
			}
			return test.refuses
		})
		if got := pressed(t, form.Handler, test.token, cookie); got != test.want {
			t.Errorf("%s: %q, want %q", test.token, got, test.want)
		}
	}
}

// Whoever clicks again is in no hurry either, or they would be told of a failure, and then
// that the server stopped.
//
// Rule: FORM-10
func TestASecondClickWaitsForAFormThatTakesItsTime(t *testing.T) {
	t.Parallel()
	gate, cookie := hurried(t)
	begun, goOn := make(chan struct{}), make(chan struct{})
	form := gate.Form(func(w http.ResponseWriter, r *http.Request, _ websession.Visit) error {
		httpio.AtLeisure(w)
		close(begun) // once
		<-goOn
		http.Redirect(w, r, "/done", http.StatusSeeOther)
		return nil
	})
	h := middleware.Limit(3*limit, ambient.System(), form.Handler)
	var clicks sync.WaitGroup
	click := func() {
		if got := pressed(t, h, "a", cookie); got != "/done" {
			t.Errorf("%q", got)
		}
	}
	clicks.Go(click)
	<-begun
	clicks.Go(click)
	time.Sleep(4 * limit)
	close(goOn)
	clicks.Wait()
}

// Whoever is told to try again in a moment, as what they sent took too long, may do so at once.
//
// Rule: FORM-4
func TestAFormThatTookTooLongMayBeSentAgainAtOnce(t *testing.T) {
	t.Parallel()
	gate, cookie := hurried(t)
	tries := 0
	form := gate.Form(func(w http.ResponseWriter, r *http.Request, _ websession.Visit) error {
		if tries++; tries == 1 {
			<-r.Context().Done()
			return r.Context().Err()
		}
		http.Redirect(w, r, "/done", http.StatusSeeOther)
		return nil
	})
	h := middleware.Limit(3*limit, ambient.System(), form.Handler)
	if got := pressed(t, h, "a", cookie); !strings.Contains(got, "context canceled") {
		t.Errorf("at first: %q", got)
	}
	if got := pressed(t, h, "a", cookie); got != "/done" || tries != 2 {
		t.Errorf("%q after %d tries", got, tries)
	}
}

// silent is a store that takes no form, and says nothing.
type silent struct{ websession.Store }

func (silent) TakeForm(ctx context.Context, _ []byte, _ time.Time) (storage.SentForm, bool, error) {
	<-ctx.Done()
	return storage.SentForm{}, false, ctx.Err()
}

// A form that does not arrive whole ends its context, which nothing may wait without.
//
// Rule: FORM-11
func TestAFormThatIsNotWholeIsAnsweredThoughTheDatabaseSaysNothing(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	_, cookie := h.signIn(t)
	manager := websession.New(websession.Options{Store: silent{h.store}, Ambient: h.source, Limit: limit, Idle: idle,
		Absolute: absolute, Secure: true})
	gate := manager.Gate(func(w http.ResponseWriter, _ *http.Request, err error) {
		http.Error(w, err.Error(), http.StatusTeapot)
	})
	form := gate.Form(func(http.ResponseWriter, *http.Request, websession.Visit) error { return nil })
	r, _ := large("/act?form=a")
	r.AddCookie(cookie)
	answered := make(chan string, 1)
	go func() {
		w := httptest.NewRecorder()
		middleware.Limit(limit, ambient.System(), form.Handler).ServeHTTP(w, r)
		answered <- w.Body.String()
	}()
	select {
	case got := <-answered:
		if !strings.Contains(got, "context") {
			t.Errorf("%q", got)
		}
	case <-time.After(10 * limit):
		t.Error("it is not answered")
	}
}

const limit = time.Second

// hurried is a gate of forms that have little time, and the cookie of somebody.
func hurried(t *testing.T) (*websession.Gate, *http.Cookie) {
	h := newHouse(t)
	source := ambient.System()
	ring, err := sealing.New([]byte(strings.Repeat("k", sealing.MinSecret)), nil, source)
	if err != nil {
		t.Fatal(err)
	}
	h.Manager = websession.New(websession.Options{Store: h.store, Ring: ring, Ambient: source, Secure: true,
		Idle: idle, Absolute: absolute, Limit: limit})
	h.clock.Advance(time.Since(h.clock.Now()))
	_, cookie := h.signIn(t)
	return h.Gate(func(w http.ResponseWriter, _ *http.Request, err error) {
		http.Error(w, err.Error(), http.StatusTeapot)
	}), cookie
}

// pressed is where a form with the token leads, or what it says.
func pressed(t *testing.T, h http.Handler, token string, cookie *http.Cookie) string {
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/act?form="+token, nil)
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.AddCookie(cookie)
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Header().Get("Location") + strings.TrimSpace(w.Body.String())
}

// A form goes on though its browser breaks off, but for what nobody needs then.
//
// Rule: ZIP-10
func TestWhatIsDoneForABrowserAloneEndsWhenItBreaksOff(t *testing.T) {
	t.Parallel()
	gate, cookie := hurried(t)
	begun := make(chan struct{})
	form := gate.Form(func(w http.ResponseWriter, r *http.Request, v websession.Visit) error {
		httpio.AtLeisure(w)
		awaited, done := v.Awaited(r.Context())
		defer done()
		close(begun)
		<-awaited.Done()
		if err := r.Context().Err(); err != nil {
			t.Error(err)
		}
		return awaited.Err()
	})
	browser, breakOff := context.WithCancel(t.Context())
	go func() {
		<-begun
		breakOff()
	}()
	r := httptest.NewRequestWithContext(browser, http.MethodPost, "/act?form=a", nil)
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.AddCookie(cookie)
	w := httptest.NewRecorder()
	form.Handler.ServeHTTP(w, r)
	if got := w.Body.String(); !strings.Contains(got, "context canceled") {
		t.Errorf("%q", got)
	}
}
