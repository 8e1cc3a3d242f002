package dataapi

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"time"

	"github.com/portico-id/portico/dataapi/jsonapi"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/storage"
)

// freshness is what a conditional read compares (decision J18).
type freshness struct {
	Revision int64       // of the thing itself
	Changed  []time.Time // what changed last: the thing, what is below it, what is shown with it
	Standing storage.Standing
	ByTag    bool // the answer holds what the times don't tell: only the tag counts
}

// single is the document of one resource, and what a conditional read of it
// compares.
type single struct {
	Document jsonapi.Document
	Resource jsonapi.Resource // the document's
	freshness
}

// writeFresh sends the document, or 304 when the client has it already.
func (h *Handler) writeFresh(w http.ResponseWriter, r *http.Request, q jsonapi.Query, d single) error {
	body, err := d.Document.Encode(q)
	if err != nil {
		return err
	}
	f := d.freshness
	now, tag := h.ambient.Now(), f.tag(body)
	header := w.Header()
	header.Set("Cache-Control", "private, no-cache") // keep it, and ask before using it
	header.Set("ETag", tag)
	header.Set("Last-Modified", published(f.newest(), now).Format(http.TimeFormat))
	if !f.unchanged(r, tag, now) {
		jsonapi.Write(w, r, http.StatusOK, body)
		return nil
	}
	header.Add("Vary", "Accept")
	w.WriteHeader(http.StatusNotModified)
	return nil
}

// newest returns the latest of the times.
func (f freshness) newest() time.Time {
	var newest time.Time
	for _, t := range f.Changed {
		if t.After(newest) {
			newest = t
		}
	}
	return newest.UTC()
}

// wholeSecond rounds up: headers know no fractions, and a change must not look
// older than it is.
func wholeSecond(t time.Time) time.Time {
	if whole := t.Truncate(time.Second); whole.Before(t) {
		return whole.Add(time.Second)
	}
	return t
}

// published is the Last-Modified of an answer sent now. While the second of the
// change still runs, another change may follow in it, and no time may lie ahead
// of the clock (RFC 9110, 8.8.2.1): then it is one that matches no state.
func published(newest, now time.Time) time.Time {
	changed := wholeSecond(newest)
	if now.After(changed) {
		return changed
	}
	before, present := changed.Add(-time.Second), now.Truncate(time.Second)
	if present.Before(before) {
		return present
	}
	return before
}

// tag begins with the revision, for If-Match, and goes on with a digest of the
// answer and of the caller's rights.
func (f freshness) tag(body []byte) string {
	digest := sha256.New()
	_, _ = fmt.Fprintf(digest, "%d %t ", f.Standing.Level(), f.Standing.Everywhere())
	_, _ = digest.Write(body)
	return fmt.Sprintf(`"%d-%s"`, f.Revision, hex.EncodeToString(digest.Sum(nil)[:12]))
}

// unchanged decides by If-None-Match and only without it by If-Modified-Since
// (RFC 9110, 13.2.2).
func (f freshness) unchanged(r *http.Request, tag string, now time.Time) bool {
	if len(r.Header.Values("If-None-Match")) > 0 {
		return httpio.Known(r, tag)
	}
	since := r.Header.Get("If-Modified-Since")
	if since == "" || f.ByTag {
		return false
	}
	newest := f.newest()
	if date, err := http.ParseTime(since); err == nil {
		changed := wholeSecond(newest)
		return now.After(changed) && !changed.After(date)
	}
	// As the interface description has it: ISO 8601, whose fractions are those
	// of the records. What is neither is passed over (RFC 9110, 13.1.3).
	moment, ok := jsonapi.ParseTime(since)
	return ok && !newest.After(moment)
}
