// Package storagetest holds an implementation of package storage to its
// contract.
//
// An engine's own tests call Run with the means to make databases and open
// stores. Each check has the name of the sentence it stands for and runs on a
// database of its own; the checks lie in a file per topic. Races are checked
// with many goroutines and with two stores on one database, as two server
// processes would have it.
//
// It is not a package of fakes: there are none.
package storagetest

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

// Engine is what the suite runs on.
type Engine struct {
	// NewDatabase makes a database with the schema and no rows, and returns
	// what Open finds it by.
	NewDatabase func(t testing.TB) string

	// Open returns a store on the database with at most conns connections, 0
	// for the engine's own choice. It is closed when the test ends.
	Open func(t testing.TB, database string, conns int) storage.Identity
}

// check is one sentence of the contract and the test of it.
type check struct {
	sentence string
	test     func(*World)
}

// World is a database of its own for one test, with the means to fill it. Its
// clock starts in the middle of a microsecond's neighbourhood, so that coarser
// times show.
type World struct {
	testing.TB
	Store  storage.Identity
	Source *ambient.Source
	Clock  *ambient.FixedClock

	engine   Engine
	database string
	verdicts map[storage.TokenQuery]verdict // that were asked for before
}

// verdict is what was said of a token when the store was of the age.
type verdict struct {
	active bool
	age    uint64
}

// fewConns is how many connections the store of a check has: where fifty try the same at once
// each that is there is opened, which takes a server of PostgreSQL longer than what they try.
const fewConns = 6

// NewWorld makes a database and opens a store on it.
func NewWorld(t testing.TB, engine Engine) *World {
	t.Helper()
	w := &World{TB: t, engine: engine, database: engine.NewDatabase(t), verdicts: map[storage.TokenQuery]verdict{}}
	w.Source, w.Clock = ambient.Fixed(time.Date(2026, 3, 4, 5, 6, 7, 123457000, time.UTC), 1)
	w.Store = engine.Open(t, w.database, fewConns)
	return w
}

// everybodyIsFound looks, after what a test did, whether people are found by what they have
// now: each act that changes an address or a name changes what they are looked for by.
func everybodyIsFound(w *World) {
	w.Helper()
	ctx := context.WithoutCancel(w.Ctx())
	all, err := w.Store.ListUsers(ctx, storage.UserFilter{}, storage.PageRequest{Limit: 20})
	w.Must(err)
	for _, user := range all.Rows {
		texts := []string{user.Email, user.Username, user.Title()}
		slices.Sort(texts)
		for _, text := range slices.Compact(texts) {
			if text == "" {
				continue // it finds everybody
			}
			found, err := w.Store.ListUsers(ctx, storage.UserFilter{Query: text}, storage.PageRequest{})
			w.Must(err)
			if !slices.ContainsFunc(found.Rows, func(u storage.User) bool { return u.ID == user.ID }) {
				w.Errorf("%s is not found by %q", user.ID, text)
			}
		}
	}
}

// Second opens another store on the same database, as a second process would.
func (w *World) Second(conns int) storage.Identity {
	w.Helper()
	return w.engine.Open(w.TB, w.database, conns)
}

// Ctx returns the test's context.
func (w *World) Ctx() context.Context { return w.Context() }

// Now returns the time of the test's clock.
func (w *World) Now() time.Time { return w.Source.Now() }

// Act returns an act of the operator at the present time.
func (w *World) Act() storage.Act {
	return storage.Act{At: w.Now(), Actor: storage.Actor{Kind: storage.ActorOperator}}
}

// User adds an enabled user.
func (w *World) User() storage.User {
	w.Helper()
	id := w.Source.PersonID()
	user := storage.User{ID: id, Email: id + "@Example.test", Username: "u-" + id, CreatedAt: w.Now(), UpdatedAt: w.Now()}
	w.Must(w.Store.CreateUser(w.Ctx(), w.Act(), user, "hash of "+id))
	return user
}

// Client adds an enabled web client.
func (w *World) Client() storage.Client {
	w.Helper()
	client := storage.Client{
		ID: w.Source.ClientID(), Name: "Client", Type: storage.ClientWeb, Profile: storage.ProfilePlatform,
		CreatedAt: w.Now(), UpdatedAt: w.Now(),
	}
	w.Must(w.Store.CreateClient(w.Ctx(), w.Act(), client))
	return client
}

// Session signs the user in for a day.
func (w *World) Session(userID string) storage.LoginSession {
	w.Helper()
	session := newSession(w, userID)
	w.Must(w.Store.StartSession(w.Ctx(), w.Act(), session, storage.Proof{TwoFactor: w.hasTwoFactors(userID)}))
	return session
}

