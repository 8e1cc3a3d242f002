package transfer

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// Rule: OBJ-58
func TestWhatSomebodyElseHasPutWhereAPartWillBeIsNotTouched(t *testing.T) {
	dir := t.TempDir()
	victim, part := filepath.Join(dir, "victim"), filepath.Join(dir, ".plan.part")
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	planted := map[string]func() error{
		"a link":           func() error { return os.Symlink(victim, part) },
		"another name":     func() error { return os.Link(victim, part) },
		"a link to no one": func() error { return os.Symlink(filepath.Join(dir, "nobody"), part) },
		"a folder":         func() error { return os.Mkdir(part, 0o700) },
	}
	if runtime.GOOS == "windows" {
		delete(planted, "another name")
	}
	for name, plant := range planted {
		must(os.WriteFile(victim, []byte("mine"), 0o600))
		must(plant())
		if file, err := openOwn(part); err == nil {
			t.Errorf("%s is opened", name)
			file.Close()
		}
		if _, err := readOwn(part); err == nil {
			t.Errorf("%s is read", name)
		}
		if text, err := os.ReadFile(victim); string(text) != "mine" {
			t.Errorf("%s: the victim says %q, %v", name, text, err)
		}
		must(os.Remove(part))
	}
	if _, err := os.Stat(filepath.Join(dir, "nobody")); err == nil {
		t.Error("a file was made behind a link")
	}
	for _, more := range []string{"one", "two"} { // what an earlier run has left
		file, err := openOwn(part)
		must(err)
		_, err = file.WriteString(more)
		must(err)
		must(file.Close())
	}
	must(writeWhole(victim, []byte("whole")))
	for path, want := range map[string]string{part: "two", victim: "whole"} {
		text, err := readOwn(path)
		if info, statErr := os.Stat(path); err != nil || statErr != nil || string(text) != want ||
			info.Mode().Perm() != 0o600 {
			t.Errorf("%s says %q, %v, %v", path, text, err, info.Mode())
		}
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".portico-*")); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}
