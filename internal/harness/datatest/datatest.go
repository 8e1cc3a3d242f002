// Package datatest is what tests of the data half stand on: a real database, a
// clock that can be set ahead, people, apps and tokens, and real HTTP in front of
// the endpoints under test.
//
// It is for tests alone and knows no endpoint. Start at New; Listen and Serve put
// endpoints in front.
package datatest

import (
	"database/sql"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/portico-id/portico/dataapi/administration"
	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/gate/bearer"
	"github.com/portico-id/portico/internal/gate/middleware"
	"github.com/portico-id/portico/internal/gate/signing"
	"github.com/portico-id/portico/internal/harness/openapicheck"
	"github.com/portico-id/portico/internal/harness/signingtest"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/internal/sealing"
	"github.com/portico-id/portico/provider/scope"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore"
)

// World is a database, and what stands on it.
type World struct {
	testing.TB
	Store   *sqlstore.Store
	Admin   *administration.Rules
	Ambient *ambient.Source
	Ahead   *atomic.Int64 // how far the clock is ahead, in nanoseconds
	Ring    *sealing.Ring

	database string
	beside   *sql.DB // beside the store; nil: not needed yet
	queries  map[string]*sql.Stmt

	// Since Listen.
	URL    string
	Keys   *signing.KeySet
	Bearer *bearer.Authenticator
}

// New returns a world over the database, which ends with the test.
func New(t testing.TB, database string) *World {
	t.Helper()
	w := &World{TB: t, Ahead: new(atomic.Int64), database: database, queries: map[string]*sql.Stmt{}}
	system := ambient.System()
	w.Ambient = ambient.New(func() time.Time { return system.Now().Add(time.Duration(w.Ahead.Load())) }, system.Random())
	var err error
	w.Store, err = sqlstore.Open(t.Context(),
		sqlstore.Options{URL: database, MaxConns: 6, Version: "0.1.0", Migrate: true})
	w.Must(err)
	t.Cleanup(func() { _ = w.Store.Close() })
	w.Ring, err = sealing.New([]byte(strings.Repeat("k", 32)), nil, w.Ambient)
	w.Must(err)
	w.Admin = administration.New(administration.Options{Store: w.Store, Ambient: w.Ambient, Namespace: "portico"})
	return w
}

// Must ends the test when there is an error.
func (w *World) Must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

// Equal fails the test when got is not what is wanted.
func (w *World) Equal(want, got any) {
	w.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		w.Errorf("-want +got\n%s", diff)
	}
}

// Wait sets the clock ahead.
func (w *World) Wait(d time.Duration) { w.Ahead.Add(int64(d)) }

// Listen returns a server that has its address but does not serve yet: tokens
// and links name the address.
func (w *World) Listen() *httptest.Server {
	w.Helper()
	server := httptest.NewUnstartedServer(nil)
	w.URL = "http://" + server.Listener.Addr().String()
	w.Keys = signingtest.Open(w, signing.Options{Store: w.Store, Ring: w.Ring, Ambient: w.Ambient,
		Log: slog.New(slog.DiscardHandler), Issuer: w.URL})
	w.Bearer = bearer.New(bearer.Options{Keys: w.Keys, Tokens: w.Store, Registered: scope.Registered})
	return server
}

// Serve starts the server with the handler, inside of what the application puts
// around it, and holds every exchange to the description.
func (w *World) Serve(server *httptest.Server, description *openapicheck.Suite, writeError httpio.ErrorWriter,
	handler http.Handler) {
	w.Helper()
	server.Config.Handler = description.Book(w).Wrap(w, middleware.Chain(middleware.Options{
		Ambient: w.Ambient, Log: slog.New(slog.DiscardHandler), WriteError: writeError,
	}, handler))
	server.Start()
	w.Cleanup(server.Close)
}

// Operator is a change from the command line.
func (w *World) Operator() storage.Change {
	return storage.Change{Act: storage.Act{At: w.Ambient.Now(), Actor: storage.Actor{Kind: storage.ActorOperator}}}
}

// Client adds an app with the id.
func (w *World) Client(id string) {
	w.Helper()
	now := w.Ambient.Now()
	w.Must(w.Store.CreateClient(w.Context(), w.Operator().Act, storage.Client{
		ID: id, Name: id, Type: storage.ClientService, Profile: storage.ProfilePlatform,
		Scopes: scope.All(), CreatedAt: now, UpdatedAt: now,
	}))
}

// User adds a person with a name made of the id, and returns the id.
func (w *World) User(id string) string {
	w.Helper()
	now := w.Ambient.Now()
	w.Must(w.Store.CreateUser(w.Context(), w.Operator().Act, storage.User{
		ID: id, Email: strings.ToLower(id) + "@example.test", EmailVerified: true,
		Profile: storage.Profile{Name: "Name of " + id}, CreatedAt: now, UpdatedAt: now,
	}, ""))
	return id
}

// Token returns an access token for an hour: of the user through the client, or
// of the client itself when there is no user.
func (w *World) Token(client, user, scope string) string {
	w.Helper()
	subject := user
	if user == "" {
		subject = client
	}
	now := w.Ambient.Now()
	token, err := w.Keys.SignAccess(w.Context(), signing.RS256, signing.AccessClaims{
		Subject: subject, ClientID: client, UserID: user, IssuedAt: now.Unix(), ExpiresAt: now.Add(time.Hour).Unix(),
		JTI: w.Ambient.UID(), Scope: scope,
	})
	w.Must(err)
	return token
}
