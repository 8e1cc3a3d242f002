package websession_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/gate/websession"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/storage"
)

func showFault(w http.ResponseWriter, _ *http.Request, err error) {
	http.Error(w, fault.From(err).Reason, http.StatusForbidden)
}

func TestTheGateLetsSignedInPeopleThroughAndSaysWhoActs(t *testing.T) {
	h := newHouse(t)
	_, cookie := h.signIn(t)
	gate := h.Gate(showFault)
	page := func(w http.ResponseWriter, _ *http.Request, v websession.Visit) error {
		if v.User.ID != h.user.ID || v.Act.Actor != (storage.Actor{Kind: storage.ActorUser, ID: h.user.ID}) ||
			v.Act.RequestID != "r1" || !v.Act.At.Equal(h.clock.Now()) {
			t.Errorf("the visit is %+v", v)
		}
		w.WriteHeader(http.StatusNoContent)
		return nil
	}
	for name, endpoint := range map[string]httpio.Endpoint{"page": gate.Show(page), "form": gate.Form(page)} {
		w, r := httptest.NewRecorder(), request(cookie)
		r = r.WithContext(httpio.With(r.Context(), &httpio.Exchange{RequestID: "r1"}))
		if endpoint.Handler.ServeHTTP(w, r); w.Code != http.StatusNoContent {
			t.Errorf("%s: %d %s", name, w.Code, w.Body)
		}
		if httpio.From(r.Context()).UserID != h.user.ID {
			t.Errorf("%s: the log does not learn who it was", name)
		}
	}
}

func TestTheGateSendsStrangersToSignInAndRefusesTheirForms(t *testing.T) {
	h := newHouse(t)
	gate := h.Gate(showFault)
	page := func(http.ResponseWriter, *http.Request, websession.Visit) error {
		t.Error("a stranger is let through")
		return nil
	}
	w := httptest.NewRecorder()
	gate.Show(page).Handler.ServeHTTP(w, httptest.NewRequest(http.MethodGet,
		"https://id.example.test/apps/x?a=b&c=d", nil))
	if w.Code != http.StatusSeeOther || w.Header().Get("Location") != "/login?then=%2Fapps%2Fx%3Fa%3Db%26c%3Dd" {
		t.Errorf("%d to %s", w.Code, w.Header().Get("Location"))
	}
	w = httptest.NewRecorder()
	gate.Form(page).Handler.ServeHTTP(w, request())
	if w.Code != http.StatusForbidden || w.Body.String() != websession.ReasonSignInFirst+"\n" {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	_, cookie := h.signIn(t)
	r := request(cookie)
	r.Header.Set("Sec-Fetch-Site", "cross-site")
	w = httptest.NewRecorder()
	gate.Form(page).Handler.ServeHTTP(w, r)
	if w.Code != http.StatusForbidden || w.Body.String() != websession.ReasonCrossOrigin+"\n" {
		t.Errorf("another site's form: %d %s", w.Code, w.Body)
	}
}

// Rule: PORTAL-15
func TestAfterSigningInOnlyPathsOfThisServerAreGoneTo(t *testing.T) {
	for text, want := range map[string]string{
		"/apps": "/apps", "/apps/x?a=b%26c": "/apps/x?a=b%26c", "": "/", "apps": "/",
		"//evil.example": "/", "/\\evil.example": "/", "https://evil.example": "/", "javascript:alert(1)": "/",
		"/\t/evil.example": "/", "/a b": "/", "/a#b": "/", "/é": "/", "///evil.example": "/",
	} {
		if got := websession.Then(text); got != want {
			t.Errorf("Then(%q) = %q, want %q", text, got, want)
		}
	}
}
