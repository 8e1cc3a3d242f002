package sqlstore

import (
	"strings"

	"github.com/jmoiron/sqlx"
	"github.com/portico-id/portico/migrations"
)

// dialect is what the engines say differently. Queries are written so that
// little is left for it: names instead of placeholders, and a row lock, which
// SQLite neither has nor needs, in a last line that starts with FOR.
type dialect struct {
	engine   migrations.Engine
	bind     int  // how placeholders look, in sqlx's terms
	rowLocks bool // whether the line FOR … is understood
}

func sqliteDialect() dialect {
	return dialect{engine: migrations.SQLite, bind: sqlx.QUESTION}
}

func postgresDialect() dialect {
	return dialect{engine: migrations.Postgres, bind: sqlx.DOLLAR, rowLocks: true}
}

// text returns the query as the engine wants it, still with named parameters.
func (d dialect) text(query string) string {
	if d.rowLocks {
		return query
	}
	query, _, _ = strings.Cut(query, "\nFOR ")
	return query
}
