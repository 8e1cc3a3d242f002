// Package engine is what the rooms of the store stand on: a database, SQLite or
// PostgreSQL, that is open, transactions that are tried again, and the journal
// of what was done. It knows how the two differ, and is alone with that; of what
// is kept it knows the journal, and the words of its dialects.
//
// Open connects; who wants to know how a query is run reads handle.go, and how an
// act becomes a transaction, tx.go. record.go says how records of the contract become
// rows and back, columns.go how times and lists are kept, dialect.go what stands in a
// query for what the engines say differently, errors.go what becomes of errors.
package engine

// Journal is what was done: events of hubs, and what is audited.
type Journal struct{ db *DB }

// NewJournal returns the journal of a database.
func NewJournal(db *DB) Journal { return Journal{db} }
