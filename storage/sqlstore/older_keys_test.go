package sqlstore

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/portico-id/portico/internal/harness/pgtest"
	"github.com/portico-id/portico/internal/harness/sqlitetest"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
)

// Rule: SERVER-47
func TestAServerOfBeforeFindsKeysOfRS256Alone(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	for name, url := range map[string]string{"sqlite": sqlitetest.URL(t), "postgresql": pgtest.URL(t)} {
		t.Run(name, func(t *testing.T) {
			s, err := Open(t.Context(), Options{URL: url, Version: "1.0.0", Migrate: true})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = s.Close() })
			for _, algorithm := range []string{"ES256", "RS256", "EdDSA"} {
				key := storage.SigningKey{Algorithm: algorithm, Generation: 1, KID: algorithm, Sealed: []byte{1}, Public: []byte{1}}
				key.CreatedAt, key.ActiveFrom = at, at
				if err := s.AddSigningKey(t.Context(), storage.Act{At: at}, key); err != nil {
					t.Fatal(err)
				}
			}
			// As release 0.1.0 asks. It can't read a key that is none of RSA, and stops.
			var kids []string
			if err := s.db.List(t.Context(), &kids, `SELECT kid FROM signing_keys ORDER BY generation DESC`,
				engine.Args{}); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff([]string{"RS256"}, kids); diff != "" {
				t.Errorf("keys (-want +got):\n%s", diff)
			}
		})
	}
}
