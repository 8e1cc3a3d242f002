package bearer_test

import (
	"bytes"
	"context"
	"testing"
	"time"

	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/bearer"
	"github.com/portico-id/portico/internal/sealing"
	"github.com/portico-id/portico/internal/signing"
	"github.com/portico-id/portico/storage"
)

var start = time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)

type query = storage.TokenQuery

// ledger answers what has ended, as the test says, and remembers the questions.
type ledger struct {
	asked []query
	ended bool
	err   error
}

func (l *ledger) TokenActive(_ context.Context, q query) (bool, error) {
	l.asked = append(l.asked, q)
	return !l.ended && l.err == nil, l.err
}

// world is an authenticator over a real key set, and two tokens.
type world struct {
	auth                   *bearer.Authenticator
	tokens                 *ledger
	twoLegged, threeLegged string
}

func newWorld(t *testing.T) world {
	t.Helper()
	source, _ := ambient.Fixed(start, 1)
	ring, err := sealing.New(bytes.Repeat([]byte("s"), 32), nil, source)
	if err != nil {
		t.Fatal(err)
	}
	keys, err := signing.Open(t.Context(), signing.Options{
		Store: newStore(t), Ring: ring, Ambient: source, Log: discard, Issuer: "https://id.example.test",
	})
	if err != nil {
		t.Fatal(err)
	}
	claims := signing.AccessClaims{
		Subject: "USER", ClientID: "client", UserID: "USER", GrantID: "grant", JTI: "jti",
		IssuedAt: start.Unix(), ExpiresAt: start.Add(time.Hour).Unix(), Scope: "data:read data:write",
	}
	w := world{tokens: &ledger{}, threeLegged: sign(t, keys, claims)}
	claims.Subject, claims.UserID, claims.GrantID = "client", "", ""
	w.twoLegged = sign(t, keys, claims)
	w.auth = bearer.New(bearer.Options{Keys: keys, Tokens: w.tokens})
	return w
}

func sign(t *testing.T, keys *signing.KeySet, claims signing.AccessClaims) string {
	t.Helper()
	token, err := keys.SignAccess(t.Context(), claims)
	if err != nil {
		t.Fatal(err)
	}
	return token
}

// newStore returns a key store that holds one key.
func newStore(t *testing.T) storage.SigningKeyStore {
	t.Helper()
	return &oneKey{}
}

type oneKey struct {
	storage.SigningKeyStore
	keys []storage.SigningKey
}

func (o *oneKey) ListSigningKeys(context.Context) ([]storage.SigningKey, error) { return o.keys, nil }

func (o *oneKey) AddSigningKey(_ context.Context, _ storage.Act, key storage.SigningKey) error {
	o.keys = append(o.keys, key)
	return nil
}
