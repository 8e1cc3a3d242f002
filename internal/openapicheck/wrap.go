package openapicheck

import (
	"bytes"
	"io"
	"net/http"
	"slices"
	"testing"
)

// Wrap returns next with every exchange held to the book. What does not fit
// fails the test t, which must outlive the handler.
func (b *Book) Wrap(t testing.TB, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		op, found, known := b.find(r)
		if !found {
			b.passBy(t, w, r, next, known)
			return
		}
		sent := &bytes.Buffer{}
		inner := r.Clone(r.Context())
		inner.Body = struct {
			io.Reader
			io.Closer
		}{io.TeeReader(r.Body, sent), r.Body}
		recorder := &recorder{ResponseWriter: w}
		next.ServeHTTP(recorder, inner)

		e := exchange{request: r, sent: sent.Bytes(), status: recorder.statusOrOK(), header: w.Header(), body: recorder.body.Bytes()}
		b.saw(Answer{op.method, op.path, e.status})
		for _, complaint := range op.judge(e) {
			t.Errorf("%s %s answered %d: %s", op.method, op.path, e.status, complaint)
		}
	})
}

// passBy serves a request that the book has no operation for: fine for a page,
// for a method that is refused, and for a path that is refused.
func (b *Book) passBy(t testing.TB, w http.ResponseWriter, r *http.Request, next http.Handler, known bool) {
	recorder := &recorder{ResponseWriter: w}
	next.ServeHTTP(recorder, r)
	status := recorder.statusOrOK()
	switch {
	case slices.Contains(b.elsewhere, r.URL.Path), status == http.StatusNotFound:
	case known && (status == http.StatusMethodNotAllowed || r.Method == http.MethodHead || r.Method == http.MethodOptions):
	default:
		t.Errorf("%s %s answered %d and is in no document", r.Method, r.URL.Path, status)
	}
}

// recorder keeps what it passes on.
type recorder struct {
	http.ResponseWriter
	status int
	body   bytes.Buffer
}

// WriteHeader notes the first status that is not informational.
func (r *recorder) WriteHeader(status int) {
	if r.status == 0 && status >= http.StatusOK {
		r.status = status
	}
	r.ResponseWriter.WriteHeader(status)
}

// Write notes the bytes.
func (r *recorder) Write(p []byte) (int, error) {
	r.status = r.statusOrOK()
	r.body.Write(p)
	return r.ResponseWriter.Write(p)
}

// Unwrap serves http.ResponseController.
func (r *recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }

func (r *recorder) statusOrOK() int {
	if r.status == 0 {
		return http.StatusOK
	}
	return r.status
}
