package middleware

import (
	"compress/gzip"
	"mime"
	"net/http"
	"strings"
	"sync"
)

// packed are the media types that are worth packing: pages and their files.
// Answers of the protocols stay as they are: they hold tokens, which packing
// beside text of somebody else's choice could give away (BREACH).
func packed(mediaType string) bool {
	switch mediaType {
	case "text/html", "text/css", "text/javascript", "image/svg+xml":
		return true
	}
	return false
}

// Compress sends pages and their files packed with gzip (RFC 9110 8.4.1) to
// browsers that take it. A page goes packed only when the browser says that no
// other site asked for it (Sec-Fetch-Site): else another site could let the
// page show a text of its choice and learn from the length on the wire whether
// the page has the same text elsewhere.
func Compress(next http.Handler) http.Handler {
	writers := &sync.Pool{New: func() any { return gzip.NewWriter(nil) }}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !takesGzip(r) {
			next.ServeHTTP(w, r)
			return
		}
		p := &packing{ResponseWriter: w, writers: writers, page: ownRequest(r)}
		next.ServeHTTP(p, r) // when it panics the rest stays away: a cut answer must not look like a whole one
		p.close()
	})
}

func takesGzip(r *http.Request) bool {
	for coding := range strings.SplitSeq(r.Header.Get("Accept-Encoding"), ",") {
		name, weight, _ := strings.Cut(strings.TrimSpace(coding), ";")
		if strings.EqualFold(strings.TrimSpace(name), "gzip") {
			q, weighed := strings.CutPrefix(strings.TrimSpace(weight), "q=")
			return !weighed || strings.Trim(q, "0.") != ""
		}
	}
	return false
}

// ownRequest reports whether the person, or a page of this server, asked.
func ownRequest(r *http.Request) bool {
	site := r.Header.Get("Sec-Fetch-Site")
	return site == "same-origin" || site == "none"
}

// packing decides with the header whether the answer is packed.
type packing struct {
	http.ResponseWriter
	writers *sync.Pool
	page    bool         // pages may be packed
	zip     *gzip.Writer // nil: the answer goes as it is
	begun   bool
}

// WriteHeader implements http.ResponseWriter.
func (p *packing) WriteHeader(status int) {
	if !p.begun && status >= http.StatusOK {
		p.begun = true
		p.decide(status)
	}
	p.ResponseWriter.WriteHeader(status)
}

func (p *packing) decide(status int) {
	h := p.Header()
	if status == http.StatusPartialContent {
		return // its range counts the bytes of what is not packed (RFC 9110 14.4)
	}
	mediaType, _, err := mime.ParseMediaType(h.Get("Content-Type"))
	if err != nil || !packed(mediaType) || h.Get("Content-Encoding") != "" {
		return
	}
	h.Add("Vary", "Accept-Encoding")
	if mediaType == "text/html" {
		h.Add("Vary", "Sec-Fetch-Site")
	}
	if mediaType == "text/html" && !p.page {
		return
	}
	if tag := h.Get("ETag"); strings.HasPrefix(tag, `"`) {
		h.Set("ETag", "W/"+tag) // the same content, in other bytes (RFC 9110 8.8.1)
	}
	if status == http.StatusNoContent || status == http.StatusNotModified {
		return
	}
	h.Set("Content-Encoding", "gzip")
	h.Del("Content-Length")
	p.zip, _ = p.writers.Get().(*gzip.Writer)
	p.zip.Reset(p.ResponseWriter)
}

// Write implements io.Writer.
func (p *packing) Write(b []byte) (int, error) {
	if !p.begun {
		p.WriteHeader(http.StatusOK)
	}
	if p.zip == nil {
		return p.ResponseWriter.Write(b)
	}
	return p.zip.Write(b)
}

func (p *packing) close() {
	if p.zip == nil {
		return
	}
	_ = p.zip.Close() // who is not there any more needs no end
	p.writers.Put(p.zip)
}

// Unwrap lets http.ResponseController reach the connection.
func (p *packing) Unwrap() http.ResponseWriter { return p.ResponseWriter }
