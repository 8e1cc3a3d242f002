//go:build linter

// Command linter finds what the linters of .golangci.yml find, as golangci-lint does with
// the same file: that one takes three times as long to build, and, since it looks into every
// library as well, to run.
// The Makefile builds it with tools.mod; for go.mod there is nothing here.
package main

import (
	"fmt"
	"log"
	"os"
	"slices"

	"golang.org/x/tools/go/packages"
)

const configuration = ".golangci.yml"

func main() {
	log.SetFlags(0)
	log.SetPrefix("linter: ")
	wanted := os.Args[1:]
	if len(wanted) == 0 {
		wanted = []string{"./..."}
	}
	found, err := findings(wanted)
	if err != nil {
		log.Fatal(err)
	}
	for _, one := range found {
		fmt.Printf("%s: %s (%s)\n", one.at, one.text, one.linter)
	}
	if len(found) > 0 {
		os.Exit(1)
	}
}

func findings(patterns []string) ([]finding, error) {
	settings, err := readSettings(configuration)
	if err != nil {
		return nil, err
	}
	linters, err := settings.linters()
	if err != nil {
		return nil, err
	}
	loaded, err := load(patterns)
	if err != nil {
		return nil, err
	}
	w := newWork(loaded, linters)
	if len(w.judged) == 0 {
		return nil, fmt.Errorf("there is nothing in %v", patterns)
	}
	w.all()
	found := slices.DeleteFunc(w.found, settings.excludes)
	for _, p := range w.judged {
		found = excuse(p.Fset, p.Syntax, settings.names(), found)
	}
	return sorted(found), w.err
}

// load reads our packages from their source, with their tests, and takes the libraries from
// what Go has compiled.
func load(patterns []string) ([]*packages.Package, error) {
	loaded, err := packages.Load(&packages.Config{Tests: true, Mode: packages.LoadSyntax |
		packages.NeedModule | packages.NeedForTest}, patterns...)
	if err != nil {
		return nil, err
	}
	for _, p := range loaded {
		for _, trouble := range p.Errors {
			return nil, trouble
		}
	}
	return loaded, nil
}
