package server

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/portico-id/portico/internal/harness/sqlitetest"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
)

// What was not kept is there to be seen, and whoever counts adds what they are told to have
// failed once more each minute.
//
// Rule: USAGE-4
func TestWhatTheDiskDoesNotKeepIsCountedOnce(t *testing.T) {
	url := sqlitetest.URL(t)
	db, err := engine.Open(t.Context(), engine.Options{URL: url, Version: "0.1.0", Migrate: true})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	s := New(db)
	if _, err = s.ListUsage(t.Context(), "", storage.UsageHour, time.Unix(0, 0)); err != nil { // opens the reader's files
		t.Fatal(err)
	}
	if err := os.Remove(strings.TrimPrefix(url, "sqlite:") + "-wal"); err != nil { // nothing can be kept
		t.Fatal(err)
	}
	added := []storage.UsageAdded{{Hour: time.Unix(0, 0), UsageCounts: storage.UsageCounts{SignIns: 1}}}
	for range 3 {
		if err = s.AddUsage(t.Context(), added); err == nil {
			break
		}
	}
	got, failed := s.ListUsage(t.Context(), "", storage.UsageHour, time.Unix(0, 0))
	if err != nil || failed != nil || len(got) != 1 || got[0].SignIns != 1 {
		t.Errorf("%v was counted: %v, %v", got, err, failed)
	}
}
