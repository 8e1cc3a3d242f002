package objects

import (
	"cmp"
	"context"
	"encoding/hex"
	"fmt"
	"net/http"
	"strings"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/blobstore"
)

// completion is what a client says of an upload that it has finished. All but
// the key may be left out.
type completion struct {
	UploadKey string   `json:"uploadKey"`
	Size      *int64   `json:"size"`   // of the whole
	ETags     []string `json:"eTags"`  // of the parts, in order
	SHA256    string   `json:"sha256"` // of the whole, in hex digits
}

// objectAnswer is an object with its bytes. SHA1 is for clients that know no
// better.
type objectAnswer struct {
	BucketKey   string `json:"bucketKey"`
	ObjectID    string `json:"objectId"`
	ObjectKey   string `json:"objectKey"`
	Size        int64  `json:"size"`
	ContentType string `json:"contentType"`
	Location    string `json:"location"`
	SHA1        string `json:"sha1"`
	SHA256      string `json:"sha256"`
}

// Complete serves POST …/signeds3upload: the parts become the bytes of the
// object. Doing it again gives the same answer.
func (h *Handler) Complete(w http.ResponseWriter, r *http.Request) error {
	var said completion
	if err := httpio.ReadJSON(w, r, &said); err != nil {
		return err
	}
	if err := said.check(); err != nil {
		return err
	}
	a, err := h.toUpload(r)
	if err != nil {
		return err
	}
	httpio.AtLeisure(w)
	answer, err := h.complete(r.Context(), h.change(r, a.who), a.object, said)
	if err != nil {
		return err
	}
	write(w, answer)
	return nil
}

func (c *completion) check() error {
	if c.UploadKey == "" {
		return fault.New(fault.Invalid, reasonInvalid, "The member uploadKey is missing.").At("/uploadKey")
	}
	c.SHA256 = strings.ToLower(c.SHA256)
	if sum, err := hex.DecodeString(c.SHA256); err != nil || len(sum) != 0 && len(sum) != 32 {
		return fault.New(fault.Invalid, reasonInvalid, "A SHA-256 has 64 hex digits.").At("/sha256")
	}
	for i, tag := range c.ETags {
		c.ETags[i] = strings.Trim(tag, `"`)
	}
	return nil
}

// complete returns the answer: an objectAnswer, or a partsAnswer when the parts
// are not what they should be.
func (h *Handler) complete(ctx context.Context, change storage.Change, object storage.Object,
	said completion) (any, error) {
	if object.State == storage.ObjectStored {
		return h.completedBefore(ctx, change, object, said)
	}
	// Who comes while another completes the same gets the same answer. The work
	// goes on when its client hangs up, since that one will ask again.
	key := fmt.Sprintf("%s %v %v %s", said.UploadKey, sizeOf(said), said.ETags, said.SHA256)
	answer, err, _ := h.completing.Do(key, func() (any, error) {
		ctx, store := blobstore.TakeTurn(context.WithoutCancel(ctx))
		defer store.Done()
		return h.finish(ctx, store, change, object, said)
	})
	return answer, err
}

func sizeOf(said completion) int64 {
	if said.Size == nil {
		return -1
	}
	return *said.Size
}

// completedBefore answers for an object that has its bytes already. They are noted again, as
// whoever noted them may be waiting for the disk to keep that, or have been told that it did not.
func (h *Handler) completedBefore(ctx context.Context, change storage.Change, object storage.Object,
	said completion) (any, error) {
	if object.Blob != said.UploadKey {
		return nil, fault.New(fault.Conflict, storage.ReasonObjectStored,
			"Another upload has brought the bytes of the object.")
	}
	if said.Size != nil && *said.Size != object.Size {
		return sizeDiffers(said, object.Size), nil
	}
	if said.SHA256 != "" && said.SHA256 != hex.EncodeToString(object.SHA256) {
		return nil, checksumDiffers()
	}
	if _, err := h.store.StoreBytes(ctx, change, object.Bucket, object.Key, object.Bytes); err != nil {
		return nil, err
	}
	return h.objectAnswer(object), nil
}

