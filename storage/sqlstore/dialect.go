package sqlstore

import (
	"strings"

	"github.com/jmoiron/sqlx"
	"github.com/portico-id/portico/migrations"
)

// dialect is what the engines say differently. Queries are written so that
// little is left for it: names instead of placeholders, words in braces, and a
// row lock, which SQLite neither has nor needs, in a last line that starts with
// FOR.
type dialect struct {
	engine     migrations.Engine
	bind       int               // how placeholders look, in sqlx's terms
	rowLocks   bool              // whether the line FOR … is understood
	foldsLater bool              // changes below a folder are noted first (folder_changes)
	words      *strings.Replacer // what words in braces stand for
}

func sqliteDialect() dialect {
	return dialect{engine: migrations.SQLite, bind: sqlx.QUESTION, words: strings.NewReplacer(
		"{rollup_at}", "f.rollup_at", "{object_count}", "f.object_count", "{pending}", "", "{bool}", "integer")}
}

func postgresDialect() dialect {
	return dialect{
		engine: migrations.Postgres, bind: sqlx.DOLLAR, rowLocks: true, foldsLater: true,
		words: strings.NewReplacer(
			"{rollup_at}", "greatest(f.rollup_at, pending.at)",
			"{object_count}", "f.object_count + coalesce(pending.objects, 0)",
			"{pending}", pendingChanges, "{bool}", "boolean"),
	}
}

// pendingChanges joins what is noted for folder f at path fp and below it.
const pendingChanges = `
LEFT JOIN LATERAL (
	SELECT max(c.at) AS at, cast(sum(CASE WHEN c.folder_id = f.id THEN c.objects END) AS bigint) AS objects
	FROM folder_changes c
	WHERE c.path >= fp.path AND c.path < substr(fp.path, 1, length(fp.path) - 1) || '0'
) pending ON true`

// text returns the query as the engine wants it, still with named parameters.
func (d dialect) text(query string) string {
	query = d.words.Replace(query)
	if d.rowLocks {
		return query
	}
	query, _, _ = strings.Cut(query, "\nFOR ")
	return query
}
