package engine

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/harness/sqlitetest"
)

// Rules: EXCHANGE-10, SERVER-70
func TestOnlyWhatMayBeLostIsWrittenWithoutWaitingForTheDisk(t *testing.T) {
	db, err := Open(t.Context(), Options{URL: sqlitetest.URL(t), Version: "0.1.0", Migrate: true})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	const touching = `UPDATE event_positions SET last = last + 1`
	real, syncs := db.syncs.sync, map[string]int{}
	for name, write := range map[string]func() error{
		"Write":     func() error { return db.Write(t.Context(), touches) },
		"WriteSoon": func() error { return db.WriteSoon(t.Context(), touches) },
		"WriteOne": func() error {
			_, err := db.WriteOne(t.Context(), touching, Args{})
			return err
		},
		"WriteMust": func() error { return db.WriteMust(t.Context(), fault.New(fault.NotFound, "", ""), touching, Args{}) },
		"Sweep": func() error {
			_, err := db.Sweep(t.Context(), touching, Args{})
			return err
		},
		"WriteTogether": func() error {
			_, err := db.WriteTogether(t.Context(), touching, Args{})
			return err
		},
		"WriteUnsynced": func() error {
			_, err := db.WriteUnsynced(t.Context(), touching, Args{})
			return err
		},
		"ActUnsynced": func() error { return db.ActUnsynced(t.Context(), touches) },
	} {
		db.syncs = newSyncs(func() error { syncs[name]++; return real() })
		if err := write(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	want := map[string]int{"Write": 1, "WriteSoon": 1, "WriteOne": 1, "WriteMust": 1, "Sweep": 1, "WriteTogether": 1}
	if diff := cmp.Diff(want, syncs); diff != "" {
		t.Errorf("who waits for the disk, and how often (-want +got):\n%s", diff)
	}
}

func touches(tx Tx) error {
	_, err := tx.Exec(context.Background(), `UPDATE event_positions SET last = last + 1`, Args{})
	return err
}
