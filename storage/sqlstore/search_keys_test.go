package sqlstore

import (
	"testing"
	"time"

	"github.com/portico-id/portico/internal/harness/pgtest"
	"github.com/portico-id/portico/internal/harness/sqlitetest"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
)

// Rule: ADMIN-28
func TestWhatIsOlderThanSearchKeysIsFoundAfterAStart(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	for name, url := range map[string]string{"sqlite": sqlitetest.URL(t), "postgresql": pgtest.URL(t)} {
		t.Run(name, func(t *testing.T) {
			opened := func() *Store {
				s, err := Open(t.Context(), Options{URL: url, Version: "1.0.0", Migrate: true})
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { _ = s.Close() })
				return s
			}
			s := opened()
			person := storage.User{ID: "U1", Email: "m@example.test", Profile: storage.Profile{Name: "Müller"},
				CreatedAt: at, UpdatedAt: at}
			if err := s.CreateUser(t.Context(), storage.Act{At: at}, person, ""); err != nil {
				t.Fatal(err)
			}
			// As a server of the release before leaves it.
			if _, err := s.db.WriteOne(t.Context(), `UPDATE users SET search_key = ''`, engine.Args{}); err != nil {
				t.Fatal(err)
			}
			found, err := opened().ListUsers(t.Context(), storage.UserFilter{Query: "muller"}, storage.PageRequest{})
			if err != nil || found.Total != 1 {
				t.Errorf("%+v, %v", found, err)
			}
		})
	}
}
