package commands_test

import (
	"context"
	"errors"
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/portico-id/portico/cmd/portico/internal/commands"
	"github.com/portico-id/portico/cmd/portico/internal/config"
	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/harness/sqlitetest"
)

// TestMain lets scripts run this test binary as the command portico.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"portico": portico})
}

func portico() {
	serve := func(context.Context, *commands.Env, config.Config, bool) error {
		return errors.New("the server is not part of these scripts")
	}
	os.Exit(commands.Execute(context.Background(), &commands.Env{
		Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Environ: os.Environ(), Ambient: ambient.System(),
	}, os.Args[1:], serve))
}

// setup passes on how the race detector is set: left alone it makes each of the
// hundreds of commands wait a second before it ends.
func setup(env *testscript.Env) error {
	env.Setenv("GORACE", os.Getenv("GORACE"))
	return nil
}

// TestScripts runs the manual's own words against real SQLite files, each
// script in a folder of its own. Beside testscript's commands a script has
//
//	json FILE PATH [VALUE]   the value at the dotted path is VALUE; without one, it is there
//	getjson NAME FILE PATH   puts that value into the variable
//	database                 makes portico.db, as "portico migrate up" does of nothing
//
// Rules: DATA-53, HOME-1, ADMIN-4, ADMIN-11, ADMIN-13, ADMIN-22, TWIN-2, CONNECTION-1, CONNECTION-2, CONNECTION-3, OBJ-56, DCR-8, RES-13, IDJAG-8, HANDON-7, FED-22, LDAP-17, KEY-12, SERVER-57, KEY-5, MOVE-2
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup:               setup,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"json": checkJSON, "getjson": getJSON,
			"database": func(ts *testscript.TestScript, _ bool, _ []string) { sqlitetest.Create(t, ts.MkAbs("portico.db")) },
		},
	})
}
