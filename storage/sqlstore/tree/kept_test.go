package tree

import (
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/portico-id/portico/storage"
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

// A row may have tens of kilobytes of data.
//
// Rule: DATA-100
func TestKeptPagesTakeSomeMegabytesWhateverIsInTheirRows(t *testing.T) {
	var kept keptPages
	data := storage.Extension{Data: strings.Repeat(" ", 16<<10)}
	row := storage.ItemWithTip{Item: storage.Item{Extension: data}, Tip: storage.Version{Extension: data}}
	page := keptPage{contents: storage.Contents{Items: slices.Repeat([]storage.ItemWithTip{row}, storage.MaxPage)}}
	const pages = 10
	for i := range pages {
		kept.keep(pageKey{folderID: fmt.Sprint(i)}, page)
	}
	held := 0
	for _, page := range kept.known {
		held += len(page.contents.Items) * 32 << 10
	}
	if held == 0 || held > 16<<20 {
		t.Errorf("%d pages take %d bytes", len(kept.known), held)
	}
	if _, known := kept.find(pageKey{folderID: fmt.Sprint(pages - 1)}); !known {
		t.Error("the last page is not known")
	}
}
