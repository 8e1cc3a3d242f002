package engine

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/portico-id/portico/internal/harness/sqlitetest"
)

// filler takes a page of its own.
const filler = `INSERT INTO filled (page) VALUES (:page)`

func fill(t *testing.T) (db *DB, page Args) {
	t.Helper()
	db = heated(t)
	if _, err := db.WriteOne(t.Context(), `CREATE TABLE filled (page text)`, Args{}); err != nil {
		t.Fatal(err)
	}
	return db, Args{"page": strings.Repeat("x", 4000)}
}

func pages(page Args, n int) func(Tx) error {
	return func(tx Tx) error {
		for range n {
			if _, err := tx.Exec(context.Background(), filler, page); err != nil {
				return err
			}
		}
		return nil
	}
}

// Rule: SERVER-72
func TestTheLogIsPutIntoTheFileOnceItIsLong(t *testing.T) {
	for name, write := range map[string]func(db *DB, page Args) error{
		"of whom some wait": func(db *DB, page Args) error { return db.Write(t.Context(), pages(page, 100)) },
		"nobody waits": func(db *DB, page Args) error {
			_, err := db.WriteUnsynced(t.Context(), filler, page)
			return err
		},
	} {
		db, page := fill(t)
		for n := 0; ; n++ {
			if err := write(db, page); err != nil {
				t.Fatal(name, err)
			}
			file, err := os.Stat(strings.TrimSuffix(db.log.path, "-wal"))
			if err != nil {
				t.Fatal(err)
			}
			if file.Size() > due*4096 {
				break
			}
			if n == 100*due {
				t.Fatalf("%s: %d pages are in the log, and %d bytes in the file", name, n, file.Size())
			}
		}
	}
}

// Rule: SERVER-72
func TestALogIsLongOnceItHasAThousandPagesSinceItBegan(t *testing.T) {
	db, page := fill(t)
	log := &logFile{path: db.log.path}
	defer func() { _ = log.close() }()
	for full, n := range map[bool]int{false: due / 2, true: due} {
		if err := errors.Join(db.Write(t.Context(), pages(page, n)), log.sync()); err != nil || log.full() != full {
			t.Errorf("of %d pages it is said that they are enough: %v, %v", n, !full, err)
		}
		db.file.turn.Lock() // what was begun
		err := db.checkpoint(t.Context())
		db.file.turn.Unlock()
		if _, again := db.WriteOne(t.Context(), filler, page); err != nil || again != nil || log.full() {
			t.Errorf("after a checkpoint it is as long as before: %v, %v", err, again)
		}
	}
}

// What the file did not take is in the log, unless SQLite takes it for written, as it does
// without asking the disk while somebody reads what was before.
//
// Rule: SERVER-72
func TestAFileThatADiskDidNotTakeIsCalledSoundOnceItHasAllAnew(t *testing.T) {
	open := func() *os.File {
		file, err := os.Create(filepath.Join(t.TempDir(), "file"))
		if err != nil {
			t.Fatal(err)
		}
		return file
	}
	works, broken := open(), open()
	if err := broken.Close(); err != nil {
		t.Fatal(err)
	}
	all, part, fails := checkpointed{0, 3, 3}, checkpointed{0, 3, 2}, errors.New("input/output error")
	f := &checkedFile{}
	for n, c := range []struct {
		file  *os.File
		done  checkpointed
		err   error
		asked bool // the checkpoint is tried
		sound bool
	}{
		{broken, all, nil, false, false},
		{works, all, nil, true, true},
		{broken, all, nil, true, true}, // SQLite asks the disk itself
		{works, part, nil, true, true},
		{works, all, fails, true, false},
		{works, part, nil, true, true},
		{broken, part, nil, true, false},
		{works, all, nil, false, false},
	} {
		asked := false
		f.file = c.file
		err := f.take(func() (checkpointed, error) { asked = true; return c.done, c.err })
		if asked != c.asked || f.sound != c.sound || (err == nil) != c.sound {
			t.Errorf("%d: tried: %v, sound: %v, %v", n, asked, f.sound, err)
		}
	}
}

// Rule: SERVER-72
func TestAFileIsSoundWhereWhoHadItBeforeLeftNoLog(t *testing.T) {
	options := Options{URL: sqlitetest.URL(t), Version: "0.1.0", Migrate: true}
	open := func(sound bool) *DB {
		db, err := Open(t.Context(), options)
		if err != nil || db.file.sound != sound {
			t.Fatalf("it is called sound: %v, %v", !sound, err)
		}
		return db
	}
	for range 2 {
		first := open(true)
		err := first.Write(t.Context(), touches)
		if err = errors.Join(err, open(false).Close(), first.Close()); err != nil {
			t.Fatal(err)
		}
	}
}

// Whoever closes the file last has SQLite put the log into it, and remove it.
//
// Rule: SERVER-72
func TestTheLogOutlivesAServerOnlyWhereTheDiskMayNotHaveWhatItHas(t *testing.T) {
	for name, c := range map[string]struct {
		breaks func(*DB)
		stays  bool
	}{
		"all is well":         {func(*DB) {}, false},
		"the log is torn":     {func(db *DB) { db.keeper.torn = true }, true},
		"the file takes none": {func(db *DB) { db.file.lost, db.file.sound = true, false }, true},
		"somebody has it busy": {func(db *DB) {
			db.file.sound = false
			_, _ = db.writer.db.BeginTxx(t.Context(), nil)
		}, true},
	} {
		db, err := Open(t.Context(), Options{URL: sqlitetest.URL(t), Version: "0.1.0", Migrate: true})
		if err == nil {
			err = db.Write(t.Context(), touches)
		}
		if err != nil {
			t.Fatal(err)
		}
		c.breaks(db)
		began := time.Now()
		if err := db.Close(); err != nil || time.Since(began) > 10*lastPatience {
			t.Errorf("%s: it takes %v to close: %v", name, time.Since(began), err)
		}
		if err := db.Close(); err != nil && !c.stays {
			t.Errorf("%s: closed again: %v", name, err)
		}
		if log, err := os.Stat(db.log.path); (err == nil && log.Size() > 0) != c.stays {
			t.Errorf("%s: the log is there: %v", name, err == nil)
		}
		_ = db.writer.close()
	}
}
