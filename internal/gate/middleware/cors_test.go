package middleware_test

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/gate/middleware"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/storage"
)

// registry is a store whose answers can be changed, to make it fail on demand.
type registry struct {
	storage.BrowserOrigins
	err   error
	reads int
	then  func() // once it was read; nil: nothing
}

func (r *registry) ListBrowserOrigins(context.Context) (storage.BrowserOrigins, error) {
	r.reads++
	said := r.BrowserOrigins
	if r.then != nil {
		r.then()
	}
	return said, r.err
}

func origins(r *registry) *middleware.Origins {
	return middleware.NewOrigins(r, source(), slog.New(slog.DiscardHandler))
}

func send(policy httpio.Sites, origins *middleware.Origins, method, origin, wants string) *http.Response {
	r := httptest.NewRequest(method, "/token", nil)
	if origin != "" {
		r.Header.Set("Origin", origin)
	}
	if wants != "" {
		r.Header.Set("Access-Control-Request-Method", wants)
	}
	w := httptest.NewRecorder()
	teapot := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) })
	middleware.CORS(policy, origins, []string{"POST", "OPTIONS"}, teapot).ServeHTTP(w, r)
	return w.Result()
}

func corsOf(answer *http.Response) map[string]string {
	got := map[string]string{}
	for name := range answer.Header {
		got[name] = answer.Header.Get(name)
	}
	return got
}

// Rule: SERVER-5
func TestCORSMarksOnlyRegisteredOriginsAndNeverCredentials(t *testing.T) {
	const good = "https://app.example.test"
	const exposed = "Accept-Ranges, Content-Disposition, Content-Range, DPoP-Nonce, ETag, Location, Mcp-Session-Id, " +
		"RateLimit, RateLimit-Policy, Retry-After, WWW-Authenticate, X-Dt-Access-Level, X-Request-Id"
	const sendable = "Authorization, Content-Digest, Content-MD5, Content-Type, Accept, DPoP, Idempotency-Key, If-Match, " +
		"If-Modified-Since, If-None-Match, If-Range, If-Unmodified-Since, Last-Event-ID, MCP-Protocol-Version, Mcp-Method, " +
		"Mcp-Name, Mcp-Session-Id, Range, Region, User-Agent, X-Ads-Request-Id, X-User-Id"
	marked := map[string]string{"Vary": "Origin", "Access-Control-Allow-Origin": good,
		"Access-Control-Expose-Headers": exposed}
	preflight := map[string]string{
		"Vary": "Origin", "Access-Control-Allow-Origin": good, "Access-Control-Expose-Headers": exposed,
		"Access-Control-Allow-Methods": "POST, OPTIONS", "Access-Control-Allow-Headers": sendable,
		"Access-Control-Max-Age": "600",
	}
	unmarked := map[string]string{"Vary": "Origin"}
	anyone := map[string]string{"Access-Control-Allow-Origin": "*", "Access-Control-Expose-Headers": exposed}
	tests := map[string]struct {
		policy                httpio.Sites
		method, origin, wants string
		status                int
		want                  map[string]string
	}{
		"a registered origin": {httpio.RegisteredSites, "POST", good, "", 418, marked},
		"its preflight":       {httpio.RegisteredSites, "OPTIONS", good, "POST", 204, preflight},
		"another origin":      {httpio.RegisteredSites, "POST", "https://evil.example.test", "", 418, unmarked},
		"another origin's preflight": {httpio.RegisteredSites, "OPTIONS", "https://evil.example.test",
			"POST", 204, unmarked},
		"the same host over http":          {httpio.RegisteredSites, "POST", "http://app.example.test", "", 418, unmarked},
		"the opaque origin":                {httpio.RegisteredSites, "POST", "null", "", 418, unmarked},
		"no browser":                       {httpio.RegisteredSites, "POST", "", "", 418, unmarked},
		"OPTIONS that is no preflight":     {httpio.RegisteredSites, "OPTIONS", good, "", 418, marked},
		"anyone where anyone may read":     {httpio.AnySite, "GET", "https://evil.example.test", "", 418, anyone},
		"a page, even for registered ones": {httpio.NoSite, "GET", good, "", 418, map[string]string{}},
		"a page's preflight goes unmarked": {httpio.NoSite, "OPTIONS", good, "POST", 418, map[string]string{}},
		"no browser where anyone may read": {httpio.AnySite, "GET", "", "", 418, map[string]string{}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			known := storage.BrowserOrigins{SPA: []string{good + "/callback"}}
			answer := send(tt.policy, origins(&registry{BrowserOrigins: known}), tt.method, tt.origin, tt.wants)
			if answer.StatusCode != tt.status {
				t.Errorf("status %d, want %d", answer.StatusCode, tt.status)
			}
			if diff := cmp.Diff(tt.want, corsOf(answer)); diff != "" {
				t.Errorf("headers (-want +got):\n%s", diff)
			}
		})
	}
}

