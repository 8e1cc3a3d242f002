package blobstore_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage/blobstore"
	"github.com/portico-id/portico/storage/blobstore/blobtest"
)

func openFiles(t *testing.T, dir string) *blobstore.Files {
	t.Helper()
	files, err := blobstore.OpenFiles(dir, ambient.System())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = files.Close() })
	return files
}

// Rules: OBJ-4, OBJ-42
func TestFilesKeepTheContract(t *testing.T) {
	blobtest.Run(t, func(t *testing.T) blobstore.Store { return openFiles(t, t.TempDir()) })
}

func TestFilesHaveNoAddressesOfTheirOwn(t *testing.T) {
	files := openFiles(t, t.TempDir())
	part, err := files.SignPart(t.Context(), "k", "u", 1, 0)
	get, errGet := files.SignGet(t.Context(), "k", blobstore.Presentation{}, 0)
	if part+get != "" || err != nil || errGet != nil {
		t.Errorf("%q %q %v %v", part, get, err, errGet)
	}
}

// put stores one part and returns its key.
func put(t *testing.T, store blobstore.Store, body string) string {
	t.Helper()
	key := ambient.System().UID()
	upload, err := store.Begin(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	part, err := store.PutPart(t.Context(), key, upload, 1, strings.NewReader(body), int64(len(body)))
	if err != nil {
		t.Fatal(err)
	}
	if err := store.Complete(t.Context(), key, upload, []blobstore.Part{part}); err != nil {
		t.Fatal(err)
	}
	return key
}

func TestStoredBytesArePlainFilesThatOnlyTheOwnerReads(t *testing.T) {
	dir := t.TempDir()
	put(t, openFiles(t, dir), "plain")
	found, err := filepath.Glob(filepath.Join(dir, "objects", "??", "??", "*", "*"))
	if err != nil || len(found) != 1 {
		t.Fatalf("%v, %v", found, err)
	}
	body, err := os.ReadFile(found[0])
	if string(body) != "plain" || err != nil {
		t.Errorf("%q, %v", body, err)
	}
	for path := found[0]; path != filepath.Dir(dir); path = filepath.Dir(path) {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if path != dir && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s is %s", path, info.Mode())
		}
	}
}

func TestADirectoryHoldsWhatItHeldBefore(t *testing.T) {
	dir := t.TempDir()
	first := openFiles(t, dir)
	key := put(t, first, "bytes")
	begun := ambient.System().UID()
	if _, err := first.Begin(t.Context(), begun); err != nil {
		t.Fatal(err)
	}
	if _, err := first.PutPart(t.Context(), begun, "", 2, strings.NewReader("two"), 3); err != nil {
		t.Fatal(err)
	}
	second := openFiles(t, dir)
	if info, err := second.Stat(t.Context(), key); err != nil || info.Size != 5 {
		t.Errorf("%v, %v", info, err)
	}
	if parts, err := second.Parts(t.Context(), begun, ""); err != nil || len(parts) != 1 || parts[0].Number != 2 {
		t.Errorf("%v, %v", parts, err)
	}
}

// Rule: OBJ-42
func TestALinkOutOfTheDirectoryIsNotFollowed(t *testing.T) {
	dir, outside := t.TempDir(), t.TempDir()
	files := openFiles(t, dir)
	if err := os.Remove(filepath.Join(dir, "temporary")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(dir, "temporary")); err != nil {
		t.Fatal(err)
	}
	key := ambient.System().UID()
	if _, err := files.Begin(t.Context(), key); err != nil {
		t.Fatal(err)
	}
	_, err := files.PutPart(t.Context(), key, "", 1, strings.NewReader("x"), 1)
	left, readErr := os.ReadDir(outside)
	if err == nil || len(left) > 0 || readErr != nil {
		t.Errorf("a part was written outside: %v, %v, %v", left, err, readErr)
	}
}

func TestAPathThatIsNoDirectoryIsRefused(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := blobstore.OpenFiles(file, ambient.System()); err == nil || fault.Is(err, fault.NotFound) {
		t.Errorf("opened: %v", err)
	}
}
