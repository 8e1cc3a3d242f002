package outbox

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"strings"
	"testing"
)

// Rule: MAIL-5
func TestEveryKindOfMailHasWordsOnThePage(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "../../templates/letters.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	kinds := 0
	ast.Inspect(file, func(n ast.Node) bool {
		spec, is := n.(*ast.ValueSpec)
		if !is || len(spec.Values) != 1 || !strings.HasPrefix(spec.Names[0].Name, "Letter") {
			return true
		}
		if value, is := spec.Values[0].(*ast.BasicLit); is {
			kind, err := strconv.Unquote(value.Value)
			if text := whats[kind]; err != nil || text.Empty() {
				t.Errorf("%s has no words: %v", value.Value, err)
			}
			kinds++
		}
		return true
	})
	if kinds < 15 {
		t.Errorf("only %d kinds of mails", kinds)
	}
}
