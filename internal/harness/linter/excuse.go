//go:build linter

package main

import (
	"go/ast"
	"go/token"
	"regexp"
	"slices"
	"strings"
)

// excuse takes away what a comment like //nolint:errcheck // why excuses on its line, and
// finds those comments that have no reason, name no linter of ours or excuse nothing.
func excuse(set *token.FileSet, files []*ast.File, linters []string, found []finding) []finding {
	for _, file := range files {
		for _, group := range file.Comments {
			for _, comment := range group.List {
				if !begins.MatchString(comment.Text) {
					continue
				}
				at := set.Position(comment.Pos())
				whole := exception.FindStringSubmatch(comment.Text)
				if whole == nil {
					found = append(found, finding{at, "an exception is //nolint:linter // why", "nolintlint"})
					continue
				}
				for name := range strings.SplitSeq(whole[1], ",") {
					before := len(found)
					found = slices.DeleteFunc(found, func(f finding) bool {
						return f.linter == name && f.at.Filename == at.Filename && f.at.Line == at.Line
					})
					if len(found) == before || !slices.Contains(linters, name) {
						found = append(found, finding{at, name + " finds nothing here", "nolintlint"})
					}
				}
			}
		}
	}
	return found
}

var (
	begins    = regexp.MustCompile(`^//\s*nolint\b`)
	exception = regexp.MustCompile(`^//nolint:([a-z]+(?:,[a-z]+)*) // .*\S`)
)
