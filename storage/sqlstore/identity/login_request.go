package identity

import (
	"context"
	"strings"
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
)

const (
	loginRequestColumns = `id, client_id, params, created_at, expires_at, decided_by, decided_at, allowed`

	selectLoginRequest = `
SELECT ` + loginRequestColumns + `
FROM login_requests WHERE id = :id AND expires_at > :now`

	decideLoginRequest = `
UPDATE login_requests SET decided_by = :decided_by, decided_at = :decided_at, allowed = :allowed
WHERE id = :id AND expires_at > :now
RETURNING client_id`

	// Under another id no server answers it again, one of the release before neither.
	answerLoginRequest = `
UPDATE login_requests SET id = :answered, expires_at = :until WHERE id = :id`
)

var insertLoginRequest = engine.Insert("login_requests", loginRequestColumns) + `
ON CONFLICT DO NOTHING`

// ParkLoginRequest implements storage.LoginStore.
func (s *Identity) ParkLoginRequest(ctx context.Context, request storage.LoginRequest) error {
	return s.db.WriteMust(ctx, fault.New(fault.Conflict, "",
		"There is a login request with this id already."), insertLoginRequest, request)
}

// answered is the id of a request from when it was answered.
func answered(id string) string { return answeredPrefix + id }

const answeredPrefix = "answered "

// FindAnsweredRequest implements storage.LoginStore.
func (s *Identity) FindAnsweredRequest(ctx context.Context, id string, now time.Time) (storage.LoginRequest, error) {
	return engine.Find[storage.LoginRequest](ctx, s.db, "login request", selectLoginRequest,
		engine.Args{"id": answered(id), "now": now})
}

// FindLoginRequest implements storage.LoginStore.
func (s *Identity) FindLoginRequest(ctx context.Context, id string, now time.Time) (storage.LoginRequest, error) {
	if strings.HasPrefix(id, answeredPrefix) {
		return storage.LoginRequest{}, engine.Absent("login request")
	}
	return engine.Find[storage.LoginRequest](ctx, s.db, "login request", selectLoginRequest,
		engine.Args{"id": id, "now": now})
}

// DecideLoginRequest implements storage.LoginStore.
func (s *Identity) DecideLoginRequest(ctx context.Context, act storage.Act, request storage.LoginRequest,
	userID string, scopes []string, leftOut ...string) error {
	return s.write(ctx, func(tx Tx) error {
		var clientID string
		err := tx.Get(ctx, &clientID, decideLoginRequest, engine.Args{
			"id": request.ID, "now": act.At,
			"decided_by": request.DecidedBy, "decided_at": request.DecidedAt, "allowed": request.Allowed,
		})
		if engine.IsNoRow(err) {
			return engine.Absent("login request")
		}
		if err != nil {
			return err
		}
		if !request.Allowed {
			return tx.Audit(ctx, act, "consent.denied", userID, engine.Detail{"client_id": clientID})
		}
		if err := tx.remember(ctx, act, userID, clientID, scopes, leftOut); err != nil {
			return err
		}
		detail := engine.Detail{"client_id": clientID, "scopes": scopes}
		if len(leftOut) > 0 {
			detail["left_out"] = leftOut
		}
		return tx.Audit(ctx, act, "consent.granted", userID, detail)
	})
}

// AnswerLoginRequest implements storage.LoginStore.
func (s *Identity) AnswerLoginRequest(ctx context.Context, id string, at time.Time) error {
	return s.db.WriteMust(ctx, engine.Absent("login request"), answerLoginRequest, answering(id, at))
}

func answering(id string, at time.Time) engine.Args {
	return engine.Args{"id": id, "answered": answered(id), "until": at.Add(storage.AnsweredLife)}
}
