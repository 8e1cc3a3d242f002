package backup_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/portico-id/portico/cmd/portico/internal/backup"
)

// Rule: BACKUP-11
func TestABackupForWhichThereIsNoRoomTakesNone(t *testing.T) {
	for name, database := range engines() {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, database(t))
			w.object("small", "small")
			w.object("large", strings.Repeat("large ", 1<<20))
			if err := syscall.Mount("tmpfs", w.dir, "tmpfs", 0, "mode=0700,size=4m"); err != nil {
				t.Skipf("this machine mounts nothing for us, so no disk can be full: %v", err)
			}
			t.Cleanup(func() { _ = syscall.Unmount(w.dir, syscall.MNT_DETACH) })
			if _, err := w.tries(t.Context()); !errors.Is(err, syscall.ENOSPC) {
				t.Fatalf("it ends with %v", err)
			}
			for _, folder := range []string{"snapshots", "contents"} {
				if left, err := filepath.Glob(filepath.Join(w.dir, folder, ".*")); err != nil || len(left) > 0 {
					t.Errorf("what is of no use takes room: %v, %v", left, err)
				}
			}
			if whole, err := os.ReadDir(filepath.Join(w.dir, "snapshots")); err != nil || len(whole) > 0 {
				t.Errorf("there is a snapshot: %v, %v", whole, err)
			}
			w.must(syscall.Mount("", w.dir, "", syscall.MS_REMOUNT, "size=64m"))
			w.take()
			w.must(newElsewhere(t, database(t)).restore(w.dir, backup.RestoreOptions{}))
		})
	}
}
