package sqlstore_test

import (
	"database/sql"
	"testing"
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/harness/pgtest"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore"
	"github.com/portico-id/portico/storage/storagetest"
)

// clockStart is a time to hand in where none matters.
var clockStart = time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)

// halfway is a PostgreSQL database on which somebody else's transaction stands
// halfway, so that what waits for it can be seen waiting: races that luck would
// have to bring about otherwise.
type halfway struct {
	*storagetest.World
	t  *testing.T
	db *sql.DB
	tx *sql.Tx

	address string
}

func newHalfway(t *testing.T) *halfway {
	t.Helper()
	h := &halfway{t: t, address: pgtest.URL(t)}
	engine := onPostgres()
	engine.NewDatabase = func(testing.TB) string { return h.address }
	h.World = storagetest.NewWorld(t, engine)
	var err error
	if h.db, err = sql.Open("postgres", h.address); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.db.Close() })
	return h
}

// begin does the first statement of the other transaction.
func (h *halfway) begin(statement string, args ...any) {
	h.t.Helper()
	var err error
	if h.tx, err = h.db.BeginTx(h.Ctx(), nil); err != nil {
		h.t.Fatal(err)
	}
	if _, err := h.tx.Exec(statement, args...); err != nil {
		h.t.Fatal(err)
	}
}

// during starts an act, checks that it waits, lets the other transaction end
// and returns what the act came to.
func (h *halfway) during(act func() error) error {
	h.t.Helper()
	result := make(chan error, 1)
	go func() { result <- act() }()
	h.untilOneWaits(result)
	if err := h.tx.Commit(); err != nil {
		h.t.Fatal(err)
	}
	return <-result
}

// untilOneWaits returns when the server shows a transaction that waits for a
// lock.
func (h *halfway) untilOneWaits(result chan error) {
	h.t.Helper()
	const waiting = `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`
	retry := time.NewTicker(5 * time.Millisecond)
	defer retry.Stop()
	for {
		var n int
		if err := h.db.QueryRow(waiting).Scan(&n); err != nil {
			h.t.Fatal(err)
		}
		if n > 0 {
			return
		}
		select {
		case err := <-result:
			h.t.Fatalf("the act did not wait: %v", err)
		case <-retry.C:
		}
	}
}

// Rule: SERVER-24
func TestRedemptionWaitsForAUserBeingDisabled(t *testing.T) {
	h := newHalfway(t)
	code := h.Code(h.User().ID, h.Client().ID)
	h.begin(`UPDATE users SET disabled = true WHERE id = $1`, code.UserID)
	err := h.during(func() error { return h.Store.RedeemCode(h.Ctx(), h.Act(), code.Hash, grantOf(code)) })
	h.Refused(err, fault.Gone, storage.ReasonRevoked)
}

func TestRedemptionWaitsForAClientBeingDisabled(t *testing.T) {
	h := newHalfway(t)
	code := h.Code(h.User().ID, h.Client().ID)
	h.begin(`UPDATE clients SET disabled = true WHERE id = $1`, code.ClientID)
	err := h.during(func() error { return h.Store.RedeemCode(h.Ctx(), h.Act(), code.Hash, grantOf(code)) })
	h.Refused(err, fault.Gone, storage.ReasonRevoked)
}

func TestRedemptionWaitsForAConsentBeingWithdrawn(t *testing.T) {
	h := newHalfway(t)
	code := h.Code(h.User().ID, h.Client().ID)
	h.begin(`SELECT 1 FROM users WHERE id = $1 FOR NO KEY UPDATE`, code.UserID)
	h.Must(h.during(func() error { return h.Store.RedeemCode(h.Ctx(), h.Act(), code.Hash, grantOf(code)) }))
}

// Rule: SERVER-24
func TestRotationWaitsForAUserBeingDisabled(t *testing.T) {
	h := newHalfway(t)
	grant := h.Grant(h.User().ID, h.Client().ID)
	h.begin(`UPDATE users SET disabled = true WHERE id = $1`, grant.UserID)
	err := h.during(func() error {
		_, err := h.Store.RotateRefresh(h.Ctx(), h.Act(),
			storage.RefreshUse{GrantID: grant.ID, Generation: 1, Lifetime: time.Hour})
		return err
	})
	h.Refused(err, fault.Gone, storage.ReasonRevoked)
}

