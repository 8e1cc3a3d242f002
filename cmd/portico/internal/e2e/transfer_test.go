package e2e

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/portico-id/portico/cmd/portico/internal/app"
	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/harness/pgtest"
)

const mebibyte = 1 << 20

// porter moves files with the command line.
type porter struct {
	*yard
	relay *relay
	dir   string // where its files are
}

func newPorter(t *testing.T, database string) *porter {
	t.Helper()
	r, s := newRelay(t, database)
	return porterOf(t, r, s, database)
}

// porterOf works in a directory of its own.
func porterOf(t *testing.T, r *relay, s *site, database string) *porter {
	t.Helper()
	p := &porter{yardOf(t, s, database), r, t.TempDir()}
	t.Chdir(p.dir)
	return p
}

// moved is what either command prints.
type moved struct {
	Item, Version, Name, File string
	Number                    int
	Files                     int
	Size                      int64
	SHA256                    string
}

// errand prepares portico upload or portico download in a process of its own.
func (p *porter) errand(args ...string) (cmd *exec.Cmd, out, complaints *bytes.Buffer) {
	p.Helper()
	cmd = p.portico(append([]string{args[0], "--project", p.project, "--client", p.app.ID, "--json"}, args[1:]...)...)
	cmd.Env = append(cmd.Env, "CLIENT_SECRET="+p.app.Secret)
	cmd.Dir = p.dir
	tie, err := cmd.StdinPipe()
	p.must(err)
	p.Cleanup(func() { tie.Close() })
	out, complaints = new(bytes.Buffer), new(bytes.Buffer)
	cmd.Stdout, cmd.Stderr = out, complaints
	return cmd, out, complaints
}

// run runs an errand that succeeds.
func (p *porter) run(args ...string) (m moved) {
	p.Helper()
	cmd, out, complaints := p.errand(args...)
	behind(cmd)
	if err := cmd.Run(); err != nil {
		p.Fatalf("portico %s: %v: %s", strings.Join(args, " "), err, complaints)
	}
	p.must(json.Unmarshal(out.Bytes(), &m))
	return m
}

// here runs either command in this process, where that is enough.
func (p *porter) here(environ []string, args ...string) (code int, out, complaints string) {
	var stdout, stderr bytes.Buffer
	code = app.Main(p.Context(), append([]string{args[0], "--project", p.project, "--client", p.app.ID, "--json"},
		args[1:]...),
		strings.NewReader(""), &stdout, &stderr, append(slices.Clone(p.environ), environ...))
	return code, stdout.String(), stderr.String()
}

// asks runs a command in this process, as the app.
func (p *porter) asks(args ...string) (code int, out, complaints string) {
	var stdout, stderr bytes.Buffer
	code = app.Main(p.Context(), args, strings.NewReader(""), &stdout, &stderr,
		append(slices.Clone(p.environ), "CLIENT_SECRET="+p.app.Secret))
	return code, stdout.String(), stderr.String()
}

// do moves a file.
func (p *porter) do(args ...string) (m moved) {
	p.Helper()
	code, out, complaints := p.here([]string{"CLIENT_SECRET=" + p.app.Secret}, args...)
	if code != 0 {
		p.Fatalf("portico %s: %d: %s", strings.Join(args, " "), code, complaints)
	}
	p.must(json.Unmarshal([]byte(out), &m))
	return m
}

// fails tries to move a file, and returns what the command complains of.
func (p *porter) fails(args ...string) string {
	p.Helper()
	code, out, complaints := p.here([]string{"CLIENT_SECRET=" + p.app.Secret}, args...)
	if code == 0 || out != "" {
		p.Errorf("portico %s: %d: %s", strings.Join(args, " "), code, out)
	}
	return complaints
}

// file makes one of so many random bytes, and returns their hash.
func (p *porter) file(name string, size int) (sum string) {
	p.Helper()
	body := ambient.System().Bytes(size)
	p.must(os.WriteFile(filepath.Join(p.dir, name), body, 0o600))
	hash := sha256.Sum256(body)
	return hex.EncodeToString(hash[:])
}

