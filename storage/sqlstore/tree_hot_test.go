package sqlstore

import (
	"testing"

	"github.com/portico-id/portico/internal/harness/queryplan"
	"github.com/portico-id/portico/storage/sqlstore/flow"
	"github.com/portico-id/portico/storage/sqlstore/hubs"
	"github.com/portico-id/portico/storage/sqlstore/tree"
	"github.com/portico-id/portico/storage/sqlstore/twins"
)

func TestTreesAndTwinsAreFoundByIndex(t *testing.T) {
	queryplan.ByIndex(t, queryplan.Of(flow.Hot())...)
	queryplan.ByIndex(t, queryplan.Of(hubs.Hot())...)
	queryplan.ByIndex(t, queryplan.Of(tree.Hot())...)
	queryplan.ByIndex(t, queryplan.Of(twins.Hot())...)
}
