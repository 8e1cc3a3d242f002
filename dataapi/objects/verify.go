package objects

import (
	"context"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/blobstore"
)

// verifyBatch is small, so that a check that was stopped has little to read
// again.
const verifyBatch = 10

// Finding is what is wrong with one object, or with bytes that no object has.
type Finding struct {
	Bucket, Key string // of the object; empty: bytes that no row knows
	Blob        string
	Wrong       string
}

// Progress is how far a check has come. Cursor says where to go on later.
type Progress struct {
	Cursor  string
	Objects int
	Bytes   int64
}

// Extent returns how much there is to verify.
func (k *Keeper) Extent(ctx context.Context) (Progress, error) {
	objects, bytes, err := k.store.StoredExtent(ctx)
	return Progress{Objects: objects, Bytes: bytes}, err
}

// Verify reads the bytes of every stored object, from the cursor on, and
// compares size and hash with its row; then it looks for bytes that no row
// knows. found hears what is wrong, moved how far it has come. A server may work
// meanwhile.
func (k *Keeper) Verify(ctx context.Context, from Progress, found func(Finding),
	moved func(Progress)) (Progress, error) {
	at := from
	for {
		page, next, err := k.store.ListStored(ctx, storage.PageRequest{After: at.Cursor, Limit: verifyBatch})
		if err != nil {
			return at, err
		}
		for _, object := range page {
			if err := k.verify(ctx, object, found,
				func(n int64) { moved(Progress{at.Cursor, at.Objects, at.Bytes + n}) }); err != nil {
				return at, err
			}
			at.Objects, at.Bytes = at.Objects+1, at.Bytes+object.Size
		}
		if next == "" {
			break
		}
		at.Cursor = next
		moved(at)
	}
	return at, k.strays(ctx, "", func(info blobstore.Info) error {
		_, err := k.blobs.Stat(ctx, info.Key)
		if fault.Is(err, fault.NotFound) {
			return nil // removed with its row, a moment ago
		}
		found(Finding{Blob: info.Key, Wrong: "no object has these bytes"})
		return err
	})
}

// verify compares one object with its bytes.
func (k *Keeper) verify(ctx context.Context, object storage.Object, found func(Finding), read func(int64)) error {
	digest, err := blobstore.Sum(ctx, k.blobs, object.Blob, read)
	if ctx.Err() != nil || fault.Is(err, fault.Unavailable) {
		return err
	}
	wrong := compare(object, digest, err)
	if wrong == "" {
		return k.noteSum(ctx, object, digest)
	}
	// The row may have gone, with its bytes, since it was listed.
	known, err := k.store.KnowsBlob(ctx, object.Blob)
	if err == nil && known {
		found(Finding{object.Bucket, object.Key, object.Blob, wrong})
	}
	return err
}

// noteSum keeps the CRC-32 of bytes that came before it was kept: they have just
// been read, and archives need not do that again.
func (k *Keeper) noteSum(ctx context.Context, object storage.Object, digest blobstore.Digest) error {
	if len(object.CRC32) > 0 {
		return nil
	}
	return k.store.NoteCRC32(ctx, object.Blob, digest.CRC32)
}

// compare returns what is wrong with bytes that were read with the error; ""
// when nothing is.
func compare(object storage.Object, digest blobstore.Digest, err error) string {
	switch {
	case fault.Is(err, fault.NotFound):
		return "the bytes are missing"
	case err != nil:
		return "the bytes can't be read"
	case digest.Size != object.Size:
		return "the bytes have another size"
	case string(digest.SHA256) != string(object.SHA256):
		return "the bytes have another hash"
	}
	return ""
}
