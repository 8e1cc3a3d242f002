package provider_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/internal/ratelimit"
	"github.com/portico-id/portico/provider/apps"
	"github.com/portico-id/portico/storage"
)

const (
	here      = "192.0.2.1"
	elsewhere = "198.51.100.1"
)

// from sends a request that seems to come from the address.
func (w *world) from(address, method, path string, a app, f url.Values) answer {
	w.Helper()
	r := httptest.NewRequest(method, w.URL+path, nil)
	if method == http.MethodPost {
		r = httptest.NewRequest(method, w.URL+path, strings.NewReader(f.Encode()))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	if a.Secret != "" {
		r.SetBasicAuth(a.ID, a.Secret)
	}
	recorder := httptest.NewRecorder()
	w.handler().ServeHTTP(recorder, r.WithContext(httpio.With(r.Context(), &httpio.Exchange{Address: address})))
	return answer{recorder.Code, recorder.Header(), recorder.Body.Bytes()}
}

func (w *world) tooMany(got answer) {
	w.Helper()
	w.refused(got, http.StatusTooManyRequests, "temporarily_unavailable")
	w.retryWithinAMinute(got)
}

// retryWithinAMinute checks that the answer says when there is room again, the
// same in both headers.
func (w *world) retryWithinAMinute(got answer) {
	w.Helper()
	seconds, err := strconv.Atoi(got.Header.Get("Retry-After"))
	if err != nil || seconds < 1 || seconds > 60 {
		w.Errorf("Retry-After %q, want 1 to 60 seconds", got.Header.Get("Retry-After"))
	}
	if standing := got.Header.Get("RateLimit"); !strings.HasSuffix(standing, ";r=0;t="+strconv.Itoa(seconds)) {
		w.Errorf("RateLimit %q beside Retry-After %d", standing, seconds)
	}
}

// twice are rates that allow two calls a minute.
func twice() ratelimit.Rates {
	return ratelimit.Rates{"authorize": 2, "token": 2, "introspect": 2, "logout": 2, "revoke": 2}
}

// Rules: LIMIT-2, LIMIT-3
func TestAuthenticatedCallsAreLimitedPerClientAndOperation(t *testing.T) {
	w := newWorld(t, settings{rates: twice()})
	other := w.app(apps.Registration{Devices: true, Scopes: []string{"data:read"}})
	calls := map[string]url.Values{
		"/authentication/v2/token":      credentials(),
		"/authentication/v2/introspect": form("token", "x"),
		"/authentication/v2/revoke":     form("token", "x", "token_type_hint", "access_token"),
		pushPath:                        form("response_type", "code", "redirect_uri", callback, "scope", "data:read"),
		devicePath:                      form("scope", "data:read"),
	}
	for path, f := range calls {
		busy := w.app(apps.Registration{Devices: true, Scopes: []string{"data:read"}}) // some are counted together
		for _, address := range []string{here, elsewhere} {
			if got := w.from(address, http.MethodPost, path, busy, f); got.Status >= http.StatusBadRequest {
				t.Errorf("%s: status %d, want 200: %s", path, got.Status, got.Body)
			}
		}
		w.tooMany(w.from(here, http.MethodPost, path, busy, f))
		w.tooMany(w.from("203.0.113.1", http.MethodPost, path, busy, f))
		if got := w.from(here, http.MethodPost, path, other, f); got.Status >= http.StatusBadRequest {
			t.Errorf("%s: another client gets %d", path, got.Status)
		}
	}
}

// Rule: LIMIT-2
func TestPublicClientsAreLimitedPerClientAndAddress(t *testing.T) {
	w := newWorld(t, settings{rates: twice()})
	a := w.app(apps.Registration{Type: storage.ClientSPA})
	f := form("client_id", a.ID, "token", "x", "token_type_hint", "access_token")
	for range 2 {
		if got := w.from(here, http.MethodPost, "/authentication/v2/revoke", a, f); got.Status != http.StatusOK {
			t.Errorf("status %d, want 200: %s", got.Status, got.Body)
		}
	}
	w.tooMany(w.from(here, http.MethodPost, "/authentication/v2/revoke", a, f))
	if got := w.from(elsewhere, http.MethodPost, "/authentication/v2/revoke", a, f); got.Status != http.StatusOK {
		t.Errorf("the same app at another address gets %d", got.Status)
	}
}

// Rule: LIMIT-2
func TestFailedAuthenticationIsLimitedPerClientAndAddressAndHarmsNobodyElse(t *testing.T) {
	w := newWorld(t, settings{rates: twice()})
	a := w.app(apps.Registration{Scopes: []string{"data:read"}})
	thief := app{Client: a.Client, Secret: "guessed"}
	for range 2 {
		w.refused(w.from(here, http.MethodPost, "/authentication/v2/token", thief, credentials()),
			http.StatusUnauthorized, "invalid_client")
	}
	w.tooMany(w.from(here, http.MethodPost, "/authentication/v2/token", thief, credentials()))
	w.refused(w.from(elsewhere, http.MethodPost, "/authentication/v2/token", thief, credentials()),
		http.StatusUnauthorized, "invalid_client")
	if got := w.from(here, http.MethodPost, "/authentication/v2/token", a, credentials()); got.Status != http.StatusOK {
		t.Errorf("with the right secret: status %d", got.Status)
	}
}

// Rule: LIMIT-6
func TestInventedClientNamesBringNoCallsOfTheirOwn(t *testing.T) {
	w := newWorld(t, settings{rates: twice()})
	for _, id := range []string{"one", "two"} {
		a := app{Client: storage.Client{ID: id}, Secret: "x"}
		w.refused(w.from(here, http.MethodPost, "/authentication/v2/token", a, credentials()),
			http.StatusUnauthorized, "invalid_client")
	}
	three := app{Client: storage.Client{ID: "three"}, Secret: "x"}
	w.tooMany(w.from(here, http.MethodPost, "/authentication/v2/token", three, credentials()))

	for i, want := range []int{400, 400, 429} {
		path := "/authentication/v2/authorize?client_id=" + string(rune('a'+i))
		if got := w.from(here, http.MethodGet, path, app{}, nil); got.Status != want {
			t.Errorf("authorize call %d: status %d, want %d", i+1, got.Status, want)
		}
	}
}

// Rule: LIMIT-2
func TestAuthorizeIsLimitedPerClientAndAddressAndAnswersWithOurPage(t *testing.T) {
	w := newWorld(t, settings{rates: twice()})
	a := w.app(apps.Registration{})
	path := strings.TrimPrefix(w.authorizeURL(a), w.URL)
	for range 2 {
		if got := w.from(here, http.MethodGet, path, app{}, nil); got.Status != http.StatusFound {
			t.Errorf("status %d, want 302", got.Status)
		}
	}
	got := w.from(here, http.MethodGet, path, app{}, nil)
	w.retryWithinAMinute(got)
	if got.Status != http.StatusTooManyRequests || got.Header.Get("Location") != "" ||
		!strings.HasPrefix(got.Header.Get("Content-Type"), "text/html") {
		t.Errorf("status %d, headers %v", got.Status, got.Header)
	}
	if got := w.from(elsewhere, http.MethodGet, path, app{}, nil); got.Status != http.StatusFound {
		t.Errorf("at another address: status %d", got.Status)
	}
}

// Rule: LIMIT-7
func TestEveryCountedAnswerSaysWhatItsLimitLeaves(t *testing.T) {
	w := newWorld(t, settings{rates: twice()})
	a := w.app(apps.Registration{Scopes: []string{"data:read"}})
	for _, call := range []struct {
		name, method, path string
		form               url.Values
	}{
		{"token", http.MethodPost, "/authentication/v2/token", credentials()},
		{"token", http.MethodPost, "/authentication/v2/token", form("grant_type", "unknown")},
		{"introspect", http.MethodPost, "/authentication/v2/introspect", form("token", "x")},
		{"revoke", http.MethodPost, "/authentication/v2/revoke", form("token", "x", "token_type_hint", "access_token")},
		{"authorize", http.MethodGet, strings.TrimPrefix(w.authorizeURL(a), w.URL), nil},
		{"logout", http.MethodGet, "/authentication/v2/logout", nil},
	} {
		w.wait(time.Minute)
		for _, left := range []string{"1", "0", "0"} {
			got := w.from(here, call.method, call.path, a, call.form)
			said := []string{got.Header.Get("RateLimit-Policy"), got.Header.Get("RateLimit")}
			want := []string{`"` + call.name + `";q=2;w=60`, `"` + call.name + `";r=` + left + `;t=60`}
			if diff := cmp.Diff(want, said); diff != "" {
				t.Errorf("%s, status %d (-want +got):\n%s", call.path, got.Status, diff)
			}
		}
	}
}

func TestWithoutLimitsNoAnswerSpeaksOfThem(t *testing.T) {
	w := newWorld(t, settings{})
	a := w.app(apps.Registration{Scopes: []string{"data:read"}})
	got := w.from(here, http.MethodPost, "/authentication/v2/token", a, credentials())
	if got.Status != http.StatusOK || got.Header.Get("RateLimit")+got.Header.Get("RateLimit-Policy") != "" {
		t.Errorf("status %d, headers %v", got.Status, got.Header)
	}
}

func TestTheWayBackFromOurOwnPagesIsNoCallToAuthorize(t *testing.T) {
	w := newWorld(t, settings{rates: ratelimit.Rates{"authorize": 1}})
	w.person("user@example.test")
	a := w.app(apps.Registration{})
	w.browser().code(a, "user@example.test") // authorize once, resume twice
}

// Rule: LIMIT-2
func TestLogoutIsLimited(t *testing.T) {
	w := newWorld(t, settings{rates: twice()})
	for i, want := range []int{302, 302, 429} {
		if got := w.from(here, http.MethodGet, "/authentication/v2/logout", app{}, nil); got.Status != want {
			t.Errorf("call %d: status %d, want %d", i+1, got.Status, want)
		}
	}
	if got := w.from(elsewhere, http.MethodGet, "/authentication/v2/logout", app{}, nil); got.Status != 302 {
		t.Errorf("at another address: status %d", got.Status)
	}
}
