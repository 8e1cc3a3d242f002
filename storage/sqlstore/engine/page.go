package engine

import (
	"strconv"
	"strings"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

// PageLimit returns the number of rows of a page.
func PageLimit(page storage.PageRequest) (int, error) {
	if page.Limit == 0 {
		return storage.MaxPage, nil
	}
	if page.Limit < 1 || page.Limit > storage.MaxPage {
		return 0, fault.Newf(fault.Invalid, "", "A page has 1 to %d rows, not %d.", storage.MaxPage, page.Limit)
	}
	return page.Limit, nil
}

// CutPage cuts rows, of which one more was read than the page holds, and
// returns the cursor of the next page: the key of the last row, or "" when
// nothing follows.
func CutPage[R any](rows []R, limit int, key func(R) string) ([]R, string) {
	if len(rows) <= limit {
		return rows, ""
	}
	rows = rows[:limit]
	return rows, key(rows[limit-1])
}

// Records turns rows into what the contract speaks of. No rows are nil.
func Records[R, T any](rows []R, record func(R) T) []T {
	if len(rows) == 0 {
		return nil
	}
	all := make([]T, len(rows))
	for i, row := range rows {
		all[i] = record(row)
	}
	return all
}

// Span is a page in a query's terms: what comes after a cursor, or past a
// number of rows.
type Span struct {
	After  string
	Offset int
	Limit  int
}

// SpanOf reads a page request.
func SpanOf(page storage.DataPage) (Span, error) {
	limit, err := PageLimit(storage.PageRequest{Limit: page.Limit})
	if err != nil {
		return Span{}, err
	}
	if page.Number < 0 {
		return Span{}, fault.New(fault.Invalid, "", "Pages are numbered from 0.")
	}
	if page.After != "" {
		return Span{After: page.After, Limit: limit}, nil
	}
	return Span{Offset: page.Number * limit, Limit: limit}, nil
}

// LimitClause ends a query with one row more than the page holds.
func (f *Filter) LimitClause(s Span) string {
	clause := " LIMIT " + f.Bind(s.Limit+1)
	if s.Offset > 0 {
		clause += " OFFSET " + f.Bind(s.Offset)
	}
	return clause
}

// NameCursor is where a list ordered by (name key, id) goes on.
func NameCursor(id, key string) string { return id + ":" + key }

// SplitNameCursor takes a NameCursor apart.
func SplitNameCursor(cursor string) (id, key string, err error) {
	id, key, found := strings.Cut(cursor, ":")
	if !found {
		return "", "", BadCursor()
	}
	return id, key, nil
}

// BadCursor is the fault for a cursor that no page of ours ends with.
func BadCursor() error {
	return fault.New(fault.Invalid, "", "The cursor is none that a page of this list ends with.")
}

// ParseNumber reads a cursor that is a number.
func ParseNumber(cursor string) (int, error) {
	n, err := strconv.Atoi(cursor)
	if err != nil {
		return 0, BadCursor()
	}
	return n, nil
}
