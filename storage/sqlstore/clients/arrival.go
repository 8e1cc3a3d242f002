package clients

import (
	"context"

	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
	"github.com/portico-id/portico/storage/sqlstore/identity"
)

// Arrive implements storage.ArrivalStore.
func (s *Clients) Arrive(ctx context.Context, act storage.Act, work func(storage.Arriving) error) error {
	return s.write(ctx, func(tx tx) error { return work(arriving{identity.Arriving{Tx: tx.Tx, Act: act}}) })
}

// arriving is a transaction that takes in what another product kept.
type arriving struct{ identity.Arriving }

var selectClientsOf = clientsWithSecrets + `
WHERE c.id IN (?)` + bySecret

// FindArrivedClients implements storage.Arriving.
func (a arriving) FindArrivedClients(ctx context.Context, ids []string) ([]storage.Client, error) {
	var rows []clientWithSecret
	err := engine.Among(ctx, a.Tx, &rows, selectClientsOf, ids)
	return gatherClients(rows), err
}

// AddClient implements storage.Arriving.
func (a arriving) AddClient(ctx context.Context, client storage.Client) error {
	return tx{a.Tx}.create(ctx, a.Act, client)
}
