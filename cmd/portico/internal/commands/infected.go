package commands

import (
	"time"

	"github.com/spf13/cobra"

	"github.com/portico-id/portico/cmd/portico/internal/wiring"
	"github.com/portico-id/portico/storage"
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
	command := &cobra.Command{Use: "infected", Short: "List files in which a virus was found",
		Long: infectedHelp, Args: cobra.NoArgs}
	asJSON := jsonFlag(command)
	command.RunE = func(command *cobra.Command, _ []string) error {
		return e.with(command.Context(), func(p *wiring.Parts) error {
			found, err := storage.EveryPage(func(page storage.PageRequest) ([]storage.Object, string, error) {
				return p.Store.ListInfected(command.Context(), page)
			})
			if err != nil {
				return err
			}
			return e.printInfected(*asJSON, found)
		})
	}
	return command
}

func (e *Env) printInfected(asJSON bool, found []storage.Object) error {
	toJSON := func(o storage.Object) infectedJSON {
		return infectedJSON{o.Bucket, o.Key, o.Name, o.ProjectID, o.Finding, o.Blob, o.Size, o.StoredAt, o.CreatedBy}
	}
	return printList(e, asJSON, "infected", "NAME FINDING PROJECT OBJECT STORED BY", found, toJSON,
		func(o storage.Object) []string {
			return []string{o.Name, o.Finding, o.ProjectID, o.Bucket + "/" + o.Key, moment(o.StoredAt), o.CreatedBy}
		})
}
