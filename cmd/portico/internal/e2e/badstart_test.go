package e2e

import (
	"bytes"
	"crypto/sha256"
	"database/sql"
	"fmt"
	"io/fs"
	"maps"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	_ "modernc.org/sqlite" // the driver "sqlite"

	"github.com/portico-id/portico/internal/harness/pgtest"
)

// refusesToStart runs `portico serve` with the settings (NAME=value without
// prefix), which must end by itself with a failure, and returns what it says.
func refusesToStart(t *testing.T, settings ...string) string {
	t.Helper()
	s := &site{TB: t}
	for _, setting := range settings {
		s.environ = append(s.environ, "PORTICO_"+setting)
	}
	return ends(t, s.portico("serve"))
}

func ends(t *testing.T, cmd *exec.Cmd) string {
	t.Helper()
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	tie, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer tie.Close()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	giveUp := time.AfterFunc(patience, func() { _ = cmd.Process.Kill() })
	defer giveUp.Stop()
	_ = cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != 1 && code != 2 {
		t.Errorf("exit code %d, want 1 or 2: %s", code, said.String())
	}
	return said.String()
}

// says checks that the message has every word and is no stack trace.
func says(t *testing.T, said string, words ...string) {
	t.Helper()
	for _, word := range words {
		if !strings.Contains(said, word) {
			t.Errorf("it does not say %q, but %s", word, said)
		}
	}
	if strings.Contains(said, "goroutine ") {
		t.Errorf("a stack trace: %s", said)
	}
}

// contents returns every file below a folder with the hash of what is in it. No
// server of this process may have a database there: reading the file from
// outside of SQLite takes its locks away.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			files[path] = "folder"
			return err
		}
		content, err := os.ReadFile(path)
		files[path] = fmt.Sprintf("%x", sha256.Sum256(content))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// unchanged checks that the work leaves a folder as it is.
func unchanged(t *testing.T, dir string, work func()) {
	t.Helper()
	before := contents(t, dir)
	work()
	if diff := cmp.Diff(before, contents(t, dir)); diff != "" {
		t.Errorf("the refused start changed files (-before +after):\n%s", diff)
	}
}

// Rule: SERVER-22
func TestAWrongSettingStopsTheStartByNameAndLeavesNothing(t *testing.T) {
	held, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer held.Close()
	const secret = "SECRET=" + siteSecret
	tests := map[string]struct {
		settings []string
		words    []string
	}{
		"an unknown setting": {[]string{"BASE_ULR=http://localhost"},
			[]string{"PORTICO_BASE_ULR", "PORTICO_BASE_URL"}},
		"several faults at once": {[]string{"DATABASE_POOL=many", "CODE_LIFETIME=forever"},
			[]string{"PORTICO_DATABASE_POOL", "PORTICO_CODE_LIFETIME", "many", "forever"}},
		"an address that is none": {[]string{"LISTEN=nonsense"}, []string{"PORTICO_LISTEN"}},
		"a taken port": {[]string{"LISTEN=" + held.Addr().String()},
			[]string{"PORTICO_LISTEN", held.Addr().String(), "taken"}},
		"a base URL that is not absolute": {[]string{"BASE_URL=id.example.test"}, []string{"PORTICO_BASE_URL"}},
		"a base URL with a query":         {[]string{"BASE_URL=https://id.example.test/?a=b"}, []string{"PORTICO_BASE_URL"}},
		"plain http for the world": {[]string{"BASE_URL=http://id.example.test"},
			[]string{"PORTICO_BASE_URL", "https"}},
		"a secret that is too short": {[]string{"SECRET=hush-hush"}, []string{"PORTICO_SECRET", "32"}},
		"a database of another kind": {[]string{"DATABASE_URL=mysql://localhost/x"}, []string{"PORTICO_DATABASE_URL"}},
		"a file below a file": {[]string{secret, "DATABASE_URL=sqlite:/dev/null/portico.db"},
			[]string{"PORTICO_DATABASE_URL"}},
		"PostgreSQL that nobody answers": {[]string{secret,
			"DATABASE_URL=postgres://someone:hush-hush@127.0.0.1:1/x?sslmode=disable"},
			[]string{"PORTICO_DATABASE_URL", "127.0.0.1"}},
		"PostgreSQL without a secret": {[]string{"DATABASE_URL=postgres://127.0.0.1:1/x?sslmode=disable"},
			[]string{"PORTICO_SECRET"}},
		"a settings file that is absent": {[]string{"CONFIG=/nowhere/portico.yaml"},
			[]string{"PORTICO_CONFIG", "/nowhere/portico.yaml"}},
	}
	for _, name := range slices.Sorted(maps.Keys(tests)) {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			settings := tests[name].settings
			if !strings.HasPrefix(settings[len(settings)-1], "LISTEN=") {
				settings = append(settings, "LISTEN=127.0.0.1:0")
			}
			unchanged(t, dir, func() {
				said := refusesToStart(t, append(settings, "DATA_DIR="+filepath.Join(dir, "data"))...)
				says(t, said, tests[name].words...)
				if strings.Contains(said, "hush-hush") {
					t.Errorf("it says a secret: %s", said)
				}
			})
		})
	}
}

