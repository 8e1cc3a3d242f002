package middleware_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/gate/middleware"
	"github.com/portico-id/portico/internal/httpio"
)

func writeError(w http.ResponseWriter, _ *http.Request, err error) {
	status := http.StatusInternalServerError
	if fault.Is(err, fault.Invalid) {
		status = http.StatusBadRequest
	}
	w.WriteHeader(status)
}

func source() *ambient.Source {
	s, _ := ambient.Fixed(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), 1)
	return s
}

// serve sends one request through the chain and returns the answer, nil when it
// was cut short, and what was logged.
func serve(t *testing.T, o middleware.Options, r *http.Request, handler http.HandlerFunc) (*http.Response, string) {
	t.Helper()
	var log bytes.Buffer
	o.Ambient, o.WriteError = source(), writeError
	o.Log = slog.New(slog.NewJSONHandler(&log, nil))
	server := httptest.NewServer(middleware.Chain(o, handler))
	r.URL.Scheme, r.URL.Host, r.RequestURI = "http", strings.TrimPrefix(server.URL, "http://"), ""
	answer, err := server.Client().Do(r)
	if err == nil {
		_, err = io.Copy(io.Discard, answer.Body)
		_ = answer.Body.Close()
	}
	server.Close() // waits for the handler, and so for its line
	if err != nil {
		return nil, log.String()
	}
	return answer, log.String()
}

func get(path string) *http.Request {
	return httptest.NewRequest(http.MethodGet, path, nil)
}

func empty(http.ResponseWriter, *http.Request) {}

// Rule: SERVER-4
func TestOneLineARequestWithoutQueryBodyOrToken(t *testing.T) {
	r := httptest.NewRequest(http.MethodPost, "/token/secret-path?code=secret-query", strings.NewReader("secret-body"))
	r.Header.Set("Authorization", "Bearer secret-token")
	_, log := serve(t, middleware.Options{}, r, func(w http.ResponseWriter, r *http.Request) {
		exchange := httpio.From(r.Context())
		exchange.Route, exchange.ClientID, exchange.UserID = "/token/{id}", "client", "user"
		exchange.Err = fault.New(fault.Invalid, "invalid_grant", "secret-detail")
		w.WriteHeader(http.StatusTeapot)
		_, _ = io.WriteString(w, "four")
	})
	if strings.Contains(log, "secret") || strings.Count(log, "\n") != 1 {
		t.Errorf("logged %s", log)
	}
	var got map[string]any
	if err := json.Unmarshal([]byte(log), &got); err != nil {
		t.Fatal(err)
	}
	delete(got, "time")
	want := map[string]any{
		"level": "INFO", "msg": "request", "method": "POST", "route": "/token/{id}", "status": 418.0, "bytes": 4.0,
		"duration_ms": 0.0, "address": "127.0.0.1", "client_id": "client", "user_id": "user",
		"fault": "invalid", "reason": "invalid_grant", "request_id": got["request_id"],
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("line (-want +got):\n%s", diff)
	}
}

// A request that is under way while the clock is put right neither took an hour nor less than nothing:
// the sum of a histogram never shrinks.
//
// Rule: SERVER-53
func TestARequestTakesAsLongAsItTookThoughTheClockIsPutRight(t *testing.T) {
	for _, step := range []time.Duration{time.Hour, -time.Hour} {
		source, clock := ambient.Fixed(time.Date(2026, 11, 28, 0, 0, 0, 0, time.UTC), 1)
		var took time.Duration
		tell := func(_ string, _ *httpio.Exchange, _ int, _, _ int64, this time.Duration) { took = this }
		handler := middleware.Log(slog.New(slog.DiscardHandler), source, tell, http.HandlerFunc(
			func(http.ResponseWriter, *http.Request) {
				clock.Step(step)
				clock.Advance(time.Second)
			}))
		handler.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/", nil))
		if took != time.Second {
			t.Errorf("stepped by %v: took %v", step, took)
		}
	}
}

// Rule: SERVER-4
func TestAClientThatHangsUpIsNoFailureOfOurs(t *testing.T) {
	for name, test := range map[string]struct {
		gone bool
		err  error
		want string
	}{
		"hung up":                       {true, context.Canceled, `"level":"INFO"`},
		"hung up, the database as well": {true, fault.New(fault.Unavailable, "", ""), `"level":"INFO"`},
		"hung up, and a bug":            {true, errors.New("bug"), `"level":"ERROR"`},
		"there":                         {false, fault.New(fault.Unavailable, "", ""), `"level":"ERROR"`},
	} {
		ctx, leave := context.WithCancel(t.Context())
		var log bytes.Buffer
		middleware.Log(slog.New(slog.NewJSONHandler(&log, nil)), ambient.System(), nil,
			http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if test.gone {
					leave()
				}
				httpio.From(r.Context()).Err = test.err
				w.WriteHeader(http.StatusServiceUnavailable)
			})).ServeHTTP(httptest.NewRecorder(), get("/").WithContext(httpio.With(ctx, &httpio.Exchange{})))
		leave()
		if !strings.Contains(log.String(), test.want) ||
			strings.Contains(log.String(), `"status":499`) != (test.want == `"level":"INFO"`) {
			t.Errorf("%s: %s", name, &log)
		}
	}
}

