package bearer_test

import (
	"bytes"
	"context"
	"slices"
	"testing"
	"time"

	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/gate/bearer"
	"github.com/portico-id/portico/internal/gate/signing"
	"github.com/portico-id/portico/internal/harness/signingtest"
	"github.com/portico-id/portico/internal/harness/sqlitetest"
	"github.com/portico-id/portico/internal/sealing"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore"
)

var start = time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)

type query = storage.TokenQuery

// ledger remembers what the store was asked, and fails when a test says so.
type ledger struct {
	bearer.Tokens
	asked []query
	err   error
}

func (l *ledger) TokenState(ctx context.Context, q query) (storage.TokenState, error) {
	l.asked = append(l.asked, q)
	if l.err != nil {
		return storage.TokenState{}, l.err
	}
	return l.Tokens.TokenState(ctx, q)
}

// world is an authenticator over a database with a client, a user and a grant,
// and a token of the client with and without the user.
type world struct {
	auth                   *bearer.Authenticator
	store                  *sqlstore.Store
	tokens                 *ledger
	keys                   *signing.KeySet
	twoLegged, threeLegged string
}

// act is what a test does to the store.
var act = storage.Act{At: start, Actor: storage.Actor{Kind: storage.ActorOperator}}

func newWorld(t *testing.T) world {
	t.Helper()
	source, _ := ambient.Fixed(start, 1)
	ring, err := sealing.New(bytes.Repeat([]byte("s"), 32), nil, source)
	if err != nil {
		t.Fatal(err)
	}
	store := newStore(t)
	keys := signingtest.Open(t, signing.Options{
		Store: store, Ring: ring, Ambient: source, Log: discard, Issuer: "https://id.example.test",
	})
	claims := signing.AccessClaims{
		Subject: "USER", ClientID: "client", UserID: "USER", GrantID: "grant", JTI: "jti",
		IssuedAt: start.Unix(), ExpiresAt: start.Add(time.Hour).Unix(), Scope: "data:read data:write",
	}
	w := world{store: store, tokens: &ledger{Tokens: store}, keys: keys, threeLegged: sign(t, keys, claims)}
	claims.Subject, claims.UserID, claims.GrantID = "client", "", ""
	w.twoLegged = sign(t, keys, claims)
	w.auth = bearer.New(bearer.Options{Keys: keys, Tokens: w.tokens, Registered: slices.Contains[[]string]})
	return w
}

func sign(t *testing.T, keys *signing.KeySet, claims signing.AccessClaims) string {
	t.Helper()
	token, err := keys.SignAccess(t.Context(), signing.RS256, claims)
	if err != nil {
		t.Fatal(err)
	}
	return token
}

// newStore returns a database with a client, a user and a grant between them.
func newStore(t *testing.T) *sqlstore.Store {
	t.Helper()
	store, err := sqlstore.Open(t.Context(), sqlstore.Options{
		URL: sqlitetest.URL(t), Version: "0.1.0", Migrate: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	code := storage.AuthorizeCode{
		Hash: []byte("code"), GrantID: "grant", ClientID: "client", UserID: "USER", SessionID: "session",
		AuthTime: start, IssuedAt: start, ExpiresAt: start.Add(time.Minute),
	}
	grant := storage.Grant{ID: "grant", ClientID: "client", UserID: "USER", AuthTime: start, CreatedAt: start}
	for _, err := range []error{
		store.CreateClient(t.Context(), act, storage.Client{
			ID: "client", Name: "Client", Type: storage.ClientWeb, Profile: storage.ProfilePlatform,
			Scopes: []string{"data:read", "data:write"}, CreatedAt: start, UpdatedAt: start,
		}),
		store.CreateUser(t.Context(), act, storage.User{ID: "USER", Email: "user@example.test", CreatedAt: start,
			UpdatedAt: start}, ""),
		store.StartSession(t.Context(), act, storage.LoginSession{
			ID: "session", TokenHash: []byte("cookie"), UserID: "USER", AuthTime: start, CreatedAt: start, LastSeenAt: start,
			ExpiresAt: start.Add(time.Hour),
		}, storage.Proof{}),
		store.IssueCode(t.Context(), code, nil, ""),
		store.RedeemCode(t.Context(), act, code.Hash, grant),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	return store
}
