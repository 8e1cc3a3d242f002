package e2e

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/portico-id/portico/cmd/portico/internal/version"
	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/harness/pgtest"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/blobstore"
	"github.com/portico-id/portico/storage/sqlstore"
)

// soakBackup sets how often backups, and how often restores, are killed in each place;
// make soak-backup sets it.
const soakBackup = "PORTICO_SOAK_BACKUP"

const quickBackups = 1

func backupKills(t *testing.T) int {
	t.Helper()
	text := os.Getenv(soakBackup)
	if text == "" {
		return quickBackups
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		t.Fatalf("%s=%s: expected a number from 1", soakBackup, text)
	}
	return n
}

// begun begins a command of the site in a process of its own. What it says is in said; it
// ends at the latest when the tie is closed.
func (s *site) begun(said *bytes.Buffer, args ...string) (cmd *exec.Cmd, tie io.Closer) {
	s.Helper()
	cmd = s.portico(args...)
	cmd.Stderr = said
	tie, err := cmd.StdinPipe()
	s.must(err)
	s.must(cmd.Start())
	return cmd, tie
}

// takes is how long a command takes, which must succeed.
func (s *site) takes(args ...string) time.Duration {
	s.Helper()
	var said bytes.Buffer
	began := time.Now()
	cmd, tie := s.begun(&said, args...)
	defer tie.Close()
	if err := cmd.Wait(); err != nil {
		s.Fatalf("portico %v: %v %s", args, err, said.String())
	}
	return time.Since(began)
}

// killed runs a command and kills it at some time before the longest that it may take. It
// reports whether the command had ended by then.
func (s *site) killed(within time.Duration, args ...string) (ended bool) {
	s.Helper()
	cmd, tie := s.begun(&bytes.Buffer{}, args...)
	defer tie.Close()
	time.Sleep(rand.N(within))
	_ = cmd.Process.Kill()
	return cmd.Wait() == nil
}

// laden has rows and bytes enough that it takes a while to copy them.
func (q *quay) laden() {
	q.Helper()
	source := ambient.System()
	for i := range 10 {
		c := q.reserve(fmt.Sprintf("laden %d.bin", i))
		body := source.Bytes(1 << 20)
		q.put(c, "1", body)
		sum := sha256.Sum256(body)
		q.complete(c, hex.EncodeToString(sum[:]))
	}
	q.fillUsers(2_000)
}

// fillUsers adds people by the statement that takes least time.
func (s *site) fillUsers(n int) {
	s.Helper()
	numbers := "generate_series(1, %d) AS g (i)"
	driver, database := s.driver()
	if driver == "sqlite" {
		numbers = "(WITH RECURSIVE g (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM g WHERE i < %d) SELECT i FROM g) g"
	}
	execute(s.TB.(*testing.T), driver, database, `
INSERT INTO users (id, email, email_key, email_verified, username, username_key, name_key, admin, disabled, two_factor,
	password_hash, profile, created_at, updated_at)
SELECT 'F' || i, 'filler-' || i || '@example.test', 'filler-' || i || '@example.test', true, 'filler-' || i, 'filler-' || i,
	'filler ' || i, false, false, false, '', '{"name": "Filler ' || i || '"}', 1, 1 FROM `+fmt.Sprintf(numbers, n))
}

// driver is how the site's database is opened by others.
func (s *site) driver() (driver, database string) {
	if path, is := strings.CutPrefix(s.database(), "sqlite:"); is {
		return "sqlite", path
	}
	return "postgres", s.database()
}

// counts is how much of everything a site has.
func (s *site) counts() storage.RecordCounts {
	s.Helper()
	store, err := sqlstore.Open(s.Context(), sqlstore.Options{URL: s.database(), Version: version.Number})
	s.must(err)
	defer store.Close()
	counts, err := store.CountRecords(s.Context(), time.Now())
	s.must(err)
	return counts
}

// Rule: BACKUP-11
func TestKilledBackupsAndRestoresLeaveNothingHalf(t *testing.T) {
	t.Parallel()
	eachPlace(t, func(t *testing.T, q *quay) {
		q.laden()
		n, late, folder := backupKills(t), 0, t.TempDir()
		takes := q.takes("backup", folder)
		for killed := 0; killed < n; {
			folder = t.TempDir()
			if q.killed(takes, "backup", folder) {
				late = q.tooLate(late)
				continue
			}
			killed++
			_, trouble := q.commanded("", "drill", folder)
			if trouble != "" && !strings.Contains(trouble, "There is no ") {
				t.Fatalf("after a backup that was killed: %s", trouble)
			}
			q.command("", "backup", folder)
			q.command("", "drill", folder)
			if left, err := filepath.Glob(filepath.Join(folder, "*", ".*")); err != nil || len(left) > 0 {
				t.Errorf("left: %v, %v", left, err)
			}
		}
		t.Logf("%d backups were killed, and %d were too fast", n, late)
		q.killRestores(t, n, folder)
	})
}

// killRestores kills restores into empty databases: each is empty then, or whole.
func (q *quay) killRestores(t *testing.T, n int, folder string) {
	t.Helper()
	want, late := q.counts(), 0
	there, blobs := q.elsewhere(t)
	takes := there.takes("restore", folder)
	for killed := 0; killed < n; {
		there.emptied(t, blobs)
		if there.killed(takes, "restore", folder) {
			late = q.tooLate(late)
			continue
		}
		killed++
		_, trouble := there.commanded("", "restore", folder)
		if trouble != "" && !strings.Contains(trouble, "not empty") {
			t.Fatalf("after a restore that was killed: %s", trouble)
		}
		there.command("", "verify")
		if diff := cmp.Diff(want, there.counts()); diff != "" {
			t.Errorf("after a restore that was killed (-before +after):\n%s", diff)
		}
	}
	t.Logf("%d restores were killed, and %d were too fast", n, late)
}

// tooLate counts those that ended before they were killed. If that were all, nothing
// would be shown.
func (s *site) tooLate(late int) int {
	s.Helper()
	if late > 200 {
		s.Fatal("nothing can be killed in time")
	}
	return late + 1
}

// emptied gives the site an empty database of its engine, and takes its bytes away.
func (s *site) emptied(t *testing.T, blobs blobstore.Store) {
	s.Helper()
	fresh := sqliteURL
	if driver, _ := s.driver(); driver == "postgres" {
		fresh = pgtest.URL
	}
	for i, setting := range s.environ {
		if strings.HasPrefix(setting, "PORTICO_DATABASE_URL=") {
			s.environ[i] = "PORTICO_DATABASE_URL=" + fresh(t)
		}
	}
	infos, err := blobs.List(t.Context(), "", 1_000_000)
	s.must(err)
	for _, info := range infos {
		s.must(blobs.Delete(t.Context(), info.Key))
	}
}
