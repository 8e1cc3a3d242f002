package house

import (
	"go/ast"
	"go/types"
	"regexp"
	"strconv"
	"testing"
)

// A pattern that is wrong would say so when somebody first needs it.
func TestEveryPatternCompiles(t *testing.T) {
	seen := 0
	for _, s := range product(t) {
		ast.Inspect(s.syntax, func(node ast.Node) bool {
			call, ok := node.(*ast.CallExpr)
			if !ok || len(call.Args) != 1 {
				return true
			}
			if of, ok := call.Fun.(*ast.SelectorExpr); !ok || of.Sel.Name != "Of" || types.ExprString(of.X) != "pattern" {
				return true
			}
			text, ok := call.Args[0].(*ast.BasicLit)
			if !ok {
				return true // of parts, in provider/policy, whose tests need it
			}
			expression, err := strconv.Unquote(text.Value)
			if err == nil {
				_, err = regexp.Compile(expression)
			}
			if seen++; err != nil {
				t.Errorf("%s: %v", s.path, err)
			}
			return true
		})
	}
	if seen < 40 {
		t.Errorf("%d patterns were found", seen)
	}
}