func (p *porter) sum(name string) string {
	p.Helper()
	file, err := os.Open(filepath.Join(p.dir, name))
	p.must(err)
	defer file.Close()
	hash := sha256.New()
	_, err = io.Copy(hash, file)
	p.must(err)
	return hex.EncodeToString(hash.Sum(nil))
}

// left returns what lies in the directory beside the named files.
func (p *porter) left(names ...string) []string {
	p.Helper()
	entries, err := os.ReadDir(p.dir)
	p.must(err)
	var others []string
	for _, entry := range entries {
		if !strings.Contains(" "+strings.Join(names, " ")+" ", " "+entry.Name()+" ") {
			others = append(others, entry.Name())
		}
	}
	return others
}

func (p *porter) upload(name string, more ...string) []string {
	return append([]string{"upload", name, "--folder", folderURN(p.files), "--part-size", "5"}, more...)
}

// Rule: OBJ-47
func TestTheCommandLineUploadsAndDownloads(t *testing.T) {
	t.Run("files", func(t *testing.T) { upAndDown(t, newPorter(t, sqliteURL(t))) })
	t.Run("S3", func(t *testing.T) {
		database := sqliteURL(t)
		settings, _ := inBucket(t)
		r, s := newRelay(t, database, settings...)
		upAndDown(t, porterOf(t, r, s, database))
	})
}

