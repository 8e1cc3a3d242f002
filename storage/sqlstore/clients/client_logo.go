package clients

import (
	"context"

	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
)

const (
	selectVouched = `
SELECT vouched FROM clients WHERE id = :id
FOR NO KEY UPDATE`

	// Whoever is about to give the mark has read the client with another logo.
	unmarkClient = `
UPDATE clients SET vouched = FALSE,
	` + engine.Moved + `
WHERE id = :id`

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
func (s *Clients) SetClientLogo(ctx context.Context, act storage.Act, clientID string, logo storage.ClientLogo) error {
	return s.write(ctx, func(tx tx) error {
		if err := tx.unmark(ctx, act, clientID, logo.Unmarks); err != nil {
			return err
		}
		n, err := tx.Exec(ctx, upsertClientLogo,
			engine.Args{"client_id": clientID, "hash": logo.Hash, "picture": logo.Picture})
		if err != nil || n == 0 {
			return err
		}
		return tx.Audit(ctx, act, "client.logo_set", clientID, engine.Detail{"hash": logo.Hash})
	})
}

// unmark takes the operator's mark from a client that is there, where it is to go.
func (t tx) unmark(ctx context.Context, act storage.Act, clientID string, goes bool) error {
	vouched, arg := false, engine.Args{"id": clientID, "changed_at": act.At}
	if err := t.Get(ctx, &vouched, selectVouched, arg); err != nil {
		return engine.OrAbsentRow(err, "client")
	}
	if !goes {
		return nil
	}
	if _, err := t.Exec(ctx, unmarkClient, arg); err != nil || !vouched {
		return err
	}
	return t.Audit(ctx, act, "client.updated", clientID, nil)
}

// DeleteClientLogo implements storage.ClientLogoStore.
func (s *Clients) DeleteClientLogo(ctx context.Context, act storage.Act, clientID string) error {
	return s.write(ctx, func(tx tx) error {
		if err := tx.ExecOne(ctx, engine.Absent("logo"), deleteClientLogo, engine.Args{"client_id": clientID}); err != nil {
			return err
		}
		return tx.Audit(ctx, act, "client.logo_deleted", clientID, nil)
	})
}

// FindClientLogo implements storage.ClientLogoStore.
func (s *Clients) FindClientLogo(ctx context.Context, clientID string) (string, error) {
	var hashes []string
	err := s.db.List(ctx, &hashes, selectClientLogo, engine.Args{"client_id": clientID})
	if err != nil || len(hashes) == 0 {
		return "", engine.AsFault(err)
	}
	return hashes[0], nil
}

// FindLogo implements storage.ClientLogoStore.
func (s *Clients) FindLogo(ctx context.Context, hash string) ([]byte, error) {
	var picture []byte
	err := s.db.Get(ctx, &picture, selectLogo, engine.Args{"hash": hash})
	return picture, engine.OrAbsent(err, "logo")
}
