package engine

import (
	"context"
	"errors"
	"testing"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/harness/sqlitetest"
)

// Whoever hangs up in the middle of a query is no failure of ours, whichever
// query it was.
func TestReadsFailWithFaultsButForARowThatIsNotThere(t *testing.T) {
	db, err := Open(t.Context(), Options{URL: sqlitetest.URL(t), Version: "0.1.0", Migrate: true})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	gone, leave := context.WithCancel(t.Context())
	leave()
	var one int
	var many []int
	for what, err := range map[string]error{
		"one row":   db.Get(gone, &one, `SELECT 1`, Args{}),
		"many rows": db.List(gone, &many, `SELECT 1`, Args{}),
	} {
		if f := new(fault.Error); !errors.As(err, &f) || f.Kind != fault.Unavailable {
			t.Errorf("reading %s: %v", what, err)
		}
	}
	if err := db.Get(t.Context(), &one, `SELECT 1 WHERE 1 = 0`, Args{}); !IsNoRow(err) {
		t.Errorf("reading no row: %v", err)
	}
}
