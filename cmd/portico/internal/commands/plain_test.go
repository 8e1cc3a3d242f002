package commands

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/storage"
)

const (
	obeyed  = "\x1b]0;owned\a\x1b[2J\u009b31m\x9b31m\b\r"
	escaped = `\u001b]0;owned\u0007\u001b[2J\u009b31m\b\r`
)

// Rule: SERVER-57
func TestNoServerTellsTheTerminalWhatToDo(t *testing.T) {
	for name, answer := range map[string]string{
		"a refusal": `{"error":"` + escaped + `","error_description":"` + escaped + `"}`,
		"a code": `{"device_code":"d","user_code":"` + escaped + `","verification_uri":"https://` + escaped +
			`","expires_in":1,"interval":1}`,
		"of an API": `{"errors":[{"code":"X","detail":"` + escaped + `"}]}`,
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if strings.HasSuffix(r.URL.Path, "/token") || strings.HasPrefix(r.URL.Path, "/data/") {
				w.WriteHeader(http.StatusBadRequest)
			}
			_, _ = fmt.Fprint(w, answer)
		}))
		defer server.Close()
		dir := t.TempDir()
		for _, args := range [][]string{
			{"login", "--server", server.URL, "--client", "c"},
			{"download", "urn:x:v?version=1", "--project", "p", "--server", server.URL, "--out", dir},
		} {
			said := sayOf(t, args, "LOGIN_FILE="+filepath.Join(dir, "login.json"), "ACCESS_TOKEN=x")
			if strings.ContainsAny(said, "\x1b\a\b\r\u009b") || !strings.Contains(said, "portico "+args[0]) {
				t.Errorf("%s, %s: %q", name, args[0], said)
			}
		}
	}
}

// sayOf runs a command that fails, and returns all that it has said.
func sayOf(t *testing.T, args []string, environ ...string) string {
	t.Helper()
	var said bytes.Buffer
	env := &Env{Stdin: strings.NewReader(""), Stdout: &said, Stderr: &said, Environ: environ, Ambient: ambient.System()}
	if Execute(t.Context(), env, args, nil) == 0 {
		t.Errorf("%v ended well", args)
	}
	return said.String()
}

// Rule: SERVER-57
func TestWhatATerminalObeysIsNotShown(t *testing.T) {
	var said bytes.Buffer
	env := &Env{Stdout: &said, Stderr: &said}
	env.printRows([]row{{"name", obeyed}})
	env.printTable("NAME", [][]string{{obeyed}})
	env.printf("%s", obeyed)
	env.note("%s", obeyed)
	shown := map[string]string{"name": "\u009b2J\x7f\x1b ü😀"}
	list := func(storage.PageRequest) ([]storage.AuditEvent, string, error) {
		return []storage.AuditEvent{{Subject: obeyed}}, "", nil
	}
	err := errors.Join(env.printJSON(shown), env.printAudit(true, list))
	if err != nil {
		t.Error(err)
	}
	err = show(env, strings.NewReader(`{"user":{"name":"`+"ü\u009b2J\x7f"+`"}}`+"\nno end"))
	if want := `{"user":{"name":"ü\u009b2J\u007f"}}` + "\nno end"; err != nil || !strings.HasSuffix(said.String(), want) {
		t.Errorf("%q, %v", said.String(), err)
	}
	if want := `"name": "\u009b2J\u007f\u001b ü😀"`; !strings.Contains(said.String(), want) {
		t.Errorf("%q, without %q", said.String(), want)
	}
	if strings.ContainsAny(said.String(), "\x1b\a\b\r\u009b") || strings.Contains(said.String(), "\x9b31m") {
		t.Errorf("%q", said.String())
	}
}
