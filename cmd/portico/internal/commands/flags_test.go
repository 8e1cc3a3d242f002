package commands

import (
	"bytes"
	"context"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/portico-id/portico/cmd/portico/internal/config"
	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/harness/sqlitetest"
)

// eachFlag visits every flag of every command that does something.
func eachFlag(visit func(*cobra.Command, *pflag.Flag)) {
	var walk func(*cobra.Command)
	walk = func(c *cobra.Command) {
		for _, below := range c.Commands() {
			walk(below)
		}
		if !c.HasSubCommands() && c.RunE != nil {
			c.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) { visit(c, f) })
		}
	}
	walk(newRootCommand(&Env{}, nil))
}

// Flags of texts whose empty value says that there is to be none.
var mayBeNone = []string{"client create scope", "download client", "scim create prefix", "transmittal fetch client",
	"transmittal list client", "transmittal send client", "transmittal show client", "upload client",
	"user update username", "user-group create description"}

// Rule: SERVER-57
func TestAFlagWithoutAValueIsRefused(t *testing.T) {
	seen := 0
	eachFlag(func(c *cobra.Command, f *pflag.Flag) {
		name := strings.TrimPrefix(c.CommandPath(), "portico ") + " " + f.Name
		_, setting := f.Annotations[settingAnnotation]
		none := strings.HasPrefix(name, "client update ") || slices.Contains(mayBeNone, name)
		if setting || none || f.Value.Set("") != nil {
			return
		}
		seen++
		given := &cobra.Command{}
		given.Flags().AddFlag(f)
		_ = given.Flags().Set(f.Name, "")
		if err := refuseEmpty(given); err == nil || !strings.Contains(err.Error(), "--"+f.Name+" is empty: ") {
			t.Errorf("%s: %v", name, err)
		}
	})
	if seen < 100 {
		t.Errorf("%d flags", seen)
	}
}

// Commands that take away for good, beside those that are called delete.
var forGood = []string{"user factor remove", "member remove", "project purge", "key forget", "migrate down"}

// Rule: ADMIN-4
func TestWhatCannotBeUndoneAsksFirst(t *testing.T) {
	asks := map[string]bool{}
	eachFlag(func(c *cobra.Command, f *pflag.Flag) {
		if f.Name == "yes" {
			asks[strings.TrimPrefix(c.CommandPath(), "portico ")] = true
		}
	})
	for name := range leaves() {
		if (strings.HasSuffix(name, " delete") || slices.Contains(forGood, name)) && !asks[name] {
			t.Errorf("%s takes away for good what it was given by a slip", name)
		}
	}
}

// Rule: SERVER-57
func TestAnEmptyVariableEndsNothingAndMakesNothing(t *testing.T) {
	c := called(t)
	for _, args := range [][]string{
		{"consent", "withdraw", "p@example.com", "APP", "--device", ""},
		{"client", "claim", "remove", "APP", "roles", "--role="},
		{"client", "rotate-secret", "APP", "--until", ""}, {"client", "rotate-secret", "APP", "--end", ""},
		{"webhook", "create", "--project", c.project, "--url", "https://a.example.com", "--folder", ""},
		{"upstream", "set", "works", "--secret-file", ""}, {"restore", "x", "--at", ""}, {"backup", "x", "--recipient", ""},
	} {
		if code, said := c.run(args...); code != 2 || !strings.Contains(said, " is empty: give it a value") {
			t.Errorf("%q: %d, %s", args, code, said)
		}
	}
	for _, args := range [][]string{
		{"upstream", "set", "works", "--secret-file", os.DevNull}, {"directory", "set", "works", "--secret-file", os.DevNull},
		{"client", "update", "APP", "--jwks", os.DevNull}, {"directory", "set", "works", "ca=@" + os.DevNull},
	} {
		if code, said := c.run(args...); code != 1 || !strings.Contains(said, ": there is nothing in "+os.DevNull) {
			t.Errorf("%q: %d, %s", args, code, said)
		}
	}
	if code, said := c.run("user-group", "create", "--name", "Editors", "--description", ""); code != 0 {
		t.Errorf("no description: %d, %s", code, said)
	}
}

// Rules: ADMIN-4, SERVER-57
func TestANumberThatMakesNoSenseIsRefused(t *testing.T) {
	c := called(t)
	commands := map[string][]string{
		"backup":             {"backup", t.TempDir()},
		"demo load":          {"demo", "load", "--project", c.project},
		"event list":         {"event", "list", "--project", c.project},
		"migrate down":       {"migrate", "down", "--yes"},
		"project purge":      {"project", "purge", c.project, "--yes"},
		"registration token": {"registration", "token", "--label", "x"},
		"scim token":         {"scim", "token", "works", "--label", "x"},
		"upload":             {"upload", "x", "--project", c.project, "--folder", "x"},
	}
	wrong := map[string][]string{
		"keep": {"-1"}, "limit": {"-1"}, "folders": {"0", "-1"}, "items": {"-1"}, "seed": {"-1"},
		"hidden-days": {"0", "29", "9223372036854775807"}, "steps": {"0", "-1"},
		"part-size": {"-1", "4", "5121", "17592186044448"},
		"uses":      {"0", "-1", "10001"}, "days": {"0", "-1", "9223372036854775807"},
	}
	eachFlag(func(command *cobra.Command, f *pflag.Flag) {
		if !strings.Contains(f.Value.Type(), "int") {
			return
		}
		name := strings.TrimPrefix(command.CommandPath(), "portico ")
		for _, value := range append(slices.Clone(wrong[f.Name]), "many", "1e3", "") {
			args := append(slices.Clone(commands[name]), "--"+f.Name+"="+value)
			if code, said := c.run(args...); code == 0 || !strings.Contains(said, "--"+f.Name) {
				t.Errorf("%q: %d, %s", args, code, said)
			}
		}
		if wrong[f.Name] == nil || commands[name] == nil {
			t.Errorf("%s --%s: say here what makes no sense", name, f.Name)
		}
	})
}

// calledOn is a database with a project and a connection.
type calledOn struct {
	t       *testing.T
	environ []string
	project string
}

func called(t *testing.T) *calledOn {
	t.Helper()
	dir := t.TempDir()
	sqlitetest.Create(t, dir+"/portico.db")
	c := &calledOn{t: t, environ: []string{"PORTICO_DATA_DIR=" + dir, "ACCESS_TOKEN=x", "HOME=" + dir}}
	id := func(args ...string) string {
		code, said := c.run(args...)
		_, id, found := strings.Cut(said, "id  ")
		if id, _, _ = strings.Cut(strings.TrimSpace(id), "\n"); code != 0 || !found {
			t.Fatalf("%q: %d, %s", args, code, said)
		}
		return id
	}
	hub := id("hub", "create", "--name", "H")
	c.project = id("project", "create", "--hub", hub, "--name", "P")
	if code, said := c.run("scim", "create", "--name", "works"); code != 0 {
		t.Fatal(said)
	}
	return c
}

func (c *calledOn) run(args ...string) (int, string) {
	var said bytes.Buffer
	env := &Env{Stdin: strings.NewReader(""), Stdout: &said, Stderr: &said, Environ: c.environ, Ambient: ambient.System()}
	code := Execute(c.t.Context(), env, args, func(context.Context, *Env, config.Config, bool) error { return nil })
	return code, said.String()
}
