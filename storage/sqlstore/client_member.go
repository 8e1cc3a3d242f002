package sqlstore

import (
	"context"

	"github.com/portico-id/portico/storage"
)

type clientMemberRow struct {
	ClientID string  `db:"client_id"`
	UserID   string  `db:"user_id"`
	Email    string  `db:"email"`
	Profile  profile `db:"profile"`
	AddedAt  instant `db:"added_at"`
}

const (
	insertClientMember = `
INSERT INTO client_members (client_id, user_id, added_at) VALUES (:client_id, :user_id, :added_at)
ON CONFLICT DO NOTHING`

	deleteClientMember = `
DELETE FROM client_members WHERE client_id = :client_id AND user_id = :user_id`

	selectClientMembers = `
SELECT m.client_id, m.user_id, m.added_at, u.email, u.profile
FROM client_members m JOIN users u ON u.id = m.user_id
WHERE m.client_id = :client_id ORDER BY m.added_at, m.user_id`

	selectManagedClients = `
SELECT ` + clientColumns + `, ` + joinedSecretColumns + `
FROM (SELECT ` + clientNames + `
	FROM clients WHERE id > :after AND (owner_user_id = :user_id
		OR id IN (SELECT client_id FROM client_members WHERE user_id = :user_id))
	ORDER BY id LIMIT :limit) c
LEFT JOIN client_secrets s ON s.client_id = c.id
ORDER BY c.id, s.ordinal DESC`
)

func (r clientMemberRow) record() storage.ClientMember {
	return storage.ClientMember{
		ClientID: r.ClientID, UserID: r.UserID, Name: r.Profile.Name, Email: r.Email, AddedAt: r.AddedAt.Time,
	}
}

// AddClientMember implements storage.ClientMemberStore.
func (s *Store) AddClientMember(ctx context.Context, act storage.Act, clientID, userID string) error {
	return s.write(ctx, func(tx tx) error {
		if err := tx.mustExist(ctx, "client", selectClientID, clientID); err != nil {
			return err
		}
		if err := tx.mustExist(ctx, "user", selectUserID, userID); err != nil {
			return err
		}
		n, err := tx.exec(ctx, insertClientMember, args{"client_id": clientID, "user_id": userID, "added_at": at(act.At)})
		if err != nil || n == 0 {
			return err
		}
		return tx.audit(ctx, act, "client.member_added", clientID, detail{"user_id": userID})
	})
}

// DeleteClientMember implements storage.ClientMemberStore.
func (s *Store) DeleteClientMember(ctx context.Context, act storage.Act, clientID, userID string) error {
	return s.write(ctx, func(tx tx) error {
		err := tx.execOne(ctx, absent("member"), deleteClientMember, args{"client_id": clientID, "user_id": userID})
		if err != nil {
			return err
		}
		return tx.audit(ctx, act, "client.member_removed", clientID, detail{"user_id": userID})
	})
}

// ListClientMembers implements storage.ClientMemberStore.
func (s *Store) ListClientMembers(ctx context.Context, clientID string) ([]storage.ClientMember, error) {
	var rows []clientMemberRow
	err := s.reader.list(ctx, &rows, selectClientMembers, args{"client_id": clientID})
	return records(rows, clientMemberRow.record), asFault(err)
}

// ListManagedClients implements storage.ClientMemberStore.
func (s *Store) ListManagedClients(ctx context.Context, userID string, page storage.PageRequest) ([]storage.Client, string, error) {
	limit, err := pageLimit(page)
	if err != nil {
		return nil, "", err
	}
	var rows []clientWithSecret
	arg := args{"user_id": userID, "after": page.After, "limit": limit + 1}
	if err := s.reader.list(ctx, &rows, selectManagedClients, arg); err != nil {
		return nil, "", asFault(err)
	}
	clients, next := cutPage(gatherClients(rows), limit, func(c storage.Client) string { return c.ID })
	return clients, next, nil
}
