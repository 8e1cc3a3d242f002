package engine

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// Whoever writes has made their change by the time they wait for the disk: called failed, it
// would be made once more.
//
// Rule: SERVER-70
func TestWhatIsWrittenIsKeptWhereNoMoreFilesCanBeOpened(t *testing.T) {
	db := heated(t)
	var files unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &files); err != nil {
		t.Fatal(err)
	}
	none := files
	none.Cur = 0
	if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &none); err != nil {
		t.Fatal(err)
	}
	err := db.Write(t.Context(), touches)
	if back := unix.Setrlimit(unix.RLIMIT_NOFILE, &files); back != nil {
		t.Fatal(back)
	}
	if err != nil {
		t.Error(err)
	}
}

// What a system could not write it would take for written for ever, and write what is there
// later to a place that nobody finds again.
//
// Rule: SERVER-70
func TestALogIsForgottenBeforeItIsRewritten(t *testing.T) {
	var kind unix.Statfs_t
	if err := unix.Statfs(t.TempDir(), &kind); err != nil || kind.Type == unix.TMPFS_MAGIC {
		t.Skip("temporary files are in memory alone", err)
	}
	log := &logFile{path: filepath.Join(t.TempDir(), "log")}
	defer func() { _ = log.close() }()
	text := bytes.Repeat([]byte("x"), 3*4096+24)
	if err := errors.Join(os.WriteFile(log.path, text, 0o600), log.rewrite(), log.sync()); err != nil {
		t.Fatal(err)
	}
	known := func() bool {
		_, err := unix.Preadv2(int(log.held.Fd()), [][]byte{{0}}, 0, unix.RWF_NOWAIT)
		return err == nil
	}
	if !known() {
		t.Skip("the file system does not say what it knows")
	}
	err := log.again(func(at int64, n int) {
		if forget(log.held, at, n); known() {
			t.Errorf("the first of %d bytes from %d is known still", n, at)
		}
	})
	if is, failed := os.ReadFile(log.path); err != nil || failed != nil || !bytes.Equal(is, text) {
		t.Errorf("%d bytes became %d: %v, %v", len(text), len(is), err, failed)
	}
}
