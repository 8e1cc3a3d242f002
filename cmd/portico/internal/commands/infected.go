package commands

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/portico-id/portico/cmd/portico/internal/wiring"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore"
)

const infectedHelp = `List the uploaded files in which the virus scanner has found something. They are
given to nobody; their bytes stay where they are, under "blob", for whoever wants to
look at them.

  portico infected
  portico infected --json

With --json the output is one object with the list "infected". Each entry has the
"bucket" and "key" of the object, its "name", "project", "finding", "blob", "size",
and when and by whom it was stored.`

// infectedJSON is one of the files.
type infectedJSON struct {
	Bucket    string    `json:"bucket"`
	Key       string    `json:"key"`
	Name      string    `json:"name"`
	Project   string    `json:"project"`
	Finding   string    `json:"finding"`
	Blob      string    `json:"blob"`
	Size      int64     `json:"size"`
	StoredAt  time.Time `json:"stored_at"`
	CreatedBy string    `json:"created_by,omitempty"`
}

func newInfectedCommand(e *Env) *cobra.Command {
	command := &cobra.Command{Use: "infected", Short: "List files in which a virus was found", Long: infectedHelp, Args: cobra.NoArgs}
	asJSON := jsonFlag(command)
	command.RunE = func(command *cobra.Command, _ []string) error {
		return e.with(command.Context(), func(p *wiring.Parts) error {
			found, err := listInfected(command.Context(), p.Store)
			if err == nil {
				e.printInfected(*asJSON, found)
			}
			return err
		})
	}
	return command
}

func listInfected(ctx context.Context, store *sqlstore.Store) ([]infectedJSON, error) {
	found := []infectedJSON{}
	for page := (storage.PageRequest{}); ; {
		objects, next, err := store.ListInfected(ctx, page)
		if err != nil {
			return nil, err
		}
		for _, o := range objects {
			found = append(found, infectedJSON{
				o.Bucket, o.Key, o.Name, o.ProjectID, o.Finding, o.Blob, o.Size, o.StoredAt, o.CreatedBy,
			})
		}
		if page.After = next; next == "" {
			return found, nil
		}
	}
}

func (e *Env) printInfected(asJSON bool, found []infectedJSON) {
	if asJSON {
		_ = e.printJSON(map[string]any{"infected": found})
		return
	}
	var lines [][]string
	for _, f := range found {
		lines = append(lines, []string{f.Name, f.Finding, f.Project, f.Bucket + "/" + f.Key, moment(f.StoredAt), f.CreatedBy})
	}
	e.printTable("NAME FINDING PROJECT OBJECT STORED BY", lines)
}
