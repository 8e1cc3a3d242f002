package provider_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/gate/bearer"
	"github.com/portico-id/portico/internal/gate/dpop"
	"github.com/portico-id/portico/internal/gate/signing"
	"github.com/portico-id/portico/internal/gate/websession"
	"github.com/portico-id/portico/internal/harness/pgtest"
	"github.com/portico-id/portico/internal/harness/signingtest"
	"github.com/portico-id/portico/internal/harness/sqlitetest"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/internal/outbound"
	"github.com/portico-id/portico/internal/password"
	"github.com/portico-id/portico/internal/ratelimit"
	"github.com/portico-id/portico/internal/sealing"
	"github.com/portico-id/portico/internal/webpage"
	"github.com/portico-id/portico/provider"
	"github.com/portico-id/portico/provider/apps"
	"github.com/portico-id/portico/provider/clientprofile"
	"github.com/portico-id/portico/provider/directory"
	"github.com/portico-id/portico/provider/factors"
	"github.com/portico-id/portico/provider/metadoc"
	"github.com/portico-id/portico/provider/outbox"
	"github.com/portico-id/portico/provider/people"
	"github.com/portico-id/portico/provider/registration"
	"github.com/portico-id/portico/provider/resources"
	"github.com/portico-id/portico/provider/scope"
	"github.com/portico-id/portico/provider/upstreams"
	"github.com/portico-id/portico/serviceaccounts"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore"
	"github.com/portico-id/portico/templates"
)

// world is a running provider over a real database, with real HTTP in front.
type world struct {
	testing.TB
	URL       string
	Store     *sqlstore.Store
	Keys      *signing.KeySet
	Apps      *apps.Apps
	People    *people.People
	Factors   *factors.Factors
	Bearer    *bearer.Authenticator
	Resources *resources.Registry
	Provider  *provider.Provider
	Registrar *registration.Registrar
	Machines  *serviceaccounts.Accounts

	registering string // how clients may register themselves
	published   *published

	Directories *directory.Directories
	Upstreams   *upstreams.Upstreams
	visits      *upstreams.Pages
	desks       http.Handler  // pages of other packages; nil: there are none
	said        *bytes.Buffer // the log
	outcome     atomic.Value  // how the last try to sign in ended

	limits   *ratelimit.Limits
	sessions *websession.Manager
	pages    *templates.Pages
	web      *webpage.Writer
	ring     *sealing.Ring

	ambient *ambient.Source
	ahead   *atomic.Int64 // how far the clock is ahead, in nanoseconds
	liars   *atomic.Int64 // how many there are
}

// settings are what a test may want otherwise.
type settings struct {
	database     string // empty: a fresh SQLite file
	lifetimes    provider.Lifetimes
	pool         int
	rates        ratelimit.Rates // nil: none
	watch        provider.Watch  // nil: nobody
	certificates provider.Certificates
	redis        string                  // where servers share which proofs came; empty: nowhere
	nonces       bool                    // proofs have to quote one
	demand       func(storage.User) bool // who must have a second factor; nil: nobody
	beside       *world                  // share its clock and secret: a second replica

	machines bool // there are service accounts
	costly   bool // passwords are hashed as they are outside tests

	over func(*sqlstore.Store) provider.Store // what the provider sees of the store; nil: all of it
}

func sqliteURL(t testing.TB) string { return sqlitetest.URL(t) }

// eachEngine runs the test on SQLite and, outside the quick loop, on
// PostgreSQL.
func eachEngine(t *testing.T, test func(t *testing.T, database string)) {
	t.Run("sqlite", func(t *testing.T) { test(t, sqliteURL(t)) })
	t.Run("postgres", func(t *testing.T) { test(t, pgtest.URL(t)) })
}

