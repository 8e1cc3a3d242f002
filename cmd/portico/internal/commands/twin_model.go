package commands

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/portico-id/portico/dataapi/administration"
	"github.com/portico-id/portico/dataapi/facilities"
)

const twinModelHelp = `Models of a twin and the elements in them. Every twin has a default model.

  portico twin model list --twin TWIN
  portico twin model create --twin TWIN --label Heating
  portico twin model import --twin TWIN --file elements.csv`

func newTwinModelCommand(e *Env) *cobra.Command {
	return group("model", "Set up models and their elements", twinModelHelp,
		newTwinModelCreate(e), newTwinModelList(e), newTwinModelImport(e))
}

func newTwinModelCreate(e *Env) *cobra.Command {
	command := &cobra.Command{
		Use: "create", Short: "Add a model to a twin", Args: cobra.NoArgs,
		Long: `Add a model to a twin.

  portico twin model create --twin TWIN --label Heating
  portico twin model create --twin TWIN --label Heating --json`,
	}
	twin := twinIDFlag(command)
	label := command.Flags().String("label", "", "What it is called, 1 to 255 characters.")
	asJSON := jsonFlag(command)
	require(command, "label")
	command.RunE = func(command *cobra.Command, _ []string) error {
		ctx := command.Context()
		return e.inTwin(ctx, *twin, func(rules *facilities.Rules, _ *administration.Rules, id string) error {
			model, err := rules.CreateModel(ctx, e.change(), id, *label)
			if err != nil {
				return err
			}
			return e.printTwinModel(*asJSON, rules, model)
		})
	}
	return command
}

func newTwinModelList(e *Env) *cobra.Command {
	command := &cobra.Command{
		Use: "list", Short: "List the models of a twin", Args: cobra.NoArgs,
		Long: `List the models of a twin, the default one first.

  portico twin model list --twin TWIN
  portico twin model list --twin TWIN --json`,
	}
	twin, asJSON := twinIDFlag(command), jsonFlag(command)
	command.RunE = func(command *cobra.Command, _ []string) error {
		ctx := command.Context()
		return e.inTwin(ctx, *twin, func(rules *facilities.Rules, _ *administration.Rules, id string) error {
			models, err := rules.ListModels(ctx, id)
			if err != nil {
				return err
			}
			return e.printTwinModels(*asJSON, rules, models)
		})
	}
	return command
}

func newTwinModelImport(e *Env) *cobra.Command {
	command := &cobra.Command{
		Use: "import", Short: "Read elements and their values from a CSV file", Args: cobra.NoArgs,
		Long: `Read elements and their values from a CSV file into a model, all or nothing. The
first line names the columns: "key", then properties as family:column:type:Name.
The type is text (which may be left out), number, boolean or document. An empty
cell leaves a value as it is.

  key,n:n:text:Name,z:height:number:Height,z:0Ac:document:Manual
  door-1,Front door,2.1,https://example.com/manual.pdf

  portico twin model import --twin TWIN --file elements.csv
  portico twin model import --twin TWIN --model MODEL --file - --json

Without --model the elements go into the default model. --file - reads the standard
input. With --json the output is one object; "mutation" is the number in the twin's
history, by which the import can be undone.`,
	}
	twin := twinIDFlag(command)
	model := command.Flags().String("model", "", "`MODEL` by its id; without it the default one.")
	path := command.Flags().String("file", "", "`FILE` to read, or - for the standard input.")
	asJSON := jsonFlag(command)
	require(command, "file")
	command.RunE = func(command *cobra.Command, _ []string) (err error) {
		file, err := e.openInput(*path)
		if err != nil {
			return fmt.Errorf("--file: %w", err)
		}
		defer func() { err = errors.Join(err, file.Close()) }()
		ctx := command.Context()
		return e.inTwin(ctx, *twin, func(rules *facilities.Rules, _ *administration.Rules, id string) error {
			into := ""
			if *model != "" {
				if into, err = rules.ModelID(*model); err != nil {
					return err
				}
			}
			done, err := rules.ImportElements(ctx, e.change(), id, into, file)
			if err != nil {
				return err
			}
			return e.printImported(*asJSON, done)
		})
	}
	return command
}

// openInput opens a file, or the standard input for -.
func (e *Env) openInput(path string) (io.ReadCloser, error) {
	if path == "-" {
		return io.NopCloser(e.Stdin), nil
	}
	return os.Open(path)
}
