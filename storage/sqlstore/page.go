package sqlstore

import (
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

// pageLimit returns the number of rows of a page.
func pageLimit(page storage.PageRequest) (int, error) {
	if page.Limit == 0 {
		return storage.MaxPage, nil
	}
	if page.Limit < 1 || page.Limit > storage.MaxPage {
		return 0, fault.Newf(fault.Invalid, "", "A page has 1 to %d rows, not %d.", storage.MaxPage, page.Limit)
	}
	return page.Limit, nil
}

// cutPage cuts rows, of which one more was read than the page holds, and
// returns the cursor of the next page: the key of the last row, or "" when
// nothing follows.
func cutPage[R any](rows []R, limit int, key func(R) string) ([]R, string) {
	if len(rows) <= limit {
		return rows, ""
	}
	rows = rows[:limit]
	return rows, key(rows[limit-1])
}

// records turns rows into what the contract speaks of. No rows are nil.
func records[R, T any](rows []R, record func(R) T) []T {
	if len(rows) == 0 {
		return nil
	}
	all := make([]T, len(rows))
	for i, row := range rows {
		all[i] = record(row)
	}
	return all
}
