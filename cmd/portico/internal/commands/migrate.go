package commands

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/portico-id/portico/cmd/portico/internal/config"
	"github.com/portico-id/portico/cmd/portico/internal/version"
	"github.com/portico-id/portico/cmd/portico/internal/wiring"
	"github.com/portico-id/portico/migrations"
	"github.com/portico-id/portico/storage/sqlstore"
)

const migrateHelp = `The database schema. portico serve brings it up to date by itself at its start;
these are for doing it at a time of your own, and for looking.

  portico migrate status
  portico migrate check
  portico migrate up
  portico migrate down --steps 1

Servers of the version before go on working beside the new schema as long as it
supports them; status says from which version on.`

func newMigrateCommand(e *Env) *cobra.Command {
	return group("migrate", "Bring the database schema up or down", migrateHelp,
		newMigrateUp(e), newMigrateDown(e), newMigrateStatus(e), newMigrateCheck(e),
	)
}

// withSchema opens the database that is there, whatever its schema, around a command's work.
func (e *Env) withSchema(ctx context.Context, work func(*sqlstore.Schema) error) error {
	c, err := e.config()
	if err != nil {
		return err
	}
	database := wiring.Database(c)
	database.Existing = true
	return withSchemaOf(ctx, database, work)
}

func withSchemaOf(ctx context.Context, database sqlstore.Options, work func(*sqlstore.Schema) error) error {
	schema, err := sqlstore.OpenSchema(ctx, database)
	if err != nil {
		return err
	}
	return errors.Join(work(schema), schema.Close())
}

// schemaJSON is where the schema stands.
type schemaJSON struct {
	Applied int    `json:"applied"`
	Known   int    `json:"known"`
	Oldest  string `json:"oldest_supported_version"`
	Version string `json:"version"` // of this binary
}

func (e *Env) printStatus(ctx context.Context, asJSON bool, schema *sqlstore.Schema) error {
	status, err := schema.Status(ctx)
	if err != nil {
		return err
	}
	if asJSON {
		return e.printJSON(schemaJSON{status.Applied, status.Known, status.Oldest, version.Number})
	}
	e.printRows([]row{
		{"applied", strconv.Itoa(status.Applied)}, {"known", strconv.Itoa(status.Known)},
		{"supports from", status.Oldest}, {"this binary", version.Number},
	})
	e.note("%s", verdict(status))
	return nil
}

// verdict says what a status means.
func verdict(status migrations.Status) string {
	switch {
	case status.Applied < status.Known:
		return "Migrations are missing: portico migrate up"
	case status.Applied > status.Known:
		return "The schema is newer than this binary."
	}
	return "The schema is up to date."
}

func newMigrateStatus(e *Env) *cobra.Command {
	command := &cobra.Command{
		Use: "status", Short: "Say where the schema stands", Args: cobra.NoArgs,
		Long: `Say where the schema stands: the last migration that was applied, the last one
this binary knows, and the oldest version of Portico that can work with it.

  portico migrate status --json`,
	}
	asJSON := jsonFlag(command)
	command.RunE = func(command *cobra.Command, _ []string) error {
		return e.withSchema(command.Context(), func(schema *sqlstore.Schema) error {
			return e.printStatus(command.Context(), *asJSON, schema)
		})
	}
	return command
}

func newMigrateUp(e *Env) *cobra.Command {
	command := &cobra.Command{
		Use: "up", Short: "Apply every migration that is missing", Args: cobra.NoArgs,
		Long: `Apply every migration that is missing, in one transaction. It makes the database
when there is none. Running it twice, or on several machines at once, is fine.

  portico migrate up`,
	}
	asJSON := jsonFlag(command)
	command.RunE = func(command *cobra.Command, _ []string) error {
		c, err := e.config()
		if err != nil {
			return err
		}
		if err := makeRoom(c); err != nil {
			return err
		}
		return withSchemaOf(command.Context(), wiring.Database(c), func(schema *sqlstore.Schema) error {
			if err := schema.Up(command.Context()); err != nil {
				return err
			}
			return e.printStatus(command.Context(), *asJSON, schema)
		})
	}
	return command
}

// makeRoom makes the data directory, where the database is unless its setting
// says otherwise.
func makeRoom(c config.Config) error {
	if !c.SQLite() {
		return nil
	}
	if err := os.MkdirAll(c.DataDir, 0o700); err != nil {
		return fmt.Errorf("PORTICO_DATA_DIR: %w", err)
	}
	return nil
}

func newMigrateDown(e *Env) *cobra.Command {
	command := &cobra.Command{
		Use: "down", Short: "Take migrations back", Args: cobra.NoArgs,
		Long: `Take the newest migrations back. The data in what they added is lost: make a
backup, and stop the servers first.

  portico migrate down --steps 1 --yes`,
	}
	steps := command.Flags().Int("steps", 1, "How many migrations.")
	asJSON, yes := jsonFlag(command), yesFlag(command)
	command.RunE = func(command *cobra.Command, _ []string) error {
		if *steps < 1 {
			return usagef("--steps must be a number from 1 on")
		}
		return e.withSchema(command.Context(), func(schema *sqlstore.Schema) error {
			if err := e.confirm(*yes, "Take back %d migrations and lose the data in what they added?", *steps); err != nil {
				return err
			}
			if err := schema.Down(command.Context(), *steps); err != nil {
				return err
			}
			return e.printStatus(command.Context(), *asJSON, schema)
		})
	}
	return command
}
