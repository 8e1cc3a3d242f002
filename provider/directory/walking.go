package directory

import (
	"context"

	"github.com/portico-id/portico/storage"
)

// walk is one under way. It holds names of people and of groups, and a page of entries.
type walk struct {
	directory
	unbraked bool
	said     storage.DirectoryWalk
	seen     map[string]bool // subjects
	graph    *graph          // nil: groups don't matter
}

func (w *walk) skip(ctx context.Context, why error) {
	w.said.Skipped++
	w.with.Log.DebugContext(ctx, "an entry of a directory is passed over", "directory", w.ID, "cause", why)
}

// A walk that misses more than this at once has lost its way: a filter or a right was
// changed, and nobody left.
const (
	brakeAtLeast = 5
	brakeShare   = 20 // one in so many
)

func braked(missing, of int) bool { return missing > max(brakeAtLeast, of/brakeShare) }
