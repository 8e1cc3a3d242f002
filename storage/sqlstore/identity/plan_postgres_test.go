package identity

import (
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/portico-id/portico/internal/harness/pgtest"
	"github.com/portico-id/portico/storage/sqlstore/engine"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

const (
	deliver = `
INSERT INTO logout_deliveries (client_id, user_id, session_id, created_at, attempts, last_status, failure, next_at)
SELECT 'c' || n % 10, 'somebody', 's' || n, 1, 0, 0, '', `

	manyClients = `
INSERT INTO clients (id, name, type, profile, owner_user_id, redirect_uris, post_logout_redirect_uris, origins, scopes,
	backchannel_logout_uri, require_pkce, first_party, internal, disabled, created_at, updated_at)
SELECT 'c' || n, 'C', 'web', 'standard', '', '[]', '[]', '[]', '[]', 'somewhere', true, false, false, false, 1, 1
FROM generate_series(0, 9) n`
)

// allAtOnce has very many notices wait, of which the planner has not heard.
func allAtOnce(t *testing.T, db *engine.DB) {
	t.Helper()
	err := db.Write(t.Context(), func(tx engine.Tx) error {
		for _, statement := range []string{
			manyClients, deliver + `NULL FROM generate_series(1, 5000) n`,
			`ANALYZE logout_deliveries`, deliver + `1 FROM generate_series(1, 5000) n`,
		} {
			if _, err := tx.Exec(t.Context(), statement, engine.Args{}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

var readRows = regexp.MustCompile(`using logout_deliveries_.* rows=(\d+)(?:\.\d+)? loops`)

// The planner learns only later of very many that begin to wait at once, and until then
// takes an index of all that wait for one of none.
//
// Rule: LOGOUT-8
func TestTheNextNoticeIsFoundBeforeThePlannerKnowsHowManyWait(t *testing.T) {
	db, err := engine.Open(t.Context(), engine.Options{URL: pgtest.URL(t), Version: "0.1.0", Migrate: true})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	allAtOnce(t, db)
	var steps []string
	err = db.List(t.Context(), &steps, "EXPLAIN ANALYZE "+selectDueLogouts,
		engine.Args{"now": time.Now(), "limit": 32, "per_client": 4})
	if err != nil {
		t.Fatal(err)
	}
	plan := strings.Join(steps, "\n")
	for _, read := range readRows.FindAllStringSubmatch(plan, -1) {
		if n, _ := strconv.Atoi(read[1]); n > 10 {
			t.Fatalf("%d of those that wait are read by an index in\n%s", n, plan)
		}
	}
}
