package objects

import (
	"context"
	"io"
	"net/http"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/blobstore"
)

// What people send on our own pages comes in by the same ways, for whoever the
// change names.

// PartSize is how large the parts of an upload on a page are: few enough bytes to be
// sent again, enough for MaxParts of them to be 80 GB.
const PartSize = 8 << 20

// Bring stores a stream of bytes as the object's, of which nobody has said how many
// there are. What breaks off is given up.
func (h *Handler) Bring(ctx context.Context, change storage.Change, object storage.Object,
	body io.Reader) (storage.Object, error) {
	upload, most, err := h.open(ctx, change, object)
	if err != nil {
		return object, err
	}
	if err := h.bring(ctx, upload, body, most); err != nil {
		h.giveUp(ctx, upload)
		return object, err
	}
	err = again(ctx, func() error {
		object, err = h.Finish(ctx, change, object, upload.ID, nil)
		return err
	})
	if err != nil {
		h.giveUp(ctx, upload)
	}
	return object, err
}

func (h *Handler) open(ctx context.Context, change storage.Change,
	object storage.Object) (storage.Upload, int64, error) {
	if err := h.rights.MayUpload(ctx, change.Caller, object); err != nil {
		return storage.Upload{}, 0, err
	}
	most, err := h.mostOf(ctx, object)
	if err != nil {
		return storage.Upload{}, 0, err
	}
	upload, err := h.begin(ctx, change, object)
	return upload, most, err
}

// Begin begins an upload whose parts come one by one, of at most PartSize each.
func (h *Handler) Begin(ctx context.Context, change storage.Change, object storage.Object) (storage.Upload, error) {
	upload, _, err := h.open(ctx, change, object)
	return upload, err
}

// Take keeps the body as a part of an upload that Begin began.
func (h *Handler) Take(w http.ResponseWriter, r *http.Request, who storage.Caller, object storage.Object, id string,
	part int) error {
	upload, err := h.mine(r.Context(), who, object, id)
	if err == nil {
		err = checkLength(r, PartSize)
	}
	if err == nil {
		err = h.checkTotal(r.Context(), object, upload, part, r.ContentLength)
	}
	if err == nil {
		_, err = h.receive(w, r, upload, part)
	}
	return err
}

// Came returns the sizes of the parts of an upload that have come, by number, or that
// Finish has made them one: its answer may have been lost, or it reads them yet.
func (h *Handler) Came(ctx context.Context, who storage.Caller, object storage.Object,
	id string) (sizes map[int]int64, finished bool, err error) {
	if err := h.rights.MayUpload(ctx, who, object); err != nil {
		return nil, false, err
	}
	if object.State == storage.ObjectStored && object.Blob == id {
		return nil, true, nil
	}
	upload, err := h.findUpload(ctx, object, id)
	if err != nil {
		return nil, false, err
	}
	parts, err := h.blobs.Parts(ctx, upload.ID, upload.Reference)
	if fault.HasReason(err, blobstore.ReasonUploadEnded) {
		if _, none := h.blobs.Stat(ctx, upload.ID); none == nil {
			return nil, true, nil
		}
	}
	sizes = map[int]int64{}
	for _, part := range parts {
		sizes[part.Number] = part.Size
	}
	return sizes, false, err
}

func (h *Handler) mine(ctx context.Context, who storage.Caller, object storage.Object,
	id string) (storage.Upload, error) {
	if err := h.rights.MayUpload(ctx, who, object); err != nil {
		return storage.Upload{}, err
	}
	return h.findUpload(ctx, object, id)
}

// Cancel ends an upload, and removes what has come for it.
func (h *Handler) Cancel(ctx context.Context, who storage.Caller, object storage.Object, id string) error {
	upload, err := h.mine(ctx, who, object, id)
	if err == nil {
		h.giveUp(ctx, upload)
	}
	return err
}

// Finish makes the parts that have come the bytes of the object, of which there must
// be so many, where that is said. Doing it again gives the same answer.
func (h *Handler) Finish(ctx context.Context, change storage.Change, object storage.Object, id string,
	size *int64) (storage.Object, error) {
	if err := h.rights.MayUpload(ctx, change.Caller, object); err != nil {
		return object, err
	}
	answer, err := h.complete(ctx, change, object, completion{UploadKey: id, Size: size})
	if err != nil {
		return object, err
	}
	if _, wrong := answer.(*partsAnswer); wrong {
		return object, fault.New(fault.Conflict, blobstore.ReasonPartsChanged,
			"Parts of the file have not come: send it again.")
	}
	return h.store.FindObject(ctx, object.Bucket, object.Key)
}

// Patiently lifts the limits of a request whose body takes its time, and returns that
// body.
func Patiently(w http.ResponseWriter, body io.Reader) (io.Reader, func()) {
	moves, done := httpio.Unhurried(w)
	return moving{body, moves}, done
}

type moving struct {
	io.Reader
	moves func(int)
}

func (m moving) Read(p []byte) (int, error) {
	n, err := m.Reader.Read(p)
	m.moves(n)
	return n, err
}
