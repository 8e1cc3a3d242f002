package clients

import (
	"context"

	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
	"github.com/portico-id/portico/storage/sqlstore/identity"
)

const (
	insertClientMember = `
INSERT INTO client_members (client_id, user_id, added_at) VALUES (:client_id, :user_id, :added_at)
ON CONFLICT DO NOTHING`

	deleteClientMember = `
DELETE FROM client_members WHERE client_id = :client_id AND user_id = :user_id`

	// By which whoever is put out would be back, at once or when they have proven their address.
	endInvitations = `
DELETE FROM client_invitations WHERE client_id = :client_id AND (user_id = :user_id
	OR invitee_key = (SELECT email_key FROM users WHERE id = :user_id))`

	selectClientMembers = `
SELECT m.client_id, m.user_id, coalesce({user_name}, '') AS name, u.email, m.added_at
FROM client_members m JOIN users u ON u.id = m.user_id
WHERE `

	byTime = `
ORDER BY m.added_at, m.user_id`
)

// AddClientMember implements storage.ClientMemberStore.
func (s *Clients) AddClientMember(ctx context.Context, act storage.Act, clientID, userID string) error {
	return s.write(ctx, func(tx tx) error {
		if err := tx.MustExist(ctx, "client", selectClientID, clientID); err != nil {
			return err
		}
		if err := tx.MustExist(ctx, "user", identity.SelectUserID, userID); err != nil {
			return err
		}
		n, err := tx.Exec(ctx, insertClientMember, engine.Args{"client_id": clientID, "user_id": userID, "added_at": act.At})
		if err != nil || n == 0 {
			return err
		}
		return tx.Audit(ctx, act, "client.member_added", clientID, engine.Detail{"user_id": userID})
	})
}

// DeleteClientMember implements storage.ClientMemberStore.
func (s *Clients) DeleteClientMember(ctx context.Context, act storage.Act, clientID, userID string) error {
	return s.write(ctx, func(tx tx) error {
		of := engine.Args{"client_id": clientID, "user_id": userID}
		if err := tx.ExecOne(ctx, engine.Absent("member"), deleteClientMember, of); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, endInvitations, of); err != nil {
			return err
		}
		return tx.Audit(ctx, act, "client.member_removed", clientID, engine.Detail{"user_id": userID})
	})
}

// ListClientMembers implements storage.ClientMemberStore.
func (s *Clients) ListClientMembers(ctx context.Context, clientIDs ...string) ([]storage.ClientMember, error) {
	f := engine.NewFilter()
	query := selectClientMembers + f.Among("m.client_id", clientIDs) + byTime
	return engine.All[storage.ClientMember](ctx, s.db, query, f.Args)
}
