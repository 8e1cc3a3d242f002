package app

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/portico-id/portico/internal/fault"
)

// A handler that panics ends here, and must not answer what none of its
// refusals looks like.
// Rule: TOKEN-11
func TestAFailureOfOursHasNoBodyWhereTheSpecificationHasNone(t *testing.T) {
	p := &parts{}
	for path, empty := range map[string]bool{
		"/authentication/v2/token": true, "/authentication/v2/revoke": true, "/authentication/v2/introspect": true,
		"/authentication/v2/par":              true,
		"/authentication/v2/service-accounts": true, "/userinfo": true, "/healthz": false,
	} {
		w := httptest.NewRecorder()
		p.writeError(w, httptest.NewRequest(http.MethodPost, path, nil), errors.New("inside"))
		if w.Code != http.StatusInternalServerError || (w.Body.Len() == 0) != empty ||
			w.Header().Get("Cache-Control") != "no-store" {
			t.Errorf("%s: %d %v %q", path, w.Code, w.Header(), w.Body)
		}
		w = httptest.NewRecorder()
		p.writeError(w, httptest.NewRequest(http.MethodPost, path, nil),
			fault.New(fault.NotFound, "no_such_path", "Nothing."))
		if w.Code != http.StatusNotFound || w.Body.Len() == 0 {
			t.Errorf("%s, a refusal: %d %q", path, w.Code, w.Body)
		}
	}
}

// Rule: ACCOUNT-12
func TestServiceAccountsAnswerWithTitleAndDetailWhateverIsWrong(t *testing.T) {
	a := open(t, configure(t))
	start(t, a)
	const accounts = "/authentication/v2/service-accounts"
	for _, tt := range []struct {
		method, path string
		status       int
		title        string
	}{
		{"GET", accounts, 401, "unauthorized"},
		{"PUT", accounts, 405, "method_not_allowed"},
		{"POST", accounts + "/x", 405, "method_not_allowed"},
		{"GET", accounts + "/x/keys/y", 405, "method_not_allowed"},
		{"GET", accounts + "/", 404, "not_found"},
		{"GET", accounts + "/x/nothing", 404, "not_found"},
	} {
		got, body := answer(t, tt.method, "http://"+a.Addr()+tt.path)
		var document map[string]string
		if err := json.Unmarshal([]byte(body), &document); err != nil || len(document) != 2 || document["detail"] == "" {
			t.Errorf("%s %s: %v: %s", tt.method, tt.path, err, body)
		}
		if got.StatusCode != tt.status || document["title"] != tt.title ||
			got.Header.Get("Content-Type") != "application/json" {
			t.Errorf("%s %s: %d %v %s", tt.method, tt.path, got.StatusCode, got.Header, body)
		}
	}
}
