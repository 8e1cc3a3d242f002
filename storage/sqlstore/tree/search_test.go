package tree_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/harness/pgtest"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore"
	"github.com/portico-id/portico/storage/storagetest"
)

// orchard is a tree with some thousands of items, one of them rare.
type orchard struct {
	*storagetest.Tree
	store *sqlstore.Store
}

const (
	orchardFolders = 1500
	orchardItems   = 6000
)

// newOrchard has half of the items in the first folder, the others all over,
// and every seventh folder in the one before.
func newOrchard(t *testing.T, engine storagetest.Engine, database string) *orchard {
	t.Helper()
	engine.NewDatabase = func(testing.TB) string { return database }
	w := storagetest.NewTree(t, engine)
	w.Must(w.Data.LoadTree(w.Ctx(), w.Change(), w.Project.ID, storage.BulkTree{
		Into: w.Files.ID, VersionType: "versions:portico.core:File",
		Folders: func(yield func(storage.BulkFolder) bool) {
			for i := range orchardFolders {
				f := storage.BulkFolder{ID: fmt.Sprint("f", i), Parent: -1, Name: fmt.Sprint("f", i), CreatedAt: w.Now()}
				if i%7 == 6 {
					f.Parent = i - 1
				}
				if !yield(f) {
					return
				}
			}
		},
		Items: func(yield func(storage.BulkItem) bool) {
			for i := range orchardItems {
				f := storage.BulkItem{ID: fmt.Sprint("i", i), Folder: i % orchardFolders, Name: fmt.Sprintf("item %d", i),
					CreatedAt: w.Now(), FileType: "pdf", Size: int64(i)}
				if i >= orchardItems/2 {
					f.Folder = 0
				}
				if i == orchardItems-1 {
					f.FileType = "rvt"
				}
				if !yield(f) {
					return
				}
			}
		},
	}))
	store, ok := w.Data.(*sqlstore.Store)
	if !ok {
		t.Fatalf("%T", w.Data)
	}
	return &orchard{w, store}
}

func eachOrchard(t *testing.T, test func(*testing.T, *orchard)) {
	t.Run("sqlite", func(t *testing.T) { test(t, newOrchard(t, onSQLite(), onSQLite().NewDatabase(t))) })
	t.Run("postgres", func(t *testing.T) {
		url := pgtest.URL(t)
		o := newOrchard(t, onPostgres(), url)
		pgtest.Analyze(t, url)
		test(t, o)
	})
}

// scans finds a step that reads a whole table, or sorts more than what has been
// cut already.
var scans = map[string]*regexp.Regexp{
	"sqlite":   regexp.MustCompile(`(?m)^SCAN (fp|i|v|f|items|versions|folders|folder_paths)\b`),
	"postgres": regexp.MustCompile(`Seq Scan on (folders|folder_paths|items|versions)\b`),
}

// Rule: FIND-1
func TestSearchGoesThroughATreeByIndex(t *testing.T) {
	eachOrchard(t, func(t *testing.T, o *orchard) {
		plans, err := o.store.SearchPlans(t.Context(), o.Project.ID, o.Files.ID, "item 7")
		o.Must(err)
		engine := t.Name()[strings.LastIndex(t.Name(), "/")+1:]
		for name, plan := range plans {
			if step := scans[engine].FindString(plan); step != "" {
				t.Errorf("%s: %s in\n%s", name, step, plan)
			}
		}
		// Items come in their order: SQLite sorts nothing, PostgreSQL one folder
		// at a time.
		scan := plans["walk"]
		if engine == "sqlite" && strings.Contains(strings.Split(scan, "\nSEARCH i USING INTEGER")[0], "TEMP B-TREE") {
			t.Errorf("the walk sorts:\n%s", scan)
		}
		if engine == "postgres" && !strings.Contains(scan, "Incremental Sort") {
			t.Errorf("the walk sorts more than a folder at a time:\n%s", scan)
		}
		if !strings.Contains(plans["look up"], "versions_name") || !strings.Contains(plans["count"], "versions_name") {
			t.Errorf("the index of names is not used:\n%s\n%s", plans["count"], plans["look up"])
		}
	})
}

func text(field storage.SearchField, op storage.Op, value string) storage.SearchQuery {
	return storage.SearchQuery{Texts: map[storage.SearchField][]storage.TextCondition{field: {{Op: op,
		Values: []string{value}}}}, Budget: time.Minute}
}