// finish completes the upload where the bytes are, reads them once from end to
// end, and only then notes that they are there.
func (h *Handler) finish(ctx context.Context, store *blobstore.Turn, change storage.Change, object storage.Object,
	said completion) (any, error) {
	upload, err := h.findUpload(ctx, object, said.UploadKey)
	if err != nil {
		// It may have been completed between our two looks.
		if now, again := h.store.FindObject(ctx, object.Bucket, object.Key); again == nil &&
			now.State == storage.ObjectStored {
			return h.completedBefore(ctx, change, now, said)
		}
		return nil, err
	}
	if refused, err := h.join(ctx, store, object, upload, said); refused != nil || err != nil {
		return refused, err
	}
	store.GoOn()
	digest, err := blobstore.Sum(ctx, h.blobs, upload.ID, func(int64) { store.GoOn() })
	if err != nil {
		return nil, err
	}
	if said.Size != nil && *said.Size != digest.Size {
		return sizeDiffers(said, digest.Size), nil
	}
	if said.SHA256 != "" && said.SHA256 != hex.EncodeToString(digest.SHA256) {
		return nil, h.discard(ctx, upload.ID, checksumDiffers())
	}
	stored, err := h.note(ctx, change, object, upload.ID, digest)
	if err != nil {
		return nil, err
	}
	return h.objectAnswer(stored), nil
}

// join makes the parts one, unless that was done by somebody who crashed before
// noting it. A partsAnswer says that the parts are not what they should be.
func (h *Handler) join(ctx context.Context, store *blobstore.Turn, object storage.Object, upload storage.Upload,
	said completion) (any, error) {
	parts, err := h.blobs.Parts(ctx, upload.ID, upload.Reference)
	if fault.HasReason(err, blobstore.ReasonUploadEnded) {
		store.Longer()
		return nil, h.blobs.Complete(ctx, upload.ID, upload.Reference, nil)
	}
	if err != nil {
		return nil, err
	}
	if refused := judge(parts, said); refused != nil {
		return refused, nil
	}
	if err := h.room(ctx, object, totalOf(parts)); err != nil {
		return nil, err
	}
	store.Longer()
	return nil, h.blobs.Complete(ctx, upload.ID, upload.Reference, parts)
}

// room refuses bytes that are too many for the project as it is now, before they are made
// one: their parts wait for who makes room.
func (h *Handler) room(ctx context.Context, object storage.Object, size int64) error {
	limits, err := h.store.FindLimits(ctx, object.ProjectID)
	if err != nil {
		return err
	}
	most, err := mostWithin(limits)
	switch {
	case err != nil:
		return err
	case size > most:
		return tooLarge(most, size)
	case limits.Quota > 0 && limits.Used+size > limits.Quota:
		return fault.Newf(fault.Forbidden, storage.ReasonQuota,
			"The project may store %d bytes and has %d: %d more are too many.", limits.Quota, limits.Used, size)
	}
	return nil
}

// note writes down that the object has the bytes. If the object may not have them, has the
// same from another upload, or the upload was ended meanwhile, they are superfluous.
func (h *Handler) note(ctx context.Context, change storage.Change, object storage.Object, blob string,
	digest blobstore.Digest) (storage.Object, error) {
	stored, err := h.store.StoreBytes(ctx, change, object.Bucket, object.Key, storage.Bytes{
		Blob: blob, Size: digest.Size, SHA256: digest.SHA256, SHA1: digest.SHA1, CRC32: digest.CRC32,
		MimeType: sniff(digest.Head), Scan: h.scanner.begins(),
	})
	h.scanner.wake()
	switch {
	case fault.Is(err, fault.TooLarge), fault.Is(err, fault.Forbidden):
		return stored, h.discard(ctx, blob, err)
	case (err == nil || fault.Is(err, fault.Conflict)) && stored.Blob != blob,
		fault.HasReason(err, storage.ReasonUploadEnded):
		return stored, cmp.Or(h.blobs.Delete(ctx, blob), err)
	case err == nil:
		httpio.From(ctx).Stored = httpio.Stored{Files: 1, Bytes: stored.Size}
	}
	return stored, err
}

// discard ends an upload whose bytes are of no use, and returns why. Another completion of
// it may have noted them meanwhile: they are its own then.
func (h *Handler) discard(ctx context.Context, blob string, why error) error {
	ended, err := h.store.EndUpload(ctx, blob)
	if err == nil && ended {
		err = h.blobs.Delete(ctx, blob)
	}
	return cmp.Or(err, why)
}

func (h *Handler) objectAnswer(o storage.Object) objectAnswer {
	return objectAnswer{
		BucketKey: o.Bucket, ObjectID: h.urn.Object(o.Bucket, o.Key), ObjectKey: o.Key,
		Size: o.Size, ContentType: o.MimeType, Location: h.objectURL(o),
		SHA1: hex.EncodeToString(o.SHA1), SHA256: hex.EncodeToString(o.SHA256),
	}
}

func checksumDiffers() error {
	return fault.New(fault.Invalid, reasonChecksum,
		"The bytes that came are not those of the checksum: upload them again.").At("/sha256")
}
