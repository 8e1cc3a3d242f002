package commands

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/portico-id/portico/cmd/portico/internal/config"
	"github.com/portico-id/portico/cmd/portico/internal/version"
	"github.com/portico-id/portico/internal/ambient"
)

// run runs one command line; served is the configuration that a server would
// have been started with.
func run(t *testing.T, environ []string, args ...string) (code int, stdout, stderr string, served *config.Config) {
	t.Helper()
	var out, err bytes.Buffer
	env := &Env{Stdin: strings.NewReader(""), Stdout: &out, Stderr: &err, Environ: environ, Ambient: ambient.System()}
	code = Execute(t.Context(), env, args, func(_ context.Context, _ *Env, c config.Config, _ bool) error {
		served = &c
		return nil
	})
	return code, out.String(), err.String(), served
}

// Rule: SERVER-57
func TestExitCodesTellASlipFromAFailure(t *testing.T) {
	tests := map[string]struct {
		environ, args []string
		want          int
		word          string // of what is printed to standard error
	}{
		"success":              {nil, []string{"version"}, 0, ""},
		"no command":           {nil, nil, 0, ""},
		"an unknown command":   {nil, []string{"serv"}, 2, "unknown command"},
		"an unknown flag":      {nil, []string{"serve", "--lisen", "x"}, 2, "unknown flag: --lisen"},
		"help about nothing":   {nil, []string{"help", "serv"}, 2, "unknown command"},
		"help about less":      {nil, []string{"help", "user", "creat"}, 2, `unknown command "user creat"`},
		"--help about nothing": {nil, []string{"user", "factor", "remov", "--help"}, 2, `unknown command "remov"`},
		"--help of a group":    {nil, []string{"user", "factor", "--help"}, 0, ""},
		"an unknown shell":     {nil, []string{"completion", "bahs"}, 2, "unknown command"},
		"no shell":             {nil, []string{"completion"}, 0, ""},
		"help about a command": {nil, []string{"help", "user", "create"}, 0, ""},
		"a picture to remove":  {nil, []string{"brand", "logo", "x.png", "--remove"}, 2, "takes no FILE"},
		"an app's, likewise":   {nil, []string{"client", "logo", "x", "x.png", "--remove"}, 2, "takes no FILE"},
		"a key to two places": {nil, []string{"service-account", "key", "create", "x", "--out", "y", "--json"}, 2,
			"json out"},
		"a document as JSON": {nil, []string{"import", "--from", "dex", "x", "--convert", "--json"}, 2, "convert json"},
		"nothing to convert": {nil, []string{"import", os.DevNull, "--convert"}, 2, "--from"},
		"nobody's secret": {nil, []string{"upload", "x", "--project", "p", "--folder", "f", "--client-secret-file", "s"}, 2,
			"name it"},
		"too many arguments":     {nil, []string{"version", "now"}, 2, "portico version --help"},
		"a name without quotes":  {nil, []string{"hub", "create", "--name", "Example", "Works"}, 2, `takes no "Works"`},
		"no folder":              {nil, []string{"backup"}, 2, "wants FOLDER, got 0 arguments"},
		"no field":               {nil, []string{"policy", "set"}, 2, "wants NAME=VALUE..., got 0 arguments"},
		"two where one may be":   {nil, []string{"user", "list", "Ann", "Lee"}, 2, "wants [TEXT], got 2 arguments"},
		"a malformed setting":    {nil, []string{"serve", "--listen", "x"}, 1, "--listen"},
		"an unlisted setting":    {[]string{"PORTICO_LISTNE=x"}, []string{"serve"}, 1, "PORTICO_LISTEN"},
		"a database that isn't":  {nil, []string{"user", "list", "--database-url", "sqlite:/nowhere/x"}, 1, "/nowhere"},
		"a key that isn't there": {nil, []string{"key", "import", "/nowhere/x.pem"}, 1, "/nowhere"},
		"nor are people":         {nil, []string{"user", "import", "/nowhere/x.csv"}, 1, "/nowhere"},
		"nor is a document":      {nil, []string{"import", "/nowhere/x.jsonl"}, 1, "/nowhere"},
		"nor are elements": {nil, []string{"twin", "model", "import", "--twin", "x", "--file", "/nowhere/x.csv"}, 1,
			"--file: open /nowhere"},
		"nor is a recipient":     {nil, []string{"backup", "x", "--recipient", "/nowhere/x.age"}, 1, "--recipient"},
		"nor is an identity":     {nil, []string{"restore", "x", "--identity", "/nowhere/x.age"}, 1, "--identity"},
		"a file that isn't":      {nil, []string{"serve", "--config", "/nowhere/x.yaml"}, 1, "--config"},
		"a slip in a subcommand": {nil, []string{"user", "create", "--nam", "x"}, 2, "portico user create --help"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			code, stdout, stderr, _ := run(t, tt.environ, tt.args...)
			if code != tt.want || !strings.Contains(stderr, tt.word) || (stderr == "") != (tt.want == 0) {
				t.Errorf("exit %d, want %d\nout: %s\nerr: %s", code, tt.want, stdout, stderr)
			}
		})
	}
}

