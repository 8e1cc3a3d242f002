package identity

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Rule: EXCHANGE-10
func TestOnlyUsedAssertionsAreWrittenWithoutWaitingForTheDisk(t *testing.T) {
	if diff := cmp.Diff([]string{insertAssertionID}, Hot().Unsynced); diff != "" {
		t.Errorf("what is written without waiting (-want +got):\n%s", diff)
	}
}
