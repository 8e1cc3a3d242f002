package transmittals

import (
	"testing"

	"github.com/portico-id/portico/internal/harness/queryplan"
)

// However much was sent, somebody's own is found by index.
func TestWhatWasSentIsFoundByIndex(t *testing.T) {
	queryplan.ByIndex(t, selectOwn, selectSent, listSent, listSentOf, listVersions, listPeople, listFetched,
		selectUnfetched, selectFiles)
	for _, query := range []string{selectOwn, listSentOf} {
		queryplan.Uses(t, query, "transmittals_sender", "transmittal_people_user")
	}
}
