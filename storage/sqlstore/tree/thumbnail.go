package tree

import (
	"context"

	"github.com/portico-id/portico/storage/sqlstore/engine"
)

const (
	selectThumbnail = `
SELECT t.picture FROM thumbnails t JOIN objects o ON o.id = t.object_id
WHERE o.bucket = :bucket AND o.object_key = :object_key`

	upsertThumbnail = `
INSERT INTO thumbnails (object_id, picture)
SELECT id, :picture FROM objects WHERE bucket = :bucket AND object_key = :object_key
ON CONFLICT (object_id) DO UPDATE SET picture = excluded.picture`
)

// FindThumbnail implements storage.ThumbnailStore.
func (s *Tree) FindThumbnail(ctx context.Context, bucket, key string) ([]byte, error) {
	return engine.Find[[]byte](ctx, s.db, "thumbnail", selectThumbnail, engine.Args{"bucket": bucket, "object_key": key})
}

// KeepThumbnail implements storage.ThumbnailStore.
func (s *Tree) KeepThumbnail(ctx context.Context, bucket, key string, picture []byte) error {
	if picture == nil {
		picture = []byte{}
	}
	_, err := s.db.WriteOne(ctx, upsertThumbnail, engine.Args{"bucket": bucket, "object_key": key, "picture": picture})
	return engine.AsFault(err)
}
