package sqlstore_test

import (
	"database/sql"
	"strings"
	"testing"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/storagetest"
)

// held runs what takes the lock of every project in a transaction of its own,
// which ends with the test.
func held(t *testing.T, driver, url string, statements ...string) {
	t.Helper()
	db, err := sql.Open(driver, url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	conn, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, statement := range statements {
		if _, err := conn.ExecContext(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() { _ = conn.Close() })
}

// checkBusy tries changes of a project that somebody else has locked.
func checkBusy(t *testing.T, engine storagetest.Engine, lock func(database string), kind fault.Kind, reason string) {
	database := ""
	newDatabase := engine.NewDatabase
	engine.NewDatabase = func(t testing.TB) string {
		database = newDatabase(t)
		return database
	}
	w := storagetest.NewTree(t, engine)
	folder := w.Folder(w.Files.ID, "f")
	lock(database)
	hidden := true
	_, err := w.Data.UpdateFolder(w.Ctx(), w.Change(), w.Project.ID, folder.ID, storage.FolderPatch{Hidden: &hidden})
	w.Refused(err, kind, reason)
	if f := fault.From(err); f == nil || f.RetryAfter <= 0 {
		t.Errorf("%v does not say when to try again", err)
	}
	if w.Look(folder.ID).Hidden {
		t.Error("the refused change was made")
	}
}

func TestAChangeThatCantHaveItsTurnIsLockedOnPostgreSQL(t *testing.T) {
	checkBusy(t, onPostgres(), func(database string) {
		held(t, "postgres", database, `BEGIN`, `SELECT pg_advisory_xact_lock_shared(20560, cast(id AS int)) FROM projects`)
	}, fault.Locked, storage.ReasonProjectBusy)
}

// Where there is one lock for everything, who has it is at something else as a
// rule.
//
// Rule: SERVER-33
func TestAChangeThatCantHaveItsTurnIsToTryAgainOnSQLite(t *testing.T) {
	checkBusy(t, onSQLite(), func(database string) {
		held(t, "sqlite", strings.TrimPrefix(database, "sqlite:"), `BEGIN IMMEDIATE`)
	}, fault.Unavailable, storage.ReasonBusy)
}

func TestAnItemThatIsMovedMeanwhileIsStillFound(t *testing.T) {
	h := newHalfway(t)
	engine := onPostgres()
	engine.NewDatabase = func(testing.TB) string { return h.address }
	w := storagetest.NewTree(t, engine)
	item := w.Item(w.Files.ID, "item").Item.ID
	h.begin(`UPDATE items SET folder_id = (SELECT id FROM folders WHERE uid = $1) WHERE uid = $2`, w.Plans.ID, item)
	w.Must(h.during(func() error {
		_, err := w.Data.AddVersion(w.Ctx(), w.Change(), w.Project.ID, item, storage.NewVersion{Name: "v"})
		return err
	}))
	w.Equal(w.Plans.ID, w.LookItem(item).Item.FolderID)
	_, err := w.Data.AddVersion(w.Ctx(), w.Change(), w.Project.ID, "none", storage.NewVersion{Name: "v"})
	w.Refused(err, fault.NotFound, "")
}
