package engine

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/portico-id/portico/internal/harness/sqlitetest"
)

// Rule: EXCHANGE-10
func TestOnlyWhatMayBeLostIsWrittenWithoutWaitingForTheDisk(t *testing.T) {
	db, err := Open(t.Context(), Options{URL: sqlitetest.URL(t), Version: "0.1.0", Migrate: true})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	const normal, full = 1, 2
	levels := map[string]int{}
	for name, on := range map[string]*handle{"writer": db.writer, "unsynced": db.unsynced} {
		var level int
		rows, err := on.query(t.Context(), `PRAGMA synchronous`, Args{})
		if err := on.readOne(rows, err, &level); err != nil {
			t.Fatal(err)
		}
		levels[name] = level
	}
	if diff := cmp.Diff(map[string]int{"writer": full, "unsynced": normal}, levels); diff != "" {
		t.Errorf("PRAGMA synchronous (-want +got):\n%s", diff)
	}
}