func upAndDown(t *testing.T, p *porter) {
	first, second := p.file("plan.bin", 12*mebibyte), p.file("other.bin", 3)
	one := p.do(p.upload("plan.bin")...)
	two := p.do(p.upload("other.bin", "--name", "plan.bin")...)
	if one.Number != 1 || two.Number != 2 || one.Item != two.Item || one.SHA256 != first || two.SHA256 != second ||
		two.Name != "plan.bin" {
		t.Errorf("uploaded %+v and %+v", one, two)
	}
	if one.Size != 12*mebibyte || two.Size != 3 {
		t.Errorf("%d and %d bytes", one.Size, two.Size)
	}
	got := p.do("download", one.Version, "--out", "back.bin")
	tip := p.do("download", one.Item, "--out", ".", "--force")
	if diff := cmp.Diff([]moved{{Version: one.Version, File: "back.bin", Number: 1, Size: one.Size, SHA256: first},
		{Version: two.Version, File: "plan.bin", Number: 2, Size: 3, SHA256: second}}, []moved{got, tip}); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if p.sum("back.bin") != first || p.sum("plan.bin") != second {
		t.Error("what came back is something else")
	}
	p.file("empty.bin", 0)
	p.do("download", p.do(p.upload("empty.bin")...).Version, "--out", "nothing.bin")
	zipped := p.do("download", folderURN(p.files), "--out", "all.zip")
	if archive, err := zip.OpenReader(filepath.Join(p.dir, "all.zip")); err != nil || len(archive.File) != zipped.Files ||
		archive.File[len(archive.File)-1].Name != "Project Files/plan.bin" || len(archive.File) < 2 {
		t.Errorf("%+v, %v", zipped, err)
	}
	if left := p.left("plan.bin", "other.bin", "back.bin", "empty.bin", "nothing.bin", "all.zip"); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// Rule: OBJ-47
func TestTheCommandLineSaysWhatToDoAboutWhatIsWrong(t *testing.T) {
	p := newPorter(t, sqliteURL(t))
	p.file("plan.bin", 9)
	made := p.do(p.upload("plan.bin")...)
	for want, args := range map[string][]string{
		"no such file":                          p.upload("none.bin"),
		"is no file":                            p.upload("."),
		"--part-size must be from 5 to 5120":    p.upload("plan.bin", "--part-size", "1"),
		"expected https":                        p.upload("plan.bin", "--server", "http://id.example.test"),
		"invalid_client":                        p.upload("plan.bin", "--client", "nobody"),
		"There is no such folder":               {"upload", "plan.bin", "--folder", folderURN(ambient.System().UID())},
		"plan.bin is there already":             {"download", made.Version},
		"no such version":                       {"download", made.Version + "7", "--out", "x"},
		"wants VERSION|FOLDER, got 0 arguments": {"download"},
		"required flag(s) \"folder\" not set":   {"upload", "plan.bin"},
		"no such file or directory":             {"download", made.Version, "--out", "none/x"},
	} {
		if said := p.fails(args...); !strings.Contains(said, want) {
			t.Errorf("portico %s: %s, want %q", strings.Join(args, " "), said, want)
		}
	}
	code, _, said := p.here(nil, "download", made.Version, "--out", "x", "--client", "")
	if code != 2 || !strings.Contains(said, "ACCESS_TOKEN") {
		t.Errorf("without a client: %d, %s", code, said)
	}
	if code, _, said = p.here([]string{"ACCESS_TOKEN=" + p.token}, "download", made.Version, "--out", "x",
		"--client", ""); code != 0 {
		t.Errorf("with a token: %d, %s", code, said)
	}
	code, _, said = p.here([]string{"ACCESS_TOKEN=" + p.token + "x"}, "download", made.Version,
		"--out", "y", "--client", "")
	if code != 1 || !strings.Contains(said, "get another") {
		t.Errorf("with a spent token: %d, %s", code, said)
	}
}

// interrupt runs an errand and kills it when the relay holds it up and the
// condition holds.
func (p *porter) interrupt(held <-chan struct{}, ready func() bool, args ...string) {
	p.Helper()
	cmd, _, complaints := p.errand(args...)
	p.must(cmd.Start())
	limit := time.After(patience)
	for tick := time.NewTicker(10 * time.Millisecond); ; {
		select {
		case <-held:
			if ready() {
				tick.Stop()
				p.must(cmd.Process.Kill())
				_ = cmd.Wait()
				return
			}
			<-tick.C
		case <-limit:
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
			p.Fatalf("it was not held up: %s", complaints)
		}
	}
}

// Rule: OBJ-48
func TestAnUploadThatWasInterruptedGoesOnWhereItWas(t *testing.T) {
	for name, database := range map[string]func(testing.TB) string{"sqlite": sqliteURL,
		"postgres": func(t testing.TB) string { return pgtest.URL(t) }} {
		t.Run(name, func(t *testing.T) {
			p := newPorter(t, database(t))
			const size = 30 * mebibyte
			sum := p.file("scan.bin", size)
			// Three parts of five are on their way at once at most, so that one of
			// them is there when twenty have passed.
			held := p.relay.up.hold(20 * mebibyte)
			p.interrupt(held, func() bool {
				parts, err := filepath.Glob(filepath.Join(p.dataDir(), "files", "uploads", "*", "*"))
				return err == nil && len(parts) > 0
			}, p.upload("scan.bin")...)
			if left := p.left("scan.bin"); len(left) != 1 || left[0] != ".scan.bin.portico-upload" {
				t.Errorf("noted: %v", left)
			}
			p.relay.up.pass()
			made := p.do(p.upload("scan.bin")...)
			if made.SHA256 != sum || made.Number != 1 {
				t.Errorf("uploaded %+v", made)
			}
			if again := p.relay.up.passed.Load(); again >= size-4*mebibyte {
				t.Errorf("%d bytes of %d were sent again", again, size)
			}
			if left := p.left("scan.bin"); len(left) > 0 {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}

// Rule: DPOP-13
func TestFilesAreMovedWithTokensThatAreBoundToAKey(t *testing.T) {
	database := sqliteURL(t)
	r, s := newRelay(t, database, "DPOP_NONCES=on")
	p := porterOf(t, r, s, database)
	key := proofKey(t)
	sum := p.file("scan.bin", 12*mebibyte)
	proving := func(args ...string) []string { return append(args, "--dpop-key", key) }
	if said := p.fails(proving(p.upload("scan.bin")...)...); !strings.Contains(said,
		"binds the tokens of this client to no key") {
		t.Error(said)
	}
	p.command("", "client", "update", p.app.ID, "--profile", "standard", "--dpop-bound")
	eventually(t, patience, "the client has bound tokens alone", func() bool {
		return p.mortal.token(p.app, "grant_type", "client_credentials").text("error") == "invalid_dpop_proof"
	})
	if said := p.fails(p.upload("scan.bin")...); !strings.Contains(said, "invalid_dpop_proof") {
		t.Errorf("without a key: %s", said)
	}
	p.interrupt(p.relay.up.hold(8*mebibyte), func() bool { return len(p.left("scan.bin")) > 0 },
		proving(p.upload("scan.bin")...)...)
	p.relay.up.pass()
	made := p.do(proving(p.upload("scan.bin")...)...)
	p.do(proving("download", made.Version, "--out", "back.bin")...)
	if made.SHA256 != sum || p.sum("back.bin") != sum {
		t.Errorf("uploaded %+v, and something else came back", made)
	}
}

// Rule: OBJ-48
func TestADownloadThatWasInterruptedGoesOnWhereItWas(t *testing.T) {
	p := newPorter(t, sqliteURL(t))
	const size = 20 * mebibyte
	sum := p.file("scan.bin", size)
	made := p.do(p.upload("scan.bin")...)
	part := filepath.Join(p.dir, ".back.bin."+sum[:16]+".part")
	p.interrupt(p.relay.down.hold(12*mebibyte), func() bool {
		info, err := os.Stat(part)
		return err == nil && info.Size() > 8*mebibyte
	}, "download", made.Version, "--out", "back.bin")
	if _, err := os.Stat(filepath.Join(p.dir, "back.bin")); err == nil {
		t.Error("half a file has the name of a whole one")
	}
	p.relay.down.pass()
	p.do("download", made.Version, "--out", "back.bin")
	if p.sum("back.bin") != sum {
		t.Error("what came back is something else")
	}
	if again := p.relay.down.passed.Load(); again > size-8*mebibyte+mebibyte/2 {
		t.Errorf("%d bytes of %d were sent again", again, size)
	}
	p.interrupt(p.relay.down.hold(12*mebibyte), func() bool {
		parts, _ := filepath.Glob(filepath.Join(p.dir, ".*.portico.part"))
		if len(parts) == 0 {
			return false
		}
		info, err := os.Stat(parts[0])
		return err == nil && info.Size() > 8*mebibyte
	}, "download", folderURN(p.files), "--out", "all.zip")
	p.relay.down.pass()
	p.do("download", folderURN(p.files), "--out", "all.zip")
	if again := p.relay.down.passed.Load(); again > size-8*mebibyte+mebibyte/2 {
		t.Errorf("%d bytes of %d of the folder were sent again", again, size)
	}
	if left := p.left("scan.bin", "back.bin", "all.zip"); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// Rule: OBJ-48
func TestBytesThatDoNotArriveAsTheyWereStoredAreNoDownload(t *testing.T) {
	p := newPorter(t, sqliteURL(t))
	p.file("plan.bin", 1000)
	made := p.do(p.upload("plan.bin")...)
	stored, err := filepath.Glob(filepath.Join(p.dataDir(), "files", "objects", "*", "*", "*", "*"))
	if err != nil || len(stored) != 1 {
		t.Fatalf("%v, %v", stored, err)
	}
	p.must(os.WriteFile(stored[0], ambient.System().Bytes(1000), 0o600))
	if said := p.fails("download", made.Version, "--out", "back.bin"); !strings.Contains(said,
		"not those that were stored") {
		t.Error(said)
	}
	if left := p.left("plan.bin"); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// Rule: OBJ-53
func TestADownloadWaitsForTheScanner(t *testing.T) {
	address, say := gate(t)
	database := sqliteURL(t)
	r, s := newRelay(t, database, "ANTIVIRUS="+address)
	p := porterOf(t, r, s, database)
	sum := p.file("plan.bin", 1000)
	made := p.do(p.upload("plan.bin")...)
	ended := make(chan string, 1)
	go func() {
		_, _, complaints := p.here([]string{"CLIENT_SECRET=" + p.app.Secret}, "download", made.Version, "--out", "back.bin")
		ended <- complaints
	}()
	locked := func(line logLine) bool { return line.Status == http.StatusLocked }
	for {
		_, more := p.log.read()
		if lines, _ := p.log.lines(); slices.ContainsFunc(lines, locked) {
			break
		}
		select {
		case <-more:
		case complaints := <-ended:
			t.Fatalf("it did not wait: %s", complaints)
		}
	}
	say <- `{"infected":false}`
	if complaints := <-ended; p.sum("back.bin") != sum {
		t.Error(complaints)
	}
}
