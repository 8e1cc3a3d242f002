package backup_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"filippo.io/age"

	"github.com/portico-id/portico/cmd/portico/internal/backup"
	"github.com/portico-id/portico/cmd/portico/internal/version"
	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/harness/pgtest"
	"github.com/portico-id/portico/internal/harness/sqlitetest"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/blobstore"
	"github.com/portico-id/portico/storage/sqlstore"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// engines are where databases are made.
func engines() map[string]func(testing.TB) string {
	return map[string]func(testing.TB) string{"sqlite": sqlitetest.URL, "postgres": pgtest.URL}
}

// world is a server's database and bytes, and the folder of its backups.
type world struct {
	*testing.T
	url, dir string
	ambient  *ambient.Source
	store    *sqlstore.Store
	files    *blobstore.Files
	folder   string          // of files
	blobs    blobstore.Store // files, or what looks at how they are used
	project  string
	trail    string // folder of old events
	to       []age.Recipient
}

func newWorld(t *testing.T, url string) *world {
	t.Helper()
	w := &world{T: t, url: url, dir: t.TempDir(), ambient: ambient.System()}
	var err error
	w.store, err = sqlstore.Open(t.Context(), sqlstore.Options{URL: url, Version: version.Number, Migrate: true})
	w.must(err)
	t.Cleanup(func() { _ = w.store.Close() })
	w.folder = t.TempDir()
	w.files = newFiles(t, w.folder)
	w.blobs = w.files
	now := w.ambient.Now()
	hub := storage.Hub{ID: "b." + w.ambient.UUID(), Name: "Hub – 建築", Region: "EMEA", Active: true,
		CreatedAt: now, UpdatedAt: now}
	w.must(w.store.CreateHub(t.Context(), w.change(), hub))
	w.project = "b." + w.ambient.UUID()
	w.must(w.store.CreateProject(t.Context(), w.change(), storage.Project{
		ID: w.project, HubID: hub.ID, Name: "P", Active: true, RootFolderID: w.ambient.UID(), CreatedAt: now, UpdatedAt: now,
	}, nil))
	return w
}

func newFiles(t *testing.T, folder string) *blobstore.Files {
	t.Helper()
	files, err := blobstore.OpenFiles(folder, ambient.System())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = files.Close() })
	return files
}

func (w *world) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

func (w *world) change() storage.Change {
	return storage.Change{Act: storage.Act{At: w.ambient.Now(), Actor: storage.Actor{Kind: storage.ActorOperator}}}
}

// object stores an object with bytes, and returns it.
func (w *world) object(key, body string) storage.Object {
	w.Helper()
	w.must(w.store.ReserveObject(w.Context(), w.change(),
		storage.Object{Bucket: "b", Key: key, ProjectID: w.project, Name: key}))
	blob := w.ambient.UID()
	upload, err := w.files.Begin(w.Context(), blob)
	w.must(err)
	part, err := w.files.PutPart(w.Context(), blob, upload, 1, strings.NewReader(body), int64(len(body)))
	w.must(err)
	w.must(w.files.Complete(w.Context(), blob, upload, []blobstore.Part{part}))
	digest, err := blobstore.Sum(w.Context(), w.files, blob, nil)
	w.must(err)
	object, err := w.store.StoreBytes(w.Context(), w.change(), "b", key,
		storage.Bytes{Blob: blob, Size: digest.Size, SHA256: digest.SHA256})
	w.must(err)
	return object
}

// person keeps somebody of the number.
func (w *world) person(n int) {
	w.Helper()
	now := w.ambient.Now()
	address := fmt.Sprintf("person-%d@example.test", n)
	w.must(w.store.CreateUser(w.Context(), w.change().Act, storage.User{ID: fmt.Sprintf("U%d", n), Email: address,
		Admin: n == 1, CreatedAt: now, UpdatedAt: now}, ""))
}

// vault opens the folder of the backups.
func (w *world) vault() *backup.Vault {
	w.Helper()
	v, err := backup.Make(w.dir)
	w.must(err)
	w.Cleanup(func() { _ = v.Close() })
	return v
}

// take makes a snapshot.
func (w *world) take() backup.Manifest {
	w.Helper()
	m, err := w.tries(w.Context())
	w.must(err)
	return m
}

func (w *world) tries(ctx context.Context) (backup.Manifest, error) {
	engine, _, _ := strings.Cut(w.url, ":")
	return backup.Take(ctx, w.vault(), backup.Options{Store: w.store, Blobs: w.blobs, Ambient: w.ambient, Engine: engine,
		Version: version.Number, Trail: w.trail, Recipients: w.to, Waits: func() {}, Moved: func(int64, int64) {}})
}

// elsewhere is an empty database and an empty place for bytes.
type elsewhere struct {
	*testing.T
	url    string
	schema *sqlstore.Schema
	files  *blobstore.Files
	loaded int64 // rows, as was told
}

func newElsewhere(t *testing.T, url string) *elsewhere {
	t.Helper()
	schema, err := sqlstore.OpenSchema(t.Context(), sqlstore.Options{URL: url, Version: version.Number})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = schema.Close() })
	return &elsewhere{T: t, url: url, schema: schema, files: newFiles(t, t.TempDir())}
}

// restore brings back what is in the folder.
func (e *elsewhere) restore(dir string, o backup.RestoreOptions) error {
	e.Helper()
	v, err := backup.Open(dir)
	if err != nil {
		return err
	}
	defer v.Close()
	o.Schema, o.Blobs, o.Moved = e.schema, e.files, func(int64, int64) {}
	o.Loaded = func(done, _ int64) { e.loaded = done }
	_, err = backup.Restore(e.Context(), v, o)
	return err
}

// opened is the world that was brought back, whose backups go to a folder of their own.
func (e *elsewhere) opened() *world {
	e.Helper()
	w := &world{T: e.T, url: e.url, dir: e.TempDir(), ambient: ambient.System(), files: e.files, blobs: e.files}
	var err error
	w.store, err = sqlstore.Open(e.Context(), sqlstore.Options{URL: e.url, Version: version.Number})
	w.must(err)
	e.Cleanup(func() { _ = w.store.Close() })
	return w
}

// file is the path of a file in the folder of the one snapshot.
func (w *world) file(name string) string {
	w.Helper()
	found, err := filepath.Glob(filepath.Join(w.dir, "snapshots", "*", name))
	if err != nil || len(found) != 1 {
		w.Fatalf("%s: %v, %v", name, found, err)
	}
	return found[0]
}

// spoil changes a file as somebody would by mistake.
func (w *world) spoil(path string, how func([]byte) []byte) {
	w.Helper()
	content, err := os.ReadFile(path)
	w.must(err)
	w.must(os.WriteFile(path, how(content), 0o600))
}

// pack puts a text in the place of a packed file.
func (w *world) pack(name, text string) {
	w.Helper()
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, err := z.Write([]byte(text))
	w.must(err)
	w.must(z.Close())
	w.must(os.WriteFile(w.file(name), packed.Bytes(), 0o600))
}
