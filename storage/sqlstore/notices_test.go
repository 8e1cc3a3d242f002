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
	hears := hearing(t, store)
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

// Rule: TOKEN-36
func TestWhatOthersEndMakesTheStoreOlder(t *testing.T) { // not beside the one that cuts all connections of notices
	database := pgtest.URL(t)
	store, other := openURL(t, options(database)), openURL(t, options(database))
	hears := hearing(t, store)
	hears("")
	act, must := storage.Act{At: time.Unix(1, 0)}, func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	person := storage.User{ID: "U", Email: "u@example.test", CreatedAt: act.At, UpdatedAt: act.At}
	must(other.CreateUser(t.Context(), act, person, ""))
	must(other.CreateUserGroup(t.Context(), act, storage.UserGroup{ID: "G", Name: "Group", CreatedAt: act.At}))
	for table, end := range map[string]func() error{
		"users":              func() error { return other.SetUserDisabled(t.Context(), act, "U", true) },
		"revocations":        func() error { return other.RevokeToken(t.Context(), act, "j", act.At) },
		"user_group_members": func() error { return other.AddUserGroupMember(t.Context(), act, "G", "U") },
	} {
		must(end())
		hears(table)
	}
}

// hearing has the store listen, and returns what waits for a notice, by which the store
// must have become older.
func hearing(t *testing.T, store *sqlstore.Store) (hears func(want string)) {
	told := make(chan string, 100)
	go store.Listen(t.Context(), func(table string) { told <- table })
	age := store.Age()
	return func(want string) {
		t.Helper()
		for {
			select {
			case got := <-told:
				if got == want {
					if grown := store.Age(); grown <= age {
						t.Errorf("after %q the store is %d old, as before", want, grown)
					}
					age = store.Age()
					return
				}
			case <-time.After(30 * time.Second):
				t.Fatalf("nothing is told, want %q", want)
			}
		}
	}
}
