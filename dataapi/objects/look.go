package objects

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/blobstore"
)

// What people look at on our own pages goes out by the same ways, to whoever may
// read the bytes.

// Look sends the bytes of an object: to be looked at, where inline is set and they
// are harmless, else to be saved.
func (h *Handler) Look(w http.ResponseWriter, r *http.Request, who storage.Caller, object storage.Object,
	inline bool) error {
	a := asked{who: who, object: object}
	if err := h.mayDownload(r.Context(), a); err != nil {
		return err
	}
	q := url.Values{}
	if inline {
		q.Set(paramDisposition, "inline")
	}
	show, err := present(object, q)
	if err != nil {
		return err
	}
	return h.serve(w, r, a, show)
}

// Beginning returns at most so many of the first bytes of an object.
func (h *Handler) Beginning(ctx context.Context, who storage.Caller, object storage.Object,
	most int64) ([]byte, error) {
	err := h.mayDownload(ctx, asked{who: who, object: object})
	if err == nil {
		err = h.mustBeServed(object)
	}
	if err != nil {
		return nil, err
	}
	body := blobstore.NewReader(ctx, h.blobs, object.Blob, object.Size)
	defer body.Close()
	head := make([]byte, min(most, object.Size))
	if _, err := io.ReadFull(body, head); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	return head, nil
}

// MayLook returns nil when the caller gets the object's bytes now.
func (h *Handler) MayLook(ctx context.Context, who storage.Caller, object storage.Object) error {
	if err := h.mayDownload(ctx, asked{who: who, object: object}); err != nil {
		return err
	}
	return h.mustBeServed(object)
}

// policyOf is what a browser may do with bytes: show them, and nothing else. One that
// opens a PDF in a sandbox shows a broken page, so its viewer is let in, on our own
// pages, too.
func policyOf(show presentation) string {
	if show.Type == "application/pdf" && strings.HasPrefix(show.Disposition, "inline") {
		return "default-src 'none'; style-src 'unsafe-inline'; object-src 'self'; frame-ancestors 'self'"
	}
	return "sandbox; default-src 'none'"
}
