package datatest

import (
	"database/sql"
	"fmt"
	"strings"
)

// Rows is what queries about one thing, $1, find, as it is kept. To see that nothing
// has changed takes a fifth of what it takes to ask the store for everything.
func (w *World) Rows(about string, queries ...string) string {
	w.Helper()
	var text strings.Builder
	for _, query := range queries {
		var values []any
		if strings.Contains(query, "$1") {
			values = []any{about}
		}
		rows, err := w.prepared(query).QueryContext(w.Context(), values...)
		w.Must(err)
		w.Must(write(&text, rows))
	}
	return text.String()
}

// prepared is a query that is parsed and planned once.
func (w *World) prepared(query string) *sql.Stmt {
	w.Helper()
	if w.queries[query] == nil {
		stmt, err := w.asideOf().PrepareContext(w.Context(), query)
		w.Must(err)
		w.queries[query] = stmt
	}
	return w.queries[query]
}

// asideOf is a connection that knows nothing of the store's.
func (w *World) asideOf() *sql.DB {
	w.Helper()
	if w.beside != nil {
		return w.beside
	}
	driver, name := "postgres", w.database
	if file, isFile := strings.CutPrefix(name, "sqlite:"); isFile {
		driver, name = "sqlite", "file:"+file+"?_pragma=busy_timeout(10000)&_pragma=query_only(1)"
	}
	var err error
	w.beside, err = sql.Open(driver, name)
	w.Must(err)
	w.beside.SetMaxOpenConns(1)
	w.Cleanup(func() { _ = w.beside.Close() })
	return w.beside
}

func write(text *strings.Builder, rows *sql.Rows) error {
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return err
	}
	values, into := make([]sql.NullString, len(columns)), make([]any, len(columns))
	for i := range values {
		into[i] = &values[i]
	}
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			return err
		}
		for i, value := range values {
			if value.Valid {
				fmt.Fprintf(text, "%s:%s ", columns[i], value.String)
			}
		}
		fmt.Fprintln(text)
	}
	return rows.Err()
}