// full is a disk on which nothing has room.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, syscall.ENOSPC }

func TestACommandFailsThatCouldNotSayWhatItHasToSay(t *testing.T) {
	for _, args := range [][]string{{"version"}, {"routes"}, {"user", "--help"}, {"completion", "bash"}} {
		var said bytes.Buffer
		env := &Env{Stdin: strings.NewReader(""), Stdout: full{}, Stderr: &said, Routes: "/", Ambient: ambient.System()}
		code := Execute(t.Context(), env, args, nil)
		if code != 1 || !strings.Contains(said.String(), "no space left") {
			t.Errorf("%q ends with %d and says %q", args, code, said.String())
		}
	}
}

func TestServeHasAFlagForEverySetting(t *testing.T) {
	_, help, _, _ := run(t, nil, "serve", "--help")
	for _, s := range config.Flags() {
		if !strings.Contains(help, "--"+s.Flag()+" ") {
			t.Errorf("portico serve --help lacks --%s", s.Flag())
		}
	}
	code, _, stderr, served := run(t, []string{"PORTICO_SIGNUP=open"}, "serve", "--signup", "invite",
		"--data-dir", "elsewhere")
	if code != 0 || served == nil || served.Signup != "invite" || served.DataDir != "elsewhere" {
		t.Errorf("exit %d, %s, served %+v", code, stderr, served)
	}
}

// Rule: RELEASE-1
func TestVersionIsPrinted(t *testing.T) {
	for arg, want := range map[string]string{
		"version": "portico " + version.Number + " (commit " + version.Commit() + ")\n", "--version": version.Number,
	} {
		if _, out, _, _ := run(t, nil, arg); !strings.Contains(out, want) {
			t.Errorf("%s prints %q, want %q", arg, out, want)
		}
	}
}

func TestHelpGoesToStandardOutput(t *testing.T) {
	code, out, stderr, _ := run(t, nil, "help")
	if code != 0 || stderr != "" || !strings.Contains(out, "portico serve") {
		t.Errorf("exit %d, out %q, err %q", code, out, stderr)
	}
}

// A timer's log spoke of a database that can't be used, whose program was told to stop.
//
// Rule: SERVER-22
func TestWhatIsToldToStopSaysSoAndNothingOfTheDatabase(t *testing.T) {
	environ := []string{"PORTICO_DATA_DIR=" + t.TempDir()}
	if code, _, said, _ := run(t, environ, "migrate", "up"); code != 0 {
		t.Fatal(said)
	}
	ctx, stop := context.WithCancelCause(t.Context())
	stop(errors.New("interrupt signal received"))
	for _, args := range [][]string{{"user", "list"}, {"demo", "load"}, {"verify"}, {"drill", t.TempDir()}} {
		var said bytes.Buffer
		env := &Env{Stdin: strings.NewReader(""), Stdout: io.Discard, Stderr: &said, Environ: environ,
			Ambient: ambient.System()}
		code, text := Execute(ctx, env, args, nil), said.String()
		if code != exitFailure || !strings.Contains(text, "interrupt signal") || strings.Contains(text, "database") ||
			strings.Contains(text, "cancel") {
			t.Errorf("%v: %d, %s", args, code, text)
		}
	}
}
