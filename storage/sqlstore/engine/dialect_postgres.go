package engine

import (
	"context"
	"strings"

	"github.com/jmoiron/sqlx"
	"github.com/portico-id/portico/migrations"
)

func postgresDialect() dialect {
	words := append(append(postgresEntries(), postgresWhole()...),
		"{rollup_at}", "greatest(f.rollup_at, pending.at)",
		"{object_count}", "f.object_count + coalesce(pending.objects, 0)",
		"{pending}", pendingChanges, "{bool}", "boolean", "{path of g}", pathOfG, "{among ids}", amongIDs,
		"{among texts}", "= ANY (ARRAY(SELECT unnest(cast(:ids AS text[]))))", // as amongIDs
		"{profile without ldap_domain}", "cast(cast(profile AS jsonb) - 'ldap_domain' AS text)",
		"{user_name}", "cast(u.profile AS jsonb) ->> 'name'",
		"{note change}", "INSERT INTO folder_changes (folder_id, path, at, objects) VALUES (:folder_id, :path, :at, :objects)",
		"{clock or now}", "cast(extract(epoch FROM clock_timestamp()) * 1000000 AS bigint)", // the one that all servers have
		"{read only}", "current_setting('transaction_read_only')",
		"{skip locked}", "FOR UPDATE SKIP LOCKED", "{sharing u and c}", "FOR SHARE OF u, c",
		"{lock project together}", lockProject("pg_advisory_xact_lock_shared"),
		"{lock project alone}", lockProject("pg_advisory_xact_lock"),
		"{lock registrations}", "SELECT pg_advisory_xact_lock(20561)", // 20560 is a project's first number
		"{seek by index}", "SET LOCAL enable_seqscan = off",
		"{lift timeout}", "SET LOCAL statement_timeout = 0", // for the statements of a long transaction
		"{analyze tree}", "ANALYZE folders, folder_paths, items, versions", // the planner knows how large they are
		"{new ids}", "SELECT nextval(pg_get_serial_sequence(:name, 'id')) FROM generate_series(1, :n)",
	)
	return dialect{
		engine: migrations.Postgres, bind: sqlx.DOLLAR, rowLocks: true,
		words: strings.NewReplacer(words...), insertAll: copyIn,
	}
}

// copyIn is COPY of PostgreSQL.
func copyIn(ctx context.Context, on *sqlx.Tx, all Table) error {
	stmt, err := on.PrepareContext(ctx, "COPY "+all.Name+" ("+strings.Join(all.Columns, ", ")+") FROM STDIN")
	if err != nil {
		return err
	}
	defer stmt.Close()
	for _, row := range all.Rows {
		if _, err := stmt.ExecContext(ctx, row...); err != nil {
			return err
		}
	}
	_, err = stmt.ExecContext(ctx)
	return err
}

// lockProject is an advisory lock of a project. The first number keeps it apart
// from others in the database.
func lockProject(function string) string {
	return `
SELECT id FROM (SELECT id, set_config('lock_timeout', '2s', true), ` + function + `(20560, cast(id AS int))
	FROM projects WHERE uid = :id) l`
}

// pendingChanges joins what is noted for folder f at path fp and below it.
// Whether anything is noted at all is asked once, not for each folder.
const pendingChanges = `
LEFT JOIN LATERAL (
	SELECT max(c.at) AS at, cast(sum(CASE WHEN c.folder_id = f.id THEN c.objects END) AS bigint) AS objects
	FROM folder_changes c
	WHERE c.path >= fp.path AND c.path < substr(fp.path, 1, length(fp.path) - 1) || '0'
		AND EXISTS (SELECT 1 FROM folder_changes)
) pending ON true`

// pathOfG is a join that is made by looking up row after row. OFFSET 0 keeps
// PostgreSQL from reading all paths of a larger tree for the sake of a thousand,
// which it takes for cheaper and which isn't while they are in memory.
const pathOfG = `CROSS JOIN LATERAL (SELECT path, visible FROM folder_paths WHERE folder_id = g.folder_id OFFSET 0) fp`

// amongIDs compares with a list that has PostgreSQL expect ten numbers, however
// many there are: it looks them up one by one and reads no whole table, as for
// pathOfG.
const amongIDs = `= ANY (ARRAY(SELECT unnest(cast(:ids AS bigint[]))))`

func postgresEntries() []string {
	return []string{
		"{entries of}", "(SELECT jsonb_path_query_first(cast(nullif(", "{at}", ", '') AS jsonb), cast('strict ' || cast(",
		"{entries end}", " AS text) AS jsonpath), '{}', true) AS found) one, LATERAL jsonb_array_elements(" +
			"CASE jsonb_typeof(found) WHEN 'array' THEN found ELSE jsonb_build_array(found) END) AS e (value)",
		"{entry as text}", `((CASE WHEN jsonb_typeof(e.value) NOT IN ('object', 'array') THEN e.value #>> '{}' END) COLLATE "C")`,
		"{entry as number}", "(CASE jsonb_typeof(e.value) WHEN 'number' THEN cast(e.value #>> '{}' AS double precision) END)",
	}
}

// postgresWhole is for reading and filling a whole database.
func postgresWhole() []string {
	return []string{
		"{columns}", `
SELECT cast(c.table_name AS text) AS table_name, cast(c.column_name AS text) AS column_name,
	cast(c.data_type AS text) AS declared, c.is_identity = 'YES' AS counted
FROM information_schema.columns c
JOIN information_schema.tables t ON t.table_schema = c.table_schema AND t.table_name = c.table_name
WHERE c.table_schema = current_schema() AND t.table_type = 'BASE TABLE'
ORDER BY c.table_name, c.ordinal_position`,
		"{references}", `
SELECT cast(cast(conrelid AS regclass) AS text) AS of_table, quote_ident(conname) AS name,
	pg_get_constraintdef(oid) AS definition
FROM pg_constraint WHERE contype = 'f' AND connamespace = cast(current_schema() AS regnamespace)`,
		"{references off}", "", "{references on}", "", "{broken references}", "", "{analyze all}", "ANALYZE",
		"{take time}", `
SELECT set_config('statement_timeout', '0', true), set_config('idle_in_transaction_session_timeout', '0', true)`,
		"{last counted}", "coalesce(pg_sequence_last_value(cast(pg_get_serial_sequence(:name, :counter) AS regclass)), 0)",
		"{count on}", "SELECT setval(cast(pg_get_serial_sequence(:name, :counter) AS regclass), :last)",
		"{count from}", "",
	}
}
