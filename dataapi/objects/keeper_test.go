package objects

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/harness/sqlitetest"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/blobstore"
	"github.com/portico-id/portico/storage/sqlstore"
)

// closet is a store and a place for bytes with a project.
type closet struct {
	*testing.T
	*Keeper
	rows    *sqlstore.Store
	project string
}

func newCloset(t *testing.T) *closet {
	t.Helper()
	c := &closet{T: t}
	var err error
	c.rows, err = sqlstore.Open(t.Context(), sqlstore.Options{URL: sqlitetest.URL(t), Version: "0.1.0", Migrate: true})
	c.must(err)
	t.Cleanup(func() { _ = c.rows.Close() })
	files, err := blobstore.OpenFiles(t.TempDir(), ambient.System())
	c.must(err)
	t.Cleanup(func() { _ = files.Close() })
	c.Keeper = NewKeeper(c.rows, files, ambient.System())
	now := c.ambient.Now()
	hub := storage.Hub{ID: "b." + c.ambient.UUID(), Name: "Hub", Region: "EMEA", Active: true,
		CreatedAt: now, UpdatedAt: now}
	c.must(c.rows.CreateHub(t.Context(), c.change(), hub))
	c.project = "b." + c.ambient.UUID()
	c.must(c.rows.CreateProject(t.Context(), c.change(), storage.Project{
		ID: c.project, HubID: hub.ID, Name: "P", Active: true, RootFolderID: c.ambient.UID(), CreatedAt: now, UpdatedAt: now,
	}, nil))
	return c
}

func (c *closet) must(err error) {
	c.Helper()
	if err != nil {
		c.Fatal(err)
	}
}

func (c *closet) change() storage.Change {
	return storage.Change{Act: storage.Act{At: c.ambient.Now(), Actor: storage.Actor{Kind: storage.ActorOperator}}}
}

// bytes stores bytes that no row knows, and returns their key.
func (c *closet) bytes(body string) string {
	c.Helper()
	key := c.ambient.UID()
	upload, err := c.blobs.Begin(c.Context(), key)
	c.must(err)
	part, err := c.blobs.PutPart(c.Context(), key, upload, 1, strings.NewReader(body), int64(len(body)))
	c.must(err)
	c.must(c.blobs.Complete(c.Context(), key, upload, []blobstore.Part{part}))
	return key
}

// object stores an object that no version has.
func (c *closet) object(key, body string) storage.Object {
	c.Helper()
	c.must(c.rows.ReserveObject(c.Context(), c.change(),
		storage.Object{Bucket: "b", Key: key, ProjectID: c.project, Name: key}))
	blob := c.bytes(body)
	digest, err := blobstore.Sum(c.Context(), c.blobs, blob, nil)
	c.must(err)
	object, err := c.rows.StoreBytes(c.Context(), c.change(), "b", key,
		storage.Bytes{Blob: blob, Size: digest.Size, SHA256: digest.SHA256})
	c.must(err)
	return object
}

// Rule: OBJ-40
func TestBytesThatNoVersionHasAreRemovedAfterTheirGrace(t *testing.T) {
	c := newCloset(t)
	object, now := c.object("k", "bytes"), c.ambient.Now()
	for _, step := range []struct {
		after time.Duration
		want  bool
	}{
		{0, true}, {storage.UploadLifetime, true}, // seen to be loose
		{storage.UploadLifetime + storage.OrphanGrace - time.Second, true},
		{storage.UploadLifetime + storage.OrphanGrace, false},
	} {
		c.must(c.tidyAt(t.Context(), now.Add(step.after)))
		_, row := c.rows.FindObject(t.Context(), "b", "k")
		_, there := c.blobs.Stat(t.Context(), object.Blob)
		if (row == nil) != step.want || (there == nil) != step.want {
			t.Errorf("after %v: row %v, bytes %v", step.after, row, there)
		}
	}
}

// Rule: OBJ-43
func TestBytesThatNoRowKnowsAreSetAsideAfterTheirGrace(t *testing.T) {
	c := newCloset(t)
	kept, stray := c.object("k", "bytes"), c.bytes("stray")
	now := c.ambient.Now()
	for _, step := range []struct {
		after time.Duration
		want  int
	}{{storage.OrphanGrace - time.Minute, 0}, {storage.OrphanGrace + time.Minute, 1}, {2 * storage.OrphanGrace, 0}} {
		if n, err := c.quarantineAt(t.Context(), now.Add(step.after)); n != step.want || err != nil {
			t.Errorf("after %v: %d, %v", step.after, n, err)
		}
	}
	if _, err := c.blobs.Stat(t.Context(), stray); !fault.Is(err, fault.NotFound) {
		t.Errorf("the stray bytes: %v", err)
	}
	if _, err := c.blobs.Stat(t.Context(), kept.Blob); err != nil {
		t.Errorf("the object's: %v", err)
	}
}

