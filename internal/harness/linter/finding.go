//go:build linter

package main

import (
	"cmp"
	"go/token"
	"os"
	"path/filepath"
	"slices"
)

// finding is what a linter says of a line.
type finding struct {
	at           token.Position
	text, linter string
}

// sorted has each finding once: a file is in its package and in that of its tests.
func sorted(found []finding) []finding {
	here, err := os.Getwd()
	for i, one := range found {
		if relative, err2 := filepath.Rel(here, one.at.Filename); err == nil && err2 == nil {
			found[i].at.Filename = relative
		}
	}
	slices.SortFunc(found, func(a, b finding) int {
		return cmp.Or(cmp.Compare(a.at.Filename, b.at.Filename), cmp.Compare(a.at.Line, b.at.Line),
			cmp.Compare(a.at.Column, b.at.Column), cmp.Compare(a.text, b.text))
	})
	return slices.Compact(found)
}
