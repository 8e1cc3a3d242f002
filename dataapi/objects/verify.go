package objects

import (
	"cmp"
	"context"
	"strings"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/blobstore"
)

// verifyBatch is small, so that a check that was stopped has little to read
// again.
const verifyBatch = 10

// Finding is what is wrong with one object, with one document of a twin, or with bytes
// that no row knows, which have neither.
type Finding struct {
	Bucket, Key    string // of the object
	Twin, Document string // ids
	Blob           string
	Wrong          string
}

// ofDocuments begins the cursor of a check that has come to documents, which are behind
// all objects.
const ofDocuments = "documents "

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

// kept is bytes that a row names: what they must be, and what they are of.
type kept struct {
	storage.Object
	of Finding
}

// Verify reads the bytes of every stored object and every document of a twin, from
// the cursor on, and compares size and hash with its row; then it looks for bytes
// that no row knows. found hears what is wrong, moved how far it has come. A server may work
// meanwhile.
func (k *Keeper) Verify(ctx context.Context, from Progress, found func(Finding),
	moved func(Progress)) (Progress, error) {
	at := from
	for {
		page, next, err := k.kept(ctx, at.Cursor)
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
	return at, k.strays(ctx, func(info blobstore.Info) error {
		_, err := k.blobs.Stat(ctx, info.Key)
		if fault.Is(err, fault.NotFound) {
			return nil // removed with its row, a moment ago
		}
		found(Finding{Blob: info.Key, Wrong: "no object has these bytes"})
		return err
	})
}

// kept returns a page of what is to be read, and the next cursor: objects, then documents.
func (k *Keeper) kept(ctx context.Context, cursor string) (page []kept, next string, err error) {
	after, documents := strings.CutPrefix(cursor, ofDocuments)
	from := storage.PageRequest{After: after, Limit: verifyBatch}
	if !documents {
		var all []storage.Object
		all, next, err = k.store.ListStored(ctx, from)
		for _, o := range all {
			page = append(page, kept{o, Finding{Bucket: o.Bucket, Key: o.Key, Blob: o.Blob}})
		}
		return page, cmp.Or(next, ofDocuments), err
	}
	all, next, err := k.store.ListAllDocuments(ctx, from)
	for _, d := range all {
		page = append(page, kept{storage.Object{Bytes: storage.Bytes{Blob: d.Blob, Size: d.Size, SHA256: d.SHA256}},
			Finding{Twin: d.FacilityID, Document: d.ID, Blob: d.Blob}})
	}
	if next != "" {
		next = ofDocuments + next
	}
	return page, next, err
}

// verify compares one object, or document, with its bytes.
func (k *Keeper) verify(ctx context.Context, object kept, found func(Finding), read func(int64)) error {
	digest, err := blobstore.Sum(ctx, k.blobs, object.Blob, read)
	if ctx.Err() != nil || fault.Is(err, fault.Unavailable) {
		return err
	}
	object.of.Wrong = compare(object.Object, digest, err)
	if object.of.Wrong == "" {
		return k.noteSum(ctx, object.Object, digest)
	}
	// The row may have gone, with its bytes, since it was listed.
	known, err := k.store.KnowsBlob(ctx, object.Blob)
	if err == nil && known {
		found(object.of)
	}
	return err
}

// noteSum keeps the CRC-32 of bytes that came before it was kept: they have just
// been read, and archives need not do that again.
func (k *Keeper) noteSum(ctx context.Context, object storage.Object, digest blobstore.Digest) error {
	if len(object.CRC32) > 0 || object.Key == "" { // which documents are packed by nobody
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
