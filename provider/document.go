package provider

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"sync"

	"github.com/portico-id/portico/internal/httpio"
)

// document is a public answer that is rendered once and served as bytes.
type document struct {
	body []byte
	etag string
}

func newDocument(v any) (document, error) {
	body, err := json.Marshal(v)
	if err != nil {
		return document{}, err
	}
	sum := sha256.Sum256(body)
	return document{body, `"` + base64.RawURLEncoding.EncodeToString(sum[:12]) + `"`}, nil
}

// serve writes the document, or 304 to whoever has it.
func (d document) serve(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Type", jsonType)
	h.Set("Cache-Control", "public, max-age=3600")
	h.Set("ETag", d.etag)
	if httpio.Known(r, d.etag) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	_, _ = w.Write(d.body)
}

// how is what of the description may change: how clients come.
type how struct {
	registration string
	documents    bool
}

// metadata is the description as it is at the moment.
type metadata struct {
	describe     func() map[string]any
	registration func() string
	documents    func() bool // clients may be described by documents

	mu    sync.Mutex
	of    how // what known tells of
	known document
}

// document returns the description, made anew only when something about it is other.
func (m *metadata) document() (document, error) {
	now := how{m.registration(), m.documents()}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.known.body != nil && m.of == now {
		return m.known, nil
	}
	said := m.describe()
	if now.registration != "" {
		said["registration_endpoint"] = now.registration
	}
	if now.documents {
		said["client_id_metadata_document_supported"] = true
	}
	made, err := newDocument(said)
	m.of, m.known = now, made
	return made, err
}
