package sqlstore_test

import (
	"strings"
	"testing"

	"github.com/jmoiron/sqlx"

	"github.com/portico-id/portico/storage/storagetest"
)

// TestTheCheckOfATreeFindsWhatIsWrongWithIt breaks each promise by hand: a check
// that sees nothing would let everything pass.
func TestTheCheckOfATreeFindsWhatIsWrongWithIt(t *testing.T) {
	database := ""
	engine := onSQLite()
	newDatabase := engine.NewDatabase
	engine.NewDatabase = func(t testing.TB) string {
		database = newDatabase(t)
		return database
	}
	w := storagetest.NewTree(t, engine)
	folder := w.Folder(w.Files.ID, "folder")
	w.Folder(folder.ID, "below")
	w.Item(folder.ID, "a")
	w.Item(folder.ID, "b")
	db, err := sqlx.Open("sqlite", strings.TrimPrefix(database, "sqlite:"))
	w.Must(err)
	defer db.Close()
	look := func() error {
		s, err := takeSnapshot(w.Ctx(), db)
		w.Must(err)
		return s.check()
	}
	w.Must(look())
	for broken, undone := range map[string]string{
		`UPDATE folder_paths SET path = 'x' || path WHERE folder_id = 5`:      `UPDATE folder_paths SET path = substr(path, 2) WHERE folder_id = 5`,
		`UPDATE folder_paths SET visible = 0 WHERE folder_id = 5`:             `UPDATE folder_paths SET visible = 1 WHERE folder_id = 5`,
		`UPDATE folders SET parent_id = 5 WHERE id = 4`:                       `UPDATE folders SET parent_id = 2 WHERE id = 4`,
		`UPDATE folders SET object_count = object_count + 1 WHERE id = 4`:     `UPDATE folders SET object_count = object_count - 1 WHERE id = 4`,
		`UPDATE folders SET rollup_at = rollup_at - 9000000 WHERE id = 4`:     `UPDATE folders SET rollup_at = rollup_at + 9000000 WHERE id = 4`,
		`UPDATE versions SET number = 2 WHERE item_id = 1`:                    `UPDATE versions SET number = 1 WHERE item_id = 1`,
		`UPDATE items SET tip = 2 WHERE id = 1`:                               `UPDATE items SET tip = 1 WHERE id = 1`,
		`UPDATE events SET kind = 'item.creatod' WHERE kind = 'item.created'`: `UPDATE events SET kind = 'item.created' WHERE kind = 'item.creatod'`,
	} {
		db.MustExec(broken)
		if look() == nil {
			t.Errorf("not found: %s", broken)
		}
		db.MustExec(undone)
		w.Must(look())
	}
	s, err := takeSnapshot(w.Ctx(), db)
	w.Must(err)
	s.items[2].Key = s.items[1].Key // which the database itself would not take
	if s.checkNames() == nil {
		t.Error("two items with one name were not found")
	}
}
