package sqlstore

import (
	"maps"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/portico-id/portico/internal/harness/pgtest"
	"github.com/portico-id/portico/internal/harness/sqlitetest"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
)

// soakRows names how many expired rows of each kind there are, where the few of
// every run are not enough.
const soakRows = "PORTICO_SOAK_ROWS"

func expiredRows(t *testing.T) int {
	t.Helper()
	text := os.Getenv(soakRows)
	if text == "" {
		return 5_000
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatalf("%s: %v", soakRows, err)
	}
	return n
}

const (
	liveRows   = 100
	sweepLimit = 1000
	keepGrants = 2 * time.Hour
)

// fills write rows of each kind that end, or ended, at :end. Revoked grants come
// beside those whose refresh token ended.
var fills = map[string]string{
	"grants": `
INSERT INTO grants (id, client_id, user_id, session_id, scopes, nonce, claims, auth_time, acr, amr, created_at,
	generation, rotated_at, expires_at, revoked_at)
SELECT :name || i, 'c', 'U', 's', '[]', '', '', 1, '', '[]', 1, 1, 1,
	CASE WHEN i % 2 = 0 THEN cast(:end AS bigint) ELSE cast(:never AS bigint) END,
	CASE WHEN i % 2 = 0 THEN NULL ELSE cast(:end AS bigint) END FROM n`,
	"authorize_codes": `
INSERT INTO authorize_codes (hash, grant_id, client_id, user_id, session_id, redirect_uri, scopes, narrowed, nonce, challenge,
	claims, auth_time, acr, amr, issued_at, expires_at, verifier_failures)
SELECT cast(:name || i AS {bytes}), 'g', 'c', 'U', 's', '', '[]', {false}, '', '', '', 1, '', '[]', 1, cast(:end AS bigint), 0 FROM n`,
	"revocations": `
INSERT INTO revocations (jti, expires_at) SELECT :name || i, cast(:end AS bigint) FROM n`,
	"login_sessions": `
INSERT INTO login_sessions (id, token_hash, user_id, auth_time, acr, amr, created_at, last_seen_at, expires_at, address, user_agent)
SELECT :name || i, cast(:name || i AS {bytes}), 'U', 1, '', '[]', 1, 1, cast(:end AS bigint), '', '' FROM n`,
	"session_clients": `
INSERT INTO session_clients (session_id, client_id) SELECT :name || i, 'c' FROM n WHERE cast(:end AS bigint) > 0`,
	"login_requests": `
INSERT INTO login_requests (id, client_id, params, created_at, expires_at, decided_by, allowed)
SELECT :name || i, 'c', '', 1, cast(:end AS bigint), '', {false} FROM n`,
	"device_requests": `
INSERT INTO device_requests (hash, user_code, client_id, params, address, created_at, expires_at)
SELECT cast(:name || i AS {bytes}), cast(:name || i AS {bytes}), 'c', '', '', 1, cast(:end AS bigint) FROM n`,
	"logout_deliveries": `
INSERT INTO logout_deliveries (client_id, user_id, session_id, created_at, attempts, last_status, failure)
SELECT 'c', 'U', :name || i, cast(:end AS bigint), 1, 200, '' FROM n`,
}

// fillOrder has what others refer to first.
var fillOrder = []string{
	"grants", "authorize_codes", "revocations", "login_sessions", "session_clients", "login_requests",
	"device_requests", "logout_deliveries",
}

// TestSweepsBringTheTablesBackToTheLiveRows floods each table twice: the second
// flood has to find room where the first one was.
// Rule: SERVER-14
func TestSweepsBringTheTablesBackToTheLiveRows(t *testing.T) {
	for name, url := range map[string]func() string{
		"sqlite":   func() string { return sqlitetest.URL(t) },
		"postgres": func() string { return pgtest.URL(t) },
	} {
		t.Run(name, func(t *testing.T) {
			r := newRetention(t, url())
			now := time.Date(2026, 5, 6, 7, 8, 9, 0, time.UTC)
			r.fill("live", liveRows, now.Add(time.Hour))
			var sizes []int
			for _, flood := range []string{"first", "second"} {
				r.fill(flood, expiredRows(t), now.Add(-storage.KeepLogoutDeliveries-time.Hour))
				sizes = append(sizes, r.size())
				r.sweep(now)
				want := map[string]int{}
				for _, table := range fillOrder {
					want[table] = liveRows
				}
				if diff := cmp.Diff(want, r.counts()); diff != "" {
					t.Errorf("after the %s flood (-want +got):\n%s", flood, diff)
				}
			}
			if sizes[1] > sizes[0]*11/10 {
				t.Errorf("the database grew from %d to %d: the room of swept rows is lost", sizes[0], sizes[1])
			}
		})
	}
}

