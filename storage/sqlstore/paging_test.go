package sqlstore_test

import (
	"testing"

	"github.com/portico-id/portico/storage/storagetest"
)

// pagingItems says how many items are paged through.
const pagingItems = "PORTICO_PAGING_ITEMS"

func TestPagesUnderWritersHoldWhatStaysExactlyOnceOnSQLite(t *testing.T) {
	storagetest.RunPaging(t, onSQLite(), setting(t, pagingItems, 4000))
}

func TestPagesUnderWritersHoldWhatStaysExactlyOnceOnPostgreSQL(t *testing.T) {
	storagetest.RunPaging(t, onPostgres(), setting(t, pagingItems, 4000))
}
