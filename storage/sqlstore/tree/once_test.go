package tree

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/harness/sqlitetest"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
)

// Whoever is told that the disk failed sends their request again, and what they sent before
// is there to be seen.
//
// Rule: SERVER-70
func TestARequestIsCalledCarriedOutBeforeOnceThatIsOnTheDisk(t *testing.T) {
	url := sqlitetest.URL(t)
	db, err := engine.Open(t.Context(), engine.Options{URL: url, Version: "0.1.0", Migrate: true})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	s, now := New(db, nil), time.Unix(1, 0)
	change := storage.Change{Act: storage.Act{At: now}, Once: storage.Once{Key: "key", Fingerprint: "asked"}}
	carryOut := func() error {
		return s.write(t.Context(), func(tx tx) error { return tx.once(t.Context(), change, "made") })
	}
	if err := carryOut(); err != nil {
		t.Fatal(err)
	}
	if done, err := s.FindDone(t.Context(), "key", now); err != nil || done.Subject != "made" {
		t.Errorf("what was carried out is %v: %v", done, err)
	}
	if err := os.Remove(strings.TrimPrefix(url, "sqlite:") + "-wal"); err != nil { // nothing can be kept
		t.Fatal(err)
	}
	if err := carryOut(); !fault.Is(err, fault.Unavailable) {
		t.Errorf("carried out again: %v", err)
	}
	if done, err := s.FindDone(t.Context(), "key", now); !fault.Is(err, fault.Unavailable) {
		t.Errorf("it is called carried out: %v, %v", done, err)
	}
	if _, err := s.FindDone(t.Context(), "other", now); !fault.Is(err, fault.NotFound) {
		t.Errorf("what was never sent: %v", err)
	}
}