type retention struct {
	*testing.T
	store  *Store
	sqlite bool
}

func newRetention(t *testing.T, url string) *retention {
	t.Helper()
	store, err := Open(t.Context(), engine.Options{URL: url, Version: "0.1.0", Migrate: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	r := &retention{t, store, strings.HasPrefix(url, "sqlite:")}
	act := storage.Act{At: time.UnixMicro(1)}
	r.must(store.CreateUser(t.Context(), act, storage.User{ID: "U", Email: "user@example.test", CreatedAt: act.At,
		UpdatedAt: act.At}, ""))
	r.must(store.CreateClient(t.Context(), act, storage.Client{ID: "c", CreatedAt: act.At, UpdatedAt: act.At}))
	return r
}

func (r *retention) must(err error) {
	r.Helper()
	if err != nil {
		r.Fatal(err)
	}
}

// fill adds n rows of each kind that end at the time, some at once: a statement has its time.
func (r *retention) fill(name string, n int, end time.Time) {
	r.Helper()
	const atOnce = 100_000
	for part := 0; n > 0; part, n = part+1, n-atOnce {
		r.fillSome(name+" "+strconv.Itoa(part)+" ", min(n, atOnce), end)
	}
}

func (r *retention) fillSome(name string, n int, end time.Time) {
	r.Helper()
	bytes, no := "bytea", "false"
	if r.sqlite {
		bytes, no = "blob", "0"
	}
	for _, table := range fillOrder {
		query := strings.NewReplacer("{bytes}", bytes, "{false}", no, ":name", "cast(:name AS text)").Replace(fills[table])
		count, err := r.store.db.WriteOne(r.Context(),
			"WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < :n)"+query,
			engine.Args{"n": n, "name": name, "end": end, "never": end.AddDate(1000, 0, 0)})
		r.must(err)
		if count != int64(n) {
			r.Fatalf("%d rows of %s were added", count, table)
		}
	}
}

// sweep sweeps as the worker does, and checks that no call does more than it
// may.
func (r *retention) sweep(now time.Time) {
	r.Helper()
	kinds := len(fillOrder) - 1 // the clients of a session go with it
	for calls := 1; ; calls++ {
		removed, err := r.store.SweepExpired(r.Context(), now, keepGrants, sweepLimit)
		r.must(err)
		if removed > kinds*sweepLimit {
			r.Fatalf("one call removed %d rows", removed)
		}
		if removed < sweepLimit {
			r.Logf("%d calls", calls)
			for range 2 { // pages of an index are found empty by one and used again after the next
				r.vacuum()
			}
			return
		}
	}
}

// vacuum does what PostgreSQL does by itself in the background.
func (r *retention) vacuum() {
	r.Helper()
	if r.sqlite {
		return
	}
	for _, statement := range []string{"VACUUM",
		"SELECT txid_current()"} { // only what is older than some transaction is used again
		_, err := r.store.db.WriteOne(r.Context(), statement, engine.Args{})
		r.must(err)
	}
}

func (r *retention) counts() map[string]int {
	r.Helper()
	counts := map[string]int{}
	for table := range maps.Keys(fills) {
		var n int
		r.must(r.store.db.Get(r.Context(), &n, "SELECT count(*) FROM "+table, engine.Args{}))
		counts[table] = n
	}
	return counts
}

// size returns how large the database is, in pages or bytes.
func (r *retention) size() int {
	r.Helper()
	query := "PRAGMA page_count"
	if !r.sqlite {
		query = "SELECT pg_database_size(current_database())"
	}
	var size int
	r.must(r.store.db.Get(r.Context(), &size, query, engine.Args{}))
	return size
}

// Rule: SERVER-14
func TestAKindThatCannotBeSweptHoldsUpNoOther(t *testing.T) {
	for name, url := range map[string]string{"sqlite": sqlitetest.URL(t), "postgresql": pgtest.URL(t)} {
		t.Run(name, func(t *testing.T) {
			r := newRetention(t, url)
			now := time.UnixMicro(1).AddDate(1, 0, 0)
			r.fill("old", 3, time.UnixMicro(1))
			_, err := r.store.db.WriteOne(t.Context(), `ALTER TABLE authorize_codes RENAME COLUMN expires_at TO gone`,
				engine.Args{})
			r.must(err)
			if _, err := r.store.SweepExpired(t.Context(), now, keepGrants, sweepLimit); err == nil {
				t.Error("nobody learns of the kind that can't be swept")
			}
			for _, table := range []string{"login_sessions", "revocations", "grants"} {
				if n := r.counts()[table]; n != 0 {
					t.Errorf("%d rows of %s are left", n, table)
				}
			}
		})
	}
}
