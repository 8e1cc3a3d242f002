package sqlstore

import (
	"testing"
	"time"

	"github.com/portico-id/portico/internal/harness/pgtest"
	"github.com/portico-id/portico/internal/harness/sqlitetest"
)

// Rule: SERVER-41
func TestWhoLostALeaseGivesBackNobodyElses(t *testing.T) {
	t.Parallel()
	for name, url := range map[string]string{"sqlite": sqlitetest.URL(t), "postgresql": pgtest.URL(t)} {
		t.Run(name, func(t *testing.T) {
			s, err := Open(t.Context(), Options{URL: url, Version: "1.0.0", Migrate: true})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = s.Close() })
			now := time.Now()
			acquire := func(holder string, length time.Duration) bool {
				t.Helper()
				mine, err := s.AcquireLease(t.Context(), "duty", holder, now, now.Add(length))
				if err != nil {
					t.Fatal(err)
				}
				return mine
			}
			if !acquire("one", time.Minute) {
				t.Fatal("a free lease is not to be had")
			}
			if acquire("other", 0) {
				t.Error("another gave it back")
			}
			if acquire("other", time.Minute) {
				t.Error("it was free then")
			}
			if !acquire("one", 0) || !acquire("other", time.Minute) {
				t.Error("what its holder gave back is not free")
			}
		})
	}
}
