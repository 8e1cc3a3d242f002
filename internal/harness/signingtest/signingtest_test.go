package signingtest_test

import (
	"bytes"
	"log/slog"
	"testing"
	"time"

	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/gate/signing"
	"github.com/portico-id/portico/internal/harness/signingtest"
	"github.com/portico-id/portico/internal/harness/sqlitetest"
	"github.com/portico-id/portico/internal/sealing"
	"github.com/portico-id/portico/storage/sqlstore"
)

func TestStoresUnderOneSecretShareAKeyThatIsNewInEach(t *testing.T) {
	now := time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
	first, again, other := open(t, "a", now), open(t, "a", now.Add(time.Hour)), open(t, "b", now)
	if first.KID != again.KID || first.KID == other.KID {
		t.Errorf("the keys are %s, %s under the same secret, and %s under another", first.KID, again.KID, other.KID)
	}
	for _, key := range []struct {
		signing.KeyInfo
		since time.Time
	}{{first, now}, {again, now.Add(time.Hour)}, {other, now}} {
		if key.State != signing.Active || !key.CreatedAt.Equal(key.since) || !key.ActiveFrom.Equal(key.since) {
			t.Errorf("%+v, want one that signs since %v", key.KeyInfo, key.since)
		}
	}
}

// open returns the first key of a fresh store, with which tokens can be signed
// and verified.
func open(t *testing.T, secret string, now time.Time) signing.KeyInfo {
	t.Helper()
	store, err := sqlstore.Open(t.Context(), sqlstore.Options{URL: sqlitetest.URL(t), Version: "0.1.0"})
	must(t, err)
	t.Cleanup(func() { _ = store.Close() })
	source, _ := ambient.Fixed(now, 1)
	ring, err := sealing.New(bytes.Repeat([]byte(secret), 32), nil, source)
	must(t, err)
	set := signingtest.Open(t, signing.Options{
		Store: store, Ring: ring, Ambient: source, Log: slog.New(slog.DiscardHandler), Issuer: "https://id.example.test",
	})
	token, err := set.SignAccess(t.Context(), signing.RS256,
		signing.AccessClaims{Subject: "c", ClientID: "c", JTI: "j", ExpiresAt: now.Add(time.Hour).Unix()})
	must(t, err)
	_, err = set.VerifyAccess(t.Context(), token)
	must(t, err)
	keys, err := set.List(t.Context())
	must(t, err)
	if len(keys) != 3 {
		t.Fatalf("%d keys, want one of each algorithm that is cheap to begin with", len(keys))
	}
	return keys[0]
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
