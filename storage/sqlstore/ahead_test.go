package sqlstore_test

import (
	"database/sql"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/portico-id/portico/internal/harness/sqlitetest"
)

// queues are the columns, with their tables, by which servers find what is due.
func queues(t *testing.T, db *sql.DB) map[string]string {
	t.Helper()
	rows, err := db.Query(`SELECT m.tbl_name, x.name FROM sqlite_schema m JOIN pragma_index_info(m.name) x
		WHERE m.type = 'index' AND m.name LIKE '%!_due' ESCAPE '!'`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	found := map[string]string{}
	for rows.Next() {
		var table, column string
		if err := rows.Scan(&table, &column); err != nil {
			t.Fatal(err)
		}
		found[table] = column
	}
	if err := rows.Err(); err != nil || len(found) < 5 {
		t.Fatalf("%v: %v", found, err)
	}
	return found
}

// untried writes a row as a clock does that is ahead, where nobody has tried it yet.
func untried(t *testing.T, db *sql.DB, table, due string, at int64) {
	t.Helper()
	rows, err := db.Query(`SELECT name, type FROM pragma_table_info('` + table + `')
		WHERE "notnull" AND dflt_value IS NULL AND name <> 'id' OR name IN ('` + due + `', 'stored_at')`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var names, values []string
	for rows.Next() {
		var name, kind string
		if err := rows.Scan(&name, &kind); err != nil {
			t.Fatal(err)
		}
		value := map[string]string{"TEXT": "'{}'", "BLOB": "x'01'", "INTEGER": "0"}[kind]
		if name == due || strings.HasSuffix(name, "_at") {
			value = fmt.Sprint(at)
		}
		names, values = append(names, name), append(values, value)
	}
	_, err = db.Exec(`INSERT INTO ` + table + ` (` + strings.Join(names, ", ") + `) VALUES (` +
		strings.Join(values, ", ") + `)`)
	if err != nil || rows.Err() != nil {
		t.Fatalf("%s: %v, %v", table, err, rows.Err())
	}
}

// Whatever waits for a server is due at once when a clock is right again that was ahead.
//
// Rule: SERVER-53
func TestEveryQueueGoesOnOnceAClockIsPutRight(t *testing.T) {
	address := sqlitetest.URL(t)
	store := openURL(t, options(address))
	_, name, _ := strings.Cut(address, ":")
	db, err := sql.Open("sqlite", name) // where rows need no other ones
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	now := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	all := queues(t, db)
	for table, due := range all {
		untried(t, db, table, due, now.Add(time.Hour).UnixMicro())
	}
	if _, err := store.SweepExpired(t.Context(), now, time.Hour, 100); err != nil {
		t.Fatal(err)
	}
	for table, due := range all {
		var at int64
		err := db.QueryRow(`SELECT ` + due + ` FROM ` + table).Scan(&at)
		if err != nil || at != now.UnixMicro() {
			t.Errorf("%s waits until %v: %v", table, time.UnixMicro(at).UTC(), err)
		}
	}
}
