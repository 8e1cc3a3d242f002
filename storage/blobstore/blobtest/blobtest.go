// Package blobtest is the suite that every blobstore.Store passes. Start at
// Run; checks are grouped by topic, one file each.
package blobtest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"io"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage/blobstore"
)

// W is what a check works with.
type W struct {
	*testing.T
	Store   blobstore.Store
	Ambient *ambient.Source
}

// check is one statement about a store.
type check struct {
	name string
	run  func(w *W)
}

// Ctx is the test's context.
func (w *W) Ctx() context.Context { return w.Context() }

// Must ends the test on an error.
func (w *W) Must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

// Refused checks kind and reason of an error.
func (w *W) Refused(err error, kind fault.Kind, reason string) {
	w.Helper()
	if err == nil || !fault.Is(err, kind) || fault.From(err).Reason != reason {
		w.Errorf("got %v, want a fault %v with the reason %q", err, kind, reason)
	}
}

// Equal compares.
func (w *W) Equal(want, got any) {
	w.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		w.Errorf("-want +got\n%s", diff)
	}
}

// Bytes returns n bytes that follow from the seed, without a pattern: each
// block is the digest of the one before.
func Bytes(n int, seed byte) []byte {
	b := make([]byte, 0, n+sha256.Size)
	block := [sha256.Size]byte{seed}
	for len(b) < n {
		block = sha256.Sum256(block[:])
		b = append(b, block[:]...)
	}
	return b[:n]
}

// Begin begins an upload and returns key and upload.
func (w *W) Begin() (key, upload string) {
	w.Helper()
	key = w.Ambient.UID()
	upload, err := w.Store.Begin(w.Ctx(), key)
	w.Must(err)
	return key, upload
}

// Put puts a part.
func (w *W) Put(key, upload string, number int, body []byte) blobstore.Part {
	w.Helper()
	part, err := w.Store.PutPart(w.Ctx(), key, upload, number, bytes.NewReader(body), int64(len(body)))
	w.Must(err)
	return part
}

// Complete completes an upload with the parts that it has.
func (w *W) Complete(key, upload string) {
	w.Helper()
	parts, err := w.Store.Parts(w.Ctx(), key, upload)
	w.Must(err)
	w.Must(w.Store.Complete(w.Ctx(), key, upload, parts))
}

// Store1 stores one part and returns its key.
func (w *W) Store1(body []byte) string {
	w.Helper()
	key, upload := w.Begin()
	w.Put(key, upload, 1, body)
	w.Complete(key, upload)
	return key
}

// Read reads a range.
func (w *W) Read(key string, from, length int64) []byte {
	w.Helper()
	body, err := w.Store.Open(w.Ctx(), key, from, length)
	w.Must(err)
	defer func() { _ = body.Close() }()
	got, err := io.ReadAll(body)
	w.Must(err)
	return got
}

// later is a time before which everything that is there now has happened.
func (w *W) later() time.Time { return w.Ambient.Now().Add(time.Hour) }

// earlier is a time after which everything that is there now has happened.
func (w *W) earlier() time.Time { return w.Ambient.Now().Add(-time.Hour) }
