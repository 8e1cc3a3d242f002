package commands_test

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/portico-id/portico/cmd/portico/internal/commands"
	"github.com/portico-id/portico/internal/ambient"
)

// What root made where the server has not started yet would be in the server's way.
//
// Rule: SERVER-62
func TestCommandsMakeNoDatabaseWhereThereIsNone(t *testing.T) {
	run := func(dir string, args ...string) (int, string) {
		var said bytes.Buffer
		code := commands.Execute(t.Context(), &commands.Env{Stdin: strings.NewReader(""), Stdout: &said, Stderr: &said,
			Environ: []string{"PORTICO_DATA_DIR=" + dir}, Ambient: ambient.System()}, args, nil)
		return code, said.String()
	}
	for _, words := range []string{"user list", "doctor", "verify", "backup x",
		"migrate status", "migrate check", "migrate down --yes"} {
		dir := t.TempDir()
		code, said := run(dir, strings.Fields(words)...)
		left, err := os.ReadDir(dir)
		if err != nil || len(left) > 0 || code != 1 || !strings.Contains(said, "There is no database file") {
			t.Errorf("%s ends with %d and leaves %v: %s", words, code, left, said)
		}
	}
	dir := t.TempDir()
	if code, said := run(dir, "migrate", "up"); code != 0 {
		t.Error(said)
	}
	if code, said := run(dir, "user", "list"); code != 0 {
		t.Error(said)
	}
}
