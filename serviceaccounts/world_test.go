package serviceaccounts_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/gate/bearer"
	"github.com/portico-id/portico/internal/gate/middleware"
	"github.com/portico-id/portico/internal/gate/signing"
	"github.com/portico-id/portico/internal/gate/websession"
	"github.com/portico-id/portico/internal/harness/pgtest"
	"github.com/portico-id/portico/internal/harness/signingtest"
	"github.com/portico-id/portico/internal/harness/sqlitetest"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/internal/password"
	"github.com/portico-id/portico/internal/sealing"
	"github.com/portico-id/portico/provider"
	"github.com/portico-id/portico/provider/apps"
	"github.com/portico-id/portico/provider/scope"
	"github.com/portico-id/portico/serviceaccounts"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore"
	"github.com/portico-id/portico/templates"
)

const (
	accountsPath = "/authentication/v2/service-accounts"
	tokenPath    = "/authentication/v2/token"
	jwtBearer    = "urn:ietf:params:oauth:grant-type:jwt-bearer"
	emailDomain  = "serviceaccount.example.test"
)

// allScopes are those a client of these tests is registered for.
var allScopes = []string{
	scope.ServiceAccountRead, scope.ServiceAccountWrite, scope.ServiceAccountKeyRead, scope.ServiceAccountKeyWrite,
	scope.DataRead, scope.DataWrite,
}

// world is service accounts and the token endpoint over a real database, with
// real HTTP in front.
type world struct {
	testing.TB
	URL      string // of this server; the issuer is that of the first replica
	Issuer   string
	Store    *sqlstore.Store
	Keys     *signing.KeySet
	Apps     *apps.Apps
	Accounts *serviceaccounts.Accounts
	Logged   *logBuffer
	ambient  *ambient.Source
	ahead    *atomic.Int64 // how far the clock is ahead, in nanoseconds
	database string
	handler  http.Handler
}

// settings are what a test may want otherwise.
type settings struct {
	database  string // empty: a fresh SQLite file
	beside    *world // a second replica: its database, clock, secret and issuer
	audiences []string
	keysAhead int // 0: none
}

// logBuffer keeps what is logged.
type logBuffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *logBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *logBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// eachEngine runs the test on SQLite and, outside the quick loop, on
// PostgreSQL.
func eachEngine(t *testing.T, test func(t *testing.T, database string)) {
	t.Run("sqlite", func(t *testing.T) { test(t, sqliteURL(t)) })
	t.Run("postgres", func(t *testing.T) { test(t, pgtest.URL(t)) })
}

func sqliteURL(t testing.TB) string { return sqlitetest.URL(t) }

func newWorld(t testing.TB, s settings) *world {
	t.Helper()
	w := &world{TB: t, ahead: new(atomic.Int64), Logged: &logBuffer{}, database: s.database}
	if s.beside != nil {
		w.ahead, w.database, w.Issuer = s.beside.ahead, s.beside.database, s.beside.Issuer
	}
	if w.database == "" {
		w.database = sqliteURL(t)
	}
	w.ambient = ambient.New(func() time.Time { return time.Now().Add(time.Duration(w.ahead.Load())) },
		ambient.System().Random())
	var err error
	w.Store, err = sqlstore.Open(t.Context(), sqlstore.Options{URL: w.database, Version: "0.1.0", Migrate: true})
	w.must(err)
	t.Cleanup(func() { _ = w.Store.Close() })
	w.serve(s)
	return w
}

func (w *world) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

// serve puts everything together as the application does.
func (w *world) serve(s settings) {
	server := httptest.NewUnstartedServer(nil)
	w.URL = "http://" + server.Listener.Addr().String()
	if w.Issuer == "" {
		w.Issuer = w.URL
	}
	log := slog.New(slog.NewTextHandler(w.Logged, &slog.HandlerOptions{Level: slog.LevelDebug}))
	ring, err := sealing.New([]byte(strings.Repeat("k", 32)), nil, w.ambient)
	w.must(err)
	w.Keys = signingtest.Open(w, signing.Options{Store: w.Store, Ring: ring, Ambient: w.ambient,
		Log: log, Issuer: w.Issuer})
	pages, err := templates.New(w.ambient.Token)
	w.must(err)
	if s.keysAhead == 0 {
		s.keysAhead = -1
	}
	w.Apps = apps.New(apps.Options{Store: w.Store, Ambient: w.ambient})
	w.Accounts = serviceaccounts.New(serviceaccounts.Options{
		Store: w.Store, Ambient: w.ambient, Log: log, TokenURL: w.Issuer + tokenPath, Audiences: s.audiences,
		EmailDomain: emailDomain, KeysAhead: s.keysAhead,
	})
	who := bearer.New(bearer.Options{Keys: w.Keys, Tokens: w.Store, Registered: scope.Registered})
	p, err := provider.New(provider.Options{
		BaseURL: w.Issuer, Store: w.Store, Ambient: w.ambient, Keys: w.Keys, Bearer: who,
		Sessions:  websession.New(websession.Options{Store: w.Store, Ambient: w.ambient}),
		Passwords: password.New(w.ambient), Ring: ring, Pages: pages, Log: log, Assertions: w.Accounts,
	})
	w.must(err)
	writeError := func(rw http.ResponseWriter, r *http.Request, err error) { serviceaccounts.WriteError(rw, r, err) }
	w.handler = middleware.Chain(middleware.Options{Ambient: w.ambient, Log: log, WriteError: writeError},
		routes(w.Accounts, who, p.Protocol()...))
	server.Config.Handler = document.Book(w).Wrap(w, w.handler)
	server.Start()
	w.Cleanup(func() {
		server.Close()
		if err := w.Accounts.Close(); err != nil {
			w.Error(err)
		}
	})
}

