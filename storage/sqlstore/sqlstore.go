// Package sqlstore keeps everything in SQLite or PostgreSQL.
//
// It implements the contracts of package storage, and it is the only package
// that knows SQL. Who wants a store calls Open; who wants to know what a method
// promises reads the interface in storage. The conformance suite in
// storage/storagetest holds both engines to it.
//
// How it is laid out: one file per record with its row, its queries and its
// methods. Underneath lie open.go with sqlite.go and postgres.go (connecting),
// tx.go (transactions and retries), handle.go (running a query), dialect.go
// (what the engines say differently), columns.go (times and lists) and errors.go.
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
	"errors"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

var _ storage.Store = (*Store)(nil)

// Store is an open database. It is safe for concurrent use.
type Store struct {
	reader   *handle
	writer   *handle // the same as reader on PostgreSQL
	unsynced *handle // of writeUnsynced; the same as reader on PostgreSQL
}

// Close gives back every connection. Transactions under way are taken back.
func (s *Store) Close() error {
	err := s.reader.close()
	if s.writer != s.reader {
		err = errors.Join(s.unsynced.close(), s.writer.close(), err)
	}
	return err
}

// Ping implements storage.UpkeepStore.
func (s *Store) Ping(ctx context.Context) error {
	var one int
	err := s.reader.get(ctx, &one, `SELECT 1`, args{})
	if err != nil {
		return fault.New(fault.Unavailable, "", "The database can't serve a query.").Because(err)
	}
	return nil
}
