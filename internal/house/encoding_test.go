package house

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
	"testing"
)

// lenient returns the places of a file that read base64url, or a signed token,
// with a library that gives one token several spellings.
func (s source) lenient() []string {
	var found []string
	writes := map[ast.Node]bool{} // of base64url, where it is only written
	ast.Inspect(s.syntax, func(node ast.Node) bool {
		e, ok := node.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		if strings.HasPrefix(e.Sel.Name, "Encode") || e.Sel.Name == "AppendEncode" {
			writes[e.X] = true
		}
		name, _ := e.X.(*ast.Ident)
		if name == nil || writes[e] {
			return true
		}
		switch text := name.Name + "." + e.Sel.Name; {
		case text == "base64.URLEncoding", text == "base64.RawURLEncoding", text == "base64.NewEncoding",
			strings.HasPrefix(text, "jose.ParseSigned"), strings.HasPrefix(text, "jose.ParseDetached"),
			strings.HasPrefix(text, "jwt.ParseSigned"):
			found = append(found, s.at(e)+" has "+text)
		}
		return true
	})
	return found
}

// Rule: TOKEN-32
func TestBase64urlIsReadInOnePlace(t *testing.T) {
	doors := map[string]bool{"internal/sealing": false, "internal/gate/jwt": false}
	for _, s := range product(t) {
		found := s.lenient()
		if _, door := doors[s.dir]; door {
			doors[s.dir] = doors[s.dir] || len(found) > 0
			continue
		}
		for _, place := range found {
			t.Errorf("%s: use sealing.Decode or jwt.Use", place)
		}
	}
	for dir, used := range doors {
		if !used {
			t.Errorf("nothing is read in %s: the test looks for the wrong names", dir)
		}
	}
}

func TestLenientReadersAreSeen(t *testing.T) {
	for text, want := range map[string]int{
		"base64.RawURLEncoding.DecodeString(x)":          1,
		"base64.RawURLEncoding.Strict().DecodeString(x)": 1,
		"base64.NewDecoder(base64.URLEncoding, x)":       1,
		"jose.ParseSignedCompact(x, nil)":                1,
		"base64.RawURLEncoding.EncodeToString(x)":        0,
		"base64.RawURLEncoding.AppendEncode(x, y)":       0,
		"base64.StdEncoding.DecodeString(x)":             0,
	} {
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, "x.go", "package x\nvar _ = "+text, 0)
		if err != nil {
			t.Fatal(err)
		}
		if got := (source{syntax: file, set: set}).lenient(); len(got) != want {
			t.Errorf("%s: %v", text, got)
		}
	}
}
