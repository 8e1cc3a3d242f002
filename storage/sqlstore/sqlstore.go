// Package sqlstore keeps everything in SQLite or PostgreSQL.
//
// It implements the contracts of package storage, and it and the rooms below it
// are the only ones that know SQL. Who wants a store calls Open; who wants to
// know what a method promises reads the interface in storage. The conformance
// suite in storage/storagetest holds both engines to it.
//
// How it is laid out: a room for each part of what is kept, which the Store embeds,
// and in it one file per record with its columns, its queries and its methods. The
// records of the contract are the rows: a column is named as its field, and one list
// of columns says what is inserted, updated and selected. The rooms are identity
// (people, service accounts, sessions, grants), federation (who else
// vouches for them), scim (what of them companies sent), clients, hubs (and projects), tree
// (what lies in projects), archives (what is packed of it), flow (how far it has come),
// transmittals (what of it was sent to whom), twins, server. Underneath all lies engine:
// connecting, transactions and retries, and what the engines say differently.
//
// How it works: one SQL text serves both engines. What must happen exactly once
// is decided by one conditional statement, and the Go code reads its verdict.
// On SQLite all changes come one after the other, nearly all of them through a
// single connection; on PostgreSQL the rows of user, client, code, grant and service
// account are locked in this order. A transaction never takes a second connection, so
// a pool can't starve itself. Changes of a tree take the lock of its project first.
package sqlstore

import (
	"context"
	"errors"
	"time"

	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/archives"
	"github.com/portico-id/portico/storage/sqlstore/clients"
	"github.com/portico-id/portico/storage/sqlstore/engine"
	"github.com/portico-id/portico/storage/sqlstore/federation"
	"github.com/portico-id/portico/storage/sqlstore/flow"
	"github.com/portico-id/portico/storage/sqlstore/hubs"
	"github.com/portico-id/portico/storage/sqlstore/identity"
	"github.com/portico-id/portico/storage/sqlstore/scim"
	"github.com/portico-id/portico/storage/sqlstore/server"
	"github.com/portico-id/portico/storage/sqlstore/transmittals"
	"github.com/portico-id/portico/storage/sqlstore/tree"
	"github.com/portico-id/portico/storage/sqlstore/twins"
)

var _ storage.Store = (*Store)(nil)

// Store is an open database. It is safe for concurrent use.
type Store struct {
	engine.Journal
	*archives.Archives
	*clients.Clients
	*federation.Federation
	*flow.Flow
	*hubs.Hubs
	*identity.Identity
	*scim.SCIM
	*server.Server
	*transmittals.Transmittals
	*tree.Tree
	*twins.Twins
	db *engine.DB
}

// The reasons of a database whose schema does not fit.
const (
	ReasonSchemaOutdated    = engine.ReasonSchemaOutdated
	ReasonSchemaUnsupported = engine.ReasonSchemaUnsupported
	ReasonDatabaseInUse     = engine.ReasonDatabaseInUse
)

// Options says which database to open, and how.
type Options = engine.Options

// Schema is a database's schema to be moved up and down by an operator.
type Schema = engine.Schema

// OpenSchema opens a database for the sake of its schema, as engine.OpenSchema
// does.
func OpenSchema(ctx context.Context, opts Options) (*Schema, error) {
	return engine.OpenSchema(ctx, opts)
}

// Open opens a database, as engine.Open does.
func Open(ctx context.Context, opts Options) (*Store, error) {
	db, err := engine.Open(ctx, opts, clients.Hot(), flow.Hot(), identity.Hot(), hubs.Hot(), tree.Hot(), twins.Hot(),
		server.Hot())
	if err != nil {
		return nil, err
	}
	h := hubs.New(db)
	store := &Store{
		Journal: engine.NewJournal(db), Archives: archives.New(db), Clients: clients.New(db), Federation: federation.New(db),
		Flow: flow.New(db),
		Hubs: h, Identity: identity.New(db), SCIM: scim.New(db), Server: server.New(db),
		Transmittals: transmittals.New(db),
		Tree:         tree.New(db, h), Twins: twins.New(db), db: db,
	}
	if _, err = store.FitSearchKeys(ctx, fitAtOnce); err != nil {
		return nil, errors.Join(err, store.Close())
	}
	return store, nil
}

// fitAtOnce is how many records of a kind get their keys in one transaction.
const fitAtOnce = 500

// FitSearchKeys implements storage.UpkeepStore.
func (s *Store) FitSearchKeys(ctx context.Context, limit int) (int, error) {
	people, err := s.Identity.FitSearchKeys(ctx, limit)
	if err != nil {
		return people, err
	}
	apps, err := s.Clients.FitSearchKeys(ctx, limit)
	return people + apps, err
}

// Close gives back every connection. Transactions under way are taken back.
func (s *Store) Close() error { return s.db.Close() }

// Clock returns what time it is by the database, which on SQLite is now.
func (s *Store) Clock(ctx context.Context, now time.Time) (time.Time, error) {
	return s.db.Clock(ctx, now)
}

// Pool is how the connections of a pool are used.
type Pool = engine.Pool

// Pools returns how the pools of connections are used.
func (s *Store) Pools() []Pool { return s.db.Pools() }

// Listen tells of changes that any process makes, as engine.DB.Listen does.
func (s *Store) Listen(ctx context.Context, told func(table string)) { s.db.Listen(ctx, told) }

// Age grows with whatever may have changed what somebody read, as engine.DB.Age does.
func (s *Store) Age() uint64 { return s.db.Age() }

// Ping implements storage.UpkeepStore.
func (s *Store) Ping(ctx context.Context) error { return s.db.Ping(ctx) }
