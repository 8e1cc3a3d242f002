package identity

import (
	"context"
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
)

type loginRequestRow struct {
	ID        string         `db:"id"`
	ClientID  string         `db:"client_id"`
	Params    string         `db:"params"`
	CreatedAt engine.Instant `db:"created_at"`
	ExpiresAt engine.Instant `db:"expires_at"`
	DecidedBy string         `db:"decided_by"`
	DecidedAt engine.Instant `db:"decided_at"`
	Allowed   bool           `db:"allowed"`
}

const (
	insertLoginRequest = `
INSERT INTO login_requests (id, client_id, params, created_at, expires_at, decided_by, decided_at, allowed)
VALUES (:id, :client_id, :params, :created_at, :expires_at, :decided_by, :decided_at, :allowed)
ON CONFLICT DO NOTHING`

	selectLoginRequest = `
SELECT id, client_id, params, created_at, expires_at, decided_by, decided_at, allowed
FROM login_requests WHERE id = :id AND expires_at > :now`

	decideLoginRequest = `
UPDATE login_requests SET decided_by = :decided_by, decided_at = :decided_at, allowed = :allowed
WHERE id = :id AND expires_at > :now
RETURNING client_id`

	deleteLoginRequest = `
DELETE FROM login_requests WHERE id = :id`
)

func newLoginRequestRow(r storage.LoginRequest) loginRequestRow {
	return loginRequestRow{
		ID: r.ID, ClientID: r.ClientID, Params: r.Params, CreatedAt: engine.At(r.CreatedAt), ExpiresAt: engine.At(r.ExpiresAt),
		DecidedBy: r.DecidedBy, DecidedAt: engine.At(r.DecidedAt), Allowed: r.Allowed,
	}
}

func (r loginRequestRow) record() storage.LoginRequest {
	return storage.LoginRequest{
		ID: r.ID, ClientID: r.ClientID, Params: r.Params, CreatedAt: r.CreatedAt.Time, ExpiresAt: r.ExpiresAt.Time,
		DecidedBy: r.DecidedBy, DecidedAt: r.DecidedAt.Time, Allowed: r.Allowed,
	}
}

// ParkLoginRequest implements storage.LoginStore.
func (s *Identity) ParkLoginRequest(ctx context.Context, request storage.LoginRequest) error {
	n, err := s.db.WriteOne(ctx, insertLoginRequest, newLoginRequestRow(request))
	if err == nil && n == 0 {
		return fault.New(fault.Conflict, "", "There is a login request with this id already.")
	}
	return err
}

// FindLoginRequest implements storage.LoginStore.
func (s *Identity) FindLoginRequest(ctx context.Context, id string, now time.Time) (storage.LoginRequest, error) {
	var row loginRequestRow
	err := s.db.Get(ctx, &row, selectLoginRequest, engine.Args{"id": id, "now": engine.At(now)})
	return row.record(), engine.OrAbsent(err, "login request")
}

// DecideLoginRequest implements storage.LoginStore.
func (s *Identity) DecideLoginRequest(ctx context.Context, act storage.Act, request storage.LoginRequest, userID string, scopes []string) error {
	return s.write(ctx, func(tx Tx) error {
		var clientID string
		err := tx.Get(ctx, &clientID, decideLoginRequest, engine.Args{
			"id": request.ID, "now": engine.At(act.At),
			"decided_by": request.DecidedBy, "decided_at": engine.At(request.DecidedAt), "allowed": request.Allowed,
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
		if err := tx.remember(ctx, act, userID, clientID, scopes); err != nil {
			return err
		}
		return tx.Audit(ctx, act, "consent.granted", userID, engine.Detail{"client_id": clientID, "scopes": scopes})
	})
}

// DeleteLoginRequest implements storage.LoginStore.
func (s *Identity) DeleteLoginRequest(ctx context.Context, id string) error {
	n, err := s.db.WriteOne(ctx, deleteLoginRequest, engine.Args{"id": id})
	if err == nil && n == 0 {
		return engine.Absent("login request")
	}
	return err
}
