package engine

import (
	"context"
	"math"
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

// Find returns the row of a query, or the fault for an absent thing.
func Find[T any](ctx context.Context, db *DB, what, query string, arg any) (T, error) {
	var row T
	err := db.Get(ctx, &row, query, arg)
	return row, OrAbsent(err, what)
}

// All returns the rows of a query. No rows are nil.
func All[T any](ctx context.Context, db *DB, query string, arg any) ([]T, error) {
	var rows []T
	err := db.List(ctx, &rows, query, arg)
	return rows, AsFault(err)
}

// Filtered returns the rows of a query that the filter was made for.
func Filtered[T any](ctx context.Context, db *DB, query string, f *Filter) ([]T, error) {
	if f.Err != nil {
		return nil, f.Err
	}
	return All[T](ctx, db, query, f.Args)
}

// Page returns a page of a query for what comes after :after, at most :limit, and
// the next page's cursor, which is the key of the last row.
func Page[T any](ctx context.Context, db *DB, page storage.PageRequest, query string, arg Args,
	key func(T) string) ([]T, string, error) {
	limit, err := PageLimit(page)
	if err != nil {
		return nil, "", err
	}
	arg["limit"] = limit + 1
	if _, known := arg["after"]; !known {
		arg["after"] = page.After
	}
	rows, err := All[T](ctx, db, query, arg)
	if err != nil {
		return nil, "", err
	}
	rows, next := CutPage(rows, limit, key)
	return rows, next, nil
}

// PageBack is Page for what has a number below :before: the newest comes first.
func PageBack[T any](ctx context.Context, db *DB, page storage.PageRequest, query string, arg Args,
	number func(T) int64) ([]T, string, error) {
	arg["before"] = int64(math.MaxInt64)
	if page.After != "" {
		before, err := strconv.ParseInt(page.After, 10, 64)
		if err != nil {
			return nil, "", BadCursor()
		}
		arg["before"] = before
	}
	return Page(ctx, db, page, query, arg, func(row T) string { return strconv.FormatInt(number(row), 10) })
}

// PageByNumber returns a page of a query for what comes after a number, which the
// column has.
func PageByNumber[T any](ctx context.Context, db *DB, page storage.PageRequest, query string, f *Filter, column string,
	number func(T) int64) ([]T, string, error) {
	if page.After != "" {
		after, err := ParseNumber(page.After)
		if err != nil {
			return nil, "", err
		}
		f.Add(column + " > " + f.Bind(after))
	}
	if f.Err != nil {
		return nil, "", f.Err
	}
	query += f.Clause() + "\nORDER BY " + column + " LIMIT :limit"
	return Page(ctx, db, page, query, f.Args, func(row T) string { return strconv.FormatInt(number(row), 10) })
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
