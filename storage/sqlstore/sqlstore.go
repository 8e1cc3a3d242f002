// Package sqlstore keeps everything in SQLite or PostgreSQL.
//
// It implements the contracts of package storage, and it and the rooms below it
// are the only ones that know SQL. Who wants a store calls Open; who wants to
// know what a method promises reads the interface in storage. The conformance
// suite in storage/storagetest holds both engines to it.
//
// How it is laid out: a room for each part of what is kept, which the Store embeds,
// and in it one file per record with its row, its queries and its methods: identity
// (people, service accounts, sessions, grants), clients, hubs (and projects), twins,
// server; trees lie here. Underneath all lies engine: connecting, transactions and
// retries, and what the engines say differently.
//
// How it works: one SQL text serves both engines. What must happen exactly once
// is decided by one conditional statement, and the Go code reads its verdict.
// On SQLite all changes come one after the other, nearly all of them through a
// single connection; on PostgreSQL the rows
// of user, client, code, grant and service account are locked in this order. A transaction never
// takes a second connection, so a pool can't starve itself.
//
// The data half adds one lock: whoever changes the tree of a project takes that
// of the project first, together with others or, to rewrite paths, alone
// (tree.go). What a change means for the folders above it is noted on
// PostgreSQL, where writers must not wait for each other, and folded in later
// (fold.go); readers add what is noted.
package sqlstore

import (
	"context"

	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/clients"
	"github.com/portico-id/portico/storage/sqlstore/engine"
	"github.com/portico-id/portico/storage/sqlstore/hubs"
	"github.com/portico-id/portico/storage/sqlstore/identity"
	"github.com/portico-id/portico/storage/sqlstore/server"
	"github.com/portico-id/portico/storage/sqlstore/twins"
)

var _ storage.Store = (*Store)(nil)

// Store is an open database. It is safe for concurrent use.
type Store struct {
	engine.Journal
	*clients.Clients
	*hubs.Hubs
	*identity.Identity
	*server.Server
	*twins.Twins
	db *engine.DB
}

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
	db, err := engine.Open(ctx, opts, clients.Hot(), identity.Hot(), hubs.Hot(), hotTree(), twins.Hot())
	if err != nil {
		return nil, err
	}
	return &Store{engine.NewJournal(db), clients.New(db), hubs.New(db), identity.New(db), server.New(db), twins.New(db), db}, nil
}

// Close gives back every connection. Transactions under way are taken back.
func (s *Store) Close() error { return s.db.Close() }

// Ping implements storage.UpkeepStore.
func (s *Store) Ping(ctx context.Context) error { return s.db.Ping(ctx) }

// tx is a transaction of the store.
type tx struct{ hubs.Tx }

// write runs an act in one transaction, as engine.DB.Write.
func (s *Store) write(ctx context.Context, act func(tx) error) error {
	return s.db.Write(ctx, func(t engine.Tx) error { return act(tx{hubs.Tx{Tx: t}}) })
}
