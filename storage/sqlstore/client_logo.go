package sqlstore

import (
	"context"

	"github.com/portico-id/portico/storage"
)

const (
	upsertClientLogo = `
INSERT INTO client_logos (client_id, hash, picture) VALUES (:client_id, :hash, :picture)
ON CONFLICT (client_id) DO UPDATE SET hash = excluded.hash, picture = excluded.picture
WHERE client_logos.hash <> excluded.hash`

	deleteClientLogo = `
DELETE FROM client_logos WHERE client_id = :client_id`

	selectClientLogo = `
SELECT hash FROM client_logos WHERE client_id = :client_id`

	selectLogo = `
SELECT picture FROM client_logos WHERE hash = :hash LIMIT 1`
)

// SetClientLogo implements storage.ClientLogoStore.
func (s *Store) SetClientLogo(ctx context.Context, act storage.Act, clientID string, logo storage.ClientLogo) error {
	return s.write(ctx, func(tx tx) error {
		if err := tx.mustExist(ctx, "client", selectClientID, clientID); err != nil {
			return err
		}
		n, err := tx.exec(ctx, upsertClientLogo, args{"client_id": clientID, "hash": logo.Hash, "picture": logo.Picture})
		if err != nil || n == 0 {
			return err
		}
		return tx.audit(ctx, act, "client.logo_set", clientID, detail{"hash": logo.Hash})
	})
}

// DeleteClientLogo implements storage.ClientLogoStore.
func (s *Store) DeleteClientLogo(ctx context.Context, act storage.Act, clientID string) error {
	return s.write(ctx, func(tx tx) error {
		if err := tx.execOne(ctx, absent("logo"), deleteClientLogo, args{"client_id": clientID}); err != nil {
			return err
		}
		return tx.audit(ctx, act, "client.logo_deleted", clientID, nil)
	})
}

// FindClientLogo implements storage.ClientLogoStore.
func (s *Store) FindClientLogo(ctx context.Context, clientID string) (string, error) {
	var hashes []string
	err := s.reader.list(ctx, &hashes, selectClientLogo, args{"client_id": clientID})
	if err != nil || len(hashes) == 0 {
		return "", asFault(err)
	}
	return hashes[0], nil
}

// FindLogo implements storage.ClientLogoStore.
func (s *Store) FindLogo(ctx context.Context, hash string) ([]byte, error) {
	var picture []byte
	err := s.reader.get(ctx, &picture, selectLogo, args{"hash": hash})
	return picture, orAbsent(err, "logo")
}