func TestAPanicIsAnsweredAndLoggedWithItsStack(t *testing.T) {
	answer, log := serve(t, middleware.Options{}, get("/"), func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Set-Cookie", "half=done")
		panic("out of luck")
	})
	if answer == nil || answer.StatusCode != http.StatusInternalServerError {
		t.Fatalf("answer is %v", answer)
	}
	if answer.Header.Get("Set-Cookie") != "" || answer.Header.Get("X-Content-Type-Options") == "" ||
		answer.Header.Get("X-Request-Id") == "" {
		t.Errorf("headers are %v", answer.Header)
	}
	for _, want := range []string{"out of luck", "middleware_test.go", `"level":"ERROR"`, `"reason":"panic"`} {
		if !strings.Contains(log, want) {
			t.Errorf("the log lacks %s: %s", want, log)
		}
	}
}

// Rule: SERVER-27
func TestWhoeverIsSentAwayIsToldWhenToComeBack(t *testing.T) {
	for name, c := range map[string]struct {
		status     int
		said, want string
	}{
		"nobody knows":           {503, "", "2"},
		"the handler knows":      {503, "7", "7"},
		"another failure":        {500, "", ""},
		"a limit of its own":     {429, "9", "9"},
		"nothing is the trouble": {200, "", ""},
	} {
		got, _ := serve(t, middleware.Options{}, get("/"), func(w http.ResponseWriter, _ *http.Request) {
			if c.said != "" {
				w.Header().Set("Retry-After", c.said)
			}
			w.WriteHeader(c.status)
		})
		if got.StatusCode != c.status || got.Header.Get("Retry-After") != c.want {
			t.Errorf("%s: %d, %q; want %q", name, got.StatusCode, got.Header.Get("Retry-After"), c.want)
		}
	}
}

func TestAPanicInTheMiddleOfAnAnswerCutsTheConnection(t *testing.T) {
	answer, log := serve(t, middleware.Options{}, get("/"), func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "100")
		_, _ = io.WriteString(w, "half")
		_ = http.NewResponseController(w).Flush()
		panic("out of luck")
	})
	if answer != nil {
		t.Error("half an answer looks whole")
	}
	if !strings.Contains(log, "out of luck") {
		t.Errorf("logged %s", log)
	}
}

// Rule: PAGE-6
func TestEveryAnswerCarriesTheHeadersForBrowsers(t *testing.T) {
	want := map[string]string{
		"X-Content-Type-Options":    "nosniff",
		"Referrer-Policy":           "same-origin",
		"Content-Security-Policy":   "default-src 'none'; frame-ancestors 'none'",
		"Permissions-Policy":        "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
		"Strict-Transport-Security": "max-age=63072000",
	}
	for _, https := range []bool{true, false} {
		if !https {
			want["Strict-Transport-Security"] = ""
		}
		answer, _ := serve(t, middleware.Options{HTTPS: https}, get("/"), empty)
		for name, value := range want {
			if got := answer.Header.Get(name); got != value {
				t.Errorf("https %v: %s is %q, want %q", https, name, got, value)
			}
		}
	}
}

// Rule: SERVER-3
func TestRequestIDsComeFromUsOrFromATrustedProxy(t *testing.T) {
	local := []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	tests := map[string]struct {
		trusted []netip.Prefix
		sent    string
		kept    bool
	}{
		"from a trusted proxy":             {local, "abc-123", true},
		"from anyone else":                 {nil, "abc-123", false},
		"with what doesn't belong into it": {local, "abc def", false},
		"endless":                          {local, strings.Repeat("a", 65), false},
		"none":                             {local, "", false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			r := get("/")
			r.Header.Set("X-Request-Id", tt.sent)
			answer, log := serve(t, middleware.Options{TrustedProxies: tt.trusted}, r, empty)
			got := answer.Header.Get("X-Request-Id")
			if got == "" || (got == tt.sent) != tt.kept || !strings.Contains(log, got) {
				t.Errorf("sent %q, got %q, logged %s", tt.sent, got, log)
			}
		})
	}
}

