package sqlstore_test

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/jmoiron/sqlx"

	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/storagetest"
)

// changing is a tree to be changed, and how to look at it from outside.
type changing struct {
	*storagetest.Tree
	b        *testing.B
	db       *sqlx.DB
	postgres bool
}

func eachChanging(b *testing.B, bench func(changing)) {
	for name, engine := range map[string]storagetest.Engine{"sqlite": onSQLite(), "postgres": onPostgres()} {
		b.Run(name, func(b *testing.B) {
			database := engine.NewDatabase(b)
			engine := storagetest.Engine{Open: engine.Open, NewDatabase: func(testing.TB) string { return database }}
			db := openRaw(b, database, "")
			bench(changing{Tree: storagetest.NewTree(b, engine), b: b, db: db, postgres: name == "postgres"})
		})
	}
}

func (c changing) processors() processors {
	if c.postgres {
		return processors{db: c.db}
	}
	return processors{}
}

func at(n int) storage.Change {
	return storage.Change{Act: storage.Act{At: time.Date(2026, 3, 4, 5, 6, 7, n, time.UTC)}}
}

// BenchmarkVersionsOfOneItem adds versions to one item from eight hands.
func BenchmarkVersionsOfOneItem(b *testing.B) {
	eachChanging(b, func(c changing) {
		item := c.Item(c.Files.ID, "hot").Item.ID
		c.b.SetParallelism(4)
		c.b.ResetTimer()
		c.b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				if _, err := c.Data.AddVersion(c.Ctx(), at(1), c.Project.ID, item, storage.NewVersion{Name: "v"}); err != nil {
					c.b.Error(err)
					return
				}
			}
		})
		c.b.ReportMetric(float64(c.b.N)/c.b.Elapsed().Seconds(), "versions/s")
	})
}

// BenchmarkCreatesAndBareInserts compares the processor time, the server's
// included, of creating items with that of a program which does nothing but
// insert the same rows, in turns of 200.
func BenchmarkCreatesAndBareInserts(b *testing.B) {
	eachChanging(b, func(c changing) {
		const turn = 200
		bare := newBareInserts(c)
		source, _ := ambient.Fixed(c.Now(), 200)
		names := func(act func(string) error) func() error {
			return func() error {
				for range turn {
					if err := act(source.UID()); err != nil {
						return err
					}
				}
				return nil
			}
		}
		create := names(func(id string) error {
			_, err := c.Data.CreateItem(c.Ctx(), at(1), c.Project.ID, benchItem(id, c.Files.ID), benchVersion(id))
			return err
		})
		insert := names(func(id string) error { return bare.insert(c, id) })
		var ratios []float64
		var creating, inserting time.Duration
		for c.b.Loop() {
			ours, theirs := c.cost(create), c.cost(insert)
			creating, inserting = creating+ours, inserting+theirs
			ratios = append(ratios, float64(theirs)/float64(max(1, ours)))
		}
		n := float64(turn * len(ratios))
		c.b.ReportMetric(n/creating.Seconds(), "creates/cpu-s")
		c.b.ReportMetric(n/inserting.Seconds(), "inserts/cpu-s")
		c.b.ReportMetric(float64(inserting)/float64(creating), "ratio")
		c.b.ReportMetric(slices.Sorted(slices.Values(ratios))[len(ratios)/2], "ratio-p50")
	})
}

func benchItem(id, folder string) storage.Item {
	return storage.Item{ID: id, FolderID: folder, Name: id,
		Extension: storage.Extension{Type: "items:portico.core:File", Version: "1.0"}}
}

func benchVersion(name string) storage.NewVersion {
	return storage.NewVersion{Name: name, MimeType: "text/plain", FileType: "txt",
		Extension: storage.Extension{Type: "versions:portico.core:File", Version: "1.0"}}
}

func (c changing) cost(act func() error) time.Duration {
	c.Helper()
	before := c.processors().used(c.b)
	c.Must(act())
	return c.processors().used(c.b) - before
}

// bareInserts are prepared statements that write what a new item comes to.
type bareInserts struct {
	db                             *sqlx.DB
	project, folder                int64
	path                           string
	item, version, event, noteItem *sqlx.Stmt
}

func newBareInserts(c changing) bareInserts {
	bare := bareInserts{db: c.db}
	c.Must(c.db.QueryRow(c.db.Rebind(`SELECT f.id, f.project_id, p.path FROM folders f JOIN folder_paths p ON p.folder_id = f.id WHERE f.uid = ?`),
		c.Files.ID).Scan(&bare.folder, &bare.project, &bare.path))
	for text, stmt := range map[string]**sqlx.Stmt{
		`INSERT INTO items (uid, project_id, folder_id, name, name_key, hidden, tip, extension_type, extension_version,
			extension_data, revision, created_at, created_by, modified_at, modified_by, reserved_by)
			VALUES (?, ?, ?, ?, ?, false, 1, ?, '1.0', '', 1, ?, '', ?, '', '') RETURNING id`: &bare.item,
		`INSERT INTO versions (item_id, number, name, mime_type, file_type, size, extension_type, extension_version,
			extension_data, revision, created_at, created_by, modified_at, modified_by)
			VALUES (?, 1, ?, 'text/plain', 'txt', 0, ?, '1.0', '', 1, ?, '', ?, '')`: &bare.version,
		`INSERT INTO events (kind, subject, hub_id, project_id, folder_id, at, actor_kind, actor_id, request_id, address,
			client_id, user_id, on_behalf, data) VALUES (?, ?, ?, ?, ?, ?, '', '', '', '', '', '', false, ?)`: &bare.event,
		`INSERT INTO folder_changes (folder_id, path, at, objects) VALUES (?, ?, ?, 1)`: &bare.noteItem,
	} {
		prepared, err := c.db.Preparex(c.db.Rebind(text))
		c.Must(err)
		*stmt = prepared
	}
	return bare
}

