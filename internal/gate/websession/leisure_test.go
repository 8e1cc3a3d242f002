package websession_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/portico-id/portico/internal/gate/websession"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/internal/sealing"
)

// A file of thousands of people, or a large document for a twin, takes longer than the
// rest: its page says so, and is told of its end, not of the limit.
//
// Rule: FORM-10
func TestAFormThatMayTakeItsTimeComesToItsEnd(t *testing.T) {
	h := newHouse(t)
	ring, err := sealing.New([]byte(strings.Repeat("k", sealing.MinSecret)), nil, h.source)
	if err != nil {
		t.Fatal(err)
	}
	const limit = 50 * time.Millisecond
	h.Manager = websession.New(websession.Options{Store: h.store, Ring: ring, Ambient: h.source, Secure: true,
		Idle: idle, Absolute: absolute, Limit: limit})
	_, cookie := h.signIn(t)
	gate := h.Gate(func(w http.ResponseWriter, _ *http.Request, err error) {
		http.Error(w, err.Error(), http.StatusTeapot)
	})
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
			select {
			case <-r.Context().Done():
				return r.Context().Err()
			case <-time.After(4 * limit):
			}
			if test.refuses == nil {
				http.Redirect(w, r, "/done", http.StatusSeeOther)
			}
			return test.refuses
		})
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/act?form="+test.token, nil)
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.AddCookie(cookie)
		w := httptest.NewRecorder()
		form.Handler.ServeHTTP(w, r)
		if got := w.Header().Get("Location") + strings.TrimSpace(w.Body.String()); got != test.want {
			t.Errorf("%s: %q, want %q", test.token, got, test.want)
		}
	}
}
