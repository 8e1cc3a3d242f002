package provider_test

import (
	"context"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/provider"
	"github.com/portico-id/portico/provider/apps"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore"
)

// forgetful is a store that fails to find codes as often as it is told to, and
// then finds them again: a database that restarts.
type forgetful struct {
	*sqlstore.Store
	failures atomic.Int32
}

func (f *forgetful) FindCode(ctx context.Context, hash []byte) (storage.AuthorizeCode, error) {
	if f.failures.Add(-1) >= 0 {
		return storage.AuthorizeCode{}, fault.New(fault.Unavailable, "", "Try again.")
	}
	return f.Store.FindCode(ctx, hash)
}

// A look-up that fails must not count as "there was no challenge".
// Rule: CODE-5
func TestAVerifierIsDemandedWhenTheStoreFailedForAMoment(t *testing.T) {
	var store *forgetful
	w := newWorld(t, settings{over: func(s *sqlstore.Store) provider.Store {
		store = &forgetful{Store: s}
		return store
	}})
	w.person(somebody)
	a := w.app(apps.Registration{})
	b := w.browser()
	const verifier, challenge = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk",
		"E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
	code := b.code(a, somebody, "code_challenge", challenge, "code_challenge_method", "S256")
	for name, pairs := range map[string][]string{"no verifier": nil,
		"a wrong one": {"code_verifier", strings.Repeat("x", 43)}} {
		store.failures.Store(1)
		if got := b.redeem(a, code, pairs...); got.Status != http.StatusServiceUnavailable {
			t.Errorf("%s: %d %s", name, got.Status, got.Body)
		}
	}
	store.failures.Store(0)
	if got := b.redeem(a, code, "code_verifier", verifier); got.Status != http.StatusOK {
		t.Errorf("with the store back: %d %s", got.Status, got.Body)
	}
}
