package clients

import (
	"context"
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
)

const (
	// letIn is the condition that somebody lets the client in, or looks after it.
	letIn = `(c.vouched OR c.first_party OR c.owner_user_id <> ''
	OR EXISTS (SELECT 1 FROM consents s WHERE s.client_id = c.id) OR EXISTS (SELECT 1 FROM grants g WHERE g.client_id = c.id))`

	selectEnrolments = `
SELECT e.client_id, e.token_hash, e.token_id, coalesce(t.label, '') AS token_label, c.name AS client_name,
	` + letIn + ` AS used, c.disabled, e.address, e.network, e.created_at
FROM enrolments e JOIN clients c ON c.id = e.client_id LEFT JOIN initial_tokens t ON t.id = e.token_id`

	selectEnrolment = selectEnrolments + `
WHERE e.client_id = :client_id`

	selectLastEnrolments = selectEnrolments + `
ORDER BY e.created_at DESC, e.client_id LIMIT :limit`

	idleEnrolments = `
FROM enrolments e JOIN clients c ON c.id = e.client_id
WHERE c.origin <> 'token' AND NOT c.disabled AND NOT ` + letIn

	countIdle = `
SELECT count(*) AS everywhere, coalesce(sum(CASE WHEN e.network = :network THEN 1 ELSE 0 END), 0) AS here` +
		idleEnrolments + ` AND e.created_at > :since`

	selectIdle = `
SELECT e.client_id` + idleEnrolments + ` AND e.created_at <= :before
ORDER BY e.created_at LIMIT :limit`

	selectIdleOne = `
SELECT e.client_id` + idleEnrolments + ` AND e.client_id = :id`

	// Whoever lets the client in at this moment does so before, or finds it gone.
	lockIdle = `
SELECT id FROM clients WHERE id = :id
FOR UPDATE`

	useInitialToken = `
UPDATE initial_tokens SET uses_left = uses_left - 1 WHERE hash = :hash AND uses_left > 0 AND ends_at > :now`

	selectInitialTokenID = `
SELECT id FROM initial_tokens WHERE hash = :hash`
)

var insertEnrolment = engine.Insert("enrolments", "client_id, token_hash, token_id, address, network, created_at")

// EnrolClient implements storage.EnrolmentStore.
func (s *Clients) EnrolClient(ctx context.Context, act storage.Act, client storage.Client, enrolment storage.Enrolment,
	initialHash []byte) error {
	return s.write(ctx, func(tx tx) error {
		var err error
		if initialHash != nil {
			enrolment.TokenID, err = tx.useInitialToken(ctx, act, initialHash)
		} else {
			err = tx.roomForIdle(ctx, act, enrolment.Network)
		}
		if err != nil {
			return err
		}
		if err := tx.create(ctx, act, client); err != nil {
			return err
		}
		_, err = tx.Exec(ctx, insertEnrolment, enrolment)
		return err
	})
}

func (t tx) useInitialToken(ctx context.Context, act storage.Act, hash []byte) (id string, err error) {
	arg := engine.Args{"hash": hash, "now": act.At}
	none := fault.New(fault.Unauthenticated, storage.ReasonInitialToken,
		"The initial access token does not count, or counts no more.")
	if err := t.ExecOne(ctx, none, useInitialToken, arg); err != nil {
		return "", err
	}
	return id, t.Get(ctx, &id, selectInitialTokenID, arg)
}

// lockRegistrations has clients, initial tokens and resources that come at once counted one
// after the other.
const lockRegistrations = `{lock registrations}`

// roomForIdle counts those of a day: what is older is about to go.
func (t tx) roomForIdle(ctx context.Context, act storage.Act, network string) error {
	if _, err := t.Exec(ctx, lockRegistrations, engine.Args{}); err != nil {
		return err
	}
	var idle struct{ Everywhere, Here int }
	arg := engine.Args{"network": network, "since": act.At.Add(-storage.KeepIdleEnrolments)}
	if err := t.Get(ctx, &idle, countIdle, arg); err != nil {
		return err
	}
	full := fault.New(fault.TooMany, storage.ReasonEnrolmentsFull,
		"Too many clients have registered themselves that nobody uses. They go after a day.").After(time.Hour)
	switch {
	case idle.Here >= storage.MaxNetworkEnrolments:
		return full
	case idle.Everywhere >= storage.MaxIdleEnrolments:
		return t.makeRoom(ctx, act, full)
	}
	return nil
}

// makeRoom removes the client that has been idle for longest, if that is long.
func (t tx) makeRoom(ctx context.Context, act storage.Act, full error) error {
	var ids []string
	arg := engine.Args{"before": act.At.Add(-storage.KeepFullEnrolments), "limit": 1}
	if err := t.List(ctx, &ids, selectIdle, arg); err != nil {
		return err
	}
	if len(ids) == 0 {
		return full
	}
	err := t.deleteIdle(ctx, storage.Act{At: act.At, Actor: storage.Actor{Kind: storage.ActorSystem}}, ids[0])
	if fault.Is(err, fault.NotFound) {
		return nil // it makes room as well
	}
	return err
}

// deleteIdle is NotFound when the client is idle no more.
func (t tx) deleteIdle(ctx context.Context, act storage.Act, id string) error {
	for _, query := range []string{lockIdle, selectIdleOne} {
		if err := t.MustExist(ctx, "registration", query, id); err != nil {
			return err
		}
	}
	return t.delete(ctx, act, id)
}

// FindEnrolment implements storage.EnrolmentStore.
func (s *Clients) FindEnrolment(ctx context.Context, clientID string) (storage.Enrolment, error) {
	return engine.Find[storage.Enrolment](ctx, s.db, "registration", selectEnrolment, engine.Args{"client_id": clientID})
}

// ListEnrolments implements storage.EnrolmentStore.
func (s *Clients) ListEnrolments(ctx context.Context, limit int) ([]storage.Enrolment, error) {
	return engine.All[storage.Enrolment](ctx, s.db, selectLastEnrolments, engine.Args{"limit": limit})
}

// SweepEnrolments implements storage.EnrolmentStore. Each is looked at once more when
// it goes: somebody may have let it in meanwhile.
func (s *Clients) SweepEnrolments(ctx context.Context, act storage.Act, before time.Time, limit int) (int, error) {
	ids, err := engine.All[string](ctx, s.db, selectIdle, engine.Args{"before": before, "limit": limit})
	if err != nil {
		return 0, err
	}
	removed := 0
	for _, id := range ids {
		err := s.write(ctx, func(tx tx) error { return tx.deleteIdle(ctx, act, id) })
		if err != nil && !fault.Is(err, fault.NotFound) {
			return removed, err
		}
		removed++
	}
	return removed, nil
}
