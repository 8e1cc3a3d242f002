// Package version says which Portico this is. Migrations compare it with the
// oldest version that a schema supports.
package version

import (
	_ "embed" // for VERSION
	"runtime/debug"
	"strings"
)

//go:embed VERSION
var file string

// Number is MAJOR.MINOR.PATCH of this source tree, as the file VERSION has it.
var Number = strings.TrimSpace(file)

// Commit returns the commit that this binary was built from, with "+changes"
// behind it when the tree had others, or "unknown" where nobody noted it, as in
// a test.
func Commit() string {
	built, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	return commitOf(built.Settings)
}

func commitOf(settings []debug.BuildSetting) string {
	commit, changes := "unknown", ""
	for _, s := range settings {
		switch {
		case s.Key == "vcs.revision":
			commit = s.Value
		case s.Key == "vcs.modified" && s.Value == "true":
			changes = "+changes"
		}
	}
	return commit + changes
}
