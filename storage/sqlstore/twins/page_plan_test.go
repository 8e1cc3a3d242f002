package twins

import (
	"testing"

	"github.com/portico-id/portico/internal/harness/queryplan"
)

// Rule: TWIN-3
func TestAPageOfChangesBeginsWhereTheLastOneEnded(t *testing.T) {
	queryplan.Uses(t, selectFacilities, "facilities_hub (hub_id=? AND (name_key,uid)>(?,?))")
	queryplan.Uses(t, selectFacilityPlaces, "facilities_hub (hub_id=? AND (name_key,uid)>(?,?))")
	queryplan.Uses(t, selectCellChanges,
		"sqlite_autoindex_mutation_changes_1 (mutation_id=? AND (element_id,property_id)>(?,?))")
}
