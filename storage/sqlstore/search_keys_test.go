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

// Rule: ADMIN-28
func TestKeysAreFittedInPartsUntilNobodyIsLeft(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	for name, url := range map[string]string{"sqlite": sqlitetest.URL(t), "postgresql": pgtest.URL(t)} {
		t.Run(name, func(t *testing.T) {
			s, err := Open(t.Context(), Options{URL: url, Version: "1.0.0", Migrate: true})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = s.Close() })
			for _, id := range []string{"U1", "U2", "U3", "U4", "U5"} {
				person := storage.User{ID: id, Email: id + "@example.test", CreatedAt: at, UpdatedAt: at}
				if err := s.CreateUser(t.Context(), storage.Act{At: at}, person, ""); err != nil {
					t.Fatal(err)
				}
			}
			for without, want := range map[string]int{"id <> ''": 5, "id IN ('U1', 'U5')": 2, "id = ''": 0} {
				if _, err := s.db.WriteOne(t.Context(), "UPDATE users SET search_key = '' WHERE "+without,
					engine.Args{}); err != nil {
					t.Fatal(err)
				}
				if n, err := s.FitSearchKeys(t.Context(), 2); err != nil || n != want {
					t.Errorf("%s: %d, want %d, %v", without, n, want, err)
				}
			}
			found, err := s.ListUsers(t.Context(), storage.UserFilter{Query: "example"}, storage.PageRequest{})
			if err != nil || found.Total != 5 {
				t.Errorf("%d are found, %v", found.Total, err)
			}
		})
	}
}
