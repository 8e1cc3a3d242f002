package e2e

import (
	"archive/zip"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Rule: SENT-10
func TestTheCommandLineSendsShowsAndFetches(t *testing.T) {
	p := newPorter(t, sqliteURL(t))
	p.file("plan.bin", 9)
	made := p.do(p.upload("plan.bin")...)
	p.person("reader@example.test")
	p.command("", "member", "add", "--project", p.project, "--user", "reader@example.test", "--role", "admin")
	asks := func(args ...string) (code int, out, complaints string) {
		flags := []string{"--project", p.project, "--client", p.app.ID}
		return p.asks(append(append([]string{"transmittal"}, args...), flags...)...)
	}
	says := func(want string, args ...string) {
		t.Helper()
		if code, out, complaints := asks(args...); code != 0 || !strings.Contains(out, want) {
			t.Errorf("%v: %d\n%s%s, want %q", args, code, out, complaints, want)
		}
	}
	says("For review", "send", "--title", "For review", "--message", "As agreed", "--version", made.Version,
		"--to", "reader@example.test")
	says(`"number": 2`, "send", "--title", "Again", "--version", made.Version, "--to", "reader@example.test", "--json")
	says("For review", "list")
	says(`"title": "Again"`, "list", "--json")
	says("0/1", "show", "1")
	says("available", "show", "1", "--json")
	says("all.zip", "fetch", "1", "--out", "all.zip")
	says(`"files": 1`, "fetch", "2", "--json")
	for _, name := range []string{"all.zip", "2 Again.zip"} {
		archive, err := zip.OpenReader(filepath.Join(p.dir, name))
		p.must(err)
		var names []string
		for _, f := range archive.File {
			names = append(names, filepath.Base(f.Name))
		}
		p.must(archive.Close())
		if diff := cmp.Diff([]string{"plan.bin"}, names); diff != "" {
			t.Errorf("-want +got\n%s", diff)
		}
	}
	nobody := []string{"send", "--title", "T", "--version", made.Version, "--to", "nobody@example.test"}
	for want, args := range map[string][]string{
		"NUMBER must be that of a transmittal":     {"show", "x"},
		"There is no such transmittal":             {"fetch", "3"},
		"called nobody@example.test":               nobody,
		"required flag(s) \"to\", \"version\" not": {"send", "--title", "T"},
		"all.zip is there already":                 {"fetch", "1", "--out", "all.zip"},
	} {
		if code, out, said := asks(args...); code == 0 || !strings.Contains(said, want) {
			t.Errorf("%v: %d %s%s, want %q", args, code, out, said, want)
		}
	}
}
