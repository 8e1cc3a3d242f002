package sqlstore_test

import (
	"testing"

	"github.com/portico-id/portico/storage"
)

// Whoever is made to stay at the moment of the sweep is judged anew once their row is free.
//
// Rule: JOIN-2
func TestASweepLeavesWhatIsKeptWhileItWaits(t *testing.T) {
	h := newHalfway(t)
	user := h.User()
	_, err := h.db.Exec(`UPDATE users SET ends_at = 1 WHERE id = $1`, user.ID)
	h.Must(err)
	h.begin(`UPDATE users SET ends_at = NULL WHERE id = $1`, user.ID)
	h.Must(h.during(func() error {
		_, err := h.Store.SweepExpired(h.Ctx(), h.Now(), storage.KeepSpent, 100)
		return err
	}))
	_, err = h.Store.FindUser(h.Ctx(), user.ID)
	h.Must(err)
}
