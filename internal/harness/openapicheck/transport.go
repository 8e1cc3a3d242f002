package openapicheck

import (
	"bytes"
	"io"
	"net/http"
	"slices"
	"sync"
	"testing"
)

// Transport returns next with every exchange held to the book, for tests that
// can't get at the handler: the server runs elsewhere. What does not fit fails
// the test t; what brings no answer is not judged.
func (b *Book) Transport(t testing.TB, next http.RoundTripper) http.RoundTripper {
	return transport{book: b, t: t, next: next}
}

type transport struct {
	book *Book
	t    testing.TB
	next http.RoundTripper
}

// RoundTrip sends the request and judges what comes back.
func (tr transport) RoundTrip(r *http.Request) (*http.Response, error) {
	sent := &notes{}
	outer := r.Clone(r.Context())
	if r.Body != nil {
		outer.Body = tee{io.TeeReader(r.Body, sent), r.Body}
	}
	response, err := tr.next.RoundTrip(outer)
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(response.Body)
	_ = response.Body.Close()
	if err != nil {
		return nil, err
	}
	response.Body = io.NopCloser(bytes.NewReader(body))
	tr.book.judge(tr.t, exchange{request: r, sent: sent.copy(), status: response.StatusCode,
		header: response.Header, body: body})
	return response, nil
}

// tee is a body that is noted as it is read.
type tee struct {
	io.Reader
	io.Closer
}

// notes is what was sent so far. A server may answer before it has read the
// whole body: then the rest is still being sent while the answer is judged.
type notes struct {
	mu   sync.Mutex
	text []byte
}

// Write implements io.Writer.
func (n *notes) Write(p []byte) (int, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.text = append(n.text, p...)
	return len(p), nil
}

func (n *notes) copy() []byte {
	n.mu.Lock()
	defer n.mu.Unlock()
	return bytes.Clone(n.text)
}

// judge holds an exchange to its operation. One that the book has none for is
// fine for a page, for a method that is refused, and for a path that is refused.
func (b *Book) judge(t testing.TB, e exchange) {
	t.Helper()
	if e.status == http.StatusRequestHeaderFieldsTooLarge {
		return // net/http's own answer, before there is an operation
	}
	op, found, known := b.find(e.request)
	if found {
		b.saw(Answer{op.method, op.path, e.status})
		for _, complaint := range op.judge(e) {
			t.Errorf("%s %s answered %d: %s", op.method, op.path, e.status, complaint)
		}
		return
	}
	switch {
	case slices.Contains(b.elsewhere, e.request.URL.Path), e.status == http.StatusNotFound:
	case known && (e.status == http.StatusMethodNotAllowed || e.request.Method == http.MethodHead ||
		e.request.Method == http.MethodOptions):
	default:
		t.Errorf("%s %s answered %d and is in no document", e.request.Method, e.request.URL.Path, e.status)
	}
}
