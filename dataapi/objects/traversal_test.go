package objects_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/storage/blobstore"
)

// Rule: OBJ-54
func TestAKeyLeadsNowhereButToItsObject(t *testing.T) {
	dir := t.TempDir()
	bytes, err := blobstore.OpenFiles(filepath.Join(dir, "files"), ambient.System())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = bytes.Close() })
	w := newWorld(t, sqliteURL(t), bytes)
	w.Must(os.WriteFile(filepath.Join(dir, "secret.txt"), []byte("secret"), 0o600))
	path := w.upload("file.txt", []byte("bytes"))
	folder, key := path[:strings.LastIndexByte(path, '/')+1], keyOf(path)
	for _, other := range []string{
		"..%2Fsecret.txt", "..%2F..%2Fsecret.txt", "%2e%2e%2f%2e%2e%2fsecret.txt", "..%5Csecret.txt", "%2Fetc%2Fpasswd",
		key + "%2F..%2F" + key, ".%2F" + key, key + "%2F", strings.ToUpper(key), key + "%20",
	} {
		for _, end := range []string{"", "/details", "/signeds3download", "/signeds3upload"} {
			w.refused(w.call(publisher, "GET", folder+other+end, nil), 404, "object_not_found", "There is no such object.")
		}
		w.refused(w.call(publisher, "PUT", folder+other, []byte("other")), 404, "object_not_found",
			"There is no such object.")
	}
	w.Equal("bytes", string(w.call(publisher, "GET", path, nil).Body))
	secret, err := os.ReadFile(filepath.Join(dir, "secret.txt"))
	w.Must(err)
	w.Equal("secret", string(secret))
	entries, err := os.ReadDir(dir)
	w.Must(err)
	w.Equal(2, len(entries))
}

// Rule: OBJ-54
func TestWhatAnUploadKeySaysIsNoPath(t *testing.T) {
	w := here(t)
	path := w.reserve("file.txt")
	for _, key := range []string{"../../secret", "..%2F..%2Fsecret", "/etc/passwd", "."} {
		w.refused(w.call(publisher, "POST", path+"/signeds3upload", map[string]any{"uploadKey": key}),
			404, "upload_not_found",
			"There is no such upload of the object, or it has expired.")
	}
	begun := w.begin(path, 1)
	w.put(begun.URLs[0], []byte("bytes"))
	ok[stored](w, w.call(publisher, "POST", path+"/signeds3upload", map[string]any{"uploadKey": begun.UploadKey}))
}