// Rule: SERVER-55
func TestOriginsAreThoseThatABrowserSends(t *testing.T) {
	store := &registry{BrowserOrigins: storage.BrowserOrigins{
		Origins: []string{"https://Extra.example.test"},
		SPA: []string{"https://a.example.test:443/cb", "http://localhost:3000/", "https://b.example.test:8443/x?y",
			"http://[::1]:8080/", "com.example.app:/cb"},
		Native: []string{"http://127.0.0.1/cb", "http://127.0.0.1:9/cb", "https://c.example.test/redirect", "app:/cb"},
	}}
	known := origins(store)
	for origin, want := range map[string]bool{
		"https://extra.example.test":  true,
		"https://a.example.test":      true,
		"https://a.example.test:443":  false,
		"http://localhost:3000":       true,
		"http://localhost":            false,
		"https://b.example.test:8443": true,
		"http://[::1]:8080":           true,
		"com.example.app://":          false,
		"http://127.0.0.1:6274":       true, // a native client chooses its port when it begins
		"http://127.0.0.1":            true,
		"https://127.0.0.1:6274":      false,
		"http://127.0.0.1.evil.test":  false,
		"http://[::1]:6274":           false,
		"https://c.example.test":      true,
		"https://c.example.test:8443": false,
		"":                            false,
	} {
		if got := known.Registered(t.Context(), origin); got != want {
			t.Errorf("%q: %v, want %v", origin, got, want)
		}
	}
	if store.reads != 1 {
		t.Errorf("the store was asked %d times in one instant", store.reads)
	}
}

// What is read may be of before the change of which somebody tells meanwhile.
//
// Rule: SERVER-5
func TestOriginsThatAreChangedWhileTheyAreReadAreReadOnceMore(t *testing.T) {
	fixed, clock := ambient.Fixed(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), 1)
	store := &registry{}
	origins := middleware.NewOrigins(store, fixed, slog.New(slog.DiscardHandler))
	for _, when := range []string{"the first time", "once more"} {
		store.Origins = []string{"https://a.example.test"}
		store.then = func() {
			store.Origins, store.then = []string{"https://b.example.test"}, nil
			origins.Forget()
		}
		origins.Registered(t.Context(), "https://a.example.test")
		if origins.Registered(t.Context(), "https://a.example.test") ||
			!origins.Registered(t.Context(), "https://b.example.test") {
			t.Errorf("%s: the origins are those of before", when)
		}
		clock.Advance(time.Second)
	}
}

func TestAChangeOfOriginsActsWithinASecond(t *testing.T) {
	fixed, clock := ambient.Fixed(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), 1)
	store := &registry{BrowserOrigins: storage.BrowserOrigins{Origins: []string{"https://a.example.test"}}}
	origins := middleware.NewOrigins(store, fixed, slog.New(slog.DiscardHandler))
	registered := func(origin string) bool { return origins.Registered(t.Context(), origin) }
	if !registered("https://a.example.test") {
		t.Fatal("a registered origin is not known")
	}
	store.Origins = []string{"https://b.example.test"}
	clock.Advance(time.Second)
	if registered("https://a.example.test") || !registered("https://b.example.test") {
		t.Error("after a second the old origins still count")
	}
	store.err = errors.New("the database is away")
	clock.Advance(time.Second)
	if !registered("https://b.example.test") {
		t.Error("a failing store took the last known origins along")
	}
}
