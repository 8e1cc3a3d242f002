package config_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/portico-id/portico/cmd/portico/internal/config"
)

const (
	manual     = "../../../../docs/operations.md"
	tableBegin = "<!-- settings: written by `go test ./cmd/portico/internal/config -update` -->\n"
	tableEnd   = "<!-- end of settings -->\n"
)

// A test function reads it; the flag package needs it before any test runs.
var update = flag.Bool("update", false, "write the table of settings into docs/operations.md")

func TestTheManualListsEverySetting(t *testing.T) {
	content, err := os.ReadFile(manual)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, ok1 := strings.Cut(string(content), tableBegin)
	got, tail, ok2 := strings.Cut(rest, tableEnd)
	if !ok1 || !ok2 {
		t.Fatalf("%s lacks the marks around the table of settings", manual)
	}
	want := table()
	if *update {
		if err := os.WriteFile(manual, []byte(head+tableBegin+want+tableEnd+tail), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the manual's table of settings (-want +got); run with -update:\n%s", diff)
	}
}

func table() string {
	var b strings.Builder
	b.WriteString("\n| Setting | Flag | Default | Meaning |\n|---|---|---|---|\n")
	for _, s := range append([]config.Setting{config.ConfigFile()}, config.Settings()...) {
		names, help := "`"+s.Env()+"`", s.Help
		if s.Secret {
			names += " or `" + s.File().Env() + "`"
			help += " *Secret.*"
		}
		shown := s.Note
		if s.Default != "" {
			shown = "`" + s.Default + "`"
		}
		fmt.Fprintf(&b, "| %s | `--%s` | %s | %s |\n", names, s.Flag(), shown, strings.ReplaceAll(help, "|", `\|`))
	}
	b.WriteString("\n")
	return b.String()
}
