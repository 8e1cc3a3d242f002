package websession_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/gate/websession"
)

// protected serves a form behind Protect, with 403 and the reason for faults.
func protected() http.Handler {
	writeError := func(w http.ResponseWriter, _ *http.Request, err error) {
		http.Error(w, fault.From(err).Reason, http.StatusForbidden)
	}
	return websession.Protect(writeError)(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusNoContent)
	}))
}

// Rule: SIGNIN-4
func TestFormsOfOtherSitesAreRefused(t *testing.T) {
	for name, c := range map[string]struct {
		method, site, origin string
		want                 int
	}{
		"our own page":        {"POST", "same-origin", "https://id.example.test", http.StatusNoContent},
		"typed by the person": {"POST", "none", "", http.StatusNoContent},
		"another site":        {"POST", "cross-site", "https://evil.example", http.StatusForbidden},
		"a neighbouring domain": {"POST", "same-site",
			"https://other.example.test", http.StatusForbidden},
		"other methods that change":                 {"DELETE", "cross-site", "https://evil.example", http.StatusForbidden},
		"older browser, our own page":               {"POST", "", "https://id.example.test", http.StatusNoContent},
		"older browser, another site":               {"POST", "", "https://evil.example", http.StatusForbidden},
		"older browser, a page that hides its name": {"POST", "", "null", http.StatusForbidden},
		"no browser":       {"POST", "", "", http.StatusNoContent},
		"following a link": {"GET", "cross-site", "", http.StatusNoContent},
	} {
		t.Run(name, func(t *testing.T) {
			r := httptest.NewRequest(c.method, "https://id.example.test/consent", nil)
			for header, value := range map[string]string{"Sec-Fetch-Site": c.site, "Origin": c.origin} {
				if value != "" {
					r.Header.Set(header, value)
				}
			}
			w := httptest.NewRecorder()
			protected().ServeHTTP(w, r)
			if w.Code != c.want {
				t.Errorf("answered %d, want %d", w.Code, c.want)
			}
			if w.Code == http.StatusForbidden && strings.TrimSpace(w.Body.String()) != websession.ReasonCrossOrigin {
				t.Errorf("refused with %q, not by our own error page", w.Body)
			}
		})
	}
}
