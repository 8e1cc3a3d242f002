package engine

import (
	"context"
	"database/sql/driver"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"
	"github.com/portico-id/portico/migrations"
)

// dialect is what the engines say differently. Queries are written so that
// little is left for it: names instead of placeholders, words in braces, and a
// row lock, which SQLite neither has nor needs, in a last line that starts with
// FOR. A word may be a whole statement; where it stands for nothing, there is
// nothing to be done.
type dialect struct {
	engine    migrations.Engine
	bind      int               // how placeholders look, in sqlx's terms
	rowLocks  bool              // whether the line FOR … is understood
	words     *strings.Replacer // what words in braces stand for
	insertAll func(ctx context.Context, on *sqlx.Tx, all Table) error
}

// firstOfEach is that of Reading.
func (d dialect) firstOfEach(f, inside *Filter, columns, table, alias, orderAndLimit string) string {
	if d.rowLocks { // it sorts each by itself, so each gives no more than is wanted
		return " CROSS JOIN LATERAL (SELECT " + columns + " FROM " + table + " " +
			alias + inside.Clause() + orderAndLimit + ") " + alias
	}
	f.conditions = append(f.conditions, inside.conditions...)
	return " CROSS JOIN " + table + " " + alias
}

// array is a list, a slice, as a parameter. SQLite reads it with json_each.
func (d dialect) array(list any) driver.Valuer {
	if d.rowLocks {
		return pq.Array(list).(driver.Valuer)
	}
	return JSON[any]{list}
}

// rows returns a query with rows of values, texts and numbers, in the place of
// its mark. PostgreSQL takes a list for each column: to read hundreds of
// placeholders costs it more than what they are for.
func (d dialect) rows(text string, rows [][]any) (query string, values []any) {
	if !d.rowLocks {
		one := "(?" + strings.Repeat(", ?", len(rows[0])-1) + ")"
		return fmt.Sprintf(text, "VALUES "+one+strings.Repeat(", "+one, len(rows)-1)), slices.Concat(rows...)
	}
	marks := make([]string, len(rows[0]))
	for i, first := range rows[0] {
		kind := "text"
		if _, number := first.(int64); number {
			kind = "bigint"
			values = append(values, pq.Array(column[int64](rows, i)))
		} else {
			values = append(values, pq.Array(column[string](rows, i)))
		}
		marks[i] = fmt.Sprintf("cast($%d AS %s[])", i+1, kind)
	}
	return fmt.Sprintf(text, "SELECT * FROM unnest("+strings.Join(marks, ", ")+")"), values
}

func column[V any](rows [][]any, i int) []V {
	all := make([]V, len(rows))
	for n, row := range rows {
		all[n] = row[i].(V)
	}
	return all
}

// oneOf returns a query with one IN (?), with the list, which is a slice, in
// its place behind the values before it.
func (d dialect) oneOf(query string, list any, before []any) (text string, values []any, err error) {
	if d.rowLocks {
		return sqlx.Rebind(d.bind, strings.Replace(query,
			"IN (?)", "= ANY (?)", 1)), append(slices.Clone(before), pq.Array(list)), nil
	}
	text, values, err = sqlx.In(query, append(slices.Clone(before), list)...)
	return sqlx.Rebind(d.bind, text), values, err
}

// text returns the query as the engine wants it, still with named parameters.
func (d dialect) text(query string) string {
	query = d.words.Replace(query)
	if d.rowLocks {
		return query
	}
	query, _, _ = strings.Cut(query, "\nFOR ")
	return query
}

// named returns a query with placeholders in the place of :names, and the names.
func (d dialect) named(query string) (string, []string) {
	var text strings.Builder
	var names []string
	for {
		before, after, found := strings.Cut(query, ":")
		text.WriteString(before)
		if !found {
			return text.String(), names
		}
		rest := strings.TrimLeft(after, "abcdefghijklmnopqrstuvwxyz0123456789_.")
		names = append(names, strings.TrimSuffix(after, rest))
		text.WriteString(d.placeholder(len(names)))
		query = rest
	}
}

func (d dialect) placeholder(n int) string {
	if d.rowLocks {
		return "$" + strconv.Itoa(n)
	}
	return "?"
}
