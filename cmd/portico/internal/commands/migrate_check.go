package commands

import (
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/portico-id/portico/migrations"
	"github.com/portico-id/portico/storage/sqlstore"
)

// workJSON is what a missing step does to a table.
type workJSON struct {
	Step    int     `json:"step"`
	Table   string  `json:"table"`
	What    string  `json:"what"`
	Blocks  string  `json:"blocks"`
	Rows    int64   `json:"rows"`
	Seconds float64 `json:"seconds"`
}

func newMigrateCheck(e *Env) *cobra.Command {
	command := &cobra.Command{
		Use: "check", Short: "Say what the missing migrations block, and for how long", Args: cobra.NoArgs,
		Long: `Say what the missing migrations do to the tables that are there: what others
can't do with each meanwhile, and about how long it takes. All of them are one
transaction, so a table is blocked from its line on until the end of the last.
It changes nothing.

  portico migrate check`,
	}
	asJSON := jsonFlag(command)
	command.RunE = func(command *cobra.Command, _ []string) error {
		return e.withSchema(command.Context(), func(schema *sqlstore.Schema) error {
			work, err := schema.Check(command.Context())
			if err != nil {
				return err
			}
			return e.printWork(*asJSON, work)
		})
	}
	return command
}

func (e *Env) printWork(asJSON bool, all []migrations.Work) error {
	total := time.Duration(0)
	for _, work := range all {
		total += work.Takes
	}
	err := printList(e, asJSON, "work", "STEP TABLE WHAT BLOCKS ROWS ABOUT", all,
		func(w migrations.Work) workJSON {
			return workJSON{w.Step, w.Table, w.What, w.Blocks, w.Rows, w.Takes.Seconds()}
		},
		func(w migrations.Work) []string {
			return []string{strconv.Itoa(w.Step), w.Table, w.What, w.Blocks, strconv.FormatInt(w.Rows, 10), about(w.Takes)}
		})
	if err == nil && !asJSON {
		e.note("In all: %s", about(total))
	}
	return err
}

// about is how long something takes as far as that can be said before.
func about(d time.Duration) string {
	if d < time.Second {
		return "no time"
	}
	return d.Round(time.Second).String()
}
