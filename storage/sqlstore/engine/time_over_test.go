package engine

import (
	"context"
	"testing"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/harness/sqlitetest"
)

// Rule: SERVER-31
func TestATransactionWhoseTimeIsOverIsToTryAgain(t *testing.T) {
	db, err := Open(t.Context(), Options{URL: sqlitetest.URL(t), Version: "0.1.0", Migrate: true})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	ask := func(tx Tx) error {
		var n int
		return tx.Get(t.Context(), &n, "SELECT 1", Args{})
	}
	if err := db.Write(t.Context(), ask); err != nil {
		t.Errorf("in time: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	err = db.Write(ctx, func(tx Tx) error {
		cancel()
		for { // until database/sql has taken the transaction back
			if err := ask(tx); err != nil {
				return err
			}
		}
	})
	if !fault.Is(err, fault.Unavailable) {
		t.Errorf("too late: %v", err)
	}
}