// Rule: SERVER-24
func TestWhoeverRevokesWaitsForRedemptions(t *testing.T) {
	acts := map[string]func(*halfway, storage.AuthorizeCode) error{
		"SetUserDisabled": func(h *halfway, c storage.AuthorizeCode) error {
			return h.Store.SetUserDisabled(h.Ctx(), h.Act(), c.UserID, true)
		},
		"SetPassword": func(h *halfway, c storage.AuthorizeCode) error {
			return h.Store.SetPassword(h.Ctx(), h.Act(), c.UserID, "fresh", "")
		},
		"EndSessions": func(h *halfway, c storage.AuthorizeCode) error {
			return h.Store.EndSessions(h.Ctx(), h.Act(), c.UserID, "")
		},
		"WithdrawConsent": func(h *halfway, c storage.AuthorizeCode) error {
			return h.Store.WithdrawConsent(h.Ctx(), h.Act(), c.UserID, c.ClientID)
		},
		"SetClientDisabled": func(h *halfway, c storage.AuthorizeCode) error {
			return h.Store.SetClientDisabled(h.Ctx(), h.Act(), c.ClientID, true)
		},
	}
	for name, act := range acts {
		t.Run(name, func(t *testing.T) {
			h := newHalfway(t)
			code := h.Code(h.User().ID, h.Client().ID)
			h.begin(`SELECT 1 FROM users u, clients c WHERE u.id = $1 AND c.id = $2 FOR SHARE`, code.UserID, code.ClientID)
			h.Must(h.during(func() error { return act(h, code) }))
		})
	}
}

func TestANameTakenAtTheSameMomentIsAConflictWithItsReason(t *testing.T) {
	h := newHalfway(t)
	first, second := h.User(), h.User()
	h.begin(`UPDATE users SET username_key = 'the one' WHERE id = $1`, first.ID)
	second.Username = "The One"
	err := h.during(func() error { return h.Store.UpdateUser(h.Ctx(), h.Act(), second, nil) })
	h.Refused(err, fault.Conflict, storage.ReasonUsernameTaken)
}

func TestALockHeldTooLongIsUnavailable(t *testing.T) {
	h := newHalfway(t)
	user := h.User()
	address := changed(t, h.address, withSetting("lock_timeout", "50ms"))
	store := openURL(t, sqlstore.Options{URL: address, Version: thisBinary, Migrate: true})
	h.begin(`SELECT 1 FROM users WHERE id = $1 FOR UPDATE`, user.ID)
	defer h.tx.Rollback()
	err := store.SetPassword(h.Ctx(), h.Act(), user.ID, "fresh", "")
	h.Refused(err, fault.Unavailable, "")
}

// grantOf returns the grant that redeeming the code makes.
func grantOf(code storage.AuthorizeCode) storage.Grant {
	return storage.Grant{
		ID: code.GrantID, ClientID: code.ClientID, UserID: code.UserID, AuthTime: code.AuthTime, CreatedAt: code.IssuedAt,
		Generation: 1, RotatedAt: code.IssuedAt, ExpiresAt: code.IssuedAt.Add(time.Hour),
	}
}

func TestAnAnswerCountsThatComesAsTheConsentBeforeItIsWithdrawn(t *testing.T) {
	h := newHalfway(t)
	user, client := h.User(), h.Client()
	answer := func(scope string) error {
		request := h.Request(client.ID)
		request.DecidedBy, request.DecidedAt, request.Allowed = user.ID, h.Now(), true
		return h.Store.DecideLoginRequest(h.Ctx(), h.Act(), request, user.ID, []string{scope})
	}
	h.Must(answer("before"))
	h.begin(`SELECT 1 FROM consents WHERE user_id = $1 FOR UPDATE`, user.ID)
	result := make(chan error, 1)
	go func() { result <- answer("after") }()
	h.untilOneWaits(result)
	_, err := h.tx.Exec(`DELETE FROM consents WHERE user_id = $1`, user.ID)
	h.Must(err)
	h.Must(h.tx.Commit())
	h.Must(<-result)
	consent, err := h.Store.FindConsent(h.Ctx(), user.ID, client.ID)
	h.Must(err)
	h.Equal([]string{"after"}, consent.Scopes)
}
