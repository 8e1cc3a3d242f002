package backup_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/portico-id/portico/cmd/portico/internal/backup"
	"github.com/portico-id/portico/cmd/portico/internal/filelock"
	"github.com/portico-id/portico/cmd/portico/internal/version"
	"github.com/portico-id/portico/storage"
)

// waits reports whether a backup has to wait for somebody.
func (w *world) waits(dir string) bool {
	w.Helper()
	v, err := backup.Make(dir)
	w.must(err)
	defer v.Close()
	ctx, cancel := context.WithCancel(w.Context())
	defer cancel()
	waited := false
	_, err = backup.Take(ctx, v, backup.Options{Store: w.store, Blobs: w.blobs, Ambient: w.ambient, Engine: "sqlite",
		Version: version.Number, Waits: func() { waited = true; cancel() }, Moved: func(int64, int64) {}})
	if err != nil && !errors.Is(err, context.Canceled) {
		w.Fatal(err)
	}
	return waited
}

// Rule: BACKUP-3
func TestABackupGoesOnInThePlaceOfOneOfItsFolderThatWasKilled(t *testing.T) {
	w := newWorld(t, engines()["sqlite"](t))
	w.object("k", "bytes")
	w.take()
	file := filepath.Join(w.dir, ".lock")
	text, err := os.ReadFile(file)
	w.must(err)
	holder, _, told := strings.Cut(string(text), "\n")
	if !told || !strings.HasPrefix(holder, "backup ") {
		t.Fatalf("in the file is %q", text)
	}
	copied := t.TempDir()
	w.must(os.CopyFS(copied, os.DirFS(w.dir)))
	now := w.ambient.Now()
	mine, err := w.store.AcquireLease(t.Context(), storage.RemovalDuty, holder, now, now.Add(storage.RemovalLease))
	if err != nil || !mine { // as the one had that was killed
		t.Fatal(mine, err)
	}
	if !w.waits(copied) {
		t.Error("the backup to a copy of the folder goes on beside that to the folder")
	}
	if !w.waits(t.TempDir()) {
		t.Error("the backup to another folder goes on beside it")
	}
	if w.waits(w.dir) {
		t.Error("the backup waits for a dead one")
	}
	opened, err := os.OpenFile(file, os.O_RDWR, 0)
	w.must(err)
	if mine, err := filelock.Take(opened, false); err != nil || !mine {
		t.Fatalf("after a backup the folder is locked: %v", err)
	}
	if !w.waits(w.dir) {
		t.Error("two work in one folder")
	}
	w.must(opened.Close())
	w.must(os.WriteFile(file, nil, 0o600)) // as one leaves it that was killed while it wrote it
	time.Sleep(time.Millisecond)           // snapshots are named by the time
	if w.waits(w.dir) {
		t.Error("an empty file is taken for somebody")
	}
}
