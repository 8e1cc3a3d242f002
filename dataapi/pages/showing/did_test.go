package showing

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"testing"

	"github.com/portico-id/portico/dataapi/feed"
	"github.com/portico-id/portico/storage"
)

// Rule: FILES-24
func TestEveryKindOfChangeHasWordsOnPages(t *testing.T) {
	told := 0
	for _, kind := range kindsOfEvents(t) {
		if !feed.Tells(kind) {
			continue
		}
		told++
		if _, known := didTo(feed.Change{Event: storage.Event{Kind: kind}}); !known {
			t.Errorf("%s has no words", kind)
		}
	}
	if told < 25 {
		t.Errorf("only %d kinds are told of", told)
	}
	if text, known := didTo(feed.Change{Event: storage.Event{Kind: "folder.changed"}}); known {
		t.Errorf("what has left a folder is %v", text)
	}
}

// kindsOfEvents are the kinds as package storage has them.
func kindsOfEvents(t *testing.T) []string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "../../../storage/event.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var kinds []string
	ast.Inspect(file, func(n ast.Node) bool {
		if spec, ok := n.(*ast.ValueSpec); ok && len(spec.Values) == 1 {
			if value, ok := spec.Values[0].(*ast.BasicLit); ok && value.Kind == token.STRING {
				if kind, err := strconv.Unquote(value.Value); err == nil {
					kinds = append(kinds, kind)
				}
			}
		}
		return true
	})
	return kinds
}
