package house

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

const (
	root   = "../.."
	module = "github.com/portico-id/portico/"
)

// source is one Go file of the tree.
type source struct {
	path   string // from the root, with slashes
	dir    string // the package's folder, from the root
	isTest bool
	syntax *ast.File
	set    *token.FileSet
}

// imports returns the imported paths.
func (s source) imports() []string {
	paths := make([]string, len(s.syntax.Imports))
	for i, spec := range s.syntax.Imports {
		paths[i], _ = strconv.Unquote(spec.Path.Value)
	}
	return paths
}

// at says where a node is, for a failure's message.
func (s source) at(node ast.Node) string {
	return s.path + ":" + strconv.Itoa(s.set.Position(node.Pos()).Line)
}

// sources reads every Go file of the tree.
func sources(t *testing.T) []source {
	t.Helper()
	set := token.NewFileSet()
	var all []source
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := entry.Name()
		if entry.IsDir() && path != root && (strings.HasPrefix(name, ".") || name == "testdata" || name == "node_modules") {
			return filepath.SkipDir
		}
		if entry.IsDir() || !strings.HasSuffix(name, ".go") {
			return nil
		}
		file, err := parser.ParseFile(set, path, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(root, path)
		all = append(all, source{
			path: filepath.ToSlash(relative), dir: filepath.ToSlash(filepath.Dir(relative)),
			isTest: strings.HasSuffix(name, "_test.go"), syntax: file, set: set,
		})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 50 {
		t.Fatalf("only %d Go files were found", len(all))
	}
	return all
}

// product returns the files that are no tests.
func product(t *testing.T) []source {
	t.Helper()
	var files []source
	for _, s := range sources(t) {
		if !s.isTest {
			files = append(files, s)
		}
	}
	return files
}
