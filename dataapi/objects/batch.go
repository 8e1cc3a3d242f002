package objects

import (
	"net/http"
	"net/url"
	"strconv"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/httpio"
)

// batch is what several objects of a bucket are asked for in one call.
type batch[T any] struct {
	Requests []T `json:"requests"`
}

// results has an entry for each object: what its own call would answer, or why
// not.
type results struct {
	Results map[string]any `json:"results"`
}

// batchFailure is an entry that was refused. Its status is that of the object's
// own call.
type batchFailure struct {
	failure
	Status int `json:"status"`
}

const maxBatch = 25

// each answers a batch: act is called for every object, and what it refuses
// does not touch the others.
func each[T any](w http.ResponseWriter, r *http.Request, h *Handler, keyOf func(T) string,
	act func(asked, T) (any, error)) error {
	var in batch[T]
	if err := httpio.ReadJSON(w, r, &in); err != nil {
		return err
	}
	if len(in.Requests) < 1 || len(in.Requests) > maxBatch {
		return fault.Newf(fault.Invalid, reasonInvalid, "A call is about 1 to %d objects.", maxBatch).At("/requests")
	}
	bucket, err := httpio.PathID(r, bucketVariable)
	if err != nil {
		return err
	}
	out := results{Results: map[string]any{}}
	for i, one := range in.Requests {
		key := keyOf(one)
		if _, twice := out.Results[key]; twice || key == "" {
			return fault.New(fault.Invalid, reasonInvalid, "Name every object once, by its objectKey.").At("/requests/" +
				strconv.Itoa(i) + "/objectKey")
		}
		out.Results[key] = nil
	}
	httpio.AtLeisure(w)
	for _, one := range in.Requests {
		key := keyOf(one)
		out.Results[key], err = h.oneOf(r, bucket, key, func(a asked) (any, error) { return act(a, one) })
		if f := fault.From(err); f != nil {
			out.Results[key] = batchFailure{newFailure(f), httpio.Status(f.Kind)}
		}
	}
	write(w, out)
	return nil
}

func (h *Handler) oneOf(r *http.Request, bucket, key string, act func(asked) (any, error)) (any, error) {
	a, err := h.look(r, bucket, key)
	if err != nil {
		return nil, err
	}
	return act(a)
}

type batchUpload struct {
	ObjectKey string `json:"objectKey"`
	UploadKey string `json:"uploadKey"`
	FirstPart *int   `json:"firstPart"`
	Parts     *int   `json:"parts"`
}

// wish reads what is wanted as the object's own call would.
func (b batchUpload) wish(q url.Values) (wish, error) {
	own := url.Values{paramMinutes: q[paramMinutes], paramUploadKey: {b.UploadKey}}
	if b.FirstPart != nil {
		own.Set(paramFirst, strconv.Itoa(*b.FirstPart))
	}
	if b.Parts != nil {
		own.Set(paramParts, strconv.Itoa(*b.Parts))
	}
	return readWish(own)
}

// BatchSignUpload serves POST …/objects/batchsigneds3upload.
func (h *Handler) BatchSignUpload(w http.ResponseWriter, r *http.Request) error {
	q, err := parameters(r)
	if err != nil {
		return err
	}
	return each(w, r, h, func(b batchUpload) string { return b.ObjectKey }, func(a asked, b batchUpload) (any, error) {
		wants, err := b.wish(q)
		if err == nil {
			err = h.mayUpload(r.Context(), a)
		}
		if err != nil {
			return nil, err
		}
		return h.signUpload(r, a, wants)
	})
}

type batchCompletion struct {
	ObjectKey string `json:"objectKey"`
	completion
}

// BatchComplete serves POST …/objects/batchcompleteupload.
func (h *Handler) BatchComplete(w http.ResponseWriter, r *http.Request) error {
	return each(w, r, h, func(b batchCompletion) string { return b.ObjectKey },
		func(a asked, b batchCompletion) (any, error) {
			err := b.check()
			if err == nil {
				err = h.mayUpload(r.Context(), a)
			}
			if err != nil {
				return nil, err
			}
			return h.complete(r.Context(), h.change(r, a.who), a.object, b.completion)
		})
}

type batchDownload struct {
	ObjectKey   string `json:"objectKey"`
	Type        string `json:"response-content-type"`
	Disposition string `json:"response-content-disposition"`
	Cache       string `json:"response-cache-control"`
}

// BatchSignDownload serves POST …/objects/batchsigneds3download.
func (h *Handler) BatchSignDownload(w http.ResponseWriter, r *http.Request) error {
	q, err := parameters(r)
	if err != nil {
		return err
	}
	return each(w, r, h, func(b batchDownload) string { return b.ObjectKey }, func(a asked, b batchDownload) (any, error) {
		err := h.mayDownload(r.Context(), a)
		if err == nil {
			err = h.mustBeServed(a.object)
		}
		if err != nil {
			return nil, err
		}
		return h.signDownload(r, a, url.Values{
			paramMinutes: q[paramMinutes], paramType: {b.Type}, paramDisposition: {b.Disposition}, paramCache: {b.Cache},
		})
	})
}
