//go:build linter

package main

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/mgechev/revive/lint"
	"github.com/mgechev/revive/rule"
	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/appends"
	"golang.org/x/tools/go/analysis/passes/asmdecl"
	"golang.org/x/tools/go/analysis/passes/assign"
	"golang.org/x/tools/go/analysis/passes/atomic"
	"golang.org/x/tools/go/analysis/passes/bools"
	"golang.org/x/tools/go/analysis/passes/buildtag"
	"golang.org/x/tools/go/analysis/passes/cgocall"
	"golang.org/x/tools/go/analysis/passes/composite"
	"golang.org/x/tools/go/analysis/passes/copylock"
	"golang.org/x/tools/go/analysis/passes/defers"
	"golang.org/x/tools/go/analysis/passes/directive"
	"golang.org/x/tools/go/analysis/passes/errorsas"
	"golang.org/x/tools/go/analysis/passes/framepointer"
	"golang.org/x/tools/go/analysis/passes/hostport"
	"golang.org/x/tools/go/analysis/passes/httpresponse"
	"golang.org/x/tools/go/analysis/passes/ifaceassert"
	"golang.org/x/tools/go/analysis/passes/inline"
	"golang.org/x/tools/go/analysis/passes/lostcancel"
	"golang.org/x/tools/go/analysis/passes/nilfunc"
	"golang.org/x/tools/go/analysis/passes/printf"
	"golang.org/x/tools/go/analysis/passes/shift"
	"golang.org/x/tools/go/analysis/passes/sigchanyzer"
	"golang.org/x/tools/go/analysis/passes/slog"
	"golang.org/x/tools/go/analysis/passes/stdmethods"
	"golang.org/x/tools/go/analysis/passes/stdversion"
	"golang.org/x/tools/go/analysis/passes/stringintconv"
	"golang.org/x/tools/go/analysis/passes/structtag"
	"golang.org/x/tools/go/analysis/passes/testinggoroutine"
	"golang.org/x/tools/go/analysis/passes/tests"
	"golang.org/x/tools/go/analysis/passes/timeformat"
	"golang.org/x/tools/go/analysis/passes/unmarshal"
	"golang.org/x/tools/go/analysis/passes/unreachable"
	"golang.org/x/tools/go/analysis/passes/unsafeptr"
	"golang.org/x/tools/go/analysis/passes/unusedresult"
	"golang.org/x/tools/go/analysis/passes/waitgroup"
	honnef "honnef.co/go/tools/analysis/lint"
	"honnef.co/go/tools/config"
	"honnef.co/go/tools/quickfix"
	"honnef.co/go/tools/simple"
	"honnef.co/go/tools/staticcheck"
	"honnef.co/go/tools/stylecheck"
	"honnef.co/go/tools/unused"
)

// vets are what "go vet" finds.
func vets() []*analysis.Analyzer {
	return []*analysis.Analyzer{
		appends.Analyzer, asmdecl.Analyzer, assign.Analyzer, atomic.Analyzer, bools.Analyzer, buildtag.Analyzer,
		cgocall.Analyzer, composite.Analyzer, copylock.Analyzer, defers.Analyzer, directive.Analyzer, errorsas.Analyzer,
		framepointer.Analyzer, hostport.Analyzer, httpresponse.Analyzer, ifaceassert.Analyzer, inline.Analyzer,
		lostcancel.Analyzer, nilfunc.Analyzer, printf.Analyzer, shift.Analyzer, sigchanyzer.Analyzer, slog.Analyzer,
		stdmethods.Analyzer, stdversion.Analyzer, stringintconv.Analyzer, structtag.Analyzer, testinggoroutine.Analyzer,
		tests.Analyzer, timeformat.Analyzer, unmarshal.Analyzer, unreachable.Analyzer, unsafeptr.Analyzer,
		unusedresult.Analyzer, waitgroup.Analyzer,
	}
}

