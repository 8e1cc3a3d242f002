package app

import (
	"database/sql"
	"errors"
	"path/filepath"
	"testing"
)

// Rules: POLICY-3, RES-15
func TestAServerStartsByNothingThatItCouldNotRead(t *testing.T) {
	for _, table := range []string{"policy", "resources", "upstreams", "brand"} {
		c := configure(t)
		open(t, c) // as it is when the table is there
		db, err := sql.Open("sqlite", filepath.Join(c.DataDir, "portico.db"))
		if err != nil {
			t.Fatal(err)
		}
		_, err = db.ExecContext(t.Context(), "ALTER TABLE "+table+" RENAME TO elsewhere")
		if err = errors.Join(err, db.Close()); err != nil {
			t.Fatal(err)
		}
		if a, err := New(t.Context(), c, options()); err == nil {
			t.Errorf("a server starts that can't read the table %s", table)
			_ = a.Close()
		}
	}
}
