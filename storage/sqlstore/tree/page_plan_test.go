package tree

import (
	"testing"

	"github.com/portico-id/portico/internal/harness/queryplan"
)

// All objects of a server lie in one bucket: who goes through a million of them must not
// step over all that come before at each page.
//
// Rule: OBJ-46
func TestAPageOfObjectsBeginsWhereTheLastOneEnded(t *testing.T) {
	const behind = " ((bucket,object_key)>(?,?))"
	queryplan.Uses(t, selectStored, "objects_key"+behind)
	queryplan.Uses(t, selectInfected, "objects_infected"+behind)
}