// eachDatabase is eachEngine for tests that begin anew again and again.
func eachDatabase(t *testing.T, test func(t *testing.T, anew func(t testing.TB) string)) {
	t.Run("sqlite", func(t *testing.T) { test(t, sqliteURL) })
	t.Run("postgres", func(t *testing.T) { test(t, pgtest.URL) })
}

func newWorld(t testing.TB, s settings) *world {
	t.Helper()
	if s.database == "" {
		s.database = sqliteURL(t)
	}
	w := &world{TB: t, ahead: new(atomic.Int64), liars: new(atomic.Int64)}
	if s.beside != nil {
		w.ahead, w.liars = s.beside.ahead, s.beside.liars
	}
	w.ambient = ambient.New(func() time.Time { return time.Now().Add(time.Duration(w.ahead.Load())) },
		ambient.System().Random())
	store, err := sqlstore.Open(t.Context(),
		sqlstore.Options{URL: s.database, MaxConns: cmp.Or(s.pool, 6), Version: "0.1.0", Migrate: true})
	w.must(err)
	t.Cleanup(func() { _ = store.Close() })
	w.Store = store
	w.serve(s)
	return w
}

func (w *world) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

// serve builds the provider as the application does and puts it behind HTTP.
func (w *world) serve(s settings) {
	server := httptest.NewUnstartedServer(nil)
	w.URL = "http://" + server.Listener.Addr().String()
	if s.beside != nil {
		w.URL = s.beside.URL // replicas share the issuer; requests go where the test sends them
	}
	w.said = new(bytes.Buffer)
	log := slog.New(slog.NewTextHandler(&locked{to: w.said}, nil))
	ring, err := sealing.New([]byte(strings.Repeat("k", 32)), nil, w.ambient)
	w.must(err)
	w.Keys = signingtest.Open(w, signing.Options{Store: w.Store, Ring: ring, Ambient: w.ambient, Log: log, Issuer: w.URL})
	pages, err := templates.New(w.ambient.Token)
	w.must(err)
	hasher := password.NewCheap(w.ambient)
	if s.costly {
		hasher = password.New(w.ambient)
	}
	var store provider.Store = w.Store
	if s.over != nil {
		store = s.over(w.Store)
	}
	proofs, err := dpop.New(dpop.Options{Bases: []string{w.URL}, Ring: ring, Ambient: w.ambient, Nonces: s.nonces,
		RedisURL: s.redis, Log: log})
	w.must(err)
	w.Cleanup(func() { _ = proofs.Close() })
	var listed resources.Store = w.Store
	if over, broken := store.(resources.Store); broken {
		listed = over
	}
	w.Resources = resources.NewRegistry(resources.Options{Store: listed, Ambient: w.ambient, Issuer: w.URL,
		Audience: w.Keys.Audience()})
	w.published = &published{hosts: metadoc.Off}
	who := bearer.New(bearer.Options{Keys: w.Keys, Proofs: proofs, Resources: w.Resources,
		Tokens:     metadoc.Standing(store, w.documentHosts),
		Registered: scope.Registered, ProofAlgorithms: clientprofile.ProofAlgorithms})
	w.Bearer = who
	anywhere := []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("10.0.0.0/8")}
	var kept apps.Store = w.Store
	if over, is := store.(apps.Store); is {
		kept = over
	}
	w.Apps = apps.New(apps.Options{Store: kept, Ambient: w.ambient,
		Outbound: outbound.New(outbound.Options{Networks: anywhere})})
	w.People = people.New(people.Options{Store: w.Store, Ambient: w.ambient, Passwords: hasher})
	mails := outbox.New(outbox.Options{Ambient: w.ambient})
	mails.Ring = ring
	w.Factors = factors.New(factors.Options{
		Store: w.Store, Ambient: w.ambient, Ring: ring, BaseURL: passkeySite,
		Mail: mails.Mail, Name: func() string { return "Portico" },
	})
	limits, err := ratelimit.New(ratelimit.Options{Rates: s.rates, Ambient: w.ambient})
	w.must(err)
	w.limits = limits
	w.Upstreams = upstreams.New(upstreams.Options{BaseURL: w.URL, Store: w.Store,
		Ambient: w.ambient, Ring: ring, Log: log, Set: setField})
	w.Directories = directory.New(directory.Options{Store: w.Store, Ambient: w.ambient, Ring: ring, Log: log,
		Set: setField})
	sessions := websession.New(websession.Options{Ambient: w.ambient, Ring: ring, Demand: s.demand, Store: struct {
		provider.Store
		storage.FormStore
	}{store, w.Store}})
	w.registering = registration.Closed
	w.Registrar = registration.New(registration.Options{Store: w.Store, Apps: w.Apps, Ambient: w.ambient, BaseURL: w.URL,
		Mode: func() string { return w.registering }, Grants: provider.GrantTypes, Answers: clientprofile.ResponseTypes,
		DefaultScopes: apps.DefaultScopes})
	var machines provider.AssertionVerifier
	if s.machines {
		w.Machines = serviceaccounts.New(serviceaccounts.Options{Store: w.Store, Ambient: w.ambient, Log: log,
			TokenURL: w.URL + "/authentication/v2/token", KeysAhead: -1})
		machines = w.Machines
	}
	w.Provider, err = provider.New(provider.Options{
		Assertions: machines, BaseURL: w.URL, Lifetimes: s.lifetimes, Store: store, Ambient: w.ambient, Keys: w.Keys,
		Bearer: who, Proofs: proofs,
		Resources: w.Resources, Sessions: sessions, Elsewhere: w.Upstreams, Directories: w.Directories,
		Factors: w.Factors, Passwords: hasher, Ring: ring, Pages: pages, Log: log, Limits: limits, Watch: s.watch,
		Certificates: s.certificates, Registration: func() string { return w.Registrar.Endpoint() },
		Documents: w.newDocuments(),
	})
	w.must(err)
	w.sessions, w.pages, w.ring, w.web = sessions, pages, ring, webpage.New(pages, log, sessions.Greet)
	w.visits = upstreams.NewPages(upstreams.PagesOptions{Upstreams: w.Upstreams, Sessions: sessions, Pages: pages,
		Web: w.web, Arrive: provider.Arriving(w.Provider), WantsFresh: provider.WantsFresh(w.Provider),
		Claimed: w.Factors.Claimed, Connected: w.Factors.Connected,
		LogoutError: provider.ClientErrors(w.Provider), ResumePath: provider.ResumePath})
	server.Config.Handler = w.behindProxy(proofs.Telling(w.handler()))
	server.Start()
	w.Cleanup(server.Close)
	w.URL = "http://" + server.Listener.Addr().String()
}

