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

// Rule: DCR-6
func TestAClientThatIsLetInWhileItIsClearedAwayStays(t *testing.T) {
	h := newHalfway(t)
	h.Must(h.Store.EnrolClient(h.Ctx(), h.Act(), storage.Client{ID: "idle", Name: "Idle", Type: storage.ClientNative,
		Profile: storage.ProfileStandard, Origin: storage.OriginOpen, CreatedAt: h.Now(), UpdatedAt: h.Now()},
		storage.Enrolment{ClientID: "idle", TokenHash: []byte{1}, CreatedAt: h.Now()}, nil))
	h.begin(`INSERT INTO consents (user_id, client_id, scopes, left_out, created_at, updated_at)
		VALUES ($1, 'idle', '[]', '[]', 1, 1)`, h.User().ID)
	h.Must(h.during(func() error {
		_, err := h.Store.SweepEnrolments(h.Ctx(), h.Act(), h.Now(), 10)
		return err
	}))
	_, err := h.Store.FindClient(h.Ctx(), "idle")
	h.Must(err)
}
