package commands

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/portico-id/portico/cmd/portico/internal/backup"
	"github.com/portico-id/portico/cmd/portico/internal/config"
	"github.com/portico-id/portico/cmd/portico/internal/doctor"
	"github.com/portico-id/portico/cmd/portico/internal/wiring"
	"github.com/portico-id/portico/dataapi/objects"
	"github.com/portico-id/portico/internal/sealing"
	"github.com/portico-id/portico/storage/sqlstore"
)

const restoreHelp = `Bring a snapshot that portico backup made back into an empty database, of either engine,
and into the place of the bytes. No server may work on the database meanwhile.

  portico restore /var/backups/portico
  portico restore /var/backups/portico --at 20261124T041200.000Z --identity key.txt
  portico restore /var/backups/portico --bytes

Rows come in one transaction: a restore that was killed leaves the database empty, and
started again it goes on with the bytes that are there. A database in which anything is
stays as it is, but for --bytes, which is for a server that has its rows and lost bytes:
it stores those that are missing, and nothing else. Snapshots of older versions are brought up to this one; those of newer
versions are refused.

The server needs the secret that it had: PORTICO_SECRET, or the file "secret" in its data
directory. portico doctor says whether it is the right one, portico verify whether every
file has its bytes.`

const drillHelp = `Bring a snapshot back beside the server and look whether all is there: rows into an SQLite
file in a temporary folder, bytes beside it, and then portico verify over both. What it made
it removes. It needs as much room as the snapshot has when it is unpacked.

  portico drill /var/backups/portico
  portico drill /var/backups/portico --identity key.txt --in /mnt/large
  portico drill /var/backups/portico --into postgres://portico@localhost/drill

With --into rows go into that empty database, which it leaves as it is then.

Exit codes: 0 all is well, 1 something is wrong.`

// origin is where something is brought back from.
type origin struct {
	at         string
	identities []string
	keepGoing  bool
	bytes      bool // alone
}

func originFlags(flags *pflag.FlagSet) *origin {
	from := &origin{}
	flags.StringVar(&from.at, "at", "", "Name of the snapshot; the newest unless told.")
	flags.StringArrayVar(&from.identities, "identity", nil, "File with the private key of age that opens it.")
	flags.BoolVar(&from.keepGoing, "keep-going", false, "Leave out bytes that are damaged, and say which.")
	return from
}

func newRestoreCommand(e *Env) *cobra.Command {
	command := &cobra.Command{Use: "restore FOLDER", Short: "Bring back what portico backup kept", Long: restoreHelp,
		Args: cobra.ExactArgs(1)}
	from := originFlags(command.Flags())
	command.Flags().BoolVar(&from.bytes, "bytes", false, "Only store the bytes that are missing, and leave all rows as they are.")
	asJSON := jsonFlag(command)
	command.RunE = func(command *cobra.Command, args []string) error {
		c, err := e.config()
		if err != nil {
			return err
		}
		brought, damaged, err := restore(command.Context(), e, c, args[0], *from)
		if err != nil {
			return err
		}
		if !*asJSON {
			e.note("Give the server the secret that it had. portico doctor says whether it is the right one.")
		}
		if dir := c.DataDir; doctor.Foreign(dir) {
			e.note("What was brought back belongs to root, and its server runs as another user: chown -R --reference=%[1]s %[1]s", dir)
		}
		err = printSnapshot(e, brought, *asJSON)
		if damaged > 0 {
			err = fmt.Errorf("all was brought back but the bytes of %d files, which are damaged", damaged)
		}
		return err
	}
	return command
}

// restore brings a snapshot back to where the settings say, and returns of how many files the
// bytes were damaged and left out.
func restore(ctx context.Context, e *Env, c config.Config, folder string,
	from origin) (m backup.Manifest, damaged int, err error) {
	identities, err := backup.Identities(from.identities)
	if err != nil {
		return m, 0, fmt.Errorf("--identity: %w", err)
	}
	vault, err := backup.Open(folder)
	if err != nil {
		return m, 0, err
	}
	defer vault.Close()
	if err := makeRoom(c); err != nil {
		return m, 0, err
	}
	err = withSchemaOf(ctx, wiring.Database(c), func(schema *sqlstore.Schema) error {
		parts := wiring.New(wiring.Options{Config: c, Ambient: e.Ambient})
		blobs, err := parts.Blobs()
		if err != nil {
			return err
		}
		bar, rows := &moving{env: e, show: inBytes}, &moving{env: e}
		m, err = backup.Restore(ctx, vault, backup.RestoreOptions{At: from.at, Now: e.Ambient.Now(), Identities: identities,
			Schema: schema, Blobs: blobs, Trail: wiring.AuditDir(c), BytesAlone: from.bytes, KeepGoing: from.keepGoing,
			Moved: bar.moved, Loaded: func(done, all int64) { bar.end(); rows.moved(done, all) },
			Damaged: func(err error) { damaged++; bar.clear(); e.note("%s", describe(err)) }})
		bar.end()
		rows.end()
		return errors.Join(err, parts.Close())
	})
	return m, damaged, err
}

func newDrillCommand(e *Env) *cobra.Command {
	command := &cobra.Command{Use: "drill FOLDER", Short: "Look whether a backup can be brought back", Long: drillHelp,
		Args: cobra.ExactArgs(1)}
	from := originFlags(command.Flags())
	in := command.Flags().String("in", "", "Folder for what it makes meanwhile; that for temporary files unless told.")
	into := command.Flags().String("into", "", "URL of an empty database for the rows.")
	asJSON := jsonFlag(command)
	command.RunE = func(command *cobra.Command, args []string) error {
		c, err := e.config()
		if err != nil {
			return err
		}
		dir, err := os.MkdirTemp(*in, "portico-drill-")
		if err != nil {
			return err
		}
		defer func() { _ = os.RemoveAll(dir) }()
		database := "sqlite:" + filepath.Join(dir, "portico.db")
		if *into != "" {
			database = *into
		}
		c.DataDir, c.DatabaseURL, c.S3 = dir, sealing.Secret(database), config.S3{}
		c.DatabasePooler, c.DatabaseUnprepared, c.DatabaseNotify = false, false, ""
		c.Files = nil // from which the URL of the server's own database would be read again
		brought, _, err := restore(command.Context(), e, c, args[0], *from)
		if err != nil {
			return err
		}
		if !*asJSON {
			e.note("%s was brought back: %d rows, %d files with %s.", brought.Name, brought.Rows(), brought.Contents,
				inBytes(brought.Bytes))
		}
		return verifyDrill(command.Context(), e, c, *asJSON)
	}
	return command
}

// verifyDrill is portico verify over what was brought back.
func verifyDrill(ctx context.Context, e *Env, c config.Config, asJSON bool) error {
	store, err := sqlstore.Open(ctx, wiring.Database(c))
	if err != nil {
		return err
	}
	parts := wiring.New(wiring.Options{Config: c, Ambient: e.Ambient, Store: store})
	blobs, err := parts.Blobs()
	if err != nil {
		return errors.Join(err, parts.Close())
	}
	book, err := openLogbook(filepath.Join(c.DataDir, "verify.jsonl"), false)
	if err != nil {
		return errors.Join(err, parts.Close())
	}
	v := &verification{Env: e, keeper: objects.NewKeeper(store, blobs, e.Ambient), book: book, asJSON: asJSON}
	return errors.Join(v.run(ctx), book.close(), parts.Close())
}
