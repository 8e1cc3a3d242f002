package commands

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"

	"filippo.io/age"
	"github.com/spf13/cobra"

	"github.com/portico-id/portico/cmd/portico/internal/backup"
	"github.com/portico-id/portico/cmd/portico/internal/config"
	"github.com/portico-id/portico/cmd/portico/internal/version"
	"github.com/portico-id/portico/cmd/portico/internal/wiring"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/blobstore"
)

const backupHelp = `Make a snapshot of everything, rows and bytes, in a folder, beside a server at work.
Give the command the settings of the server, and run it by a timer.

  portico backup /var/backups/portico
  portico backup /var/backups/portico --recipient age1… --keep 14

The folder lies outside the data directory. It has the bytes of files once for all
snapshots: what is there is not copied again. With --recipient, which may be repeated
and may name a file, rows and bytes are encrypted by age for whoever has its key
(age-keygen makes one). A backup that was killed leaves nothing that looks like a
snapshot; the next one goes on with its bytes.

Old events of the audit trail, in the folder audit of the data directory, are in it. The
server's secret is not: keep PORTICO_SECRET, or the file "secret" in the data
directory, apart. Without it nobody can sign with the keys that are in the snapshot.

Exit codes: 0 all is there, 1 it failed, or the server lacks bytes that its rows name.`

func newBackupCommand(e *Env) *cobra.Command {
	command := &cobra.Command{Use: "backup FOLDER", Short: "Keep everything, rows and bytes, in a folder", Long: backupHelp,
		Args: cobra.ExactArgs(1)}
	recipients := command.Flags().StringArray("recipient", nil, "Public key of age, or a file with such, that it is encrypted for.")
	keep := command.Flags().Int("keep", 0, "Remove all snapshots but so many, and the bytes that none of them has; 0 keeps all.")
	asJSON := jsonFlag(command)
	command.RunE = func(command *cobra.Command, args []string) error {
		to, err := backup.Recipients(*recipients)
		if err != nil {
			return fmt.Errorf("--recipient: %w", err)
		}
		if *keep < 0 {
			return usagef("--keep: expected a number from 0")
		}
		return e.with(command.Context(), func(p *wiring.Parts) error {
			if within(args[0], p.Config.DataDir) {
				return usagef("%s lies in the data directory (%s), and would be lost with what it is a backup of: "+
					"name a folder elsewhere, on another disk if there is one", args[0], p.Config.DataDir)
			}
			vault, err := backup.Make(args[0])
			if err != nil {
				return err
			}
			defer vault.Close()
			return takeBackup(command.Context(), e, p, vault, to, *keep, *asJSON)
		})
	}
	return command
}

// within reports whether the folder, which need not be there yet, is the directory or lies in
// it, by whatever links it is named.
func within(folder, dir string) bool {
	rel, err := filepath.Rel(unlinked(dir), unlinked(folder))
	return err == nil && filepath.IsLocal(rel)
}

// unlinked is the path without links, as far as it is there.
func unlinked(path string) string {
	path, err := filepath.Abs(path)
	if err != nil {
		return path
	}
	if is, err := filepath.EvalSymlinks(path); err == nil || path == filepath.Dir(path) {
		return cmp.Or(is, path)
	}
	return filepath.Join(unlinked(filepath.Dir(path)), filepath.Base(path))
}

func takeBackup(ctx context.Context, e *Env, p *wiring.Parts, vault *backup.Vault, to []age.Recipient, keep int,
	asJSON bool) error {
	blobs, err := bytesOf(p)
	if err != nil {
		return err
	}
	bar := &moving{env: e, show: inBytes}
	var snapshots, contents int
	made, err := backup.Take(ctx, vault, backup.Options{Store: p.Store, Blobs: blobs, Ambient: e.Ambient,
		Trail:  wiring.AuditDir(p.Config),
		Engine: engineOf(p.Config), Version: version.Number, Recipients: to, Moved: bar.moved,
		Waits: func() {
			e.note("Waiting for another backup or a clean-up; one to another folder that was killed lets go after two minutes.")
		},
		Then: func(made backup.Manifest) (err error) {
			snapshots, contents, err = succeed(ctx, e, p, vault, made.Name, keep)
			return err
		}})
	bar.end()
	if err != nil {
		return err
	}
	if len(to) == 0 && !asJSON {
		e.note("It is not encrypted: whoever reads the folder reads everything. --recipient encrypts it.")
	}
	if snapshots > 0 && !asJSON {
		e.note("%d older snapshots and the bytes of %d files were removed.", snapshots, contents)
	}
	return printSnapshot(e, made, asJSON)
}

// succeed tells the audit trail of a snapshot, and removes older ones.
func succeed(ctx context.Context, e *Env, p *wiring.Parts, vault *backup.Vault, made string,
	keep int) (snapshots, contents int, err error) {
	event := storage.AuditEvent{Act: e.act(), Kind: "backup.made", Subject: made}
	if err := p.Store.RecordAudit(ctx, event); err != nil {
		return 0, 0, fmt.Errorf("the snapshot %s was made, and the audit trail could not be told: %s", made, describe(err))
	}
	if snapshots, contents, err = backup.Prune(ctx, vault, keep); err != nil {
		err = fmt.Errorf("the snapshot %s was made, and older ones could not be removed: %s", made, describe(err))
	}
	return snapshots, contents, err
}

// snapshotJSON is a snapshot that was made or brought back.
type snapshotJSON struct {
	Snapshot string   `json:"snapshot"`
	Schema   int      `json:"schema"`
	Rows     int      `json:"rows"`
	Contents int      `json:"contents"`
	Bytes    int64    `json:"bytes"`
	Missing  []string `json:"missing"`
}

func printSnapshot(e *Env, m backup.Manifest, asJSON bool) error {
	if asJSON {
		err := e.printJSON(snapshotJSON{m.Name, m.Schema, m.Rows(), m.Contents, m.Bytes,
			append([]string{}, m.Missing...)})
		if err != nil {
			return err
		}
	} else {
		e.printf("%s  %d rows, %d files with %s\n", m.Name, m.Rows(), m.Contents, inBytes(m.Bytes))
	}
	if len(m.Missing) > 0 {
		return fmt.Errorf("it lacks the bytes of %d files, which the server did not have as its rows say when it was made: "+
			"portico verify names them", len(m.Missing))
	}
	return nil
}

// bytesOf opens the place of the bytes. Settings that name another place must not look
// like a loss.
func bytesOf(p *wiring.Parts) (blobstore.Store, error) {
	dir := wiring.BlobsDir(p.Config)
	if _, err := os.Stat(dir); err != nil && !p.Config.S3.Used() {
		return nil, fmt.Errorf("there are no files in %s: give the command PORTICO_DATA_DIR, "+
			"or PORTICO_S3_BUCKET and the rest, as the server has them", dir)
	}
	return p.Blobs()
}

func engineOf(c config.Config) string {
	if c.SQLite() {
		return "sqlite"
	}
	return "postgres"
}

// moving is a bar over what is only known to be so much once it moves.
type moving struct {
	env  *Env
	show func(int64) string // as of progress
	bar  *progress
}

func (m *moving) moved(done, all int64) {
	if m.bar == nil {
		m.bar = m.env.bar(all, m.show)
	}
	m.bar.step(done)
}

func (m *moving) clear() {
	if m.bar != nil {
		m.bar.clear()
	}
}

func (m *moving) end() {
	if m.bar != nil {
		m.bar.end()
	}
}
