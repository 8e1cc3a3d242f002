package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

type loginRequestRow struct {
	ID        string  `db:"id"`
	ClientID  string  `db:"client_id"`
	Params    string  `db:"params"`
	CreatedAt instant `db:"created_at"`
	ExpiresAt instant `db:"expires_at"`
	DecidedBy string  `db:"decided_by"`
	DecidedAt instant `db:"decided_at"`
	Allowed   bool    `db:"allowed"`
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
		ID: r.ID, ClientID: r.ClientID, Params: r.Params, CreatedAt: at(r.CreatedAt), ExpiresAt: at(r.ExpiresAt),
		DecidedBy: r.DecidedBy, DecidedAt: at(r.DecidedAt), Allowed: r.Allowed,
	}
}

func (r loginRequestRow) record() storage.LoginRequest {
	return storage.LoginRequest{
		ID: r.ID, ClientID: r.ClientID, Params: r.Params, CreatedAt: r.CreatedAt.Time, ExpiresAt: r.ExpiresAt.Time,
		DecidedBy: r.DecidedBy, DecidedAt: r.DecidedAt.Time, Allowed: r.Allowed,
	}
}

// ParkLoginRequest implements storage.LoginStore.
func (s *Store) ParkLoginRequest(ctx context.Context, request storage.LoginRequest) error {
	n, err := s.writeOne(ctx, insertLoginRequest, newLoginRequestRow(request))
	if err == nil && n == 0 {
		return fault.New(fault.Conflict, "", "There is a login request with this id already.")
	}
	return err
}

// FindLoginRequest implements storage.LoginStore.
func (s *Store) FindLoginRequest(ctx context.Context, id string, now time.Time) (storage.LoginRequest, error) {
	var row loginRequestRow
	err := s.reader.get(ctx, &row, selectLoginRequest, args{"id": id, "now": at(now)})
	return row.record(), orAbsent(err, "login request")
}

// DecideLoginRequest implements storage.LoginStore.
func (s *Store) DecideLoginRequest(ctx context.Context, act storage.Act, request storage.LoginRequest, userID string, scopes []string) error {
	return s.write(ctx, func(tx tx) error {
		var clientID string
		err := tx.get(ctx, &clientID, decideLoginRequest, args{
			"id": request.ID, "now": at(act.At),
			"decided_by": request.DecidedBy, "decided_at": at(request.DecidedAt), "allowed": request.Allowed,
		})
		if errors.Is(err, sql.ErrNoRows) {
			return absent("login request")
		}
		if err != nil {
			return err
		}
		if !request.Allowed {
			return tx.audit(ctx, act, "consent.denied", userID, detail{"client_id": clientID})
		}
		if err := tx.remember(ctx, act, userID, clientID, scopes); err != nil {
			return err
		}
		return tx.audit(ctx, act, "consent.granted", userID, detail{"client_id": clientID, "scopes": scopes})
	})
}

// DeleteLoginRequest implements storage.LoginStore.
func (s *Store) DeleteLoginRequest(ctx context.Context, id string) error {
	n, err := s.writeOne(ctx, deleteLoginRequest, args{"id": id})
	if err == nil && n == 0 {
		return absent("login request")
	}
	return err
}