func setField(user *storage.User, field, value string) error {
	return people.Set(user, people.Setting{Field: field, Value: value})
}

// handler serves the provider and holds every exchange to the document.
func (w *world) handler() http.Handler {
	all := routes(w.Provider, slices.Concat(w.visits.Routes(), w.Resources.Routes(), w.Registrar.Routes(w.limits))...)
	told := document.Book(w).Wrap(w, all)
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/login/upstream/") || strings.HasPrefix(r.URL.Path, "/account/identities") {
			all.ServeHTTP(rw, r) // pages
			return
		}
		if w.desks != nil && ofDesks(r.URL.Path) {
			w.desks.ServeHTTP(rw, r)
			return
		}
		told.ServeHTTP(rw, r)
	})
}

func routes(p *provider.Provider, more ...httpio.Route) http.Handler {
	areas := []httpio.Area{{Routes: slices.Concat(p.Protocol(), p.PageRoutes(), provider.DeviceRoutes(p), more)}}
	return httpio.Router{Areas: areas, WriteError: func(w http.ResponseWriter, _ *http.Request, err error) {
		http.Error(w, err.Error(), httpio.Status(fault.From(err).Kind))
	}}.Handler()
}

// locked writes for several at once.
type locked struct {
	sync.Mutex
	to io.Writer
}

