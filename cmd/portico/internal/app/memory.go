package app

import (
	"runtime/debug"
	"slices"
	"strings"
)

// collectAt has garbage collected when the heap is five times what is alive,
// unless GOGC says otherwise. Hashing one password takes 19 MiB, several times
// all the rest: at Go's own setting nearly every sign-in would begin a
// collection, which tokens that are being signed have to share a processor with.
const collectAt = 400

func collectLess(environ []string) {
	if !slices.ContainsFunc(environ, func(e string) bool { return strings.HasPrefix(e, "GOGC=") }) {
		debug.SetGCPercent(collectAt)
	}
}
