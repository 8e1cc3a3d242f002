package sqlstore_test

import (
	"database/sql"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/storagetest"
)

// A standby that is not synchronous takes over without the newest commits, and what is changed
// after that has revisions that others had.
//
// Rule: DATA-100
func TestAPageIsNotToldAsItWasInCommitsThatTheDatabaseLost(t *testing.T) {
	for name, engine := range map[string]storagetest.Engine{"sqlite": onSQLite(), "postgres": onPostgres()} {
		t.Run(name, func(t *testing.T) {
			database, newDatabase := "", engine.NewDatabase
			engine.NewDatabase = func(t testing.TB) string {
				database = newDatabase(t)
				return database
			}
			w := storagetest.NewTree(t, engine)
			in := w.Folder(w.Files.ID, "in")
			folder, ref := w.Folder(in.ID, "folder").ID, storage.VersionRef{ItemID: w.Item(in.ID, "item").Item.ID, Number: 1}
			for i := range 20 {
				w.Item(in.ID, fmt.Sprint("i", i))
			}
			changes := map[string]func(to string) error{
				"folders": func(to string) error {
					_, err := w.Data.UpdateFolder(w.Ctx(), w.Change(), w.Project.ID, folder, storage.FolderPatch{Name: &to})
					return err
				},
				"items": func(to string) error {
					_, err := w.Data.UpdateItem(w.Ctx(), w.Change(), w.Project.ID, ref.ItemID, storage.ItemPatch{Name: &to})
					return err
				},
				"versions": func(to string) error {
					_, err := w.Data.RenameVersion(w.Ctx(), w.Change(), w.Project.ID, ref, to)
					return err
				},
				"reservations": func(by string) error {
					_, err := w.Data.ReserveItem(w.Ctx(), w.ChangeBy(by), w.Project.ID, ref.ItemID)
					return err
				},
			}
			for _, of := range []string{"folders", "items", "versions", "reservations"} { // which keep others from changing it
				change := changes[of]
				w.Must(change("lost " + of))
				_, err := w.Data.ListContents(w.Ctx(), w.Project.ID, in.ID, storage.ContentsQuery{}, storage.DataPage{})
				w.Must(err)
				takeBack(t, database, of, "lost "+of)
				w.Clock.Advance(time.Second)
				w.Must(change("kept " + of))
				found, err := w.Data.ListContents(w.Ctx(), w.Project.ID, in.ID, storage.ContentsQuery{}, storage.DataPage{})
				w.Must(err)
				if told := fmt.Sprint(found); !strings.Contains(told, "kept "+of) || strings.Contains(told, "lost "+of) {
					t.Errorf("what the database lost of %s is told still", of)
				}
			}
		})
	}
}

// takeBack takes back that a row got its name, or that an item was reserved by it.
func takeBack(t *testing.T, database, table, name string) {
	t.Helper()
	driver, address, _ := strings.Cut(database, ":")
	if driver == "postgres" {
		address = database
	}
	db, err := sql.Open(driver, address)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	statement := `UPDATE ` + table + ` SET name = 'before', name_key = 'before', revision = revision - 1 WHERE name = '`
	if table == "reservations" {
		statement = `UPDATE items SET reserved_by = '', reserved_at = NULL, reserved_until = NULL, revision = revision - 1
			WHERE reserved_by = '`
	}
	if _, err = db.Exec(statement + name + `'`); err != nil {
		t.Fatal(err)
	}
}
