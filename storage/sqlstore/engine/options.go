package engine

// Options says which database to open, and how.
type Options struct {
	URL      string // sqlite:PATH or postgres://USER:PASSWORD@HOST/DATABASE
	MaxConns int    // most connections at once; 0: 16 for PostgreSQL, 8 readers for SQLite

	// Now reads the URL again, for each new connection to PostgreSQL: the
	// password in it may be another by now. Nil: it stays as it is.
	Now func() (string, error)

	// Pooled says that a pooler stands before PostgreSQL, which gives each
	// transaction to another of its connections: nothing is set on one. Unprepared
	// says that it knows nothing of prepared statements, either.
	Pooled, Unprepared bool

	// Notices reads the URL of the connection that notices of changes come
	// over, as it is now. Nil: those of URL, or no notices at all where that
	// leads to a pooler.
	Notices func() (string, error)

	// Existing says that SQLite's file must be there already: it is not made.
	Existing bool

	Version string // of this binary, MAJOR.MINOR.PATCH
	Migrate bool   // apply missing migrations first; false: refuse when some are missing
}
