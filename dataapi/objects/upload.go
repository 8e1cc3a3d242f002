package objects

import (
	"context"
	"net/http"
	"net/url"
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/blobstore"
)

const (
	// maxAddresses is how many a call gives at most (decision X3).
	maxAddresses = 25

	// maxLive is how long addresses live that nobody looks at again when they
	// are used: those of a bucket (decision W6).
	maxLive = 2 * time.Minute

	paramParts     = "parts"
	paramFirst     = "firstPart"
	paramUploadKey = "uploadKey"
)

// wish is what a client wants of an upload.
type wish struct {
	uploadKey    string // empty: to begin one
	first, parts int
	lifetime     time.Duration
}

// uploadAnswer is how to go on with an upload. Parts is what has come of one
// that was begun before, so that a client knows where to go on.
type uploadAnswer struct {
	UploadKey        string       `json:"uploadKey"`
	UploadExpiration string       `json:"uploadExpiration"`
	URLExpiration    string       `json:"urlExpiration"`
	URLs             []string     `json:"urls"`
	Parts            []partAnswer `json:"parts,omitempty"`
}

type partAnswer struct {
	Part   int    `json:"part"`
	Size   int64  `json:"size"`
	ETag   string `json:"eTag"`
	Status string `json:"status,omitempty"`
}

// SignUpload serves GET …/signeds3upload: it begins an upload, or goes on with
// one, and gives addresses for its parts.
func (h *Handler) SignUpload(w http.ResponseWriter, r *http.Request) error {
	q, err := parameters(r)
	if err != nil {
		return err
	}
	wants, err := readWish(q)
	if err != nil {
		return err
	}
	a, err := h.toUpload(r)
	if err != nil {
		return err
	}
	answer, err := h.signUpload(r, a, wants)
	if err != nil {
		return err
	}
	write(w, answer)
	return nil
}

func readWish(q url.Values) (wish, error) {
	lifetime, err := lifetime(q)
	if err != nil {
		return wish{}, err
	}
	parts, err := number(q, paramParts, maxAddresses, 1)
	if err != nil {
		return wish{}, err
	}
	first, err := number(q, paramFirst, blobstore.MaxParts, 1)
	if err == nil {
		err = checkLast(first, parts)
	}
	return wish{q.Get(paramUploadKey), first, parts, lifetime}, err
}

func checkLast(first, parts int) error {
	if first+parts-1 > blobstore.MaxParts {
		return fault.Newf(fault.Invalid, reasonInvalid, "An upload has at most %d parts.", blobstore.MaxParts).At(paramParts)
	}
	return nil
}

func (h *Handler) signUpload(r *http.Request, a asked, wants wish) (uploadAnswer, error) {
	upload, err := h.beginOrGoOn(r, a, wants.uploadKey)
	if err != nil {
		return uploadAnswer{}, err
	}
	most, err := h.mostOf(r.Context(), a.object)
	if err != nil {
		return uploadAnswer{}, err
	}
	answer := uploadAnswer{UploadKey: upload.ID, UploadExpiration: formatTime(upload.ExpiresAt)}
	for part := wants.first; part < wants.first+wants.parts; part++ {
		address, ends, err := h.partAddress(r.Context(), a, upload, part, min(most, blobstore.MaxPart), wants.lifetime)
		if err != nil {
			return uploadAnswer{}, err
		}
		answer.URLs, answer.URLExpiration = append(answer.URLs, address), formatTime(ends)
	}
	if wants.uploadKey == "" {
		return answer, nil
	}
	parts, err := h.blobs.Parts(r.Context(), upload.ID, upload.Reference)
	for _, part := range parts {
		answer.Parts = append(answer.Parts, partAnswer{Part: part.Number, Size: part.Size, ETag: part.ETag})
	}
	return answer, err
}

// beginOrGoOn returns the upload with the key, or a new one.
func (h *Handler) beginOrGoOn(r *http.Request, a asked, uploadKey string) (storage.Upload, error) {
	switch {
	case a.object.State == storage.ObjectStored:
		return storage.Upload{}, fault.New(fault.Conflict, storage.ReasonObjectStored,
			"The object has its bytes: make another one for others.")
	case uploadKey != "":
		return h.findUpload(r.Context(), a.object, uploadKey)
	}
	return h.begin(r.Context(), h.change(r, a.who), a.object)
}

// begin begins an upload: first where the bytes are, then in the database, so
// that a crash leaves at worst an upload that nobody knows.
func (h *Handler) begin(ctx context.Context, change storage.Change, object storage.Object) (storage.Upload, error) {
	upload := storage.Upload{
		ID: h.ambient.UID(), Bucket: object.Bucket, Key: object.Key,
		ExpiresAt: change.At.Add(storage.UploadLifetime),
	}
	var err error
	if upload.Reference, err = h.blobs.Begin(ctx, upload.ID); err != nil {
		return upload, err
	}
	return upload, h.store.BeginUpload(ctx, change, upload)
}

func (h *Handler) findUpload(ctx context.Context, object storage.Object, uploadKey string) (storage.Upload, error) {
	if !httpio.IsText(uploadKey) {
		return storage.Upload{}, noUpload()
	}
	upload, err := h.store.FindUpload(ctx, object.Bucket, object.Key, uploadKey, h.ambient.Now())
	switch {
	case fault.Is(err, fault.NotFound):
		err = noUpload()
	case err == nil && upload.Reference == "":
		err = blobstore.UploadEnded()
	}
	return upload, err
}

func noUpload() error {
	return fault.New(fault.NotFound, reasonNoUpload,
		"There is no such upload of the object, or it has expired.").At(paramUploadKey)
}

// mostOf returns how large the object may be, and refuses when its project is
// full.
func (h *Handler) mostOf(ctx context.Context, object storage.Object) (int64, error) {
	limits, err := h.store.FindLimits(ctx, object.ProjectID)
	if err != nil {
		return 0, err
	}
	return mostWithin(limits)
}

// mostWithin is how large a file may be where there is room for any: what is larger
// than all that the project may store could never be completed.
func mostWithin(limits storage.Limits) (int64, error) {
	if limits.Quota > 0 && limits.Used >= limits.Quota {
		return 0, fault.Newf(fault.Forbidden, storage.ReasonQuota, "The project may store %d bytes and has %d.",
			limits.Quota, limits.Used)
	}
	most := int64(MaxObject)
	for _, limit := range []int64{limits.MaxObject, limits.Quota} {
		if limit > 0 {
			most = min(most, limit)
		}
	}
	return most, nil
}

// partAddress returns where to PUT the part, and until when.
func (h *Handler) partAddress(ctx context.Context, a asked, upload storage.Upload, part int, most int64,
	lifetime time.Duration) (string, time.Time, error) {
	live := min(lifetime, maxLive)
	address, err := h.blobs.SignPart(ctx, upload.ID, upload.Reference, part, live)
	if err != nil || address != "" {
		return address, h.ambient.Now().Add(live), err
	}
	ends := h.ambient.Now().Add(lifetime)
	t := a.newTicket(http.MethodPut, ends)
	t.Upload, t.Part, t.Most = upload.ID, part, most
	address, err = h.address(t)
	return address, ends, err
}

// write sends an answer that clients ask for anew each time.
func write(w http.ResponseWriter, answer any) {
	w.Header().Set("Cache-Control", "no-store")
	httpio.WriteJSON(w, http.StatusOK, mediaType, answer)
}