func newSession(w *World, userID string) storage.LoginSession {
	return storage.LoginSession{
		ID: w.Source.UID(), TokenHash: w.Source.Bytes(32), UserID: userID,
		AuthTime: w.Now(), ACR: "urn:portico:acr:1", AMR: []string{"pwd"},
		CreatedAt: w.Now(), LastSeenAt: w.Now(), ExpiresAt: w.Now().Add(24 * time.Hour),
		Address: "192.0.2.1", UserAgent: "Browser", MetRequest: w.Source.Token(),
		CameAt: w.Now().Add(-time.Second),
	}
}

// Request parks a login request for an hour.
func (w *World) Request(clientID string) storage.LoginRequest {
	w.Helper()
	request := storage.LoginRequest{
		ID: w.Source.Token(), ClientID: clientID, Params: "scope=openid",
		CreatedAt: w.Now(), ExpiresAt: w.Now().Add(time.Hour),
	}
	w.Must(w.Store.ParkLoginRequest(w.Ctx(), request))
	return request
}

// Code issues a code that lives a minute.
func (w *World) Code(userID, clientID string) storage.AuthorizeCode {
	w.Helper()
	code := storage.AuthorizeCode{
		Hash: w.Source.Bytes(32), GrantID: w.Source.UID(), ClientID: clientID, UserID: userID,
		SessionID:   w.Session(userID).ID,
		RedirectURI: "https://client.example.test/cb", Scopes: []string{"openid", "data:read"}, Nonce: "n",
		Resources: []string{"https://r.example.test"}, Challenge: "c", ProofKey: "k", Device: "192.0.2.7",
		Claims: "{}", AuthTime: w.Now().Add(-time.Minute), ACR: "urn:portico:acr:1", AMR: []string{"pwd"},
		IssuedAt: w.Now(), ExpiresAt: w.Now().Add(time.Minute),
	}
	w.Must(w.Store.IssueCode(w.Ctx(), code, nil, ""))
	return code
}

// grantOf returns the grant that redeeming the code makes: its first refresh
// token lives 15 days.
func (w *World) grantOf(code storage.AuthorizeCode) storage.Grant {
	return storage.Grant{
		ID: code.GrantID, ClientID: code.ClientID, UserID: code.UserID, SessionID: code.SessionID, Scopes: code.Scopes,
		Resources: code.Resources, Device: code.Device,
		Nonce: code.Nonce, Claims: code.Claims, AuthTime: code.AuthTime, ACR: code.ACR, AMR: code.AMR,
		ProofKey: "k", Certificate: "c", CreatedAt: w.Now(), Generation: 1, RotatedAt: w.Now(),
		ExpiresAt: w.Now().Add(15 * 24 * time.Hour),
	}
}

// Grant adds a live grant by way of a code.
func (w *World) Grant(userID, clientID string) storage.Grant {
	w.Helper()
	code := w.Code(userID, clientID)
	grant := w.grantOf(code)
	w.Must(w.Store.RedeemCode(w.Ctx(), w.Act(), code.Hash, grant))
	return grant
}

// Must fails the test when there is an error.
func (w *World) Must(err error) {
	w.Helper()
	if err != nil {
		w.Fatalf("unexpected error: %v", err)
	}
}

// Refused checks that an error is a fault of the kind, with the reason when one
// is given.
func (w *World) Refused(err error, kind fault.Kind, reason string) {
	w.Helper()
	if err == nil || !fault.Is(err, kind) || reason != "" && !fault.HasReason(err, reason) {
		w.Errorf("error is %v, want %v %s", err, kind, reason)
	}
}

// Equal checks that two values are the same; nil and empty lists are.
func (w *World) Equal(want, got any) {
	w.Helper()
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		w.Errorf("-want +got:\n%s", diff)
	}
}

// Audited checks that the newest events about a subject are of these kinds,
// newest first, and all there are when there are fewer.
func (w *World) Audited(subject string, kinds ...string) {
	w.Helper()
	events, _, err := w.Store.ListAudit(w.Ctx(), storage.AuditFilter{Subject: subject}, storage.PageRequest{})
	w.Must(err)
	var got []string
	for _, event := range events {
		got = append(got, event.Kind)
	}
	w.Equal(kinds, got)
}

// grantState returns whether the grant is live, for messages that read well.
func (w *World) grantState(id string) string {
	w.Helper()
	grant, err := w.Store.FindGrant(w.Ctx(), id)
	switch {
	case fault.Is(err, fault.NotFound):
		return "absent"
	case err != nil:
		w.Fatal(err)
	case !grant.RevokedAt.IsZero():
		return "revoked"
	}
	return "live"
}

// sessionState returns whether the session is live.
func (w *World) sessionState(session storage.LoginSession) string {
	w.Helper()
	_, _, err := w.Store.FindSession(w.Ctx(), session.TokenHash, w.Now(), w.Now().Add(-time.Hour))
	if fault.Is(err, fault.NotFound) {
		return "ended"
	}
	w.Must(err)
	return "live"
}
