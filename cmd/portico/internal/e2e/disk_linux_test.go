package e2e

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// smallDisk is a disk of a few megabytes, where the machine lets us make one.
func smallDisk(t *testing.T, size string) string {
	t.Helper()
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size="+size); err != nil {
		t.Skipf("this machine mounts nothing for us, so no disk can be full: %v", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(dir, syscall.MNT_DETACH) })
	return dir
}

// fill takes what room a disk has and returns how to give it back.
func fill(t *testing.T, dir string) (giveBack func()) {
	t.Helper()
	name := filepath.Join(dir, "filler")
	file := must(os.Create(name))
	defer file.Close()
	block := make([]byte, 64<<10)
	for len(block) > 0 {
		if _, err := file.Write(block); err != nil {
			block = block[:len(block)/2]
		}
	}
	return func() {
		if err := os.Remove(name); err != nil {
			t.Fatal(err)
		}
	}
}

// Rule: SERVER-38
func TestAFullDiskIsToldAndRecoveredFromWithoutAStart(t *testing.T) {
	t.Parallel()
	dir := smallDisk(t, "32m")
	s := newSite(t, "sqlite:"+filepath.Join(dir, "portico.db"))
	s.tolerate(background...)
	s.run()
	p := newProbes(s)
	if status, body := p.readiness(); status != http.StatusOK {
		t.Errorf("with room: %d %s", status, body)
	}
	giveBack := fill(t, dir)
	eventually(t, 10*time.Second, "noticing it", func() bool {
		status, body := p.readiness()
		return status == http.StatusServiceUnavailable &&
			strings.Contains(body, "the disk of the database: There is no room left")
	})
	full := 0
	for range 200 { // what has room in pages that are there already may still be written
		got, err := try(p.plain, p.signIn("a wrong password"))
		s.must(err)
		if got.Status == http.StatusServiceUnavailable && got.Header.Get("Retry-After") != "" {
			full++
		} else if got.Status >= http.StatusInternalServerError {
			t.Fatalf("%d %s", got.Status, got.Body)
		}
		if full > 3 || got.Status == http.StatusTooManyRequests {
			break
		}
	}
	if got := s.userInfo(p.access); got.Status != http.StatusOK {
		t.Errorf("what is only read: %d %s", got.Status, got.Body)
	}
	giveBack()
	p.back(10 * time.Second)
	eventually(t, 10*time.Second, "readiness", func() bool { status, _ := p.readiness(); return status == http.StatusOK })
}

// Rule: SERVER-22
func TestAStartOnADiskWithoutRoomOrThatIsReadOnlySaysSo(t *testing.T) {
	t.Parallel()
	dir := smallDisk(t, "1m")
	refused := func(words ...string) {
		t.Helper()
		says(t, refusesToStart(t, "LISTEN=127.0.0.1:0", "SECRET="+siteSecret, "DATA_DIR="+t.TempDir(),
			"DATABASE_URL=sqlite:"+filepath.Join(dir, "portico.db")), words...)
	}
	giveBack := fill(t, dir)
	refused("PORTICO_DATABASE_URL", "full")
	giveBack()
	if err := syscall.Mount("", dir, "", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""); err != nil {
		t.Fatal(err)
	}
	refused("PORTICO_DATABASE_URL", "read-only")
}
