package objects

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/portico-id/portico/dataapi/access"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/gate/bearer"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/storage"
)

// Variables of the routes.
const (
	bucketVariable = "bucket_key"
	objectVariable = "object_key"
)

// Reasons of refusals.
const (
	reasonInvalid   = "bad_input"
	reasonAbsent    = "object_not_found"
	reasonNoBytes   = "object_empty" // nothing was stored yet
	reasonNoUpload  = "upload_not_found"
	reasonChecksum  = "checksum_mismatch"
	reasonNoLength  = "length_required"
	reasonPartSize  = "part_too_large"
	reasonTicket    = "address_invalid"
	reasonTicketEnd = "address_expired"
)

// asked is what a request is about, and on whose behalf.
type asked struct {
	who    storage.Caller
	asker  bearer.Asker // who, with the token
	object storage.Object
}

// Each of these finds the object in the path and returns it only to those who
// may do with it what they want to.

func (h *Handler) toUpload(r *http.Request) (asked, error) {
	a, err := h.find(r)
	if err == nil {
		err = h.mayUpload(r.Context(), a)
	}
	return a, err
}

func (h *Handler) toDownload(r *http.Request) (asked, error) {
	a, err := h.find(r)
	if err == nil {
		err = h.mayDownload(r.Context(), a)
	}
	return a, err
}

func (h *Handler) mayUpload(ctx context.Context, a asked) error {
	return hidden(h.rights.MayUpload(ctx, a.who, a.object))
}

func (h *Handler) mayDownload(ctx context.Context, a asked) error {
	return hidden(h.rights.MayDownload(ctx, a.who, a.object))
}

// hidden lets no one tell an object out of their reach from one that isn't.
func hidden(err error) error {
	if fault.Is(err, fault.NotFound) {
		return absent()
	}
	return err
}

func (h *Handler) find(r *http.Request) (asked, error) {
	bucket, err := httpio.PathID(r, bucketVariable)
	if err != nil {
		return asked{}, err
	}
	key, err := httpio.PathID(r, objectVariable)
	if err != nil {
		return asked{}, err
	}
	return h.look(r, bucket, key)
}

func (h *Handler) look(r *http.Request, bucket, key string) (asked, error) {
	token, _ := bearer.From(r.Context())
	who, err := access.Caller(r)
	if err != nil {
		return asked{}, err
	}
	object, err := h.store.FindObject(r.Context(), bucket, key)
	return asked{who, bearer.NewAsker(token, who, token.Scopes...), object}, hidden(err)
}

func absent() error { return fault.New(fault.NotFound, reasonAbsent, "There is no such object.") }

// change says who makes the request and by whose rights.
func (h *Handler) change(r *http.Request, who storage.Caller) storage.Change {
	return bearer.Change(r, h.ambient.Now(), who)
}

func (h *Handler) objectURL(o storage.Object) string {
	return h.base + "/oss/v2/buckets/" + url.PathEscape(o.Bucket) + "/objects/" + url.PathEscape(o.Key)
}

// number reads a parameter that is a whole number from 1; absent or empty: the usual one.
func number(q url.Values, name string, most, usual int) (int, error) {
	value := q.Get(name)
	if value == "" {
		return usual, nil
	}
	n, err := strconv.Atoi(value)
	if err != nil || n < 1 || n > most {
		return 0, fault.Newf(fault.Invalid, reasonInvalid, "%s is a number from %d to %d.", name, 1, most).At(name)
	}
	return n, nil
}

// parameters returns the query, in which nothing may be said twice.
func parameters(r *http.Request) (url.Values, error) {
	values, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, fault.New(fault.Invalid, reasonInvalid, "The query can't be read.").Because(err)
	}
	for name, all := range values {
		if len(all) > 1 || !httpio.IsText(all[0]) {
			return nil, fault.Newf(fault.Invalid, reasonInvalid, "%q is there twice, or is not text.", name).At(name)
		}
	}
	return values, nil
}

const paramMinutes = "minutesExpiration"

// lifetime reads how long signed addresses are to live (decision W6).
func lifetime(q url.Values) (time.Duration, error) {
	minutes, err := number(q, paramMinutes, 60, 2)
	return time.Duration(minutes) * time.Minute, err
}

func formatTime(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05Z") }
