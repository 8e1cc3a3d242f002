package e2e

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/portico-id/portico/internal/harness/pgtest"
)

var releasedRow = regexp.MustCompile(`(?m)^\| ([0-9.]+) \| ([0-9a-f]{40}) \|$`)

// releaseBefore builds the newest release that docs/releases.md names the commit
// of, unless that was done before.
func releaseBefore(t *testing.T) (binary, version string) {
	t.Helper()
	if testing.Short() {
		t.Skip("builds the release before, which -short leaves out")
	}
	root := filepath.Join("..", "..", "..", "..")
	released := releasedRow.FindSubmatch(must(os.ReadFile(filepath.Join(root, "docs", "releases.md"))))
	if released == nil {
		t.Skip("nothing was released yet")
	}
	version, commit := string(released[1]), string(released[2])
	binary = must(filepath.Abs(filepath.Join(root, ".cache", "releases", commit)))
	if _, err := os.Stat(binary); err == nil {
		return binary, version
	}
	run := func(in string, stdin []byte, program ...string) []byte {
		t.Helper()
		cmd := exec.Command(program[0], program[1:]...)
		var complaints bytes.Buffer
		cmd.Dir, cmd.Stdin, cmd.Stderr = in, bytes.NewReader(stdin), &complaints
		said, err := cmd.Output()
		if err != nil {
			t.Fatalf("%v: %v: %s", program, err, complaints.String())
		}
		return said
	}
	there := func() bool { return exec.Command("git", "-C", root, "cat-file", "-e", commit+"^{commit}").Run() == nil }
	if shallow := string(run(root, nil, "git", "rev-parse", "--is-shallow-repository")); !there() &&
		strings.TrimSpace(shallow) == "true" {
		if err := exec.Command("git", "-C", root, "fetch", "--quiet", "--depth=1", "origin", commit).Run(); err != nil {
			t.Skipf("NOT TESTED: this clone has no history, so release %s (%s) can't be built: git fetch --unshallow", version,
				commit)
		}
	}
	if !there() {
		t.Fatalf("commit %s, which docs/releases.md says is release %s, is not in this repository", commit, version)
	}
	tree := t.TempDir()
	run(tree, run(root, nil, "git", "archive", "--format=tar", commit), "tar", "-x")
	fresh := binary + "." + filepath.Base(tree) + ".new"
	run(tree, nil, append([]string{"env", "CGO_ENABLED=0", "go"}, releaseBuild(fresh, "./cmd/portico")...)...)
	if err := os.Rename(fresh, binary); err != nil {
		t.Fatal(err)
	}
	return binary, version
}

// of is the site as another release runs it: its processes and its command line. It
// owes nothing to the description of this one.
func (s *site) of(binary string) *site {
	other := newSite(s.TB, "")
	other.environ, other.URL, other.binary = s.environ, s.URL, binary
	other.plain.Transport = other.wire
	return other
}

// runs runs the site's binary as a command line.
func (s *site) runs(args ...string) string {
	s.Helper()
	cmd := s.portico(args...)
	var said, complaints bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(password), &said, &complaints
	if err := cmd.Run(); err != nil {
		s.Fatalf("%v: %v: %s", args, err, complaints.String())
	}
	return said.String()
}

// steady asks for tokens as long as it is told to, and counts what failed.
func (s *site) steady(c client, over <-chan struct{}) (asked, failed *atomic.Int64, wait func()) {
	asked, failed = new(atomic.Int64), new(atomic.Int64)
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			for {
				select {
				case <-over:
					return
				default:
				}
				got, err := try(s.plain, s.post(tokenPath, c, form("grant_type", "client_credentials")))
				if asked.Add(1); err != nil || got.Status != http.StatusOK {
					failed.Add(1)
					s.Logf("%d %v %s", got.Status, err, got.Body)
				}
			}
		})
	}
	return asked, failed, group.Wait
}

// onEmpty runs the test on a database without a schema, of each engine.
func onEmpty(t *testing.T, test func(t *testing.T, database string)) {
	t.Run("sqlite", func(t *testing.T) { test(t, "sqlite:"+filepath.Join(t.TempDir(), "portico.db")) })
	t.Run("postgres", func(t *testing.T) { test(t, pgtest.EmptyURL(t)) })
}

// Rule: SERVER-51
func TestTheReleaseBeforeWorksBesideThisOne(t *testing.T) {
	t.Parallel()
	binary, version := releaseBefore(t)
	onEmpty(t, func(t *testing.T, database string) {
		now := newSite(t, database)
		before := now.of(binary)
		old := before.spawn()
		now.URL = before.URL
		made := before.runs("client", "create", "--name", "Steady", "--type", "service", "--profile", "standard",
			"--scope", "data:read", "--json")
		var c client
		now.must(json.Unmarshal([]byte(made), &c))
		over := make(chan struct{})
		asked, failed, wait := before.steady(c, over)

		now.command("", "migrate", "up") // while the other serves
		now.spawn()
		both := []*site{before, now}
		d := newDock(now, "person@example.test")
		for turn := range 6 {
			at := both[turn%2]
			got := at.refresh(d.app, d.refreshing)
			if got.Status != http.StatusOK {
				t.Fatalf("turn %d, refreshing: %d %s", turn, got.Status, got.Body)
			}
			d.refreshing, d.access = got.text("refresh_token"), got.text("access_token")
			for i, other := range both {
				if !d.reads(other, d.access) || !d.tells(other, d.access) || !d.takes("GET", d.get, other) {
					t.Errorf("turn %d: what one gave is not good at %d", turn, i)
				}
				if got := other.token(d.machine.owner, "grant_type", jwtBearer, "assertion",
					d.machine.sign("")); got.Status != http.StatusOK {
					t.Errorf("turn %d: an assertion at %d: %d %s", turn, i, got.Status, got.Body)
				}
			}
		}
		if got := before.redeem(d.app, d.code); got.Status != http.StatusOK {
			t.Errorf("a code at the release before: %d %s", got.Status, got.Body)
		}
		got := before.send(revokePath, d.app, "token", d.refreshing)
		eventually(t, 5*time.Second, "revoking at the release before", func() bool {
			return got.Status == http.StatusOK && !d.tells(now, d.access) &&
				now.refresh(d.app, d.refreshing).Status != http.StatusOK
		})

		again := newDock(now, "other@example.test")
		close(over)
		wait()
		if asked.Load() == 0 || failed.Load() > 0 {
			t.Errorf("%d of %d requests to release %s failed", failed.Load(), asked.Load(), version)
		}
		now.binary = binary // back
		if err := old.stop(); err != nil {
			t.Error(err)
		}
		before.spawn()
		if !again.reads(before, again.access) || before.refresh(again.app, again.refreshing).Status != http.StatusOK {
			t.Error("what this release gave is not good at the one before after the step back")
		}
	})
}
