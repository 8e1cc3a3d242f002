package backup_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"filippo.io/age"
	"github.com/google/go-cmp/cmp"

	"github.com/portico-id/portico/cmd/portico/internal/backup"
	"github.com/portico-id/portico/internal/fault"
)

// written are the files of a folder, by name.
func written(t *testing.T, folder string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, entry := range entries {
		text, err := os.ReadFile(filepath.Join(folder, entry.Name()))
		if err != nil {
			t.Fatal(err)
		}
		files[entry.Name()] = string(text)
	}
	return files
}

func (w *world) writes(name, text string) {
	w.Helper()
	w.must(os.WriteFile(filepath.Join(w.trail, name), []byte(text), 0o600))
}

// Rule: BACKUP-13
func TestOldEventsOfTheAuditTrailAreInABackup(t *testing.T) {
	key, err := age.GenerateX25519Identity()
	if err != nil {
		t.Fatal(err)
	}
	for _, to := range [][]age.Recipient{nil, {key.Recipient()}} {
		w := newWorld(t, engines()["sqlite"](t))
		w.trail, w.to = t.TempDir(), to
		blob := w.object("k", "bytes").Blob
		w.writes("audit-2025-12.ndjson", "december\n")
		w.writes("audit-2026-01.ndjson", "january\n")
		w.writes("notes.txt", "nobody's")
		first := w.take()
		w.writes("audit-2026-01.ndjson", "january\nand more\n")
		second := w.take()
		if n := len(w.lies("contents/*/*")); n != 4 || first.Contents != 1 || second.Contents != 1 || len(second.Trail) != 2 {
			t.Errorf("%d contents; %+v, %+v", n, first, second)
		}
		identities := []age.Identity{key}
		for at, january := range map[string]string{first.Name: "january\n", "": "january\nand more\n"} {
			e, folder := newElsewhere(t, engines()["sqlite"](t)), filepath.Join(t.TempDir(), "audit")
			w.must(e.restore(w.dir, backup.RestoreOptions{At: at, Identities: identities, Trail: folder}))
			want := map[string]string{"audit-2025-12.ndjson": "december\n", "audit-2026-01.ndjson": january}
			if diff := cmp.Diff(want, written(t, folder)); diff != "" {
				t.Errorf("at %q: -want +got\n%s", at, diff)
			}
			if info, err := os.Stat(filepath.Join(folder, "audit-2025-12.ndjson")); err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("its mode: %v, %v", info.Mode(), err)
			}
			if _, err := e.files.Stat(t.Context(), blob); err != nil {
				t.Error(err)
			}
			if all, err := e.files.List(t.Context(), "", 100); err != nil || len(all) != 1 {
				t.Errorf("among the bytes of files: %v, %v", all, err)
			}
		}
		there := t.TempDir()
		w.must(os.WriteFile(filepath.Join(there, "audit-2026-01.ndjson"), []byte("what is here"), 0o600))
		w.must(newElsewhere(t, engines()["sqlite"](t)).restore(w.dir,
			backup.RestoreOptions{Identities: identities, Trail: there}))
		if got := written(t, there)["audit-2026-01.ndjson"]; got != "what is here" {
			t.Errorf("a file that was there became %q", got)
		}
		if _, n, err := backup.Prune(t.Context(), w.vault(), 1); err != nil || n != 1 {
			t.Errorf("with the first snapshot %d contents went, %v", n, err)
		}
	}
}

// Rule: BACKUP-13
func TestDamagedEventsAreRefusedByNameAndNoNameLeadsElsewhere(t *testing.T) {
	w := newWorld(t, engines()["sqlite"](t))
	w.trail = t.TempDir()
	w.writes("audit-2026-01.ndjson", "january\n")
	content := w.take().Trail[0].Content
	folder := filepath.Join(t.TempDir(), "audit")
	refused := func(how string) {
		t.Helper()
		err := newElsewhere(t, engines()["sqlite"](t)).restore(w.dir, backup.RestoreOptions{Trail: folder})
		if !fault.HasReason(err, backup.ReasonDamaged) || !strings.Contains(err.Error(), content) {
			t.Errorf("%s: %v", how, err)
		}
		if got, _ := filepath.Glob(filepath.Join(filepath.Dir(folder), "*", "*")); len(got) > 0 {
			t.Errorf("%s: there is %v", how, got)
		}
	}
	whole, err := os.ReadFile(w.contentOf(content))
	w.must(err)
	w.spoil(w.contentOf(content), cutOff)
	refused("cut off")
	w.must(os.WriteFile(w.contentOf(content), whole, 0o600))
	for _, name := range []string{"../evil", "/tmp/evil", "audit-2026-01.ndjson/../../evil", ".restore-x"} {
		was, err := os.ReadFile(w.file("manifest.json"))
		w.must(err)
		w.must(os.WriteFile(w.file("manifest.json"),
			[]byte(strings.Replace(string(was), `"audit-2026-01.ndjson"`, `"`+name+`"`, 1)), 0o600))
		w.sum()
		refused(name)
		w.must(os.WriteFile(w.file("manifest.json"), was, 0o600))
		w.sum()
	}
	w.must(newElsewhere(t, engines()["sqlite"](t)).restore(w.dir, backup.RestoreOptions{Trail: folder}))
}

// Rule: BACKUP-4
func TestNoNameInAListLeadsElsewhere(t *testing.T) {
	w := newWorld(t, engines()["sqlite"](t))
	w.object("k", "bytes")
	w.take()
	outside := filepath.Join(filepath.Dir(w.dir), "outside")
	w.must(os.WriteFile(outside, []byte("outside"), 0o600))
	for _, name := range []string{"../../../outside", "../../outside", "/etc/hostname", "..", "a/../../../../outside",
		"~/../../../outside", "AAAAAAAAAAAAAAAAAAAAA/"} {
		w.pack("contents.jsonl.gz", `{"table":"contents","columns":["name","size","sha256"]}
["`+name+`",7,null]
{"rows":1}
`)
		w.sum()
		e := newElsewhere(t, engines()["sqlite"](t))
		if err := e.restore(w.dir, backup.RestoreOptions{Trail: filepath.Join(t.TempDir(), "audit")}); err == nil {
			t.Errorf("%s was brought back", name)
		}
		if all, err := e.files.List(t.Context(), "", 100); err != nil || len(all) > 0 {
			t.Errorf("%s: among the bytes of files is %v, %v", name, all, err)
		}
	}
}
