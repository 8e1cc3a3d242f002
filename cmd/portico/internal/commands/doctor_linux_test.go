package commands

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/portico-id/portico/cmd/portico/internal/doctor"
	"github.com/portico-id/portico/internal/harness/sqlitetest"
)

// A disk that is not yet full hides no full one behind it.
//
// Rule: DOCTOR-2
func TestTheDoctorLooksAtEveryDisk(t *testing.T) {
	w := newWard(t)
	for name, size := range map[string]string{"PORTICO_DATA_DIR": "512m", "PORTICO_DATABASE_URL": "32m"} {
		dir := t.TempDir()
		if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "mode=0700,size="+size); err != nil {
			t.Skipf("this machine mounts nothing for us, so no disk can be full: %v", err)
		}
		t.Cleanup(func() { _ = syscall.Unmount(dir, syscall.MNT_DETACH) })
		if w.set(name, dir); name == "PORTICO_DATABASE_URL" {
			sqlitetest.Create(t, filepath.Join(dir, "portico.db"))
			w.set(name, "sqlite:"+filepath.Join(dir, "portico.db"))
		}
	}
	states := map[doctor.State]int{}
	for _, f := range w.examined(1) {
		if f.Check == "disk" {
			states[f.State]++
		}
	}
	if states[doctor.Ill] != 1 || states[doctor.Doubtful] != 1 {
		t.Errorf("%+v", states)
	}
}

// Rule: DOCTOR-2
func TestTheDoctorFindsADiskThatIsFull(t *testing.T) {
	for size, state := range map[string]doctor.State{"32m": doctor.Ill, "512m": doctor.Doubtful, "4g": doctor.Sound} {
		w, dir := newWard(t), t.TempDir()
		if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "mode=0700,size="+size); err != nil {
			t.Skipf("this machine mounts nothing for us, so no disk can be full: %v", err)
		}
		t.Cleanup(func() { _ = syscall.Unmount(dir, syscall.MNT_DETACH) })
		w.must(os.Mkdir(filepath.Join(dir, "files"), 0o700))
		w.set("PORTICO_DATABASE_URL", "sqlite:"+filepath.Join(w.dir, "portico.db"))
		w.set("PORTICO_DATA_DIR", dir)
		code := 0
		if state == doctor.Ill {
			code = 1
		}
		found := w.examined(code)
		is := slices.ContainsFunc(found, func(f doctor.Finding) bool {
			return f.Check == "disk" && f.State == state && strings.Contains(f.Mend, "Make room")
		})
		if is != (state != doctor.Sound) || state == doctor.Sound && len(found) > 0 {
			t.Errorf("%s: %+v", size, found)
		}
	}
}

// Who owns a folder is nothing to mend where its disk takes nothing from anybody.
//
// Rule: DOCTOR-2
func TestTheDoctorFindsADiskThatIsReadOnly(t *testing.T) {
	w, dir := newWard(t), t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", syscall.MS_RDONLY, "mode=0700,size=4g"); err != nil {
		t.Skipf("this machine mounts nothing for us, so no disk can be read-only: %v", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(dir, syscall.MNT_DETACH) })
	w.set("PORTICO_DATA_DIR", dir)
	if found := w.examined(1); !slices.ContainsFunc(found, func(f doctor.Finding) bool {
		return f.Check == "data directory" && strings.Contains(f.Says, "read-only") && strings.Contains(f.Mend, "Mount")
	}) {
		t.Errorf("%+v", found)
	}
}
