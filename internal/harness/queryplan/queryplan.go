// Package queryplan asks SQLite how it would run a query.
package queryplan

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/portico-id/portico/internal/harness/sqlitetest"
	"github.com/portico-id/portico/storage/sqlstore/engine"
)

// ByIndex fails for every query that would read a whole table, which an empty
// database would not show.
func ByIndex(t *testing.T, queries ...string) {
	t.Helper()
	db, err := engine.Open(t.Context(), engine.Options{URL: sqlitetest.URL(t), Version: "0.1.0", Migrate: true})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, query := range queries {
		steps := plan(t, db, query)
		for _, step := range steps {
			if strings.HasPrefix(step, "SCAN") && step != "SCAN CONSTANT ROW" && !scansItsOwn(step) && !isMadeUp(step, steps) {
				t.Errorf("%s in\n%s", step, query)
			}
		}
	}
}

// Uses fails unless the query finds its rows by each of the indexes.
func Uses(t *testing.T, query string, indexes ...string) {
	t.Helper()
	db, err := engine.Open(t.Context(), engine.Options{URL: sqlitetest.URL(t), Version: "0.1.0", Migrate: true})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	steps := strings.Join(plan(t, db, query), " \n") + " "
	for _, index := range indexes {
		if !strings.Contains(steps, "INDEX "+index+" ") {
			t.Errorf("%s is not used for\n%s\nbut\n%s", index, query, steps)
		}
	}
}

// Of are the queries of a room that run often, without those that SQLite has
// none for.
func Of(hot engine.Hot) []string {
	all := slices.Concat(hot.Read, hot.Write, hot.Unsynced, hot.Together)
	return slices.DeleteFunc(all, func(query string) bool { return strings.HasPrefix(query, "{lock project") })
}

var parameterName = regexp.MustCompile(`:([a-z_0-9]+)`)

// plan returns the steps of SQLite's plan for the query.
func plan(t *testing.T, db *engine.DB, query string) []string {
	t.Helper()
	arg := engine.Args{"folder_id": nil, "objects": nil, "at": nil, "ids": nil} // of words
	for _, match := range parameterName.FindAllStringSubmatch(query, -1) {
		arg[match[1]] = nil
	}
	var steps []struct {
		ID, Parent int
		NotUsed    int `db:"notused"`
		Detail     string
	}
	if err := db.List(t.Context(), &steps, "EXPLAIN QUERY PLAN "+query, arg); err != nil {
		t.Fatalf("%v in\n%s", err, query)
	}
	var details []string
	for _, step := range steps {
		details = append(details, step.Detail)
	}
	return details
}

// scansItsOwn reports whether a step goes through few rows, of a subquery, a list or what is
// noted of folders, or an index that holds only what is looked for.
func scansItsOwn(step string) bool {
	return slices.Contains([]string{"SCAN c", "SCAN d", "SCAN q", "SCAN folder_changes"}, step) ||
		strings.HasPrefix(step, "SCAN (subquery") || strings.HasPrefix(step, "SCAN json_each") ||
		strings.Contains(step, "users_enabled_admins")
}

// isMadeUp reports whether a step goes through what another one has just made.
func isMadeUp(step string, steps []string) bool {
	name := strings.TrimPrefix(step, "SCAN ")
	return slices.Contains(steps, "CO-ROUTINE "+name) || slices.Contains(steps, "MATERIALIZE "+name)
}