// Rule: SERVER-3
func TestTheClientAddressIsTheFirstHopNobodyVouchesFor(t *testing.T) {
	trusted := []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("10.0.0.0/8"),
		netip.MustParsePrefix("2001:db8::/32")}
	tests := map[string]struct {
		trusted []netip.Prefix
		header  string
		value   string
		want    string
	}{
		"no proxy":                 {nil, "X-Forwarded-For", "192.0.2.1", "127.0.0.1"},
		"one hop":                  {trusted, "X-Forwarded-For", "192.0.2.1", "192.0.2.1"},
		"two proxies":              {trusted, "X-Forwarded-For", "192.0.2.1, 10.1.1.1", "192.0.2.1"},
		"a forged hop on the left": {trusted, "X-Forwarded-For", "198.51.100.9, 192.0.2.1, 10.1.1.1", "192.0.2.1"},
		"nonsense":                 {trusted, "X-Forwarded-For", "me", "127.0.0.1"},
		"nonsense behind a proxy":  {trusted, "X-Forwarded-For", "unknown, 10.1.1.1", "10.1.1.1"},
		"nothing":                  {trusted, "X-Forwarded-For", "", "127.0.0.1"},
		"with a port":              {trusted, "X-Forwarded-For", "192.0.2.1:4711", "192.0.2.1"},
		"IPv6":                     {trusted, "X-Forwarded-For", "2001:4860::1", "2001:4860::1"},
		"IPv4 inside IPv6":         {trusted, "X-Forwarded-For", "::ffff:192.0.2.1", "192.0.2.1"},
		"Forwarded": {trusted, "Forwarded", `for=192.0.2.1;proto=https, for="[2001:db8::7]:99"`,
			"192.0.2.1"},
		"Forwarded with an obscure name": {trusted, "Forwarded", "for=_hidden", "127.0.0.1"},
		"Forwarded from anyone":          {nil, "Forwarded", "for=192.0.2.1", "127.0.0.1"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			r := get("/")
			r.Header.Set(tt.header, tt.value)
			var got string
			serve(t, middleware.Options{TrustedProxies: tt.trusted}, r, func(_ http.ResponseWriter, r *http.Request) {
				got = httpio.From(r.Context()).Address
			})
			if got != tt.want {
				t.Errorf("address is %q, want %q", got, tt.want)
			}
		})
	}
}

// A proxy writes one of the two, and hands the other one on as whoever called sent it.
//
// Rule: SERVER-3
func TestOfTwoForwardedHeadersThatDisagreeNeitherCounts(t *testing.T) {
	trusted := []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("10.0.0.0/8")}
	for name, tt := range map[string]struct{ forwarded, x, want string }{
		"Forwarded of whoever called":       {"for=198.51.100.9", "192.0.2.1", "127.0.0.1"},
		"X-Forwarded-For of whoever called": {"for=192.0.2.1", "198.51.100.9, 10.1.1.1", "127.0.0.1"},
		"nothing in one of them":            {"", "192.0.2.1", "192.0.2.1"},
		"both of the proxy":                 {"for=198.51.100.9, for=192.0.2.1", "192.0.2.1, 10.1.1.1", "192.0.2.1"},
	} {
		t.Run(name, func(t *testing.T) {
			r := get("/")
			r.Header.Set("Forwarded", tt.forwarded)
			r.Header.Set("X-Forwarded-For", tt.x)
			serve(t, middleware.Options{TrustedProxies: trusted}, r, func(_ http.ResponseWriter, r *http.Request) {
				if got := httpio.From(r.Context()).Address; got != tt.want {
					t.Errorf("address is %q, want %q", got, tt.want)
				}
			})
		})
	}
}

// Rule: SERVER-6
func TestLeadingSlashesCollapseOnTheEscapedPath(t *testing.T) {
	for target, want := range map[string]string{
		"/project/a":        "/project/a",
		"//project/a%2Fb":   "/project/a%2Fb",
		"////project//b":    "/project//b",
		"/%2fproject":       "/%2fproject",
		"//%2fproject?x=//": "/%2fproject",
	} {
		var got string
		var raw string
		handler := middleware.CleanPath(writeError, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			got, raw = r.URL.EscapedPath(), r.URL.RawQuery
		}))
		handler.ServeHTTP(httptest.NewRecorder(), get(target))
		if got != want || strings.Contains(target, "?") != (raw != "") {
			t.Errorf("%s became %s with the query %q, want %s", target, got, raw, want)
		}
	}
}

func TestAPathThatIsNoTextIsRefused(t *testing.T) {
	for target, want := range map[string]int{"/%ff": 400, "/a%00b": 400, "/%C3%A9": 200} {
		answer, _ := serve(t, middleware.Options{}, get(target), empty)
		if answer.StatusCode != want {
			t.Errorf("%s: %d, want %d", target, answer.StatusCode, want)
		}
	}
}
