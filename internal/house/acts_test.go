package house

import (
	"go/ast"
	"strings"
	"testing"
)

// An act that is put together for a request elsewhere forgets what acts.Of
// doesn't: the languages of a mail, or the address in the trail.
// Rule: MAIL-6
func TestActsOfRequestsAreMadeInOnePlace(t *testing.T) {
	made := 0
	for _, s := range product(t) {
		if strings.HasPrefix(s.path, "storage/") {
			continue // knows no requests
		}
		ast.Inspect(s.syntax, func(node ast.Node) bool {
			literal, is := node.(*ast.CompositeLit)
			if !is || !isAct(literal.Type) || !tellsRequest(literal) {
				return true
			}
			if s.path != "internal/gate/acts/acts.go" {
				t.Errorf("%s: ask acts.Of", s.at(literal))
			}
			made++
			return true
		})
	}
	if made == 0 {
		t.Error("no act of a request is found")
	}
}

func isAct(of ast.Expr) bool {
	selector, is := of.(*ast.SelectorExpr)
	return is && selector.Sel.Name == "Act"
}

func tellsRequest(literal *ast.CompositeLit) bool {
	for _, element := range literal.Elts {
		pair, _ := element.(*ast.KeyValueExpr)
		if pair == nil {
			continue
		}
		if key, is := pair.Key.(*ast.Ident); is && key.Name == "RequestID" {
			return true
		}
	}
	return false
}
