package sqlstore

import (
	"strconv"
	"strings"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

// span is a page in a query's terms: what comes after a cursor, or past a
// number of rows.
type span struct {
	after  string
	offset int
	limit  int
}

// spanOf reads a page request.
func spanOf(page storage.DataPage) (span, error) {
	limit, err := pageLimit(storage.PageRequest{Limit: page.Limit})
	if err != nil {
		return span{}, err
	}
	if page.Number < 0 {
		return span{}, fault.New(fault.Invalid, "", "Pages are numbered from 0.")
	}
	if page.After != "" {
		return span{after: page.After, limit: limit}, nil
	}
	return span{offset: page.Number * limit, limit: limit}, nil
}

// limitClause ends a query with one row more than the page holds.
func (f *filter) limitClause(s span) string {
	clause := " LIMIT " + f.bind(s.limit+1)
	if s.offset > 0 {
		clause += " OFFSET " + f.bind(s.offset)
	}
	return clause
}

// nameCursor is where a list ordered by (name key, id) goes on.
func nameCursor(id, key string) string { return id + ":" + key }

func splitNameCursor(cursor string) (id, key string, err error) {
	id, key, found := strings.Cut(cursor, ":")
	if !found {
		return "", "", badCursor()
	}
	return id, key, nil
}

func badCursor() error {
	return fault.New(fault.Invalid, "", "The cursor is none that a page of this list ends with.")
}

// parseNumber reads a cursor that is a number.
func parseNumber(cursor string) (int, error) {
	n, err := strconv.Atoi(cursor)
	if err != nil {
		return 0, badCursor()
	}
	return n, nil
}
