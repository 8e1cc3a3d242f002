package engine

import (
	"context"
	"fmt"
	"strings"

	"github.com/jmoiron/sqlx"
	"github.com/portico-id/portico/migrations"
)

func sqliteDialect() dialect {
	words := append(append(sqliteEntries(), sqliteWhole()...),
		"{rollup_at}", "f.rollup_at", "{object_count}", "f.object_count", "{pending}", "", "{bool}", "integer",
		"{path of g}", "JOIN folder_paths fp ON fp.folder_id = g.folder_id",
		"{among ids}", "IN (SELECT value FROM json_each(:ids))", "{among texts}", "IN (SELECT value FROM json_each(:ids))",
		"{profile without ldap_domain}", "json_remove(profile, '$.ldap_domain')",
		"{user_name}", "json_extract(u.profile, '$.name')",
		"{note change}", applyChange, "{skip locked}", "", "{sharing u and c}", "",
		"{lock registrations}", "SELECT 1", "{read only}", "'off'", "{clock or now}", ":now",
		"{lock project together}", "", "{lock project alone}", "", "{lift timeout}", "", "{seek by index}",
		"", "{analyze tree}", "",
		"{new ids}", newIDs,
		// A limit that is a parameter and nothing else has the statement parsed anew for each value.
		"LIMIT :", "LIMIT 0 + :",
	)
	return dialect{engine: migrations.SQLite, bind: sqlx.QUESTION,
		words: strings.NewReplacer(words...), insertAll: insertMany}
}

// newIDs are those that follow the last one.
const newIDs = `
WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < :n)
SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = :name), 0) + i FROM n`

// rowsPerInsert keeps a statement of SQLite well below its 32 766 values.
const rowsPerInsert = 100

// insertMany is INSERT with many rows.
func insertMany(ctx context.Context, on *sqlx.Tx, all Table) error {
	for len(all.Rows) > 0 {
		n := min(rowsPerInsert, len(all.Rows))
		var values []any
		for _, row := range all.Rows[:n] {
			values = append(values, row...)
		}
		one := "(?" + strings.Repeat(", ?", len(all.Columns)-1) + ")"
		text := fmt.Sprintf("INSERT INTO %s (%s) VALUES %s%s", all.Name, strings.Join(all.Columns, ", "),
			one, strings.Repeat(", "+one, n-1))
		if _, err := on.ExecContext(ctx, text, values...); err != nil {
			return err
		}
		all.Rows = all.Rows[n:]
	}
	return nil
}

// applyChange tells a folder and all above it at once what PostgreSQL notes.
const applyChange = `
UPDATE folders SET rollup_at = CASE WHEN rollup_at < :at THEN :at ELSE rollup_at END,
	object_count = object_count + CASE WHEN id = :folder_id THEN :objects ELSE 0 END
WHERE id IN (
	WITH RECURSIVE up (id, parent_id) AS (
		SELECT b.id, b.parent_id FROM folders b WHERE b.id = :folder_id
		UNION ALL
		SELECT b.id, b.parent_id FROM up JOIN folders b ON b.id = up.parent_id
	)
	SELECT id FROM up)`

// sqliteEntries is how SQLite looks at JSON: what lies at a path is a table e, of
// one row or, for an array, of one for each entry. Members of objects are none.
func sqliteEntries() []string {
	return []string{
		"{entries of}", "json_each(nullif(", "{at}", ", ''), ", "{entries end}", ") e",
		"{entry as text}", "(CASE WHEN typeof(e.key) = 'text' THEN NULL WHEN e.type IN ('true', 'false') THEN e.type ELSE cast(e.atom AS text) END)",
		"{entry as number}", "(CASE WHEN typeof(e.key) <> 'text' AND e.type IN ('integer', 'real') THEN e.atom END)",
	}
}

// sqliteWhole is for reading and filling a whole database.
func sqliteWhole() []string {
	return []string{
		"{columns}", `
SELECT t.name AS table_name, c.name AS column_name, c.type AS declared, c.pk = 1 AND t.sql LIKE '%AUTOINCREMENT%' AS counted
FROM sqlite_schema t JOIN pragma_table_info(t.name) c
WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite!_%' ESCAPE '!'
ORDER BY t.name, c.cid`,
		"{references}", "", "{references off}", "PRAGMA foreign_keys = OFF", "{references on}", "PRAGMA foreign_keys = ON",
		"{broken references}", `SELECT "table" FROM pragma_foreign_key_check LIMIT 1`, "{analyze all}", "", "{take time}", "",
		"{last counted}", "coalesce((SELECT seq FROM sqlite_sequence WHERE name = :name), 0)",
		"{count on}", "UPDATE sqlite_sequence SET seq = :last WHERE name = :name",
		"{count from}", "INSERT INTO sqlite_sequence (name, seq) VALUES (:name, :last)",
	}
}
