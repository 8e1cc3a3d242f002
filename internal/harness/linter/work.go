//go:build linter

package main

import (
	"fmt"
	"os"
	"reflect"
	"runtime"
	"strings"
	"sync"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/packages"
)

// work is the linters' on our packages. What one learns of a package for those that import it,
// a fact, it keeps here: all see the same types, for nothing is written down between.
type work struct {
	linters []linter
	judged  []*packages.Package // those about which is told what is found
	known   *facts

	ours  map[*packages.Package]*sync.Once
	turns chan struct{} // as many at once as there are processors

	mutex sync.Mutex
	found []finding
	err   error
}

func newWork(loaded []*packages.Package, linters []linter) *work {
	w := &work{linters: linters, known: newFacts(), ours: map[*packages.Package]*sync.Once{},
		turns: make(chan struct{}, runtime.GOMAXPROCS(0))}
	tested := map[string]bool{}
	for _, p := range loaded {
		w.ours[p] = &sync.Once{}
		tested[p.ForTest] = tested[p.ForTest] || p.PkgPath == p.ForTest
	}
	for _, p := range loaded {
		isWritten := !strings.HasSuffix(p.ID, ".test") // what runs a package's tests is not
		if isWritten && (p.ForTest != "" || !tested[p.PkgPath]) {
			w.judged = append(w.judged, p)
		}
	}
	learnLibraries(loaded, w.ours, w.known)
	return w
}

// all looks at every package, after those that it imports.
func (w *work) all() {
	var each sync.WaitGroup
	for p := range w.ours {
		each.Go(func() { w.look(p) })
	}
	each.Wait()
}

func (w *work) look(p *packages.Package) {
	once, isOurs := w.ours[p]
	if !isOurs {
		return
	}
	once.Do(func() {
		var imported sync.WaitGroup
		for _, i := range p.Imports {
			imported.Go(func() { w.look(i) })
		}
		imported.Wait()
		w.turns <- struct{}{}
		defer func() { <-w.turns }()
		w.lint(p)
	})
}

func (w *work) lint(p *packages.Package) {
	isJudged := false
	for _, one := range w.judged {
		isJudged = isJudged || one == p
	}
	done := map[*analysis.Analyzer]any{}
	for _, l := range w.linters {
		for _, a := range l.analyzers {
			if !isJudged && !l.learns(a) {
				continue
			}
			if _, err := w.analyze(p, a, done, func(found finding) {
				if found.linter = l.name; isJudged {
					w.tell(found)
				}
			}); err != nil {
				w.fails(fmt.Errorf("%s of %s: %w", a.Name, p.ID, err))
			}
		}
	}
}

func (w *work) tell(found finding) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.found = append(w.found, found)
}

func (w *work) fails(err error) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.err = err
}

// analyze asks an analyzer about a package, and before it those on which it rests.
func (w *work) analyze(p *packages.Package, a *analysis.Analyzer, done map[*analysis.Analyzer]any,
	tell func(finding)) (any, error) {
	if result, known := done[a]; known {
		return result, nil
	}
	needed := map[*analysis.Analyzer]any{}
	for _, before := range a.Requires {
		result, err := w.analyze(p, before, done, func(finding) {})
		if err != nil {
			return nil, err
		}
		needed[before] = result
	}
	pass := &analysis.Pass{
		Analyzer: a, Fset: p.Fset, Files: p.Syntax, OtherFiles: p.OtherFiles, IgnoredFiles: p.IgnoredFiles,
		Pkg: p.Types, TypesInfo: p.TypesInfo, TypesSizes: p.TypesSizes, ResultOf: needed, ReadFile: os.ReadFile,
		Module: moduleOf(p),
		Report: func(d analysis.Diagnostic) {
			tell(finding{at: p.Fset.Position(d.Pos), text: d.Message})
		},
	}
	w.known.lend(pass)
	result, err := a.Run(pass)
	if err == nil && a.ResultType != nil && reflect.TypeOf(result) != a.ResultType {
		err = fmt.Errorf("its result is %T", result)
	}
	done[a] = result
	return result, err
}

func moduleOf(p *packages.Package) *analysis.Module {
	if p.Module == nil {
		return &analysis.Module{}
	}
	return &analysis.Module{Path: p.Module.Path, Version: p.Module.Version, GoVersion: p.Module.GoVersion}
}
