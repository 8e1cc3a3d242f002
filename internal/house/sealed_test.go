package house

import (
	"go/ast"
	"testing"
)

// carried are the labels of what is sealed and kept by others alone: it comes back in an
// address, a form or a cookie, and a change of the secret has it done anew.
func carried() map[string]bool {
	return map[string]bool{
		"dataapi/jsonapi label": false, "provider pushedLabel": false, "provider halfwayLabel": false,
		"provider/apps ticketLabel": false, "provider/factors enrolmentLabel": false,
		"provider/upstreams leaveLabel": false, "provider/upstreams pendingLabel": false,
		"provider/directory secretLabel": false, // as package upstreams, which hands it out
	}
}

// A new label is either one of what is sealed anew (Sealed of its package), or carried.
//
// Rule: KEY-5
func TestEverythingThatIsSealedIsKnown(t *testing.T) {
	kept, sealed, known := map[string]bool{}, map[string]bool{}, carried()
	for _, s := range product(t) {
		for _, declaration := range s.syntax.Decls {
			function, ok := declaration.(*ast.FuncDecl)
			if !ok {
				continue
			}
			if s.dir == "internal/gate/resealing" { // it is handed the labels
				continue
			}
			ast.Inspect(function, func(n ast.Node) bool {
				if name, is := n.(*ast.Ident); is && function.Name.Name == "Sealed" && function.Recv == nil {
					kept[s.dir+" "+name.Name] = true
				}
				if call, is := n.(*ast.CallExpr); is {
					if label := labelOfSeal(call); label != "" {
						sealed[s.dir+" "+label] = true
					}
				}
				return true
			})
		}
	}
	for label := range sealed {
		if _, comesBack := known[label]; comesBack {
			known[label] = true
		} else if !kept[label] {
			t.Errorf("%s: what is kept is sealed anew (Sealed of the package), what is carried stands in this test", label)
		}
	}
	for label, used := range known {
		if !used {
			t.Errorf("nothing is sealed under %s", label)
		}
	}
	if len(sealed) < 15 {
		t.Errorf("%d labels: the test no longer finds them", len(sealed))
	}
}

// labelOfSeal is under what a call seals; empty: it does not, or is the cipher's.
func labelOfSeal(call *ast.CallExpr) string {
	to, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || to.Sel.Name != "Seal" || len(call.Args) != 3 {
		return ""
	}
	if label, ok := call.Args[0].(*ast.Ident); ok {
		return label.Name
	}
	return "something else than a constant"
}
