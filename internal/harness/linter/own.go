//go:build linter

package main

import (
	"go/ast"
	"go/token"
	"strings"

	"github.com/golangci/misspell"
	"github.com/golangci/unconvert"
	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/buildssa"
	"golang.org/x/tools/go/packages"
	"mvdan.cc/unparam/check"
)

// own is an analyzer of what is no analyzer by itself, or not as we want it.
func own(name string, run func(*analysis.Pass) error, requires ...*analysis.Analyzer) *analysis.Analyzer {
	return &analysis.Analyzer{Name: name, Requires: requires,
		Run: func(pass *analysis.Pass) (any, error) { return nil, run(pass) }}
}

// asPackage is what linters take that were written for go/packages.
func asPackage(pass *analysis.Pass) *packages.Package {
	return &packages.Package{Fset: pass.Fset, Syntax: pass.Files, Types: pass.Pkg, TypesInfo: pass.TypesInfo}
}

// reportAt reports what is known by its place in a file.
func reportAt(pass *analysis.Pass, at token.Position, text string) {
	pass.Fset.Iterate(func(f *token.File) bool {
		if f.Name() != at.Filename || at.Line < 1 || at.Line > f.LineCount() {
			return true
		}
		pass.Reportf(f.LineStart(at.Line), "%s", text)
		return false
	})
}

func initializers(pass *analysis.Pass) error {
	for _, file := range pass.Files {
		for _, declaration := range file.Decls {
			if f, is := declaration.(*ast.FuncDecl); is && f.Name.Name == "init" && f.Recv == nil {
				pass.Reportf(f.Pos(), "don't use `init` function")
			}
		}
	}
	return nil
}

func misspelled() func(*analysis.Pass) error {
	replacer := &misspell.Replacer{Replacements: misspell.DictMain}
	replacer.Compile()
	return func(pass *analysis.Pass) error {
		for _, file := range pass.Files {
			in := pass.Fset.File(file.Pos())
			text, err := pass.ReadFile(in.Name())
			if err != nil {
				return err
			}
			_, found := replacer.Replace(string(text))
			for _, one := range found {
				pass.Reportf(in.LineStart(one.Line), "`%s` is a misspelling of `%s`", one.Original, one.Corrected)
			}
		}
		return nil
	}
}

func unconverted(pass *analysis.Pass) error {
	for _, at := range unconvert.Run(pass) {
		reportAt(pass, at, "unnecessary conversion")
	}
	return nil
}

func unneeded(pass *analysis.Pass) error {
	checker := &check.Checker{}
	checker.Packages([]*packages.Package{asPackage(pass)})
	checker.ProgramSSA(pass.ResultOf[buildssa.Analyzer].(*buildssa.SSA).Pkg.Prog)
	found, err := checker.Check()
	for _, one := range found {
		pass.Reportf(one.Pos(), "%s", strings.TrimSpace(one.Message()))
	}
	return err
}
