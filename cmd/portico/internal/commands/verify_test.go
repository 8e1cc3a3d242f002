package commands_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/portico-id/portico/cmd/portico/internal/commands"
	"github.com/portico-id/portico/cmd/portico/internal/version"
	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/harness/sqlitetest"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/blobstore"
	"github.com/portico-id/portico/storage/sqlstore"
)

// vault is a database with objects, and the bytes beside it.
type vault struct {
	*testing.T
	dir   string
	files *blobstore.Files
	blobs []string // of the objects, in the order of their keys
}

// newVault stores so many objects.
func newVault(t *testing.T, n int) *vault {
	t.Helper()
	v := &vault{T: t, dir: t.TempDir()}
	database := filepath.Join(v.dir, "portico.db")
	sqlitetest.Create(t, database)
	store, err := sqlstore.Open(t.Context(),
		sqlstore.Options{URL: "sqlite:" + database, Version: version.Number, Migrate: true})
	v.must(err)
	defer store.Close()
	v.files, err = blobstore.OpenFiles(filepath.Join(v.dir, "files"), ambient.System())
	v.must(err)
	t.Cleanup(func() { _ = v.files.Close() })
	source := ambient.System()
	now := source.Now()
	change := storage.Change{Act: storage.Act{At: now, Actor: storage.Actor{Kind: storage.ActorOperator}}}
	hub := storage.Hub{ID: "b." + source.UUID(), Name: "Hub", Region: "EMEA", Active: true, CreatedAt: now, UpdatedAt: now}
	v.must(store.CreateHub(t.Context(), change, hub))
	project := storage.Project{ID: "b." + source.UUID(), HubID: hub.ID, Name: "P", Active: true,
		RootFolderID: source.UID(), CreatedAt: now, UpdatedAt: now}
	v.must(store.CreateProject(t.Context(), change, project, nil))
	for i := range n {
		key := fmt.Sprintf("key-%03d", i)
		v.must(store.ReserveObject(t.Context(), change,
			storage.Object{Bucket: "b", Key: key, ProjectID: project.ID, Name: key}))
		blob := v.put(key)
		digest, err := blobstore.Sum(t.Context(), v.files, blob, nil)
		v.must(err)
		_, err = store.StoreBytes(t.Context(), change, "b", key,
			storage.Bytes{Blob: blob, Size: digest.Size, SHA256: digest.SHA256})
		v.must(err)
		v.blobs = append(v.blobs, blob)
	}
	return v
}

func (v *vault) must(err error) {
	v.Helper()
	if err != nil {
		v.Fatal(err)
	}
}

// put stores bytes without a row.
func (v *vault) put(body string) string {
	v.Helper()
	key := ambient.System().UID()
	upload, err := v.files.Begin(v.Context(), key)
	v.must(err)
	part, err := v.files.PutPart(v.Context(), key, upload, 1, strings.NewReader(body), int64(len(body)))
	v.must(err)
	v.must(v.files.Complete(v.Context(), key, upload, []blobstore.Part{part}))
	return key
}

func (v *vault) lose(i int) {
	v.Helper()
	v.must(v.files.Delete(v.Context(), v.blobs[i]))
}

// verify runs the command, and returns its exit code and what it wrote to
// standard error.
func (v *vault) verify(ctx context.Context, out io.Writer, args ...string) (int, string) {
	var complaints bytes.Buffer
	code := commands.Execute(ctx, &commands.Env{
		Stdin: strings.NewReader(""), Stdout: out, Stderr: &complaints,
		Environ: []string{"PORTICO_DATA_DIR=" + v.dir}, Ambient: ambient.System(),
	}, append([]string{"verify"}, args...), nil)
	return code, complaints.String()
}

// report is the command's one object.
type report struct {
	Objects  int
	Bytes    int64
	Findings []struct{ Bucket, Key, Blob, Wrong string }
}

func (v *vault) report(args ...string) (r report, code int) {
	v.Helper()
	var out bytes.Buffer
	code, _ = v.verify(v.Context(), &out, append(args, "--json")...)
	v.must(json.Unmarshal(out.Bytes(), &r))
	return r, code
}

func (r report) wrong() []string {
	lines := []string{}
	for _, f := range r.Findings {
		lines = append(lines, f.Key+": "+f.Wrong)
	}
	return lines
}

// Rule: OBJ-46
func TestVerifySaysWhetherAllIsWell(t *testing.T) {
	v := newVault(t, 12)
	got, code := v.report()
	if diff := cmp.Diff(report{12, 12 * 7, nil}, report{got.Objects, got.Bytes, nil}); diff != "" || code != 0 ||
		len(got.Findings) > 0 {
		t.Errorf("exit code %d, %v\n%s", code, got.Findings, diff)
	}
	v.lose(3)
	stray := v.put("stray")
	got, code = v.report()
	if diff := cmp.Diff([]string{"key-003: the bytes are missing", ": no object has these bytes"},
		got.wrong()); diff != "" || code != 1 {
		t.Errorf("exit code %d, -want +got\n%s", code, diff)
	}
	var out bytes.Buffer
	code, complaints := v.verify(t.Context(), &out)
	want := fmt.Sprintf("b/key-003: the bytes are missing (%s)\n%s: no object has these bytes\n", v.blobs[3], stray)
	if diff := cmp.Diff(want, out.String()); diff != "" || code != 1 ||
		!strings.Contains(complaints, "2 things are wrong") {
		t.Errorf("exit code %d, %s\n%s", code, complaints, diff)
	}
}

// stopper stops the work when something is written.
type stopper struct {
	bytes.Buffer
	stop func()
}

func (s *stopper) Write(p []byte) (int, error) {
	s.stop()
	return s.Buffer.Write(p)
}

// Rule: OBJ-46
func TestVerifyThatWasStoppedGoesOnWhenToldTo(t *testing.T) {
	v := newVault(t, 35)
	v.lose(2)
	v.lose(24)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	seen := 0
	code, complaints := v.verify(ctx, &stopper{stop: func() {
		if seen++; seen == 2 {
			stop()
		}
	}})
	if code != 1 || !strings.Contains(complaints, "the check stopped after 25 of 35 objects") ||
		!strings.Contains(complaints, "portico verify --resume") {
		t.Fatalf("exit code %d, %s", code, complaints)
	}
	v.lose(5) // which it has seen already
	got, code := v.report("--resume")
	if diff := cmp.Diff([]string{"key-002: the bytes are missing", "key-024: the bytes are missing"},
		got.wrong()); diff != "" || code != 1 || got.Objects != 35 {
		t.Errorf("exit code %d, %d objects, -want +got\n%s", code, got.Objects, diff)
	}
	got, _ = v.report("--resume") // that one was done: from the beginning
	if len(got.Findings) != 3 || got.Objects != 35 {
		t.Errorf("%+v", got)
	}
}

// Rule: OBJ-46
func TestVerifyDoesNotTakeAnotherDirectoryForALoss(t *testing.T) {
	v := newVault(t, 1)
	var complaints bytes.Buffer
	code := commands.Execute(t.Context(), &commands.Env{
		Stdin: strings.NewReader(""), Stdout: io.Discard, Stderr: &complaints, Ambient: ambient.System(),
		Environ: []string{"PORTICO_DATA_DIR=" + t.TempDir(), "PORTICO_DATABASE_URL=sqlite:" +
			filepath.Join(v.dir, "portico.db")},
	}, []string{"verify"}, nil)
	if code != 1 || !strings.Contains(complaints.String(), "give the command PORTICO_DATA_DIR") {
		t.Errorf("exit code %d, %s", code, complaints.String())
	}
}
