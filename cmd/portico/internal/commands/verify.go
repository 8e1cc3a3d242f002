package commands

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/portico-id/portico/cmd/portico/internal/config"
	"github.com/portico-id/portico/cmd/portico/internal/wiring"
	"github.com/portico-id/portico/dataapi/objects"
)

const verifyHelp = `Read the bytes of all files and of all documents of twins, and compare them with the
database: each must be there with its size and SHA-256, and all bytes must belong to
one. It changes nothing, and may run beside the server.

  portico verify
  portico verify --resume
  portico verify --json

A check that was stopped goes on with --resume where it was, which is noted in
verify.jsonl in the data directory until the check is done. What is wrong is
printed as it is found. With --json the output is one object: "objects" and "bytes"
that were read, those of documents too, and "findings" with "bucket" and "key" of the
object, or "twin" and "document", (neither is there for bytes that no object has),
"blob", under which the bytes are kept, and "wrong".

Exit codes: 0 all is well, 1 something is wrong or the check could not be finished.`

func newVerifyCommand(e *Env) *cobra.Command {
	command := &cobra.Command{Use: "verify", Short: "Check that all bytes of files are there, and as they were",
		Long: verifyHelp, Args: cobra.NoArgs}
	resume := command.Flags().Bool("resume", false, "Go on where the last check was stopped.")
	asJSON := jsonFlag(command)
	command.RunE = func(command *cobra.Command, _ []string) error {
		return e.withKeeper(command.Context(), func(keeper *objects.Keeper, c config.Config) error {
			if err := os.MkdirAll(c.DataDir, 0o700); err != nil {
				return fmt.Errorf("PORTICO_DATA_DIR: %w", err)
			}
			book, err := openLogbook(filepath.Join(c.DataDir, "verify.jsonl"), *resume)
			if err != nil {
				return err
			}
			v := &verification{Env: e, keeper: keeper, book: book, asJSON: *asJSON}
			return errors.Join(v.run(command.Context()), book.close())
		})
	}
	return command
}

// withKeeper opens the database and the place of the bytes around a command's
// work.
func (e *Env) withKeeper(ctx context.Context, work func(*objects.Keeper, config.Config) error) error {
	return e.with(ctx, func(p *wiring.Parts) error {
		blobs, err := bytesOf(p)
		if err != nil {
			return err
		}
		return work(objects.NewKeeper(p.Store, blobs, e.Ambient), p.Config)
	})
}

// verification is one run of the check.
type verification struct {
	*Env
	keeper *objects.Keeper
	book   *logbook
	asJSON bool
	bar    *progress
	failed error // of the logbook
}

func (v *verification) run(ctx context.Context) error {
	all, err := v.keeper.Extent(ctx)
	if err != nil {
		return err
	}
	v.bar = v.Env.bar(all.Bytes, inBytes)
	marked := v.book.at.Cursor
	at, err := v.keeper.Verify(ctx, v.book.at, v.found, func(at objects.Progress) {
		v.bar.step(at.Bytes)
		if at.Cursor != marked {
			marked = at.Cursor
			v.failed = errors.Join(v.failed, v.book.mark(at))
		}
	})
	v.bar.end()
	if err = errors.Join(err, v.failed); err != nil {
		return fmt.Errorf("the check stopped after %d of %d objects: %s. Go on with portico verify --resume", at.Objects,
			all.Objects, describe(err))
	}
	if err := v.book.remove(); err != nil {
		return err
	}
	return v.conclude(at)
}

func (v *verification) found(f objects.Finding) {
	v.failed = errors.Join(v.failed, v.book.find(f))
	if !v.asJSON {
		v.bar.clear()
		v.printf("%s\n", newFinding(f))
	}
}

// conclude says how it ended.
func (v *verification) conclude(at objects.Progress) error {
	findings := v.book.findings
	if v.asJSON {
		if err := v.printJSON(map[string]any{"objects": at.Objects, "bytes": at.Bytes, "findings": findings}); err != nil {
			return err
		}
	} else {
		v.note("%d objects with %s were read.", at.Objects, inBytes(at.Bytes))
	}
	if len(findings) > 0 {
		return fmt.Errorf("%d things are wrong. Bytes that are missing or changed come back from a backup of the files; bytes that no object has are set aside by the server a week after they came", len(findings))
	}
	return nil
}
