package clients

import (
	"context"

	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
	"github.com/portico-id/portico/storage/sqlstore/identity"
)

type clientMemberRow struct {
	ClientID string `db:"client_id"`
	UserID   string `db:"user_id"`
	Email    string `db:"email"`
	Profile  engine.JSON[struct {
		Name string `json:"name"`
	}] `db:"profile"`
	AddedAt engine.Instant `db:"added_at"`
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
		ClientID: r.ClientID, UserID: r.UserID, Name: r.Profile.V.Name, Email: r.Email, AddedAt: r.AddedAt.Time,
	}
}

// AddClientMember implements storage.ClientMemberStore.
func (s *Clients) AddClientMember(ctx context.Context, act storage.Act, clientID, userID string) error {
	return s.write(ctx, func(tx tx) error {
		if err := tx.MustExist(ctx, "client", selectClientID, clientID); err != nil {
			return err
		}
		if err := tx.MustExist(ctx, "user", identity.SelectUserID, userID); err != nil {
			return err
		}
		n, err := tx.Exec(ctx, insertClientMember, engine.Args{"client_id": clientID, "user_id": userID, "added_at": engine.At(act.At)})
		if err != nil || n == 0 {
			return err
		}
		return tx.Audit(ctx, act, "client.member_added", clientID, engine.Detail{"user_id": userID})
	})
}

// DeleteClientMember implements storage.ClientMemberStore.
func (s *Clients) DeleteClientMember(ctx context.Context, act storage.Act, clientID, userID string) error {
	return s.write(ctx, func(tx tx) error {
		err := tx.ExecOne(ctx, engine.Absent("member"), deleteClientMember, engine.Args{"client_id": clientID, "user_id": userID})
		if err != nil {
			return err
		}
		return tx.Audit(ctx, act, "client.member_removed", clientID, engine.Detail{"user_id": userID})
	})
}

// ListClientMembers implements storage.ClientMemberStore.
func (s *Clients) ListClientMembers(ctx context.Context, clientID string) ([]storage.ClientMember, error) {
	var rows []clientMemberRow
	err := s.db.List(ctx, &rows, selectClientMembers, engine.Args{"client_id": clientID})
	return engine.Records(rows, clientMemberRow.record), engine.AsFault(err)
}

// ListManagedClients implements storage.ClientMemberStore.
func (s *Clients) ListManagedClients(ctx context.Context, userID string, page storage.PageRequest) ([]storage.Client, string, error) {
	limit, err := engine.PageLimit(page)
	if err != nil {
		return nil, "", err
	}
	var rows []clientWithSecret
	arg := engine.Args{"user_id": userID, "after": page.After, "limit": limit + 1}
	if err := s.db.List(ctx, &rows, selectManagedClients, arg); err != nil {
		return nil, "", engine.AsFault(err)
	}
	clients, next := engine.CutPage(gatherClients(rows), limit, func(c storage.Client) string { return c.ID })
	return clients, next, nil
}
