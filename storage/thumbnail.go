package storage

import "context"

// ThumbnailStore keeps what lists show of pictures, small enough for rows: a list has a
// hundred of them.
type ThumbnailStore interface {
	// FindThumbnail returns the small picture of an object, empty where none can be
	// made. NotFound when nobody has tried yet.
	FindThumbnail(ctx context.Context, bucket, key string) ([]byte, error)

	// KeepThumbnail keeps it in place of what was, as long as there is the object.
	// An absent one is no fault.
	KeepThumbnail(ctx context.Context, bucket, key string, picture []byte) error
}
