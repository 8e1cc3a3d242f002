package house

import (
	"go/ast"
	"path"
	"slices"
	"strings"
	"testing"
)

// supplied are functions whose answer differs from run to run: only
// internal/ambient calls them, and hands the answers on.
func supplied() map[string][]string {
	return map[string][]string{
		"time":         {"Now", "Since", "Until"},
		"crypto/rand":  {"Int", "Prime", "Read", "Reader", "Text"},
		"math/rand":    nil, // nil: the whole package
		"math/rand/v2": nil,
	}
}

// Rule: SERVER-15
func TestTimeAndRandomnessComeFromAmbientAlone(t *testing.T) {
	for _, s := range product(t) {
		if s.dir == "internal/ambient" || s.dir == "cmd/portico-bench" { // a stopwatch is its purpose
			continue
		}
		for _, imported := range s.imports() {
			names, watched := supplied()[imported]
			if watched && names == nil {
				t.Errorf("%s imports %s: ask *ambient.Source", s.path, imported)
			}
			for _, use := range usesOf(s.syntax, imported, names) {
				t.Errorf("%s: %s.%s: ask *ambient.Source", s.at(use), imported, use.Sel.Name)
			}
		}
	}
}

// usesOf returns where the file names one of the package's functions.
func usesOf(file *ast.File, imported string, names []string) []*ast.SelectorExpr {
	local := path.Base(imported)
	for _, spec := range file.Imports {
		if spec.Path.Value == `"`+imported+`"` && spec.Name != nil {
			local = spec.Name.Name
		}
	}
	var uses []*ast.SelectorExpr
	ast.Inspect(file, func(node ast.Node) bool {
		selector, ok := node.(*ast.SelectorExpr)
		if !ok || !slices.Contains(names, selector.Sel.Name) {
			return true
		}
		if pkg, ok := selector.X.(*ast.Ident); ok && pkg.Name == local {
			uses = append(uses, selector)
		}
		return true
	})
	return uses
}

func TestEveryPackageSaysWhatItIs(t *testing.T) {
	documented := map[string]bool{}
	for _, s := range product(t) {
		text := s.syntax.Doc.Text()
		isPackage := strings.HasPrefix(text, "Package "+s.syntax.Name.Name+" ") || strings.HasPrefix(text, "Command ")
		documented[s.dir] = documented[s.dir] || isPackage
	}
	for dir, ok := range documented {
		if !ok {
			t.Errorf("%s has no package comment", dir)
		}
	}
}

func TestNoPackageHasANameThatSaysNothing(t *testing.T) {
	for _, s := range sources(t) {
		switch path.Base(s.dir) {
		case "util", "utils", "common", "helpers", "models", "types", "core", "base":
			t.Errorf("%s: the folder's name says nothing", s.path)
		}
	}
}

// maxLines is the length of a file that can still be read in one sitting.
const maxLines = 450

func TestNoFileIsTooLongToRead(t *testing.T) {
	for _, s := range product(t) {
		if lines := s.set.Position(s.syntax.End()).Line; lines > maxLines {
			t.Errorf("%s has %d lines", s.path, lines)
		}
	}
}

func TestNothingRunsBeforeMain(t *testing.T) {
	for _, s := range product(t) {
		for _, declaration := range s.syntax.Decls {
			if f, ok := declaration.(*ast.FuncDecl); ok && f.Recv == nil && f.Name.Name == "init" {
				t.Errorf("%s: func init", s.at(f))
			}
		}
	}
}

func TestPackageVariablesAreNeverChanged(t *testing.T) {
	variables := map[string]map[string]bool{} // by folder
	files := product(t)
	for _, s := range files {
		if variables[s.dir] == nil {
			variables[s.dir] = map[string]bool{}
		}
		for _, name := range packageVariables(s.syntax) {
			variables[s.dir][name] = true
		}
	}
	for _, s := range files {
		if s.dir == "internal/harness/pgtest" {
			continue // one PostgreSQL serves all tests of a process
		}
		for _, declaration := range s.syntax.Decls {
			if f, ok := declaration.(*ast.FuncDecl); ok && f.Body != nil {
				for _, change := range changes(f, variables[s.dir]) {
					t.Errorf("%s changes the package variable %s", s.at(change), change.Name)
				}
			}
		}
	}
}

func packageVariables(file *ast.File) []string {
	var names []string
	for _, declaration := range file.Decls {
		general, ok := declaration.(*ast.GenDecl)
		if !ok {
			continue
		}
		for _, spec := range general.Specs {
			if value, ok := spec.(*ast.ValueSpec); ok && general.Tok.String() == "var" {
				for _, name := range value.Names {
					if name.Name != "_" {
						names = append(names, name.Name)
					}
				}
			}
		}
	}
	return names
}

// changes returns what the function assigns to among the variables, leaving out
// names that it declares for itself.
func changes(f *ast.FuncDecl, variables map[string]bool) []*ast.Ident {
	own := map[string]bool{}
	var targets []ast.Expr
	ast.Inspect(f, func(node ast.Node) bool {
		switch n := node.(type) {
		case *ast.AssignStmt:
			for _, left := range n.Lhs {
				if name, ok := left.(*ast.Ident); ok && n.Tok.String() == ":=" {
					own[name.Name] = true
				}
			}
			targets = append(targets, n.Lhs...)
		case *ast.IncDecStmt:
			targets = append(targets, n.X)
		case *ast.Field:
			for _, name := range n.Names {
				own[name.Name] = true
			}
		case *ast.ValueSpec:
			for _, name := range n.Names {
				own[name.Name] = true
			}
		}
		return true
	})
	var changed []*ast.Ident
	for _, target := range targets {
		if name := rootOf(target); name != nil && variables[name.Name] && !own[name.Name] {
			changed = append(changed, name)
		}
	}
	return changed
}

// rootOf returns x of x, x.y, x[i] and *x.
func rootOf(expression ast.Expr) *ast.Ident {
	switch e := expression.(type) {
	case *ast.Ident:
		return e
	case *ast.SelectorExpr:
		return rootOf(e.X)
	case *ast.IndexExpr:
		return rootOf(e.X)
	case *ast.StarExpr:
		return rootOf(e.X)
	}
	return nil
}
