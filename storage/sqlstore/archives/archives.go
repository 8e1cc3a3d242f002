// Package archives is the room of the store for what is packed of a project: the
// sums of bytes that archives tell.
//
// The bytes themselves are objects, of the room tree. Start at Archives.
package archives

import (
	"context"

	"github.com/portico-id/portico/storage/sqlstore/engine"
)

// Archives keeps what archives are made of.
type Archives struct{ db *engine.DB }

// New returns the room in a database.
func New(db *engine.DB) *Archives { return &Archives{db} }

const noteCRC32 = `
UPDATE objects SET crc32 = :sum WHERE blob = :blob AND blob <> '' AND crc32 IS NULL`

// NoteCRC32 implements storage.ObjectUpkeepStore.
func (s *Archives) NoteCRC32(ctx context.Context, blob string, sum []byte) error {
	_, err := s.db.WriteOne(ctx, noteCRC32, engine.Args{"blob": blob, "sum": sum})
	return err
}
