package house

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// image is what the last stage of the Dockerfile says.
type image struct {
	base    string
	copies  []imageCopy
	environ []string
	user    string // uid:gid
	port    string
	command []string
}

type imageCopy struct {
	owner    string // uid:gid; empty: root
	from, to string
}

func readImage(t *testing.T) image {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(root, "docker/Dockerfile"))
	if err != nil {
		t.Fatal(err)
	}
	var i image
	for line := range strings.Lines(string(content)) {
		word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch word {
		case "FROM":
			i = image{base: strings.Fields(rest)[0]}
		case "COPY":
			i.copies = append(i.copies, readCopy(rest))
		case "ENV":
			i.environ = append(i.environ, rest)
		case "USER":
			i.user = rest
		case "EXPOSE":
			i.port = rest
		case "ENTRYPOINT", "CMD":
			var words []string
			if err := json.Unmarshal([]byte(rest), &words); err != nil {
				t.Fatalf("%s: %v", line, err)
			}
			i.command = append(i.command, words...)
		}
	}
	return i
}

func readCopy(rest string) imageCopy {
	var c imageCopy
	var paths []string
	for word := range strings.FieldsSeq(rest) {
		if owner, ok := strings.CutPrefix(word, "--chown="); ok {
			c.owner = owner
		} else if !strings.HasPrefix(word, "--") {
			paths = append(paths, word)
		}
	}
	c.from, c.to = paths[0], paths[1]
	return c
}

// unpack makes an empty root with what the image copies. What the build stage
// has is taken from this machine's Go and certificates.
func (i image) unpack(t *testing.T, binary string) string {
	t.Helper()
	folder, err := os.MkdirTemp("", "portico-image-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(folder) })
	if err := os.Chmod(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, c := range i.copies {
		to := filepath.Join(folder, c.to)
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			t.Fatal(err)
		}
		switch c.from {
		case "/out/portico":
			copyFile(t, binary, to, 0o755)
		case "/out/data":
			err = os.Mkdir(to, 0o755)
		case "/usr/local/go/lib/time/zoneinfo.zip":
			copyFile(t, filepath.Join(goRoot(t), "lib/time/zoneinfo.zip"), to, 0o644)
		default:
			copyFile(t, c.from, to, 0o644)
		}
		if err == nil && c.owner != "" && os.Geteuid() == 0 {
			uid, gid := ids(t, c.owner)
			err = os.Chown(to, int(uid), int(gid))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

func goRoot(t *testing.T) string {
	t.Helper()
	output, err := exec.CommandContext(t.Context(), "go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(output))
}

func copyFile(t *testing.T, from, to string, mode os.FileMode) {
	t.Helper()
	content, err := os.ReadFile(from)
	if err != nil {
		t.Fatalf("the Dockerfile copies %s: %v", from, err)
	}
	if err := os.WriteFile(to, content, mode); err != nil {
		t.Fatal(err)
	}
}

func ids(t *testing.T, owner string) (uid, gid uint32) {
	t.Helper()
	if _, err := fmt.Sscanf(owner, "%d:%d", &uid, &gid); err != nil {
		t.Fatalf("%q is not uid:gid", owner)
	}
	return uid, gid
}

// TestTheImageServesFromAnEmptyRoot starts what the Dockerfile puts together
// where there is nothing else: in a root of its own when we may make one, else
// with an environment of its own.
func TestTheImageServesFromAnEmptyRoot(t *testing.T) {
	i := readImage(t)
	uid, gid := ids(t, i.user)
	if i.base != "scratch" || uid == 0 || gid == 0 {
		t.Errorf("the image starts from %s as %s; want scratch and nobody in particular", i.base, i.user)
	}
	command := i.within(t, i.unpack(t, build(t)), i.command[1:]...)
	log, err := command.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	answer, err := http.Get("http://" + readyAddress(t, log) + "/healthz")
	if err != nil || answer.StatusCode != http.StatusOK {
		t.Errorf("healthz: %v, %v", answer, err)
	}
	if err := command.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	go func() { _, _ = io.Copy(io.Discard, log) }()
	if err := command.Wait(); err != nil {
		t.Errorf("a stop that was asked for ends with %v", err)
	}
}

// within is a command in what was unpacked.
func (i image) within(t *testing.T, folder string, args ...string) *exec.Cmd {
	uid, gid := ids(t, i.user)
	command := exec.CommandContext(t.Context(), i.command[0], args...)
	command.Env = append(slices.Clone(i.environ), "PORTICO_LISTEN=127.0.0.1:0")
	command.Dir = "/"
	if os.Geteuid() == 0 {
		command.SysProcAttr = &syscall.SysProcAttr{Chroot: folder, Credential: &syscall.Credential{Uid: uid, Gid: gid}}
	} else {
		command.Path = filepath.Join(folder, i.command[0])
		command.Env = append(command.Env, "PORTICO_DATA_DIR="+filepath.Join(folder, "data"))
	}
	return command
}

// SQLite and commands write files for a moment, and the image has no /tmp; that of Debian can't
// be written to where its root is read-only.
//
// Rule: SERVER-60
func TestTheImageHasAPlaceForFilesOfAMoment(t *testing.T) {
	i := readImage(t)
	folder := i.unpack(t, build(t))
	var people strings.Builder
	for n := range 2000 {
		_, _ = fmt.Fprintf(&people, `{"user": {"email": "p%d@example.test", "name": "Person %d"}}`+"\n", n, n)
	}
	for _, args := range [][]string{{"migrate", "up"}, {"import", "-"}} {
		command := i.within(t, folder, args...)
		command.Stdin = strings.NewReader(people.String())
		if said, err := command.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v, %s", args, err, said)
		}
	}
	content, err := os.ReadFile(filepath.Join(root, "docker/Dockerfile"))
	if err != nil {
		t.Fatal(err)
	}
	images := strings.Count(string(content), "\nENV PORTICO_DATA_DIR=/data\n")
	if strings.Count(string(content), "\nENV TMPDIR=/data\n") != images {
		t.Error("not every image has one")
	}
}

// readyAddress reads the log up to the line that says where the server listens.
func readyAddress(t *testing.T, log io.Reader) string {
	t.Helper()
	var seen strings.Builder
	for lines := bufio.NewScanner(log); lines.Scan(); {
		seen.WriteString(lines.Text() + "\n")
		var line struct{ Msg, Address string }
		if json.Unmarshal(lines.Bytes(), &line) == nil && line.Msg == "ready" {
			return line.Address
		}
	}
	t.Fatalf("the server ended before it was ready:\n%s", seen.String())
	return ""
}

func TestTheImageHasWhatItsSettingsPointTo(t *testing.T) {
	i := readImage(t)
	where := map[string]bool{}
	for _, c := range i.copies {
		where[c.to] = true
	}
	for _, entry := range i.environ {
		name, value, _ := strings.Cut(entry, "=")
		if name == "ZONEINFO" && !where[value] {
			t.Errorf("%s points to %s, which the image does not have", name, value)
		}
	}
	// Where Go looks for certificates on Linux.
	if !where["/etc/ssl/certs/ca-certificates.crt"] {
		t.Error("the image has no CA certificates where Go looks for them")
	}
	if !slices.Contains(i.environ, "PORTICO_LISTEN=:"+i.port) {
		t.Errorf("the image does not listen on %s, which it exposes", i.port)
	}
}