// Rule: OBJ-44
func TestVerifyNamesWhatDoesNotFit(t *testing.T) {
	c := newCloset(t)
	whole, missing, other := c.object("whole", "bytes"), c.object("missing", "gone"), c.object("other", "before")
	c.must(c.blobs.Delete(t.Context(), missing.Blob))
	// The bytes of one object are changed behind our back.
	c.must(c.blobs.Delete(t.Context(), other.Blob))
	upload, err := c.blobs.Begin(t.Context(), other.Blob)
	c.must(err)
	part, err := c.blobs.PutPart(t.Context(), other.Blob, upload, 1, bytes.NewReader([]byte("behind")), 6)
	c.must(err)
	c.must(c.blobs.Complete(t.Context(), other.Blob, upload, []blobstore.Part{part}))
	stray := c.bytes("stray")
	var found []Finding
	at, err := c.Verify(t.Context(), Progress{}, func(f Finding) { found = append(found, f) }, func(Progress) {})
	c.must(err)
	want := []Finding{
		{Bucket: "b", Key: "missing", Blob: missing.Blob, Wrong: "the bytes are missing"},
		{Bucket: "b", Key: "other", Blob: other.Blob, Wrong: "the bytes have another hash"},
		{Blob: stray, Wrong: "no object has these bytes"},
	}
	if diff := cmp.Diff(want, found); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if at.Objects != 3 || at.Bytes != whole.Size+missing.Size+other.Size {
		t.Errorf("%+v", at)
	}
}

// Rule: OBJ-44
func TestVerifyReadsTheDocumentsOfTwins(t *testing.T) {
	c := newCloset(t)
	c.object("whole", "bytes")
	twin := c.twin()
	whole, missing := c.document(twin, "a", "kept"), c.document(twin, "b", "gone")
	c.must(c.blobs.Delete(t.Context(), missing.Blob))
	for _, from := range []string{"", ofDocuments} {
		var found []Finding
		at, err := c.Verify(t.Context(), Progress{Cursor: from}, func(f Finding) { found = append(found, f) },
			func(Progress) {})
		c.must(err)
		want := []Finding{{Twin: twin, Document: missing.ID, Blob: missing.Blob, Wrong: "the bytes are missing"}}
		if diff := cmp.Diff(want, found); diff != "" {
			t.Errorf("from %q: -want +got\n%s", from, diff)
		}
		if all, err := c.Extent(t.Context()); err != nil || from == "" && all.Objects != at.Objects || all.Objects != 3 ||
			all.Bytes != 5+whole.Size+missing.Size {
			t.Errorf("from %q: %+v of %+v, %v", from, at, all, err)
		}
	}
}

// twin makes a twin and returns its id.
func (c *closet) twin() string {
	c.Helper()
	place, err := c.rows.FindProject(c.Context(), storage.Caller{}, c.project)
	c.must(err)
	now := c.ambient.Now()
	twin := storage.Facility{ID: c.ambient.UID(), HubID: place.Hub.ID, Name: "Tower", CreatedAt: now, ModifiedAt: now}
	c.must(c.rows.CreateFacility(c.Context(), c.change(), twin, storage.TwinModel{ID: c.ambient.UID(), CreatedAt: now}))
	return twin.ID
}

// document imports a document into the twin.
func (c *closet) document(twin, item, body string) storage.TwinDocument {
	c.Helper()
	blob, now := c.bytes(body), c.ambient.Now()
	digest, err := blobstore.Sum(c.Context(), c.blobs, blob, nil)
	c.must(err)
	d, _, err := c.rows.ImportDocument(c.Context(), c.change(), storage.TwinDocument{ID: c.ambient.UID(), FacilityID: twin,
		Name: item, Blob: blob, Size: digest.Size, SHA256: digest.SHA256, CreatedAt: now, UpdatedAt: now,
		Source: storage.TwinSource{ItemID: item, Version: 1}, Policy: storage.PolicyPin, State: storage.DocumentReady})
	c.must(err)
	return d
}

// Rule: OBJ-57
func TestVerifyNotesTheSumsOfBytesThatCameBeforeTheyWereKept(t *testing.T) {
	c := newCloset(t)
	whole, other := c.object("whole", "123456789"), c.object("other", "before")
	c.must(c.blobs.Delete(t.Context(), other.Blob))
	for range 2 {
		_, err := c.Verify(t.Context(), Progress{}, func(Finding) {}, func(Progress) {})
		c.must(err)
	}
	for key, want := range map[string]string{whole.Key: "\xcb\xf4\x39\x26", other.Key: ""} { // the check value of CRC-32
		found, err := c.rows.FindObject(t.Context(), "b", key)
		c.must(err)
		if string(found.CRC32) != want {
			t.Errorf("%s: %x, want %x", key, found.CRC32, want)
		}
	}
}

// Rule: OBJ-44
func TestVerifyGoesOnWhereItWasStopped(t *testing.T) {
	c := newCloset(t)
	for i := range verifyBatch + 5 {
		c.object(string(rune('a'+i/26))+string(rune('a'+i%26)), "x")
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var last Progress
	_, err := c.Verify(ctx, Progress{}, func(Finding) {}, func(p Progress) {
		if last = p; p.Cursor != "" {
			stop()
		}
	})
	if err == nil || last.Objects != verifyBatch {
		t.Fatalf("%+v, %v", last, err)
	}
	at, err := c.Verify(t.Context(), last, func(Finding) {}, func(Progress) {})
	if all, failed := c.Extent(t.Context()); failed != nil || all.Objects != at.Objects || all.Bytes != at.Bytes {
		t.Errorf("went through %+v of %+v, %v", at, all, failed)
	}
	if err != nil || at.Objects != verifyBatch+5 || at.Bytes != verifyBatch+5 {
		t.Errorf("%+v, %v", at, err)
	}
}
