package objects

import (
	"encoding/hex"
	"net/http"
	"net/url"
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/blobstore"
)

// downloadAnswer is where the bytes are to be had.
type downloadAnswer struct {
	Status string         `json:"status"`
	URL    string         `json:"url"`
	Params downloadParams `json:"params"`
	Size   int64          `json:"size"`
	SHA1   string         `json:"sha1"`
	SHA256 string         `json:"sha256"`
}

type downloadParams struct {
	ContentType        string `json:"content-type"`
	ContentDisposition string `json:"content-disposition"`
}

// SignDownload serves GET …/signeds3download: an address to read the bytes at.
func (h *Handler) SignDownload(w http.ResponseWriter, r *http.Request) error {
	q, err := parameters(r)
	if err != nil {
		return err
	}
	a, err := h.toDownload(r)
	if err == nil {
		err = h.mustBeServed(a.object)
	}
	if err != nil {
		return err
	}
	w.Header().Set("ETag", tagOf(a.object))
	if unchanged(r, a.object) {
		w.Header().Set("Cache-Control", "no-store")
		w.WriteHeader(http.StatusNotModified)
		return nil
	}
	answer, err := h.signDownload(r, a, q)
	if err != nil {
		return err
	}
	write(w, answer)
	return nil
}

func (h *Handler) signDownload(r *http.Request, a asked, q url.Values) (downloadAnswer, error) {
	life, err := lifetime(q)
	if err != nil {
		return downloadAnswer{}, err
	}
	show, err := present(a.object, q)
	if err != nil {
		return downloadAnswer{}, err
	}
	address, err := h.blobs.SignGet(r.Context(), a.object.Blob, blobstore.Presentation{
		ContentType: show.Type, Disposition: show.Disposition, CacheControl: show.Cache,
	}, min(life, maxLive))
	if err == nil && address == "" {
		t := a.newTicket(http.MethodGet, h.ambient.Now().Add(life))
		t.Show = show
		address, err = h.address(t)
	}
	return downloadAnswer{
		Status: "complete", URL: address, Params: downloadParams{show.Type, show.Disposition},
		Size: a.object.Size, SHA1: hex.EncodeToString(a.object.SHA1), SHA256: hex.EncodeToString(a.object.SHA256),
	}, err
}

func mustHaveBytes(o storage.Object) error {
	if o.State == storage.ObjectStored {
		return nil
	}
	return fault.New(fault.NotFound, reasonNoBytes, "The object has no bytes yet.")
}

// tagOf names the bytes for conditional requests.
func tagOf(o storage.Object) string { return `"` + hex.EncodeToString(o.SHA256) + `"` }

// unchanged reports whether the client says that it has the bytes already: by
// their SHA-256, by their SHA-1 as existing clients do, or by the time.
func unchanged(r *http.Request, o storage.Object) bool {
	if r.Header.Get("If-None-Match") != "" {
		sha1 := hex.EncodeToString(o.SHA1)
		return httpio.Known(r, tagOf(o), hex.EncodeToString(o.SHA256), sha1, `"`+sha1+`"`)
	}
	since, err := http.ParseTime(r.Header.Get("If-Modified-Since"))
	return err == nil && !o.StoredAt.Truncate(time.Second).After(since)
}

// Details serves GET …/details: what is known of the stored bytes.
func (h *Handler) Details(w http.ResponseWriter, r *http.Request) error {
	a, err := h.toDownload(r)
	if err == nil {
		err = mustHaveBytes(a.object)
	}
	if err != nil {
		return err
	}
	write(w, h.objectAnswer(a.object))
	return nil
}