func routes(accounts *serviceaccounts.Accounts, who *bearer.Authenticator, others ...httpio.Route) http.Handler {
	whoami := func(rw http.ResponseWriter, r *http.Request) error {
		caller, _ := bearer.From(r.Context())
		httpio.WriteJSON(rw, http.StatusOK, "application/json", caller)
		return nil
	}
	others = append(others, httpio.At("/whoami").Get(httpio.Endpoint{
		Handler: who.Require(serviceaccounts.WriteError)(httpio.Handle(serviceaccounts.WriteError, whoami)),
	}))
	areas := []httpio.Area{accounts.Area(who), {Routes: others}}
	return httpio.Router{Areas: areas, WriteError: serviceaccounts.WriteError}.Handler()
}

// wait moves the clock.
func (w *world) wait(d time.Duration) { w.ahead.Add(int64(d)) }

func (w *world) operator() storage.Act {
	return storage.Act{At: w.ambient.Now(), Actor: storage.Actor{Kind: storage.ActorOperator}}
}

// app is a registered client with its secret and a two-legged token.
type app struct {
	storage.Client
	Secret string
	Token  string
}

// app registers a client; what the test leaves out is a service of the platform
// profile with every scope.
func (w *world) app(r apps.Registration) app {
	w.Helper()
	if r.Name == "" {
		r.Name = "Example App"
	}
	if r.Type == "" {
		r.Type = storage.ClientService
	}
	if r.Scopes == nil {
		r.Scopes = allScopes
	}
	r.ByAdministrator = true
	created, err := w.Apps.Create(w.Context(), w.operator(), r)
	w.must(err)
	a := app{Client: created.Client, Secret: created.Secret}
	if r.Type == storage.ClientService || r.Type == storage.ClientWeb {
		a.Token = w.twoLegged(a)
	}
	return a
}

// twoLegged asks for a token of the client itself.
func (w *world) twoLegged(a app, scopes ...string) string {
	w.Helper()
	f := url.Values{"grant_type": {"client_credentials"}}
	if len(scopes) > 0 {
		f.Set("scope", strings.Join(scopes, " "))
	}
	got := w.post(tokenPath, a, f)
	if got.Status != http.StatusOK {
		w.Fatalf("client_credentials: %d %s", got.Status, got.Body)
	}
	return got.JSON(w)["access_token"].(string)
}

// answer is what came back over HTTP.
type answer struct {
	Status int
	Header http.Header
	Body   []byte
}

// JSON returns the body as an object.
func (a answer) JSON(t testing.TB) map[string]any {
	t.Helper()
	var v map[string]any
	if err := json.Unmarshal(a.Body, &v); err != nil {
		t.Fatalf("status %d, body %q: %v", a.Status, a.Body, err)
	}
	return v
}

func (w *world) do(r *http.Request) answer {
	w.Helper()
	got, err := send(r)
	w.must(err)
	return got
}

// send is for goroutines of a test, which may not end it.
func send(r *http.Request) (answer, error) {
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		return answer{}, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	return answer{response.StatusCode, response.Header, body}, err
}

// post sends a form with the client's Basic credentials.
func (w *world) post(path string, a app, form url.Values) answer {
	w.Helper()
	return w.do(w.formRequest(path, a, form))
}

func (w *world) formRequest(path string, a app, form url.Values) *http.Request {
	w.Helper()
	r, err := http.NewRequestWithContext(context.Background(), http.MethodPost, w.URL+path,
		strings.NewReader(form.Encode()))
	w.must(err)
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if a.Secret != "" {
		r.SetBasicAuth(a.ID, a.Secret)
	}
	return r
}

// request makes a request with a bearer token and, unless it is empty, a JSON
// body.
func (w *world) request(method, path, token, body string) *http.Request {
	w.Helper()
	r, err := http.NewRequestWithContext(context.Background(), method, w.URL+path, strings.NewReader(body))
	w.must(err)
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	return r
}

// call is request, sent.
func (w *world) call(method, path, token, body string) answer {
	w.Helper()
	return w.do(w.request(method, path, token, body))
}

// expect is call, which must answer with the status.
func (w *world) expect(status int, method, path, token, body string) answer {
	w.Helper()
	got := w.call(method, path, token, body)
	if got.Status != status {
		w.Fatalf("%s %s %s: %d %s, want %d", method, path, body, got.Status, got.Body, status)
	}
	return got
}

// account creates an account of the app and returns its id.
func (w *world) account(a app, name string) string {
	w.Helper()
	got := w.expect(http.StatusCreated, "POST", accountsPath, a.Token, `{"name":"`+name+`"}`)
	return got.JSON(w)["serviceAccountId"].(string)
}

// setStatus enables or disables an account, or a key when path goes on.
func (w *world) setStatus(a app, id, status string) {
	w.Helper()
	got := w.call("PATCH", accountsPath+"/"+id, a.Token, `{"status":"`+status+`"}`)
	if got.Status != http.StatusOK && got.Status != http.StatusNoContent {
		w.Fatalf("status %s of %s: %d %s", status, id, got.Status, got.Body)
	}
}
