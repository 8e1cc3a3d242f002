package commands

import (
	"fmt"
	"io"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/portico-id/portico/provider/people"
)

const userImportHelp = `Add the people of a file of CSV, all or none. Its first line names fields, of
which there must be email, and each further line is a person. Who has an account
with the address stays as they are. FILE - is standard input.

  portico user import people.csv --dry-run
  portico user import people.csv --invite

  email,given_name,family_name,preferred_username
  ann@example.com,Ann,Lee,ann

What the fields may hold is what portico user update --help says.`

func newUserImport(e *Env) *cobra.Command {
	command := &cobra.Command{Use: "import FILE", Short: "Add the people of a file",
		Long: userImportHelp, Args: cobra.ExactArgs(1)}
	dryRun := command.Flags().Bool("dry-run", false, "Say what would be done, and do nothing.")
	invite := command.Flags().Bool("invite", false, "Mail each an invitation, where the server sends mails.")
	asJSON := jsonFlag(command)
	command.RunE = func(command *cobra.Command, args []string) error {
		file, err := e.readImport(args[0])
		if err != nil {
			return err
		}
		return e.withPeople(command.Context(), func(rules *people.People) error {
			ctx, act := command.Context(), e.act()
			plan, err := rules.ReadImport(ctx, act, file)
			if err != nil {
				return err
			}
			if !*dryRun && len(plan.Faults) == 0 {
				if err := rules.CarryOut(ctx, act, plan, *invite, "the operator"); err != nil {
					return err
				}
			}
			if err := e.printImport(*asJSON, plan, !*dryRun && len(plan.Faults) == 0); err != nil {
				return err
			}
			return plan.Err()
		})
	}
	return command
}

// readImport reads the file, at most what an import may have and a byte more.
func (e *Env) readImport(name string) ([]byte, error) {
	file, err := e.openInput(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	all, err := io.ReadAll(io.LimitReader(file, people.MaxImport+1))
	if err == nil && len(all) > people.MaxImport {
		err = fmt.Errorf("the file is larger than %d bytes", people.MaxImport)
	}
	return all, err
}

func (e *Env) printImport(asJSON bool, plan people.ImportPlan, imported bool) error {
	body := people.NewImportJSON(plan, imported)
	if asJSON {
		return e.printJSON(body)
	}
	var lines [][]string
	for _, f := range body.Faults {
		lines = append(lines, []string{strconv.Itoa(f.Line), f.Field, f.Detail})
	}
	switch {
	case len(lines) > 0:
		e.printTable("LINE FIELD WRONG", lines)
	case imported:
		e.printf("%d people were added; %d had an account.\n", body.New, len(body.Known))
	default:
		e.printf("%d people would be added; %d have an account.\n", body.New, len(body.Known))
	}
	return nil
}
