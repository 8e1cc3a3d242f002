package sqlstore_test

import (
	"database/sql"
	"strings"
	"testing"
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

// crowd writes registrations, one a millisecond, like that of the client c0.
func crowd(t *testing.T, address string) {
	t.Helper()
	driver, name, _ := strings.Cut(address, ":")
	if driver == "postgres" {
		name = address
	}
	db, err := sql.Open(driver, name)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	rows, err := db.Query(`SELECT * FROM clients LIMIT 0`)
	if err != nil {
		t.Fatal(err)
	}
	columns, err := rows.Columns()
	if err != nil || rows.Err() != nil || rows.Close() != nil {
		t.Fatal(err)
	}
	all := strings.Join(columns, ", ")
	copied := strings.Replace(", "+all, ", id", ", 'c' || i", 1)[2:]
	const numbers = `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1999) `
	for _, statement := range []string{
		`INSERT INTO clients (` + all + `) ` + numbers + `SELECT ` + copied + ` FROM clients, n WHERE id = 'c0'`,
		`INSERT INTO enrolments (client_id, token_hash, token_id, address, network, created_at) ` + numbers +
			`SELECT 'c' || i, token_hash, token_id, address, 'n' || (i / 50), created_at + i * 1000
			FROM enrolments, n WHERE client_id = 'c0'`,
	} {
		if _, err := db.Exec(statement); err != nil {
			t.Fatal(err)
		}
	}
}

// Rule: DCR-6
func TestWhoHasManyNetworksKeepsNobodyOutForLong(t *testing.T) {
	onBothEngines(t, func(t *testing.T, address string) {
		store := openURL(t, options(address))
		begun := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
		enrol := func(id, network string, after time.Duration) error {
			at := begun.Add(after)
			return store.EnrolClient(t.Context(), storage.Act{At: at}, storage.Client{ID: id, Name: id,
				Type: storage.ClientNative, Profile: storage.ProfileStandard, Origin: storage.OriginOpen,
				CreatedAt: at, UpdatedAt: at}, storage.Enrolment{ClientID: id, TokenHash: []byte{1}, Address: network,
				Network: network, CreatedAt: at}, nil)
		}
		if err := enrol("c0", "n0", 0); err != nil {
			t.Fatal(err)
		}
		crowd(t, address) // c1 to c1999
		full := func(err error) bool { return fault.HasReason(err, storage.ReasonEnrolmentsFull) }
		if err := enrol("soon", "m", storage.KeepFullEnrolments-time.Millisecond); !full(err) {
			t.Errorf("as many as may be, none of them old: %v", err)
		}
		if err := enrol("later", "m", storage.KeepFullEnrolments+time.Microsecond); err != nil {
			t.Errorf("the first is old: %v", err)
		}
		if err := enrol("last", "m", storage.KeepFullEnrolments+time.Microsecond); !full(err) {
			t.Errorf("the next is not: %v", err)
		}
		if err := enrol("its own", "n3", 2*storage.KeepFullEnrolments); !full(err) {
			t.Errorf("of its own network there are as many as may be: %v", err)
		}
		for id, stays := range map[string]bool{"c0": false, "c1": true, "c1999": true, "later": true} {
			if _, err := store.FindClient(t.Context(), id); (err == nil) != stays {
				t.Errorf("%s: %v", id, err)
			}
		}
	})
}
