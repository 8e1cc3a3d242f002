package sqlstore_test

import (
	"testing"
	"time"

	"github.com/portico-id/portico/internal/harness/pgtest"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore"
)

// Rule: SERVER-46
func TestWhatAnybodyChangesIsTold(t *testing.T) {
	t.Parallel()
	store, err := sqlstore.Open(t.Context(), options(pgtest.URL(t)))
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	told := make(chan string, 100)
	go store.Listen(t.Context(), func(table string) { told <- table })
	hears := func(want string) {
		t.Helper()
		select {
		case got := <-told:
			if got != want {
				t.Fatalf("%q is told, want %q", got, want)
			}
		case <-time.After(30 * time.Second):
			t.Fatalf("nothing is told, want %q", want)
		}
	}
	hears("")
	act := storage.Act{At: time.Unix(1, 0)}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(store.CreateClient(t.Context(), act, storage.Client{ID: "c", CreatedAt: act.At, UpdatedAt: act.At}))
	hears("clients")
	must(store.SetClientDisabled(t.Context(), act, "c", true))
	hears("clients")
	pgtest.Exec(t, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'portico notices'`)
	hears("") // something may have been missed
	must(store.DeleteClient(t.Context(), act, "c"))
	hears("clients")
}
