package commands_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"filippo.io/age"

	"github.com/portico-id/portico/cmd/portico/internal/commands"
	"github.com/portico-id/portico/internal/ambient"
)

// runs runs a command with the settings of a data directory.
func (v *vault) runs(dir string, args ...string) (code int, out, complaints string) {
	var stdout, stderr bytes.Buffer
	code = commands.Execute(v.Context(), &commands.Env{
		Stdin: strings.NewReader(""), Stdout: &stdout, Stderr: &stderr,
		Environ: []string{"PORTICO_DATA_DIR=" + dir}, Ambient: ambient.System(),
	}, args, nil)
	return code, stdout.String(), stderr.String()
}

// Rules: BACKUP-9, METRIC-10
func TestABackupIsMadeRestoredAndDrilledByCommands(t *testing.T) {
	v := newVault(t, 12)
	key, err := age.GenerateX25519Identity()
	v.must(err)
	folder, secret, temporary := filepath.Join(t.TempDir(), "backups"), filepath.Join(t.TempDir(), "key.txt"), t.TempDir()
	v.must(os.WriteFile(secret, []byte(key.String()+"\n"), 0o600))
	works := func(dir string, args ...string) (out, complaints string) {
		t.Helper()
		code, out, complaints := v.runs(dir, args...)
		if code != 0 {
			t.Fatalf("portico %v ends with %d: %s", args, code, complaints)
		}
		return out, complaints
	}
	fails := func(word, dir string, args ...string) {
		t.Helper()
		code, _, complaints := v.runs(dir, args...)
		if code != 1 || !strings.Contains(complaints, word) {
			t.Errorf("portico %v ends with %d: %s", args, code, complaints)
		}
	}
	link := filepath.Join(t.TempDir(), "link")
	v.must(os.Symlink(v.dir, link))
	for _, inside := range []string{v.dir, filepath.Join(v.dir, "files", "new"), filepath.Join(link, "backups", "new")} {
		code, _, said := v.runs(v.dir, "backup", inside)
		if code != 2 || !strings.Contains(said, "lies in the data directory") {
			t.Errorf("a backup into %s ends with %d: %s", inside, code, said)
		}
	}
	if _, said := works(v.dir, "backup", folder); !strings.Contains(said, "not encrypted") {
		t.Errorf("said: %s", said)
	}
	out, said := works(v.dir, "backup", folder, "--recipient", key.Recipient().String(), "--keep", "1", "--json")
	var made struct {
		Snapshot string
		Contents int
		Missing  []string
	}
	v.must(json.Unmarshal([]byte(out), &made))
	if made.Contents != 12 || len(made.Missing) > 0 || said != "" {
		t.Errorf("%s%s", out, said)
	}
	left, err := os.ReadDir(filepath.Join(folder, "snapshots"))
	if err != nil || len(left) != 1 || left[0].Name() != made.Snapshot {
		t.Errorf("%v, %v", left, err)
	}
	if info, err := os.Stat(folder); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("%v, %v", info.Mode(), err)
	}

	fails("--identity", v.dir, "drill", folder, "--in", temporary)
	_, said = works(v.dir, "drill", folder, "--in", temporary, "--identity", secret)
	if !strings.Contains(said, "12 objects") {
		t.Errorf("said: %s", said)
	}
	if left, err := os.ReadDir(temporary); err != nil || len(left) > 0 {
		t.Errorf("a drill left %v, %v", left, err)
	}
	fails("not empty", v.dir, "restore", folder, "--identity", secret)

	if out, _ := works(v.dir, "audit", "list", "--kind", "backup.made"); strings.Count(out, "backup.made") != 2 ||
		!strings.Contains(out, made.Snapshot) {
		t.Errorf("the audit trail tells of %s", out)
	}

	there := t.TempDir()
	if out, _ := works(there, "restore", folder, "--identity", secret, "--json"); !strings.Contains(out, `"missing": []`) {
		t.Errorf("%s", out)
	}
	if out, said := works(there, "verify"); out != "" || !strings.Contains(said, "12 objects") {
		t.Errorf("%s%s", out, said)
	}

	v.lose(3)
	v.must(os.RemoveAll(filepath.Join(folder, "contents")))
	fails("the bytes of 1 files", v.dir, "backup", folder)
	fails("1 things are wrong", v.dir, "drill", folder, "--in", temporary)
	fails("contents/", there+"/other", "restore", folder, "--identity", secret, "--at", made.Snapshot)
}

// Who brings back what is left has a server to start, too.
//
// Rule: BACKUP-9
func TestWhatIsBroughtBackInPartIsSaidAsTheWholeIs(t *testing.T) {
	v := newVault(t, 2)
	folder := t.TempDir()
	if code, _, said := v.runs(v.dir, "backup", folder); code != 0 {
		t.Fatal(said)
	}
	contents, err := filepath.Glob(filepath.Join(folder, "contents", "*", "*"))
	v.must(err)
	v.must(os.Remove(contents[0]))
	code, out, said := v.runs(t.TempDir(), "restore", folder, "--keep-going")
	if code != 1 || !strings.Contains(out, "2 files") || !strings.Contains(said, "the secret that it had") ||
		!strings.Contains(said, "the bytes of 1 files, which are damaged") {
		t.Errorf("a restore ends with %d: %s%s", code, out, said)
	}
	code, _, said = v.runs(v.dir, "drill", folder, "--keep-going")
	if code != 1 || !strings.Contains(said, "1 things are wrong") {
		t.Errorf("a drill ends with %d: %s", code, said)
	}
}

// Rule: BACKUP-9
func TestADrillTouchesNothingOfTheServer(t *testing.T) {
	v := newVault(t, 1)
	folder := t.TempDir()
	file := filepath.Join(v.dir, "url")
	v.must(os.WriteFile(file, []byte("sqlite:"+filepath.Join(v.dir, "other", "portico.db")), 0o600))
	if code, _, said := v.runs(v.dir, "backup", folder); code != 0 {
		t.Fatal(said)
	}
	// A server whose database is empty, and is named by a file: that one is left alone, too.
	code, _, said := v.runs(v.dir, "drill", folder, "--database-url-file", file)
	if _, err := os.Stat(filepath.Join(v.dir, "other")); code != 0 || !os.IsNotExist(err) {
		t.Errorf("ends with %d: %s; the server's database: %v", code, said, err)
	}
}

// Root may write anywhere, and the server of another user can't read what root has put there.
//
// Rule: BACKUP-9
func TestRootIsToldWhomWhatIsRestoredHasToBelongTo(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root")
	}
	v := newVault(t, 1)
	folder := t.TempDir()
	if code, _, said := v.runs(v.dir, "backup", folder); code != 0 {
		t.Fatal(said)
	}
	const nobody = 65534
	for owner, told := range map[int]bool{nobody: true, 0: false} {
		there := t.TempDir()
		v.must(os.Chown(there, owner, owner))
		code, _, said := v.runs(there, "restore", folder)
		if code != 0 || strings.Contains(said, "chown -R --reference="+there+" "+there) != told {
			t.Errorf("into a directory of %d: ended with %d: %s", owner, code, said)
		}
	}
}
