package migrations

// Engine names a database engine, and the folder of its steps.
type Engine string

// The engines.
const (
	SQLite   Engine = "sqlite"
	Postgres Engine = "postgres"
)

// dialect is what the engines say differently.
type dialect struct {
	hasVersionTable string
	insertVersion   string
	lock            []string // from connecting to the version table, under the lock
	checkReferences string   // returns a row for each broken reference; may be empty
	rows            string   // about how many rows a table has, whose name is filled in; none: it isn't there
}

// advisoryLock is an arbitrary number that all Portico processes share; it
// belongs to one PostgreSQL database.
const advisoryLock = `SELECT pg_advisory_xact_lock(6037285194417)`

var dialects = map[Engine]dialect{
	SQLite: {
		hasVersionTable: `SELECT count(*) > 0 FROM sqlite_schema WHERE type = 'table' AND name = 'schema_version'`,
		insertVersion:   `INSERT INTO schema_version (version) VALUES (?)`,
		lock: []string{
			// Foreign keys can only be switched off outside a transaction.
			// On, they would delete child rows when a step rebuilds a table
			// (sqlite.org/lang_altertable.html, section 7).
			`PRAGMA foreign_keys = OFF`,
			`PRAGMA busy_timeout = 300000`,
			`BEGIN IMMEDIATE`,
			`CREATE TABLE IF NOT EXISTS schema_version (version INTEGER NOT NULL PRIMARY KEY) STRICT`,
		},
		checkReferences: `PRAGMA foreign_key_check`,
		rows:            `SELECT count(*) FROM %s`,
	},
	Postgres: {
		hasVersionTable: `SELECT to_regclass('schema_version') IS NOT NULL`,
		insertVersion:   `INSERT INTO schema_version (version) VALUES ($1)`,
		lock: []string{
			`BEGIN`,
			`SET LOCAL statement_timeout = 0`,
			`SET LOCAL lock_timeout = 0`,
			`SET LOCAL idle_in_transaction_session_timeout = 0`,
			advisoryLock,
			`SET LOCAL lock_timeout = '2s'`, // of what is changed: who comes after waits as long
			`CREATE TABLE IF NOT EXISTS schema_version (version BIGINT NOT NULL PRIMARY KEY)`,
		},
		rows: `SELECT cast(greatest(reltuples, 0) AS bigint) FROM pg_class WHERE oid = to_regclass('%s')`,
	},
}
