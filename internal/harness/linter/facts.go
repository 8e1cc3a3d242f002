//go:build linter

package main

import (
	"go/types"
	"reflect"
	"sync"

	"golang.org/x/tools/go/analysis"
)

// facts are what analyzers know of things and packages.
type facts struct {
	mutex sync.RWMutex
	known map[factKey]analysis.Fact
}

// factKey is a thing or a package, and the kind of a fact.
type factKey struct {
	of   any
	kind reflect.Type
}

func newFacts() *facts { return &facts{known: map[factKey]analysis.Fact{}} }

func (f *facts) keep(of any, fact analysis.Fact) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	f.known[factKey{of, reflect.TypeOf(fact)}] = fact
}

func (f *facts) tell(of any, into analysis.Fact) bool {
	f.mutex.RLock()
	defer f.mutex.RUnlock()
	fact, known := f.known[factKey{of, reflect.TypeOf(into)}]
	if known {
		reflect.ValueOf(into).Elem().Set(reflect.ValueOf(fact).Elem())
	}
	return known
}

// each visits what is known of the kinds that an analyzer has.
func (f *facts) each(kinds []analysis.Fact, visit func(of any, fact analysis.Fact)) {
	f.mutex.RLock()
	defer f.mutex.RUnlock()
	for key, fact := range f.known {
		for _, kind := range kinds {
			if reflect.TypeOf(kind) == key.kind {
				visit(key.of, fact)
			}
		}
	}
}

// lend lets a pass keep and ask for facts.
func (f *facts) lend(pass *analysis.Pass) {
	kinds := pass.Analyzer.FactTypes
	pass.ImportObjectFact = func(o types.Object, into analysis.Fact) bool { return f.tell(o, into) }
	pass.ImportPackageFact = func(p *types.Package, into analysis.Fact) bool { return f.tell(p, into) }
	pass.ExportObjectFact = func(o types.Object, fact analysis.Fact) { f.keep(o, fact) }
	pass.ExportPackageFact = func(fact analysis.Fact) { f.keep(pass.Pkg, fact) }
	pass.AllObjectFacts = func() (all []analysis.ObjectFact) {
		f.each(kinds, func(of any, fact analysis.Fact) {
			if o, is := of.(types.Object); is {
				all = append(all, analysis.ObjectFact{Object: o, Fact: fact})
			}
		})
		return all
	}
	pass.AllPackageFacts = func() (all []analysis.PackageFact) {
		f.each(kinds, func(of any, fact analysis.Fact) {
			if p, is := of.(*types.Package); is {
				all = append(all, analysis.PackageFact{Package: p, Fact: fact})
			}
		})
		return all
	}
}