// staticchecks are those of the settings: all, or one by name, or many by a name that ends in a
// star; without those behind a minus.
func (s *settings) staticchecks() (wanted []*analysis.Analyzer) {
	standard := config.DefaultConfig
	config.Analyzer.Run = func(*analysis.Pass) (any, error) { return &standard, nil }
	for _, one := range slices.Concat(staticcheck.Analyzers, stylecheck.Analyzers, simple.Analyzers, quickfix.Analyzers) {
		isWanted := false
		for _, check := range s.Linters.Settings.Staticcheck.Checks {
			pattern, isNot := strings.CutPrefix(check, "-")
			start, isMany := strings.CutSuffix(pattern, "*")
			if pattern == "all" || pattern == one.Analyzer.Name || isMany && strings.HasPrefix(one.Analyzer.Name, start) {
				isWanted = !isNot
			}
		}
		if isWanted {
			wanted = append(wanted, named(one))
		}
	}
	return wanted
}

// named tells the check's name with what it finds.
func named(check *honnef.Analyzer) *analysis.Analyzer {
	a := check.Analyzer
	run := a.Run
	a.Run = func(pass *analysis.Pass) (any, error) {
		report := pass.Report
		pass.Report = func(d analysis.Diagnostic) {
			d.Message = a.Name + ": " + d.Message
			report(d)
		}
		return run(pass)
	}
	return a
}

// unusedThings finds what nobody uses in a package with its tests.
func unusedThings() *analysis.Analyzer {
	graph := unused.Analyzer.Analyzer
	return own("unused", func(pass *analysis.Pass) error {
		result := pass.ResultOf[graph].(unused.Result)
		for _, one := range result.Unused {
			isUsed := slices.ContainsFunc(result.Used, func(other unused.Object) bool {
				return other.Name == one.Name && other.Position == one.Position
			})
			if one.Kind != "type param" && !isUsed {
				reportAt(pass, one.Position, one.Kind+" "+one.Name+" is unused")
			}
		}
		return nil
	}, graph)
}

// rules are those of revive's that are known here.
func rules() []lint.Rule {
	return []lint.Rule{&rule.ExportedRule{}, &rule.PackageCommentsRule{}, &rule.ReceiverNamingRule{},
		&rule.IndentErrorFlowRule{}, &rule.SuperfluousElseRule{}, &rule.ContextAsArgumentRule{}, &rule.ErrorReturnRule{},
		&rule.VarNamingRule{}}
}

func (s *settings) revive() ([]*analysis.Analyzer, error) {
	const confidence = 0.8 // below it revive itself says nothing
	settings := lint.Config{Confidence: confidence, Rules: lint.RulesConfig{}}
	var wanted []lint.Rule
	for _, one := range s.Linters.Settings.Revive.Rules {
		i := slices.IndexFunc(rules(), func(r lint.Rule) bool { return r.Name() == one.Name })
		if i < 0 {
			return nil, fmt.Errorf("there is no rule %s of revive's here: add it to the others", one.Name)
		}
		r := rules()[i]
		if configurable, is := r.(lint.ConfigurableRule); is {
			if err := configurable.Configure(one.Arguments); err != nil {
				return nil, err
			}
		}
		settings.Rules[one.Name] = lint.RuleConfig{Arguments: one.Arguments}
		wanted = append(wanted, r)
	}
	linter := lint.New(os.ReadFile, 0)
	return []*analysis.Analyzer{own("revive", func(pass *analysis.Pass) error {
		var files []string
		for _, file := range pass.Files {
			files = append(files, pass.Fset.File(file.Pos()).Name())
		}
		found, err := linter.Lint([][]string{files}, wanted, settings)
		if err != nil {
			return err
		}
		for one := range found {
			if one.Confidence >= confidence {
				reportAt(pass, one.Position.Start, one.RuleName+": "+one.Failure)
			}
		}
		return nil
	})}, nil
}
