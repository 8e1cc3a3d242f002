package tree_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/portico-id/portico/internal/harness/pgtest"
	"github.com/portico-id/portico/storage/sqlstore"
	"github.com/portico-id/portico/storage/sqlstore/tree"
)

// wholeTable finds a step that reads all of a table that grows with the tree.
var wholeTable = regexp.MustCompile(`Seq Scan on (folders|folder_paths|items|versions)\b`)

// What SQLite would do is asked beside the other statements that run often.
func TestBrowsingIsDoneByIndexOnPostgreSQL(t *testing.T) {
	url := pgtest.URL(t)
	engine := onPostgres()
	engine.NewDatabase = func(testing.TB) string { return url }
	w := newBench(t, engine, 10_000, 10_000)
	pgtest.Analyze(t, url)
	store, ok := w.Data.(*sqlstore.Store)
	if !ok {
		t.Fatalf("%T", w.Data)
	}
	for name, query := range tree.Queries() {
		plan, err := store.PostgresPlan(t.Context(), query, tree.PlanValues(name, w.Project.ID, w.wide, w.item, w.user))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if step := wholeTable.FindString(plan); step != "" {
			t.Errorf("%s: %s in\n%s", name, step, plan)
		}
		if strings.Contains(plan, "Sort ") && strings.Contains(query, "LIMIT :") {
			t.Errorf("%s sorts what an index has in order:\n%s", name, plan)
		}
	}
}
