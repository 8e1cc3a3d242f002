package engine

import (
	"testing"
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

// Rule: SERVER-33
func TestAChangeWaitsForAnotherProcessOnlyOnce(t *testing.T) {
	t.Parallel()
	path := t.TempDir() + "/portico.db"
	ours, err := Open(t.Context(), Options{URL: "sqlite:" + path, Version: "1.0.0", Migrate: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ours.Close() })
	theirs, err := Open(t.Context(), Options{URL: "sqlite:" + path, Version: "1.0.0"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = theirs.Close() })
	nothing := func(Tx) error { return nil }
	err = theirs.Write(t.Context(), func(Tx) error {
		began := time.Now()
		err := ours.WriteSoon(t.Context(), nothing)
		if took := time.Since(began); took > 2*LockWait {
			t.Errorf("it waited for %v", took)
		}
		if !fault.HasReason(err, storage.ReasonBusy) {
			t.Errorf("got %v", err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := ours.WriteSoon(t.Context(), nothing); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}
