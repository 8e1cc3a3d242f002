package commands

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/portico-id/portico/internal/harness/openapicheck"
)

// Commands whose last word is one of these only read, as do those by their whole name.
var (
	reads = []string{"list", "show", "members", "tokens", "calls", "invitations", "deliveries", "status", "check",
		"identities"}
	looks = []string{"client access", "client logouts", "client usage", "backlog", "usage", "doctor", "drill",
		"healthcheck", "infected", "routes",
		"verify", "version"}
)

// face is one way to a capability: its column in docs/capabilities.md, and what there is.
type face struct {
	name string
	is   map[string]bool // whether it changes something
}

// Rule: ADMIN-34
func TestEveryCapabilityHasItsFaces(t *testing.T) {
	faces := []face{{"page", pagesOfRoutes(t)}, {"operation", operations(t)}, {"command", leaves()}}
	stands := []map[string]bool{{}, {}, {}}
	for _, row := range capabilities(t) {
		for i, cell := range row[1:] {
			names, reason := named(cell)
			if len(names) == 0 && reason == "" {
				t.Errorf("%s: it has no %s, and no reason", row[0], faces[i].name)
			}
			for _, name := range names {
				if _, is := faces[i].is[name]; !is {
					t.Errorf("%s: there is no %s %s", row[0], faces[i].name, name)
				}
				stands[i][name] = true
			}
		}
	}
	for i, f := range faces {
		for name, changes := range f.is {
			if changes && !stands[i][name] {
				t.Errorf("%s %s stands in no row of docs/capabilities.md", f.name, name)
			}
		}
	}
}

// Rule: ADMIN-34
func TestWhatAMissingFaceWouldSay(t *testing.T) {
	for cell, want := range map[string]string{
		"`user create`, `user delete`": "user create user delete", "No: for `x`.": "", "": "",
	} {
		if names, _ := named(cell); strings.Join(names, " ") != want {
			t.Errorf("%q names %q", cell, names)
		}
	}
	for what, is := range map[string]bool{"user delete": true, "user list": false, "client access": false, "serve": true} {
		if changes, there := leaves()[what]; !there || changes != is {
			t.Errorf("%s: %v, changes %v", what, there, changes)
		}
	}
	if p := pagesOfRoutes(t); !p["/account/password"] || p["/account/events"] || p["/userinfo"] {
		t.Error("pages are not told from what only reads, or is for programs")
	}
}

var inCode = regexp.MustCompile("`([^`]+)`")

// named are the faces in a cell, or the reason why there is none.
func named(cell string) (names []string, reason string) {
	if reason, none := strings.CutPrefix(cell, "No: "); none {
		return nil, reason
	}
	for _, m := range inCode.FindAllStringSubmatch(cell, -1) {
		names = append(names, m[1])
	}
	return names, ""
}

// capabilities are the rows of the paper.
func capabilities(t *testing.T) (rows [][]string) {
	t.Helper()
	for line := range strings.Lines(fileOf(t, "../../../../docs/capabilities.md")) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		if len(cells) == 4 && cells[0] != "What" && !strings.HasPrefix(cells[0], "---") {
			rows = append(rows, cells)
		}
	}
	if len(rows) < 50 {
		t.Fatalf("%d rows", len(rows))
	}
	return rows
}

func fileOf(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// operations are what the descriptions have.
func operations(t *testing.T) map[string]bool {
	t.Helper()
	files, err := filepath.Glob("../../../../docs/openapi/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	book, err := openapicheck.Load(openapicheck.Options{Files: files})
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]bool{}
	for _, a := range book.Answers() {
		all[a.Method+" "+a.Path] = a.Method != "GET" && a.Method != "HEAD"
	}
	return all
}

// pagesOfRoutes are the addresses of the route table that no description has.
func pagesOfRoutes(t *testing.T) map[string]bool {
	t.Helper()
	described, all, path := operations(t), map[string]bool{}, ""
	for line := range strings.Lines(fileOf(t, "../app/testdata/routes.golden")) {
		method, is := strings.CutPrefix(line, "  ")
		if !is {
			path, _, _ = strings.Cut(line, ": ")
			continue
		}
		method, _, _ = strings.Cut(strings.TrimSpace(method), " ")
		if _, is := described[method+" "+path]; !is {
			all[path] = all[path] || method != "GET"
		}
	}
	return all
}

// leaves are the commands that do something.
func leaves() map[string]bool {
	all := map[string]bool{}
	var walk func(*cobra.Command)
	walk = func(c *cobra.Command) {
		for _, below := range c.Commands() {
			walk(below)
		}
		name := strings.TrimPrefix(c.CommandPath(), "portico ")
		if !c.HasSubCommands() {
			all[name] = !slices.Contains(reads, c.Name()) && !slices.Contains(looks, name)
		}
	}
	walk(newRootCommand(&Env{}, nil))
	return all
}
