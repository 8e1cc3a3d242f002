package tree

import (
	"io/fs"
	"os"
	"regexp"
	"strings"
	"testing"
)

// Pages of contents that were read before count as long as nothing has a new revision:
// whatever changes a row that they show has to give it one. What is by the side of a row, or
// in the mark itself, needs none.
//
// Rule: DATA-100
func TestEveryStatementThatChangesWhatContentsShowTellsOfIt(t *testing.T) {
	update := regexp.MustCompile(`(?s)UPDATE (?:items|versions|folders) SET(.*?)(?:WHERE|\n\n)`)
	aside := regexp.MustCompile(`^ (?:tip_stated|rollup_at) = `)
	rooms := os.DirFS("..")
	found, told := 0, 0
	err := fs.WalkDir(rooms, ".", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := fs.ReadFile(rooms, path)
		for _, statement := range update.FindAllStringSubmatch(string(text), -1) {
			found++
			if strings.Contains(statement[1], "revision = revision + 1") {
				told++
			} else if !aside.MatchString(statement[1]) {
				t.Errorf("%s: nobody learns that this has changed: %s", path, statement[0])
			}
		}
		return err
	})
	if err != nil || found < 7 || told < 4 {
		t.Errorf("%d of %d statements tell of a change: %v", told, found, err)
	}
}