func (bare bareInserts) insert(c changing, id string) error {
	tx, err := bare.db.BeginTxx(c.Ctx(), nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	now, key := int64(1), id
	var row int64
	if err := tx.Stmtx(bare.item).QueryRow(id, bare.project, bare.folder, id, key, "items:portico.core:File", now,
		now).Scan(&row); err != nil {
		return err
	}
	if _, err := tx.Stmtx(bare.version).Exec(row, id, "versions:portico.core:File", now, now); err != nil {
		return err
	}
	if c.postgres {
		if _, err := tx.Stmtx(bare.noteItem).Exec(bare.folder, bare.path, now); err != nil {
			return err
		}
	}
	_, err = tx.Stmtx(bare.event).Exec("item.created", id, c.Hub.ID, c.Project.ID, c.Files.ID, now, `{"name":"`+id+`"}`)
	return cmp.Or(err, tx.Commit())
}

// BenchmarkMoves moves subtrees to and fro, while two others read in them. What
// a busy processor alone does to those is told by reading beside one that hashes.
func BenchmarkMoves(b *testing.B) {
	eachChanging(b, func(c changing) {
		for _, folders := range []int{1_000, 100_000} {
			c.b.Run(fmt.Sprint(folders), func(b *testing.B) { c.benchmarkMoves(b, folders) })
		}
	})
}

func (c changing) benchmarkMoves(b *testing.B, folders int) {
	top := fmt.Sprint("top of ", folders, " ", b.N)
	c.Must(c.Data.LoadTree(c.Ctx(), c.Change(), c.Project.ID, storage.BulkTree{
		Into: c.Files.ID, FolderType: "folders:portico.core:Folder",
		Folders: func(yield func(storage.BulkFolder) bool) {
			for i := range folders {
				f := storage.BulkFolder{ID: fmt.Sprint(top, "/", i), Parent: (i+9)/10 - 1,
					Name: fmt.Sprint("folder ", i), CreatedAt: c.Now()}
				if i == 0 {
					f.ID, f.Name = top, top
				}
				if !yield(f) {
					return
				}
			}
		},
	}))
	if c.postgres {
		_, err := c.db.Exec(`VACUUM ANALYZE folders, folder_paths`)
		c.Must(err)
	}
	read := func(i int) error { return c.readIn(fmt.Sprint(top, "/", 1+i%(folders-1))) }
	alone := readingFor(b, time.Second, read)
	busy := hashing()
	beside := readingFor(b, time.Second, read)
	busy()
	during := reading(read)
	var moves times
	places := []string{c.Plans.ID, c.Files.ID}
	for i := 0; b.Loop(); i++ {
		c.Must(moves.add(func() error {
			_, err := c.Data.UpdateFolder(c.Ctx(), c.Change(), c.Project.ID, top, storage.FolderPatch{ParentID: &places[i%2]})
			return err
		}))
	}
	during.end(b).report(b, "read-")
	alone.report(b, "quiet-read-")
	beside.report(b, "busy-read-")
	moves.report(b, "move-")
}

// hashing keeps a processor busy until it is told to end.
func hashing() (end func()) {
	stop := make(chan struct{})
	var group sync.WaitGroup
	group.Go(func() {
		sum := sha256.Sum256(nil)
		for {
			select {
			case <-stop:
				return
			default:
				sum = sha256.Sum256(sum[:])
			}
		}
	})
	return func() { close(stop); group.Wait() }
}

func (c changing) readIn(folder string) error {
	if _, _, err := c.Data.FindFolder(c.Ctx(), storage.Caller{}, c.Project.ID, folder); err != nil {
		return err
	}
	_, err := c.Data.ListContents(c.Ctx(), c.Project.ID, folder, storage.ContentsQuery{}, storage.DataPage{})
	return err
}

// readers are two that read until they are told to end.
type readers struct {
	stop  chan struct{}
	group sync.WaitGroup
	times [2]times
	errs  [2]error
}

func reading(read func(i int) error) *readers {
	r := &readers{stop: make(chan struct{})}
	for n := range r.times {
		r.group.Go(func() {
			for i := n; r.errs[n] == nil; i += 7919 {
				select {
				case <-r.stop:
					return
				default:
					r.errs[n] = r.times[n].add(func() error { return read(i) })
				}
			}
		})
	}
	return r
}

func readingFor(b *testing.B, long time.Duration, read func(i int) error) times {
	r := reading(read)
	time.Sleep(long)
	return r.end(b)
}

func (r *readers) end(b *testing.B) times {
	close(r.stop)
	r.group.Wait()
	if err := cmp.Or(r.errs[:]...); err != nil {
		b.Fatal(err)
	}
	return slices.Concat(r.times[:]...)
}
