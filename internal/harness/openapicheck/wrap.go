package openapicheck

import (
	"bytes"
	"io"
	"net/http"
	"testing"
)

// Wrap returns next with every exchange held to the book. What does not fit
// fails the test t, which must outlive the handler.
func (b *Book) Wrap(t testing.TB, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		sent := &bytes.Buffer{}
		inner := r.Clone(r.Context())
		inner.Body = tee{io.TeeReader(r.Body, sent), r.Body}
		recorder := &recorder{ResponseWriter: w}
		next.ServeHTTP(recorder, inner)
		b.judge(t, exchange{request: r, sent: sent.Bytes(), status: recorder.statusOrOK(), header: w.Header(),
			body: recorder.body.Bytes()})
	})
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