// Rule: FIND-1
func TestSearchTakesTheWayThatFits(t *testing.T) {
	eachOrchard(t, func(t *testing.T, o *orchard) {
		for _, tt := range []struct {
			name  string
			query storage.SearchQuery
			plan  string
			found int // on a page
		}{
			{"few of a type", text(storage.SearchFileType, storage.OpEqual, "rvt"), "look up", 1},
			{"none of a type", text(storage.SearchFileType, storage.OpEqual, "dwg"), "look up", 0},
			{"many of a type", text(storage.SearchFileType, storage.OpEqual, "pdf"), "walk", 200},
			{"few that begin so", text(storage.SearchName, storage.OpStarts, "item 599"), "look up", 11},
			{"what no index finds", text(storage.SearchName, storage.OpEnds, "999"), "walk", 6},
			{"by id", storage.SearchQuery{ByID: true, IDs: []storage.VersionRef{{ItemID: "i7"}}, Budget: time.Minute},
				"look up", 1},
			{"everything", storage.SearchQuery{Budget: time.Minute}, "walk", 200},
		} {
			plan, err := o.store.SearchPlan(t.Context(), o.Project.ID, o.Files.ID, tt.query)
			o.Must(err)
			found, _, err := o.store.Search(t.Context(), o.Project.ID, o.Files.ID, tt.query, storage.DataPage{})
			o.Must(err)
			if plan != tt.plan || len(found) != tt.found {
				t.Errorf("%s: %s finds %d, want %s and %d", tt.name, plan, len(found), tt.plan, tt.found)
			}
		}
	})
}

// Rule: FIND-5
func TestAWalkOfManyStepsFindsEverythingOnce(t *testing.T) {
	eachOrchard(t, func(t *testing.T, o *orchard) {
		for name, query := range map[string]storage.SearchQuery{
			"everything": {}, "rare": {Fits: func(i storage.ItemWithTip) bool { return i.Tip.Size%1000 == 0 }},
		} {
			query.Budget = time.Minute
			seen := map[string]bool{}
			for page := (storage.DataPage{}); ; {
				found, next, err := o.store.Search(t.Context(), o.Project.ID, o.Files.ID, query, page)
				o.Must(err)
				for _, i := range found {
					if seen[i.Item.ID] {
						t.Errorf("%s: %s comes twice", name, i.Item.ID)
					}
					seen[i.Item.ID] = true
				}
				if page.After = next; next == "" {
					break
				}
			}
			want := orchardItems
			if name == "rare" {
				want = orchardItems / 1000
			}
			if len(seen) != want {
				t.Errorf("%s: %d, want %d", name, len(seen), want)
			}
		}
	})
}

// Rule: FIND-2
func TestASearchWithoutTimeTakesItsFirstStepAllTheSame(t *testing.T) {
	eachOrchard(t, func(t *testing.T, o *orchard) {
		for name, want := range map[string]int{"item 5999": 1, "item": 0} { // by index, and by walking
			query, found, pages := text(storage.SearchName, storage.OpContains, name), 0, 0
			if want > 0 {
				query = text(storage.SearchName, storage.OpEqual, name)
			}
			query.Budget = time.Nanosecond
			for page := (storage.DataPage{}); pages == 0 || page.After != ""; pages++ {
				some, next, err := o.store.Search(t.Context(), o.Project.ID, o.Files.ID, query, page)
				o.Must(err)
				if pages > orchardItems {
					t.Fatalf("%s: no end after %q", name, page.After)
				}
				found, page.After = found+len(some), next
			}
			if want == 0 {
				want = orchardItems
			}
			if found != want {
				t.Errorf("%s: %d found on %d pages, want %d", name, found, pages, want)
			}
		}
	})
}

// Rule: FIND-2
func TestASearchEndsWithItsBudgetAndGoesOnWithItsCursor(t *testing.T) {
	eachOrchard(t, func(t *testing.T, o *orchard) {
		const budget = 300 * time.Millisecond
		spent := false
		query := storage.SearchQuery{Budget: budget, Fits: func(storage.ItemWithTip) bool {
			if !spent {
				spent = true
				<-time.After(budget)
			}
			return false
		}}
		found, next, err := o.store.Search(t.Context(), o.Project.ID, o.Files.ID, query, storage.DataPage{})
		o.Must(err)
		if len(found) != 0 || next == "" {
			t.Fatalf("%d found, cursor %q", len(found), next)
		}
		rest := 0
		query = storage.SearchQuery{Budget: time.Minute}
		for page := (storage.DataPage{After: next}); ; {
			found, next, err := o.store.Search(t.Context(), o.Project.ID, o.Files.ID, query, page)
			o.Must(err)
			rest += len(found)
			if page.After = next; next == "" {
				break
			}
		}
		if rest == 0 || rest >= orchardItems {
			t.Errorf("%d of %d items lie behind the cursor", rest, orchardItems)
		}
		spent = false
		query = storage.SearchQuery{Budget: budget, Fits: func(storage.ItemWithTip) bool {
			if !spent {
				spent = true
				<-time.After(budget)
			}
			return true
		}}
		_, _, err = o.store.Search(t.Context(), o.Project.ID, o.Files.ID, query, storage.DataPage{Number: 20})
		if !fault.HasReason(err, storage.ReasonPageBehind) {
			t.Errorf("a page that can't be reached in time: %v", err)
		}
	})
}