func TestASchemaOfANewerVersionIsRefusedNamingBoth(t *testing.T) {
	dir := t.TempDir()
	database := filepath.Join(dir, "portico.db")
	s := &site{TB: t, environ: []string{"PORTICO_DATABASE_URL=sqlite:" + database}, desk: desk{away: true}}
	s.command("", "migrate", "up")
	version := strings.Fields(s.command("", "version"))[1]
	for _, statement := range []string{
		`INSERT INTO schema_support (version, oldest_binary) VALUES (9001, '9.0.0')`, `PRAGMA wal_checkpoint(TRUNCATE)`,
	} {
		execute(t, "sqlite", database, statement)
	}
	unchanged(t, dir, func() {
		says(t, refusesToStart(t, "LISTEN=127.0.0.1:0", "DATA_DIR="+dir,
			"DATABASE_URL=sqlite:"+database, "SECRET="+siteSecret),
			"PORTICO_DATABASE_URL", "9.0.0", version)
	})
}

// patiently is what an SQLite file is opened with, so that others are waited for.
const patiently = "?_pragma=busy_timeout(10000)"

// execute runs a statement beside the server. A file that the server is writing at
// that moment is waited for.
func execute(t *testing.T, driver, database, statement string) {
	t.Helper()
	if driver == "sqlite" {
		database += patiently
	}
	db, err := sql.Open(driver, database)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.ExecContext(t.Context(), statement); err != nil {
		t.Fatal(err)
	}
}

// Rule: SERVER-22
func TestADatabaseThatCannotBeWrittenIsRefused(t *testing.T) {
	t.Run("postgres", func(t *testing.T) {
		database := pgtest.EmptyURL(t)
		separator := "?"
		if strings.Contains(database, "?") {
			separator = "&"
		}
		says(t, refusesToStart(t, "LISTEN=127.0.0.1:0", "DATA_DIR="+t.TempDir(), "SECRET="+siteSecret,
			"DATABASE_URL="+database+separator+"default_transaction_read_only=on"), "PORTICO_DATABASE_URL", "written")
	})
	t.Run("sqlite", func(t *testing.T) {
		dir := publicDir(t)
		database := filepath.Join(dir, "portico.db")
		s := &site{TB: t, environ: []string{
			"PORTICO_LISTEN=127.0.0.1:0", "PORTICO_DATA_DIR=" + dir, "PORTICO_SECRET=" + siteSecret,
			"PORTICO_DATABASE_URL=sqlite:" + database,
		}}
		s.command("", "migrate", "up")
		execute(t, "sqlite", database, `PRAGMA wal_checkpoint(TRUNCATE)`)
		for path, mode := range map[string]os.FileMode{database: 0o444, dir: 0o555} {
			if err := os.Chmod(path, mode); err != nil {
				t.Fatal(err)
			}
		}
		unchanged(t, dir, func() { says(t, ends(t, s.asNobody(t, "serve")), "PORTICO_DATABASE_URL", "written") })
	})
}

// asNobody prepares portico for an account without rights: for root no file is
// read-only.
func (s *site) asNobody(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	cmd := s.portico(args...)
	if os.Geteuid() != 0 {
		return cmd
	}
	binary := filepath.Join(publicDir(t), "portico")
	content, err := os.ReadFile(cmd.Path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(binary, content, 0o755); err != nil {
		t.Fatal(err)
	}
	const nobody = 65534
	cmd.Path = binary
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	return cmd
}
