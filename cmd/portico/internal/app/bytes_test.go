package app

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/harness/s3test"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/blobstore"
)

// keep stores bytes of an object of its own that no version has.
func (a *App) keep(t *testing.T, key, body string) storage.Object {
	t.Helper()
	p, now := a.parts, a.parts.Ambient.Now()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	change := storage.Change{Act: storage.Act{At: now, Actor: storage.Actor{Kind: storage.ActorOperator}}}
	hub := storage.Hub{ID: "b." + p.Ambient.UUID(), Name: "Hub", Region: "EMEA", Active: true,
		CreatedAt: now, UpdatedAt: now}
	must(p.Store.CreateHub(t.Context(), change, hub))
	project := storage.Project{ID: "b." + p.Ambient.UUID(), HubID: hub.ID, Name: "P", Active: true,
		RootFolderID: p.Ambient.UID(), CreatedAt: now, UpdatedAt: now}
	must(p.Store.CreateProject(t.Context(), change, project, nil))
	must(p.Store.ReserveObject(t.Context(), change,
		storage.Object{Bucket: "b", Key: key, ProjectID: project.ID, Name: key}))
	blob := p.Ambient.UID()
	upload, err := p.blobs.Begin(t.Context(), blob)
	must(err)
	part, err := p.blobs.PutPart(t.Context(), blob, upload, 1, strings.NewReader(body), int64(len(body)))
	must(err)
	must(p.blobs.Complete(t.Context(), blob, upload, []blobstore.Part{part}))
	object, err := p.Store.StoreBytes(t.Context(), change, "b", key, storage.Bytes{Blob: blob, Size: int64(len(body))})
	must(err)
	return object
}

// Rule: OBJ-41
func TestBytesAreKeptInTheDataDirectoryOrInABucket(t *testing.T) {
	c := configure(t)
	a := open(t, c)
	a.keep(t, "k", "in files")
	found, err := filepath.Glob(filepath.Join(c.DataDir, "files", "objects", "*", "*", "*", "*"))
	if err != nil || len(found) != 1 {
		t.Errorf("%v, %v", found, err)
	}
	service := s3test.Start(t)
	c = configure(t, "PORTICO_S3_ENDPOINT="+service.Endpoint, "PORTICO_S3_BUCKET="+service.Bucket,
		"PORTICO_S3_ACCESS_KEY="+service.AccessKey, "PORTICO_S3_SECRET_KEY="+service.SecretKey)
	a = open(t, c)
	a.keep(t, "k", "in a bucket")
	if _, err := os.Stat(filepath.Join(c.DataDir, "files")); !os.IsNotExist(err) {
		t.Errorf("the data directory has files too: %v", err)
	}
	if infos, err := a.parts.blobs.List(t.Context(), "", 10); err != nil || len(infos) != 1 || infos[0].Size != 11 {
		t.Errorf("%v, %v", infos, err)
	}
}

// Rule: OBJ-41
func TestAServerStartsWithoutItsObjectStore(t *testing.T) {
	a := open(t, configure(t, "PORTICO_S3_ENDPOINT=http://127.0.0.1:1", "PORTICO_S3_BUCKET=bytes",
		"PORTICO_S3_ACCESS_KEY=a", "PORTICO_S3_SECRET_KEY=b"))
	defer start(t, a)()
	if got, body := answer(t, http.MethodGet, a.URL()+"/healthz"); got.StatusCode != http.StatusOK {
		t.Errorf("%d %s", got.StatusCode, body)
	}
	if _, err := a.parts.blobs.Stat(t.Context(), strings.Repeat("a", 22)); !fault.Is(err, fault.Unavailable) {
		t.Errorf("%v", err)
	}
}

func TestAddressesOfObjectsThatDoNotExistAreRefusedInTheirForm(t *testing.T) {
	a := open(t, configure(t))
	defer start(t, a)()
	got, body := answer(t, http.MethodGet, a.URL()+"/oss/v2/none")
	if got.StatusCode != http.StatusNotFound ||
		body != `{"reason":"There is nothing at this address.","code":"no_such_path"}` {
		t.Errorf("%d %s", got.StatusCode, body)
	}
	got, body = answer(t, http.MethodDelete, a.URL()+"/oss/v2/buckets/b/objects/k")
	if got.StatusCode != http.StatusMethodNotAllowed || got.Header.Get("Allow") != "GET, HEAD, OPTIONS, PUT" {
		t.Errorf("%d %v %s", got.StatusCode, got.Header, body)
	}
}
