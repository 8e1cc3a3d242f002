package house

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const decisionsFile = root + "/docs/decisions.md"

var (
	paperRow       = regexp.MustCompile(`(?m)^\| ([A-Z]+[0-9]+(?: [0-9.]+)?) \| `)
	wrapped        = regexp.MustCompile(`\n\s*(?://|--|#)?[ \t]*`) // a comment that goes on in the next line
	citedDecisions = regexp.MustCompile(`\b[Dd]ecisions? ([A-Z]+[0-9]+(?:(?:, | and )[A-Z]+[0-9]+)*)`)
	citedSections  = regexp.MustCompile(`\b(S[12])(?:,? sections?)? ([0-9]+(?:\.[0-9]+)*)`)
	strangers      = regexp.MustCompile(`(?i)wire[ -]facts|fosite-notes|house\.md|habits\.md|\.\./shared`)
)

// paperRows returns the ids of the rows of docs/decisions.md.
func paperRows(t *testing.T) []string {
	t.Helper()
	content, err := os.ReadFile(decisionsFile)
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, row := range paperRow.FindAllStringSubmatch(string(content), -1) {
		if slices.Contains(ids, row[1]) {
			t.Errorf("%s stands twice in %s", row[1], decisionsFile)
		}
		ids = append(ids, row[1])
	}
	return ids
}

// cited returns the ids of decisions and sections that a text names.
func cited(text string) []string {
	text = wrapped.ReplaceAllString(text, " ")
	var ids []string
	for _, m := range citedDecisions.FindAllStringSubmatch(text, -1) {
		ids = append(ids, strings.FieldsFunc(strings.ReplaceAll(m[1], " and ", ","),
			func(r rune) bool { return r == ',' || r == ' ' })...)
	}
	for _, m := range citedSections.FindAllStringSubmatch(text, -1) {
		ids = append(ids, m[1]+" "+m[2])
	}
	return ids
}

// writings calls look with every text of the tree that people read: code,
// schema, papers, descriptions and settings.
func writings(t *testing.T, look func(path, text string)) {
	t.Helper()
	kinds := []string{".go", ".sql", ".md", ".yaml", ".yml", ".html", ".css", ".sh"}
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := entry.Name()
		if entry.IsDir() && path != root && (strings.HasPrefix(name, ".") && name != ".ci" || name == "node_modules" ||
			name == "data" || name == "bin") {
			return filepath.SkipDir
		}
		if entry.IsDir() || !slices.Contains(kinds, filepath.Ext(name)) {
			return nil
		}
		text, err := os.ReadFile(path)
		look(path, string(text))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestEveryCitationLeadsSomewhere(t *testing.T) {
	rows, found := paperRows(t), map[string]bool{}
	writings(t, func(path, text string) {
		for _, id := range cited(text) {
			found[id] = true
			if !slices.Contains(rows, id) {
				t.Errorf("%s cites %s, which docs/decisions.md does not have", path, id)
			}
		}
		if m := strangers.FindString(text); m != "" && !strings.HasSuffix(path, "papers_test.go") {
			t.Errorf("%s speaks of %q, which is not in this repository", path, m)
		}
	})
	if len(found) < 50 {
		t.Errorf("only %d citations were found", len(found))
	}
}

func TestCitationsAreFoundHoweverTheyAreWritten(t *testing.T) {
	for text, want := range map[string][]string{
		"decision T4":                        {"T4"},
		"// the rest (decisions J7 and X1).": {"J7", "X1"},
		"// (decision\n\t// J4): the next":   {"J4"},
		"S1 4.1 and S2 section 7":            {"S1 4.1", "S2 7"},
		"// all of S1\n// section 7.1":       {"S1 7.1"},
		"a decision about SHA256":            nil,
	} {
		if got := cited(text); !slices.Equal(got, want) {
			t.Errorf("%q cites %q, want %q", text, got, want)
		}
	}
}
