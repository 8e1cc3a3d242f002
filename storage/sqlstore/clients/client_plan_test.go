package clients

import (
	"testing"

	"github.com/portico-id/portico/internal/harness/queryplan"
)

func TestClientsAreFoundByIndex(t *testing.T) {
	queryplan.ByIndex(t, selectClient)
}
