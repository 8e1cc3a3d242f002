//go:build linter

package main

import (
	"fmt"
	"slices"

	"codeberg.org/polyfloyd/go-errorlint/errorlint"
	"github.com/golangci/rowserrcheck/passes/rowserr"
	"github.com/gordonklaus/ineffassign/pkg/ineffassign"
	"github.com/kisielk/errcheck/errcheck"
	"github.com/timakin/bodyclose/passes/bodyclose"
	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/buildssa"
)

// linter is a name in the configuration, and what looks for it.
type linter struct {
	name      string
	analyzers []*analysis.Analyzer
}

// learns reports whether an analyzer, or one below it, has facts for those who import.
func (l linter) learns(a *analysis.Analyzer) bool {
	return len(a.FactTypes) > 0 || slices.ContainsFunc(a.Requires, l.learns)
}

// linters are those that the settings ask for.
func (s *settings) linters() (all []linter, err error) {
	for _, name := range s.names() {
		l := linter{name: name}
		switch name {
		case "nolintlint": // see excuse
		case "govet":
			l.analyzers = vets()
		case "staticcheck":
			l.analyzers = s.staticchecks()
		case "revive":
			l.analyzers, err = s.revive()
		default:
			one := s.single(name)
			if one == nil {
				return nil, fmt.Errorf("there is no linter %s here: add it to the others", name)
			}
			l.analyzers = []*analysis.Analyzer{one}
		}
		if err != nil {
			return nil, err
		}
		all = append(all, l)
	}
	return all, nil
}

// single is a linter that is one analyzer.
func (s *settings) single(name string) *analysis.Analyzer {
	switch name {
	case "bodyclose":
		return bodyclose.Analyzer
	case "errcheck":
		return own(name, s.unchecked)
	case "errorlint":
		return errorlint.NewAnalyzer()
	case "gochecknoinits":
		return own(name, initializers)
	case "ineffassign":
		return ineffassign.Analyzer
	case "misspell":
		return own(name, misspelled())
	case "rowserrcheck":
		return rowserr.NewAnalyzer()
	case "unconvert":
		return own(name, unconverted)
	case "unparam":
		return own(name, unneeded, buildssa.Analyzer)
	case "unused":
		return unusedThings()
	}
	return nil
}

func (s *settings) unchecked(pass *analysis.Pass) error {
	checker := errcheck.Checker{Exclusions: errcheck.Exclusions{BlankAssignments: true, TypeAssertions: true,
		Symbols: append(slices.Clone(errcheck.DefaultExcludedSymbols), s.Linters.Settings.Errcheck.ExcludeFunctions...)}}
	for _, one := range checker.CheckPackage(asPackage(pass)).Unique().UncheckedErrors {
		name := one.SelectorName
		if name == "" {
			name = one.FuncName
		}
		reportAt(pass, one.Pos, "Error return value of `"+name+"` is not checked")
	}
	return nil
}