func (l *locked) Write(line []byte) (int, error) {
	l.Lock()
	defer l.Unlock()
	return l.to.Write(line)
}

// wait moves the clock.
func (w *world) wait(d time.Duration) { w.ahead.Add(int64(d)) }

func (w *world) act() storage.Act {
	return storage.Act{At: w.ambient.Now(), Actor: storage.Actor{Kind: storage.ActorOperator}}
}

// app is a registered client with its secret.
type app struct {
	storage.Client
	Secret string
}

const callback = "https://app.example.test/callback"

// app registers a client; what the test leaves out is a web client of the
// standard profile with one callback.
func (w *world) app(r apps.Registration) app {
	w.Helper()
	if r.Name == "" {
		r.Name = "Example App"
	}
	if r.Type == "" {
		r.Type = storage.ClientWeb
	}
	if r.Profile == "" {
		r.Profile = storage.ProfileStandard
	}
	if r.RedirectURIs == nil && r.Type != storage.ClientService {
		r.RedirectURIs = []string{callback}
	}
	r.ByAdministrator = true
	created, err := w.Apps.Create(w.Context(), w.act(), r)
	w.must(err)
	return app{created.Client, created.Secret}
}

const goodPassword = "correct horse battery staple"

// person adds a user who signs in with goodPassword.
func (w *world) person(email string) storage.User {
	w.Helper()
	user, err := w.People.Create(w.Context(), w.act(),
		people.Newcomer{Email: email, Name: "Demo Person", Password: goodPassword, EmailVerified: true})
	w.must(err)
	return user
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

func (w *world) do(client *http.Client, r *http.Request) answer {
	w.Helper()
	response, err := client.Do(r)
	w.must(err)
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	w.must(err)
	return answer{response.StatusCode, response.Header, body}
}

// post sends a form, with Basic credentials when a has a secret.
func (w *world) post(path string, a app, form url.Values) answer {
	w.Helper()
	r, err := http.NewRequestWithContext(context.Background(), http.MethodPost, w.URL+path,
		strings.NewReader(form.Encode()))
	w.must(err)
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if a.Secret != "" {
		r.SetBasicAuth(a.ID, a.Secret)
	}
	return w.do(plain, r)
}

// plain is a client without cookies that follows no redirect.
var plain = &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}

// form makes values of pairs.
func form(pairs ...string) url.Values {
	v := url.Values{}
	for i := 0; i+1 < len(pairs); i += 2 {
		v.Set(pairs[i], pairs[i+1])
	}
	return v
}

// token asks for tokens; public clients name themselves in the body.
func (w *world) token(a app, f url.Values) answer {
	w.Helper()
	if a.Secret == "" {
		f.Set("client_id", a.ID)
	}
	return w.post("/authentication/v2/token", a, f)
}

// granted is token, which must succeed.
func (w *world) granted(a app, f url.Values) map[string]any {
	w.Helper()
	got := w.token(a, f)
	if got.Status != http.StatusOK {
		w.Fatalf("status %d: %s", got.Status, got.Body)
	}
	return got.JSON(w)
}

// refused checks an OAuth error: status, code and the headers each one has.
func (w *world) refused(got answer, status int, code string) {
	w.Helper()
	if got.Status != status || got.JSON(w)["error"] != code {
		w.Errorf("got %d %s, want %d %s", got.Status, got.Body, status, code)
	}
	if said, _ := got.JSON(w)["error_description"].(string); said == "" || len(got.JSON(w)) != 2 {
		w.Errorf("body of an error: %s", got.Body)
	}
	if got.Header.Get("Cache-Control") != "no-store" || got.Header.Get("Content-Type") != "application/json" {
		w.Errorf("headers of an error: %v", got.Header)
	}
}
