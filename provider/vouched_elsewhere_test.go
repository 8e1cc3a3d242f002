package provider_test

import (
	"net/http"
	"testing"
)

// Whom another upstream vouches for gets in as little as who arrives by it.
//
// Rules: FED-11, VOUCH-2
func TestNobodyIsVouchedForWhoSignsInElsewhereAlone(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database, machines: true})
		c := w.company()
		w.liar("alone", "domains", "example.test")
		yes := true
		w.must(w.Store.UpdateUser(t.Context(), w.act(), w.person("root@here.test"), &yes))
		if got := c.presents(c.vouch(nil)); got.Status != http.StatusOK {
			t.Fatalf("before: %d %s", got.Status, got.Body)
		}
		w.set("alone", "exclusive", "true")
		c.refused(c.presents(c.vouch(map[string]any{"jti": "2"})), http.StatusBadRequest, "invalid_grant")
		w.set("alone", "exclusive", "false")
		w.set("works", "domains", "example.test", "exclusive", "true")
		if got := c.presents(c.vouch(map[string]any{"jti": "3"})); got.Status != http.StatusOK {
			t.Errorf("by the one where they do: %d %s", got.Status, got.Body)
		}
	})
}
