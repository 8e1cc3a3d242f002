package e2e

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/portico-id/portico/cmd/portico/internal/app"
	"github.com/portico-id/portico/cmd/portico/internal/transfer"
)

// commandLine runs a command in this process as somebody who has no secret at all.
func (p *porter) commandLine(args ...string) (code int, out, complaints string) {
	var stdout, stderr bytes.Buffer
	environ := append(p.environ[:len(p.environ):len(p.environ)], "LOGIN_FILE="+filepath.Join(p.dir, "login.json"))
	code = app.Main(p.Context(), args, strings.NewReader(""), &stdout, &stderr, environ)
	return code, stdout.String(), stderr.String()
}

// logsIn has the person allow what portico login asks for, and returns what it said.
func (p *porter) logsIn(v *visitor, args ...string) string {
	p.Helper()
	cmd := p.portico(args...)
	cmd.Env = append(cmd.Env, "LOGIN_FILE="+filepath.Join(p.dir, "login.json"))
	_, err := cmd.StdinPipe() // it ends with this
	p.must(err)
	told, err := cmd.StderrPipe()
	p.must(err)
	p.must(cmd.Start())
	defer func() { p.must(cmd.Wait()) }()
	line := make([]byte, 1024)
	n, err := told.Read(line)
	p.must(err)
	said := regexp.MustCompile(`^Open (\S+) and type the code (\S+)\n$`).FindStringSubmatch(string(line[:n]))
	if said == nil || said[1] != v.URL+"/device" {
		p.Fatalf("it said %q", line[:n])
	}
	v.enters(said[2])
	rest := new(bytes.Buffer)
	_, err = rest.ReadFrom(told)
	p.must(err)
	return rest.String()
}

// Rule: OBJ-56
func TestSomebodyWhoSignedInMovesFilesWithoutASecret(t *testing.T) {
	database := sqliteURL(t)
	r, s := newRelay(t, database)
	line, guide := s.register("command-line.md"), snippet(t, "command-line.md", "sh", 2) // before the folder is another
	p := porterOf(t, r, s, database)
	var all struct{ Hubs []struct{ ID string } }
	p.commandJSON(&all, "", "hub", "list")
	hub := all.Hubs[0].ID
	p.command("", "app", "provision", "--hub", hub, "--client", line.ID, "--level", "control")
	p.site.person("porter@example.test")
	p.command("", "member", "add", "--hub", hub, "--user", "porter@example.test")
	p.command("", "member", "add", "--project", p.project, "--user", "porter@example.test", "--role", "admin")
	sum := p.file("plan.bin", mebibyte)
	file := filepath.Join(p.dir, "login.json")
	lines := strings.Split(strings.NewReplacer("https://id.example.test", p.site.URL, "YOUR_CLIENT_ID", line.ID,
		"report.pdf", "plan.bin", "PROJECT", p.project, "FOLDER", folderURN(p.files)).Replace(guide), "\n")
	if said := p.logsIn(p.signedIn("porter@example.test"), words(lines[0])[1:]...); said != "You are signed in.\n" {
		t.Errorf("then it said %q", said)
	}
	do := func(args ...string) (made moved) {
		t.Helper()
		code, out, complaints := p.commandLine(append(args, "--json")...)
		if code != 0 || json.Unmarshal([]byte(out), &made) != nil {
			t.Fatalf("%v: %d: %s%s", args, code, out, complaints)
		}
		kept, _, err := transfer.ReadSignedIn(file)
		p.must(err)
		kept.Access = "spent" // and so the next command renews it
		p.must(kept.Write(file))
		return made
	}
	up := words(lines[1])[1:]
	made := do(up...)
	if again := do(up...); made.SHA256 != sum || again.SHA256 != sum || again.Number != made.Number+1 {
		t.Errorf("uploaded %+v, then %+v", made, again)
	}
	got := do("download", made.Version, "--project", p.project, "--out", "back.bin")
	if got.SHA256 != sum || p.sum("back.bin") != sum {
		t.Errorf("downloaded %+v", got)
	}
	if got := do("download", folderURN(p.files), "--project", p.project, "--out", "all.zip"); got.Files < 1 {
		t.Errorf("downloaded the folder: %+v", got)
	}
	kept, _, err := transfer.ReadSignedIn(file)
	p.must(err)
	if code, _, complaints := p.commandLine(words(lines[2])[1:]...); code != 0 {
		t.Fatalf("%d: %s", code, complaints)
	}
	p.must(kept.Write(file)) // somebody had a copy
	if code, _, complaints := p.commandLine(up...); code == 0 || !strings.Contains(complaints, "the sign-in is over") {
		t.Errorf("signed out: %d: %s", code, complaints)
	}
	p.must(os.Remove(file))
	if code, _, complaints := p.commandLine(up...); code == 0 || !strings.Contains(complaints, "run portico login first") {
		t.Errorf("signed out: %d: %s", code, complaints)
	}
}
