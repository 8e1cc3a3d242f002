package sqlstore

import (
	"context"

	"github.com/portico-id/portico/storage/sqlstore/engine"
)

// selectContents is in the order of the keys' bytes on both engines.
const selectContents = `
SELECT blob, size, sha256 FROM objects WHERE state = 'stored' AND blob <> ''
UNION SELECT blob, size, sha256 FROM twin_documents WHERE blob <> ''
ORDER BY blob`

// Loading is a database that Schema.Load fills.
type Loading = engine.Loading

// Shape is a table of the schema.
type Shape = engine.Shape

// Rows are rows to be added to a table.
type Rows = engine.Table

// Kind is what the values of a column are.
type Kind = engine.Kind

// The kinds of columns.
const (
	Number = engine.Number
	Bytes  = engine.Bytes
	Bool   = engine.Bool
)

// Snapshot is everything that is kept as it is at one moment.
type Snapshot struct{ engine.Snapshot }

// Snapshot reads everything as it is when it begins, as engine.DB.Snapshot does.
func (s *Store) Snapshot(ctx context.Context, read func(context.Context, Snapshot) error) error {
	return s.db.Snapshot(ctx, func(ctx context.Context, all engine.Snapshot) error { return read(ctx, Snapshot{all}) })
}

// Contents calls yield for all bytes that rows name, in the order of their keys: the
// key, how many they are (int64), and their SHA-256 ([]byte).
func (s Snapshot) Contents(ctx context.Context, yield func(row []any) error) error {
	return s.Each(ctx, selectContents, yield)
}
