package engine

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"maps"
	"net/url"
	"strings"
	"time"

	"github.com/lib/pq"
	"github.com/lib/pq/pqerror"
	"github.com/portico-id/portico/internal/fault"
)

// defaultPool is how many connections there are at most unless told otherwise:
// few enough for several replicas on a server with its usual limit of 100.
const defaultPool = 16

// idleLimit is how long an unused connection is kept.
const idleLimit = 5 * time.Minute

// connectWithin is how long a host may take to let us in, and patience how long
// whoever works without a limit waits for an answer: work in the background,
// which comes back later. Migrations before it wait as long as they take.
const (
	connectWithin = 4 * time.Second
	patience      = 20 * time.Second
)

// serverSettings returns what is sent when a connection starts, unless the URL
// sets it. The limits are far above what an act needs: they free what a
// vanished process or a stuck statement would hold.
func serverSettings() map[string]string {
	return map[string]string{
		"statement_timeout":                   "30s",
		"lock_timeout":                        "10s",
		"idle_in_transaction_session_timeout": "30s",
	}
}

// connectPostgres opens a pool and tries it.
func connectPostgres(ctx context.Context, opts Options) (*DB, error) {
	connector, err := newConnector(opts)
	if err != nil {
		return nil, err
	}
	db := pool(sql.OpenDB(connector), postgresDialect(), cmp.Or(max(0, opts.MaxConns), defaultPool))
	db.db.SetConnMaxIdleTime(idleLimit)
	d := &DB{reader: db, writer: db, unsynced: db, connector: connector, closing: make(chan struct{})}
	if err := d.startPostgres(ctx, opts.URL); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

// postgresConfig reads the URL and adds what it leaves open. A pooler refuses
// what it can't keep for whoever comes next.
func postgresConfig(raw string, pooled bool) (pq.Config, error) {
	raw = manyHosts(raw)
	if _, err := url.Parse(raw); err != nil {
		// The error would quote the URL with its password.
		return pq.Config{}, badURL("The database URL is malformed: it must look like postgres://USER:PASSWORD@HOST/DATABASE, with special characters percent-encoded.")
	}
	config, err := pq.NewConfig(raw)
	if err != nil {
		return pq.Config{}, badURL("The database URL " + redacted(raw) + " can't be used: " + err.Error() + ".")
	}
	if config.ApplicationName == "" {
		config.ApplicationName = "portico"
	}
	if config.ConnectTimeout == 0 {
		config.ConnectTimeout = connectWithin
	}
	config.BinaryParameters = true // one round trip for a statement that isn't prepared, not two
	if !pooled {
		settings := serverSettings()
		maps.Copy(settings, config.Runtime)
		config.Runtime = settings
	}
	return config, nil
}

// startPostgres makes the first connection and asks whether it may write.
func (d *DB) startPostgres(ctx context.Context, raw string) error {
	var readOnly string
	err := d.Get(ctx, &readOnly, `SELECT {read only}`, Args{})
	if err != nil {
		return connectFault(raw, err)
	}
	if readOnly == "on" {
		return fault.New(fault.Invalid, ReasonDatabaseReadOnly,
			"The database at "+redacted(raw)+" can't be written to: name the primary server, and a user whose transactions are not read-only.").
			At(setting)
	}
	return nil
}

// connectFault says why there is no connection, and what to do about it.
func connectFault(raw string, err error) error {
	refused := func(detail string) error {
		return fault.New(fault.Invalid, ReasonDatabaseRefused, detail).At(setting).Because(err)
	}
	switch {
	case errors.Is(err, pq.ErrSSLNotSupported):
		return refused("The database at " + redacted(raw) +
			" offers no TLS: add sslmode=disable to the URL if the way to it is safe.")
	case pq.As(err, pqerror.InvalidPassword, pqerror.InvalidAuthorizationSpecification) != nil:
		return refused("The database at " + redacted(raw) + " refuses the user or the password: " + words(err) +
			". Correct them in the URL, or in its pg_hba.conf; where that says peer, run the command as that user of the machine.")
	case strings.Contains(err.Error(), "unsupported startup parameter"):
		return refused("A pooler stands before the database at " + redacted(raw) + ": set PORTICO_DATABASE_POOLER=on.")
	case pq.As(err, pqerror.InvalidCatalogName) != nil:
		return refused("There is no such database at " + redacted(raw) +
			": create it with createdb, or correct the name in the URL.")
	}
	mend := "Start it, or correct the URL."
	switch {
	case pq.As(err, pqerror.CannotConnectNow) != nil: // it is starting or stopping
		mend = "Try again in a moment."
	case pq.As(err) != nil:
		mend = "Correct the URL, or what the database lets its user do."
	}
	return fault.New(fault.Unavailable, ReasonDatabaseUnreachable,
		"The database at "+redacted(raw)+" can't be reached: "+words(err)+". "+mend).At(setting).Because(err)
}

// words are those of the database, or of what is on the way to it, about why there is no connection.
func words(err error) string {
	if said := pq.As(err); said != nil {
		return said.Message
	}
	if cause := errors.Unwrap(fault.From(err)); cause != nil {
		err = cause
	}
	return strings.ReplaceAll(err.Error(), "\n", "; ") // of each of several hosts a line
}
