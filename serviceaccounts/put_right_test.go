package serviceaccounts

import (
	"context"
	"crypto/ed25519"
	"crypto/x509"
	"testing"
	"time"

	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/storage"
)

// oneKey is a database with one key.
type oneKey struct {
	Store
	is storage.ServiceAccountKey
}

func (o *oneKey) FindServiceAccountKey(context.Context, string) (storage.ServiceAccountKey,
	storage.ServiceAccount, error) {
	return o.is, storage.ServiceAccount{Status: storage.ServiceAccountEnabled,
		ExpiresAt: time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)}, nil
}

// Rule: SERVER-53
func TestAKeyThatIsDisabledIsSoThoughTheClockWasPutRight(t *testing.T) {
	source, clock := ambient.Fixed(time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC), 1)
	public, err := x509.MarshalPKIXPublicKey(ed25519.PublicKey(make([]byte, ed25519.PublicKeySize)))
	if err != nil {
		t.Fatal(err)
	}
	store := &oneKey{is: storage.ServiceAccountKey{KID: "k", Public: public, Status: storage.KeyEnabled}}
	known := newKnownKeys(store, source)
	usable := func() bool {
		key, err := known.find(t.Context(), "k", source.Now())
		return err == nil && key.usable(source.Now())
	}
	clock.Step(time.Hour)
	if !usable() {
		t.Error("it is not known")
	}
	clock.Step(-time.Hour)
	store.is.Status = storage.KeyDisabled // by another server
	clock.Advance(time.Second)
	if usable() {
		t.Error("it counts")
	}
}
