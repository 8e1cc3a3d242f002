package provider_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/portico-id/portico/internal/gate/signing"
	"github.com/portico-id/portico/provider/apps"
	"github.com/portico-id/portico/storage"
)

// BenchmarkClientCredentials is the handler without the network around it;
// cmd/portico-bench measures the whole server.
func BenchmarkClientCredentials(b *testing.B) {
	w := newWorld(b, settings{})
	for _, algorithm := range []string{signing.RS256, signing.ES256, signing.EdDSA} {
		b.Run(algorithm, func(b *testing.B) { benchmarkCredentials(b, w, algorithm) })
	}
}

func benchmarkCredentials(b *testing.B, w *world, algorithm string) {
	a := w.app(apps.Registration{Type: storage.ClientService,
		ClientSecurity: storage.ClientSecurity{AccessTokenAlg: algorithm}})
	body := credentials("scope", "data:read").Encode()
	handler := routes(w.Provider)
	for b.Loop() {
		r := httptest.NewRequest(http.MethodPost, "/authentication/v2/token", strings.NewReader(body))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.SetBasicAuth(a.ID, a.Secret)
		answer := httptest.NewRecorder()
		handler.ServeHTTP(answer, r)
		if answer.Code != http.StatusOK {
			b.Fatal(answer.Body)
		}
	}
}

// BenchmarkUserInfo is the handler behind a valid three-legged token.
func BenchmarkUserInfo(b *testing.B) {
	w := newWorld(b, settings{})
	w.person(somebody)
	a := w.app(apps.Registration{})
	token := w.browser().tokens(a, somebody, "scope", "openid profile email")["access_token"].(string)
	handler := routes(w.Provider)
	for b.Loop() {
		r := httptest.NewRequest(http.MethodGet, "/userinfo", nil)
		r.Header.Set("Authorization", "Bearer "+token)
		answer := httptest.NewRecorder()
		handler.ServeHTTP(answer, r)
		if answer.Code != http.StatusOK {
			b.Fatal(answer.Body)
		}
	}
}

// BenchmarkIntrospect is the handler asked about a two-legged token.
func BenchmarkIntrospect(b *testing.B) {
	w := newWorld(b, settings{})
	a := w.app(apps.Registration{})
	body := form("token", w.granted(a, credentials("scope", "data:read"))["access_token"].(string)).Encode()
	handler := routes(w.Provider)
	for b.Loop() {
		r := httptest.NewRequest(http.MethodPost, "/authentication/v2/introspect", strings.NewReader(body))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.SetBasicAuth(a.ID, a.Secret)
		answer := httptest.NewRecorder()
		handler.ServeHTTP(answer, r)
		if answer.Code != http.StatusOK {
			b.Fatal(answer.Body)
		}
	}
}

// BenchmarkRefresh is one grant that is renewed again and again, each time with the
// token of the time before.
func BenchmarkRefresh(b *testing.B) {
	w := newWorld(b, settings{})
	w.person(somebody)
	a := w.app(apps.Registration{Scopes: []string{"data:read"}})
	handler := routes(w.Provider)
	token := w.browser().tokens(a, somebody, "scope", "data:read")["refresh_token"].(string)
	for b.Loop() {
		body := form("grant_type", "refresh_token", "refresh_token", token).Encode()
		r := httptest.NewRequest(http.MethodPost, "/authentication/v2/token", strings.NewReader(body))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.SetBasicAuth(a.ID, a.Secret)
		answer := httptest.NewRecorder()
		handler.ServeHTTP(answer, r)
		var said struct {
			Refresh string `json:"refresh_token"`
		}
		if err := json.Unmarshal(answer.Body.Bytes(), &said); err != nil || said.Refresh == "" {
			b.Fatal(answer.Body)
		}
		token = said.Refresh
	}
}
