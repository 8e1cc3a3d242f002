package provider_test

import (
	"net/http"
	"strings"
	"testing"
)

// What is said of a token is for the address of the document, too: its client knows no other
// name of its own.
//
// Rule: CIMD-1
func TestWhatIsSaidOfATokenIsForTheAddressOfTheDocument(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		w.person(somebody)
		w.published.at(described, nil)
		w.published.hosts = "all"
		a, b := byDocument(described), w.browser()
		v := b.through(w.arrives(b, a), somebody)
		tokens := w.granted(a, form("grant_type", "authorization_code", "code", v.Away.Query().Get("code"),
			"code_verifier", verifier))
		r, err := http.NewRequest(http.MethodPost, w.URL+"/authentication/v2/introspect", strings.NewReader(
			form("token", tokens["access_token"].(string), "client_id", described).Encode()))
		w.must(err)
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Accept", "application/token-introspection+jwt")
		got := w.do(plain, r)
		if aud := w.verifiedWith("RS256", string(got.Body))["aud"]; aud != described {
			t.Errorf("it is for %v", aud)
		}
	})
}
