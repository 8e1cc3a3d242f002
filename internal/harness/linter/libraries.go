//go:build linter

package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"reflect"
	"sync"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/ctrlflow"
	"golang.org/x/tools/go/packages"
	"honnef.co/go/tools/analysis/facts/deprecated"
	"honnef.co/go/tools/staticcheck/sa5012"
)

// learnLibraries knows of libraries without looking into their functions: what is deprecated,
// which functions of Go's own don't return, and which want pairs.
func learnLibraries(loaded []*packages.Package, ours map[*packages.Package]*sync.Once, known *facts) {
	var each sync.WaitGroup
	packages.Visit(loaded, nil, func(p *packages.Package) {
		if _, isOurs := ours[p]; isOurs || p.Types == nil {
			return
		}
		for _, name := range endless()[p.PkgPath] {
			learn(find(p.Types, name), ctrlflow.Analyzer, known)
		}
		if p.PkgPath == "strings" {
			pairs := find(p.Types, "NewReplacer").(*types.Func).Signature().Params().At(0)
			learn(pairs, sa5012.Analyzer, known)
		}
		each.Go(func() { learnDeprecated(p, known) })
	})
	each.Wait()
}

// endless are functions, and methods behind a dot, that don't return.
func endless() map[string][]string {
	return map[string][]string{
		"os": {"Exit"}, "runtime": {"Goexit"}, "syscall": {"Exit"},
		"log": {"Fatal", "Fatalf", "Fatalln", "Panic", "Panicf", "Panicln", "Logger.Fatal", "Logger.Fatalf",
			"Logger.Fatalln", "Logger.Panic", "Logger.Panicf", "Logger.Panicln"},
		"testing": {"common.FailNow", "common.Fatal", "common.Fatalf", "common.Skip", "common.Skipf", "common.SkipNow"},
	}
}

// learn keeps an analyzer's one kind of fact, which has no content, about a thing.
func learn(o types.Object, a *analysis.Analyzer, known *facts) {
	if o != nil {
		fact := reflect.New(reflect.TypeOf(a.FactTypes[0]).Elem()).Interface().(analysis.Fact)
		known.keep(o, fact)
	}
}

// find looks up what is declared in a package, by Name or Type.Member.
func find(p *types.Package, name string) types.Object {
	for i := range name {
		if name[i] == '.' {
			of := p.Scope().Lookup(name[:i])
			if of == nil {
				return nil
			}
			member, _, _ := types.LookupFieldOrMethod(of.Type(), true, p, name[i+1:])
			return member
		}
	}
	return p.Scope().Lookup(name)
}

// learnDeprecated has the analyzer read a library's declarations, whose names are looked up
// in what was compiled of it.
func learnDeprecated(p *packages.Package, known *facts) {
	set := token.NewFileSet()
	var files []*ast.File
	info := &types.Info{Defs: map[*ast.Ident]types.Object{}}
	for _, path := range p.GoFiles {
		file, err := parser.ParseFile(set, path, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err == nil {
			files = append(files, file)
			define(p.Types, file, info)
		}
	}
	pass := &analysis.Pass{Analyzer: deprecated.Analyzer, Fset: set, Files: files, Pkg: p.Types, TypesInfo: info}
	known.lend(pass)
	pass.AllObjectFacts = func() []analysis.ObjectFact { return nil }
	pass.AllPackageFacts = func() []analysis.PackageFact { return nil }
	exports := pass.ExportObjectFact
	pass.ExportObjectFact = func(o types.Object, fact analysis.Fact) {
		if o != nil {
			exports(o, fact)
		}
	}
	_, _ = deprecated.Analyzer.Run(pass) // it never fails
}

// define looks up the names that a file declares. One that is not exported is not found
// everywhere, and nobody else can use it.
func define(p *types.Package, file *ast.File, info *types.Info) {
	for _, declaration := range file.Decls {
		switch d := declaration.(type) {
		case *ast.FuncDecl:
			info.Defs[d.Name] = find(p, receiver(d)+d.Name.Name)
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				defineSpec(p, spec, info)
			}
		}
	}
}

func defineSpec(p *types.Package, spec ast.Spec, info *types.Info) {
	switch s := spec.(type) {
	case *ast.ValueSpec:
		for _, name := range s.Names {
			info.Defs[name] = find(p, name.Name)
		}
	case *ast.TypeSpec:
		info.Defs[s.Name] = find(p, s.Name.Name)
		var members *ast.FieldList
		switch t := s.Type.(type) {
		case *ast.StructType:
			members = t.Fields
		case *ast.InterfaceType:
			members = t.Methods
		default:
			return
		}
		for _, member := range members.List {
			for _, name := range member.Names {
				info.Defs[name] = find(p, s.Name.Name+"."+name.Name)
			}
		}
	}
}

// receiver is the name of the type that a method is of, and a dot; empty for a function.
func receiver(d *ast.FuncDecl) string {
	if d.Recv == nil || len(d.Recv.List) == 0 {
		return ""
	}
	of := d.Recv.List[0].Type
	for {
		switch t := of.(type) {
		case *ast.StarExpr:
			of = t.X
		case *ast.IndexExpr:
			of = t.X
		case *ast.IndexListExpr:
			of = t.X
		case *ast.ParenExpr:
			of = t.X
		case *ast.Ident:
			return t.Name + "."
		default:
			return ""
		}
	}
}
