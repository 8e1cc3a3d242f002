package sqlstore

import (
	"testing"
	"time"

	"github.com/portico-id/portico/internal/harness/pgtest"
	"github.com/portico-id/portico/internal/harness/sqlitetest"
	"github.com/portico-id/portico/storage"
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

// Rule: SERVER-41
func TestAMailIsItsSendersWhateverAnotherServersClockSays(t *testing.T) {
	t.Parallel()
	s, err := Open(t.Context(), Options{URL: pgtest.URL(t), Version: "1.0.0", Migrate: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	now := time.Now()
	act := storage.Act{At: now, Mails: []storage.Mail{{UID: "m", Kind: "test", To: "a@example.test", Words: "{}"}}}
	if err := s.PostMails(t.Context(), act, "mail.test"); err != nil {
		t.Fatal(err)
	}
	for i, clock := range []time.Time{now, now.Add(time.Hour), now.Add(-time.Hour)} {
		mails, err := s.TakeMails(t.Context(), clock, time.Minute, 1)
		if err != nil || (len(mails) == 1) != (i == 0) {
			t.Errorf("taken at %v: %d, %v", clock, len(mails), err)
		}
	}
}
