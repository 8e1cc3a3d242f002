package sqlstore

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/jmoiron/sqlx"

	"github.com/portico-id/portico/internal/harness/sqlitetest"
)

var parameterName = regexp.MustCompile(`:([a-z_0-9]+)`)

// TestWhatRunsOftenIsFoundByIndex asks SQLite how it would run the statements
// of the token endpoint and of the sweeps: none may read a whole table, which
// an empty database would not show.
func TestWhatRunsOftenIsFoundByIndex(t *testing.T) {
	store, err := Open(t.Context(), Options{
		URL: sqlitetest.URL(t), Version: "0.1.0", Migrate: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	queries := slices.Concat(slices.Collect(maps.Keys(store.reader.hot)), slices.Collect(maps.Keys(store.writer.hot)), []string{
		insertAssertionID, dueOfBearer,
		selectUserByLogin, selectSessions, selectLiveGrants, selectClientsOfOwner, countAdmins,
		revokeUserGrants, revokeUserCodes, revokeClientGrants, revokeClientCodes, revokePairGrants, revokePairCodes,
		deleteUserSessions, sweepCodes, sweepLoginRequests, sweepSessions, sweepGrants, sweepRevocations,
		tellOfSession, tellOfUserSessions, selectDueLogouts, selectLogoutDeliveries, sweepLogoutDeliveries,
	})
	for _, query := range queries {
		steps := plan(t, store, query)
		for _, step := range steps {
			if strings.HasPrefix(step, "SCAN") && step != "SCAN CONSTANT ROW" && !scansItsOwn(step) && !isMadeUp(step, steps) {
				t.Errorf("%s in\n%s", step, query)
			}
		}
	}
}

// scansItsOwn reports whether a step goes through few rows, of a subquery or a list, or an
// index that holds only what is looked for.
func scansItsOwn(step string) bool {
	return slices.Contains([]string{"SCAN c", "SCAN d", "SCAN q"}, step) ||
		strings.HasPrefix(step, "SCAN (subquery") || strings.HasPrefix(step, "SCAN json_each") || strings.Contains(step, "users_enabled_admins")
}

// isMadeUp reports whether a step goes through what another one has just made.
func isMadeUp(step string, steps []string) bool {
	name := strings.TrimPrefix(step, "SCAN ")
	return slices.Contains(steps, "CO-ROUTINE "+name) || slices.Contains(steps, "MATERIALIZE "+name)
}

// plan returns the steps of SQLite's plan for the query.
func plan(t *testing.T, store *Store, query string) []string {
	t.Helper()
	text := store.reader.dialect.text(query)
	arg := map[string]any{}
	for _, match := range parameterName.FindAllStringSubmatch(text, -1) {
		arg[match[1]] = nil
	}
	bound, values, err := sqlx.BindNamed(sqlx.QUESTION, text, arg)
	if err != nil {
		t.Fatal(err)
	}
	var steps []struct {
		ID, Parent, NotUsed int
		Detail              string
	}
	if err := store.reader.db.Select(&steps, "EXPLAIN QUERY PLAN "+bound, values...); err != nil {
		t.Fatalf("%v in\n%s", err, query)
	}
	var details []string
	for _, step := range steps {
		details = append(details, step.Detail)
	}
	return details
}
