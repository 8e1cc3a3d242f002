package engine

import (
	"context"
	"errors"
	"strings"

	"github.com/lib/pq"
	"github.com/lib/pq/pqerror"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/migrations"
)

// Open connects to the database, makes sure that its schema fits this
// binary, and learns which statements are hot. Its errors are faults, Invalid or
// Unavailable, whose detail says what to do; Source names the setting.
func Open(ctx context.Context, opts Options, hot ...Hot) (*DB, error) {
	d, err := connect(ctx, opts)
	if err != nil {
		return nil, err
	}
	if err := d.fitSchema(ctx, opts); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	if !opts.Unprepared {
		d.heat(append(hot, hotJournal()))
	}
	if d.connector != nil {
		d.connector.patience.Store(int64(patience))
	}
	return d, nil
}

// hotJournal is what comes with every change, gives events their positions, and looks for new ones.
func hotJournal() Hot {
	return Hot{Write: []string{insertEvent, insertAuditEvent, lockPositions, stampEvents, updateLastPosition},
		Read: []string{selectUnstamped, selectPositions, selectChanges, selectStamped}}
}

func (d *DB) heat(hot []Hot) {
	for _, h := range hot {
		d.reader.heat(h.Read)
		d.reader.heat(h.Round)
		d.writer.heat(h.Write)
		d.unsynced.heat(h.Unsynced)
		d.unsynced.heat(h.Together)
	}
}

// Schema is a database's schema to be moved up and down by an operator.
type Schema struct {
	*migrations.Runner
	db *DB
}

// OpenSchema connects to the database for the sake of its schema alone, which
// may be of any version. MaxConns and Migrate of the options don't matter. Its
// errors are as those of Open; those of the runner are plain.
func OpenSchema(ctx context.Context, opts Options) (*Schema, error) {
	d, err := connect(ctx, opts)
	if err != nil {
		return nil, err
	}
	runner, err := d.runner(opts)
	if err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return &Schema{Runner: runner, db: d}, nil
}

// Close gives back every connection; what was moved is on the disk then.
func (s *Schema) Close() error {
	return errors.Join(s.db.onDisk(context.Background(), nil), s.db.Close())
}

// connect tells the engines apart by the URL's scheme.
func connect(ctx context.Context, opts Options) (*DB, error) {
	scheme, rest, found := strings.Cut(opts.URL, ":")
	switch {
	case found && scheme == "sqlite":
		return connectSQLite(ctx, rest, opts)
	case found && (scheme == "postgres" || scheme == "postgresql"):
		return connectPostgres(ctx, opts)
	case opts.URL == "":
		return nil, badURL("The database URL is empty: set it to sqlite:PATH or postgres://USER:PASSWORD@HOST/DATABASE.")
	}
	return nil, badURL("The database URL must start with sqlite: or postgres:// and not with \"" + scheme + "\".")
}

// fitSchema migrates if it may, and refuses a schema that doesn't fit.
func (d *DB) fitSchema(ctx context.Context, opts Options) error {
	runner, err := d.runner(opts)
	if err != nil {
		return err
	}
	if opts.Migrate {
		return d.onDisk(ctx, schemaFault(runner.Up(ctx)))
	}
	if err := runner.CheckSupported(ctx); err != nil {
		return schemaFault(err)
	}
	status, err := runner.Status(ctx)
	if err != nil {
		return schemaFault(err)
	}
	if status.Applied < status.Known {
		return fault.Newf(fault.Invalid, ReasonSchemaOutdated,
			"The database schema is at migration %d of %d: run \"portico migrate up\" first.",
			status.Applied, status.Known).At(setting)
	}
	return nil
}

func (d *DB) runner(opts Options) (*migrations.Runner, error) {
	runner, err := migrations.New(migrations.Options{
		DB: d.writer.db.DB, Engine: d.writer.dialect.engine, Binary: opts.Version,
	})
	if err != nil {
		return nil, fault.New(fault.Internal, "", "").Because(err)
	}
	return runner, nil
}

func schemaFault(err error) error {
	var unsupported *migrations.UnsupportedError
	if errors.As(err, &unsupported) {
		return fault.New(fault.Invalid, ReasonSchemaUnsupported,
			"This binary is too old for the database: "+unsupported.Error()+". Start the newer binary.").
			At(setting).Because(err)
	}
	if refused := pq.As(err, pqerror.InsufficientPrivilege); refused != nil {
		return fault.New(fault.Invalid, ReasonDatabaseRefused,
			"The user of the database lacks a right: "+refused.Message+". Let it own the database and each table in it: "+
				"ALTER DATABASE name OWNER TO user, ALTER TABLE name OWNER TO user.").At(setting).Because(err)
	}
	return AsFault(err)
}
