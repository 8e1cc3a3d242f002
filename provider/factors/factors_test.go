package factors_test

import (
	"bytes"
	"errors"
	"net/url"
	"strings"
	"testing"

	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/harness/sqlitetest"
	"github.com/portico-id/portico/internal/sealing"
	"github.com/portico-id/portico/provider/factors"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore"
)

func ringOf(t *testing.T, secret, previous string) *sealing.Ring {
	t.Helper()
	var before []byte
	if previous != "" {
		before = []byte(strings.Repeat(previous, 32))
	}
	ring, err := sealing.New([]byte(strings.Repeat(secret, 32)), before, ambient.System())
	if err != nil {
		t.Fatal(err)
	}
	return ring
}

// Rule: FACTOR-10
func TestSecretsAreSealedAnewAfterAChangeOfTheServersSecret(t *testing.T) {
	store, err := sqlstore.Open(t.Context(), sqlstore.Options{URL: sqlitetest.URL(t), Version: "0.1.0", Migrate: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	const secret = "12345678901234567890"
	now := ambient.System().Now()
	act := storage.Act{At: now, Actor: storage.Actor{Kind: storage.ActorOperator}}
	sealed := ringOf(t, "a", "").Seal("authenticator", []byte(secret), []byte("U1"))
	if bytes.Contains(sealed, []byte(secret)) {
		t.Error("the secret is not sealed")
	}
	err = store.CreateUser(t.Context(), act,
		storage.User{ID: "U1", Email: "u@example.test", CreatedAt: now, UpdatedAt: now}, "")
	_, failed := store.AddAuthenticator(t.Context(), act,
		storage.Authenticator{UserID: "U1", Secret: sealed, CreatedAt: now}, nil, storage.LoginSession{})
	err = errors.Join(err, failed)
	for range 2 { // the second time there is nothing to do
		err = errors.Join(err, factors.New(factors.Options{Store: store, Ambient: ambient.System(),
			Ring: ringOf(t, "b", "a")}).Reseal(t.Context()))
	}
	if err != nil {
		t.Fatal(err)
	}
	has, err := store.FindFactors(t.Context(), "U1")
	if err != nil {
		t.Fatal(err)
	}
	got, _, err := ringOf(t, "b", "").Open("authenticator", has.Authenticator.Secret, []byte("U1"))
	if err != nil || string(got) != secret {
		t.Errorf("with the new secret alone: %q, %v", got, err)
	}
}

// Rule: BRAND-2
func TestAnAuthenticatorIsCalledAsTheServerIsAtTheMoment(t *testing.T) {
	name := "Portico"
	f := factors.New(factors.Options{Ambient: ambient.System(), Ring: ringOf(t, "a", ""),
		Name: func() string { return name }})
	for _, name = range []string{"Portico", "Weber & Söhne"} {
		e := f.Begin(storage.User{ID: "U1", Email: "u@example.test"}, "")
		uri, err := url.Parse(e.URI)
		if err != nil || uri.Query().Get("issuer") != name {
			t.Errorf("%s, %v", e.URI, err)
		}
	}
}
