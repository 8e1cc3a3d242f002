package sqlstore_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/portico-id/portico/internal/harness/pgtest"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/storagetest"
)

const (
	itemsVariable    = "PORTICO_BENCH_ITEMS"    // how many items the tree grows to
	picturesVariable = "PORTICO_BENCH_PICTURES" // folder that the curves are drawn into; empty: nowhere

	firstStage    = 10_000
	mostInSQLite  = 1_000_000
	mostInOne     = 100_000 // items of the wide folder; half of all while those are fewer
	grantsOfUser  = 1000
	itemsToFolder = 10
)

// growth is a project that grows tenfold again and again. What is asked for is
// drawn from all of it, so that the database can't have it at hand by chance.
type growth struct {
	*storagetest.Tree
	draw   *rand.Rand
	tree   growingTree
	settle func() // does what the database would do by itself in time

	caller  storage.Caller // with 1 000 grants all over the tree
	place   storage.Place
	cursors []string // where pages of the wide folder begin
	curves  *chart
}

func BenchmarkGrowthOnSQLite(b *testing.B) {
	items := min(setting(b, itemsVariable, 2*firstStage), mostInSQLite)
	newGrowth(b, onSQLite(), func() {}).to(b, items, "sqlite")
}

func BenchmarkGrowthOnPostgreSQL(b *testing.B) {
	url := pgtest.URL(b)
	engine := storagetest.Engine{Open: openStore, NewDatabase: func(testing.TB) string { return url }}
	newGrowth(b, engine, func() { pgtest.Analyze(b, url) }).to(b, setting(b, itemsVariable, 2*firstStage), "postgresql")
}

func newGrowth(b testing.TB, engine storagetest.Engine, settle func()) *growth {
	w := &growth{Tree: storagetest.NewTree(b, engine), draw: rand.New(rand.NewPCG(1, 2)), settle: settle, curves: &chart{}}
	w.Must(w.Data.LoadTree(w.Ctx(), w.Change(), w.Project.ID, w.tree.trunk(w.Now())))
	return w
}

// to lets the tree grow, and measures at each stage.
func (w *growth) to(b *testing.B, items int, engine string) {
	for stage := min(firstStage, items); ; stage = min(10*stage, items) {
		w.grow(b, stage)
		b.Run(fmt.Sprint(stage, " items"), w.measure)
		if stage == items {
			break
		}
	}
	if folder := os.Getenv(picturesVariable); folder != "" {
		name := filepath.Join(folder, "growth-"+engine+".svg")
		w.Must(os.WriteFile(name, []byte(w.curves.svg()), 0o644))
	}
}

func (w *growth) grow(b *testing.B, items int) {
	start := time.Now()
	for _, part := range w.tree.parts(w.Now(), items) {
		w.Must(w.Data.LoadTree(w.Ctx(), w.Change(), w.Project.ID, part))
	}
	loaded := time.Since(start)
	w.prepare()
	w.fold()
	w.settle()
	b.Logf("%d items in %d folders, loaded in %v, and ready after %v",
		items, w.tree.folders, loaded.Round(time.Millisecond), time.Since(start).Round(time.Millisecond))
}

// prepare gives a new user grants on folders of any age, and notes where the
// pages of the wide folder begin.
func (w *growth) prepare() {
	user := w.User().ID
	w.caller = storage.Caller{UserID: user}
	for range grantsOfUser {
		w.Give(w.anyFolder(), user, storage.LevelView)
	}
	w.Give(chainID(20), user, storage.LevelEdit)
	var err error
	w.place, err = w.Data.FindProject(w.Ctx(), w.caller, w.Project.ID)
	w.Must(err)
	w.cursors = w.cursors[:0]
	for after := ""; ; {
		page, err := w.contents(wideID, after)
		w.Must(err)
		if after = page.Next; after == "" {
			return
		}
		w.cursors = append(w.cursors, after)
	}
}

func (w *growth) anyFolder() string { return folderID(w.draw.IntN(w.tree.folders)) }
func (w *growth) anyItem() string   { return itemID(w.draw.IntN(w.tree.scattered)) }

func (w *growth) contents(folder, after string) (storage.Contents, error) {
	return w.Data.ListContents(w.Ctx(), w.Project.ID, folder, storage.ContentsQuery{}, storage.DataPage{After: after})
}

// asked is what a program asks for all the time.
type asked struct {
	name string
	ask  func() error
}

func (w *growth) asked() []asked {
	return []asked{
		{"a bare round trip", func() error { return w.Data.Ping(w.Ctx()) }},
		{"a folder and the level in it", func() error {
			_, _, err := w.Data.FindFolder(w.Ctx(), w.caller, w.Project.ID, w.anyFolder())
			return err
		}},
		{"the same at depth 25", func() error {
			_, _, err := w.Data.FindFolder(w.Ctx(), w.caller, w.Project.ID, chainID(24))
			return err
		}},
		{"an item with its tip", func() error {
			_, _, _, err := w.Data.FindItem(w.Ctx(), w.caller, w.Project.ID, w.anyItem())
			return err
		}},
		{"a version", func() error {
			_, _, _, _, err := w.Data.FindVersion(w.Ctx(), w.caller, w.Project.ID,
				storage.VersionRef{ItemID: w.anyItem(), Number: 1})
			return err
		}},
		{"contents of a folder of ten", func() error { _, err := w.contents(w.anyFolder(), ""); return err }},
		{"200 rows anywhere in the wide folder", func() error {
			_, err := w.contents(wideID, w.cursors[w.draw.IntN(len(w.cursors))])
			return err
		}},
		{"top folders of 1 000 grants", func() error {
			_,
				err := w.Data.ListTopFolders(w.Ctx(), w.place, storage.TopQuery{})
			return err
		}},
		{"a new item", func() error {
			id := w.Source.UID()
			_, err := w.Data.CreateItem(w.Ctx(), w.Change(), w.Project.ID, benchItem(id, w.anyFolder()), benchVersion(id))
			return err
		}},
		{"a new version", func() error {
			_, err := w.Data.AddVersion(w.Ctx(), w.Change(), w.Project.ID, w.anyItem(), benchVersion("v"))
			return err
		}},
	}
}

// measure draws curves of all but the searches, which would hide them.
func (w *growth) measure(b *testing.B) {
	for _, a := range w.asked() {
		b.Run(a.name, func(b *testing.B) {
			all := w.time(b, a)
			w.curves.add(a.name, w.tree.items, all.quantile(0.5), all.quantile(0.99))
		})
	}
	for _, a := range w.searched() {
		b.Run(a.name, func(b *testing.B) { w.time(b, a) })
	}
}

func (w *growth) time(b *testing.B, a asked) times {
	defer w.fold()
	var all times
	for b.Loop() {
		if err := all.add(a.ask); err != nil {
			b.Fatal(err)
		}
	}
	all.report(b, "")
	return all
}

// fold is what a server does every second.
func (w *growth) fold() {
	for {
		n, err := w.Data.FoldChanges(w.Ctx(), 1000)
		w.Must(err)
		if n < 1000 {
			return
		}
	}
}
