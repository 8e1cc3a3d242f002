package commands

import (
	"github.com/spf13/cobra"

	"github.com/portico-id/portico/dataapi/administration"
	"github.com/portico-id/portico/dataapi/facilities"
)

const twinHelp = `Twins of buildings in a hub: facilities with members, models, elements and
documents.

  portico twin create --hub HUB --name "New Tower"
  portico twin member add --twin TWIN --user person@example.com --access ReadWrite
  portico twin model import --twin TWIN --file elements.csv

Every command works beside a running server, which acts on it at once. A twin is
named by its id, urn:…:dtt:…, as portico twin list has it.`

func newTwinCommand(e *Env) *cobra.Command {
	return group("twin", "Set up twins of buildings", twinHelp,
		newTwinCreate(e), newTwinList(e), newTwinShow(e), newTwinMemberCommand(e), newTwinModelCommand(e))
}

func newTwinCreate(e *Env) *cobra.Command {
	var wanted facilities.NewTwin
	command := &cobra.Command{
		Use: "create", Short: "Add a twin to a hub", Args: cobra.NoArgs,
		Long: `Add a twin to a hub, with a default model. Until members are added, only
administrators of the hub and applications see it.

  portico twin create --hub HUB --name "New Tower"
  portico twin create --hub HUB --name "New Tower" --json

With --json the output is one object; its "id" is the twin's.`,
	}
	hub := hubFlag(command)
	command.Flags().StringVar(&wanted.Name, "name", "", "Name, 1 to 255 characters.")
	asJSON := jsonFlag(command)
	require(command, "name")
	command.RunE = func(command *cobra.Command, _ []string) error {
		wanted.HubID = *hub
		return e.withTwins(command.Context(), func(rules *facilities.Rules, _ *administration.Rules) error {
			twin, err := rules.Create(command.Context(), e.change(), wanted)
			if err != nil {
				return err
			}
			return e.printTwin(*asJSON, rules, twin)
		})
	}
	return command
}

func newTwinList(e *Env) *cobra.Command {
	command := &cobra.Command{
		Use: "list", Short: "List the twins of a hub", Args: cobra.NoArgs,
		Long: `List the twins of a hub by name.

  portico twin list --hub HUB
  portico twin list --hub HUB --json`,
	}
	hub, asJSON := hubFlag(command), jsonFlag(command)
	command.RunE = func(command *cobra.Command, _ []string) error {
		return e.withTwins(command.Context(), func(rules *facilities.Rules, _ *administration.Rules) error {
			twins, err := rules.List(command.Context(), *hub)
			if err != nil {
				return err
			}
			return e.printTwins(*asJSON, rules, twins)
		})
	}
	return command
}

func newTwinShow(e *Env) *cobra.Command {
	command := &cobra.Command{
		Use: "show TWIN", Short: "Show a twin", Args: cobra.ExactArgs(1),
		Long: `Show a twin.

  portico twin show TWIN
  portico twin show TWIN --json`,
	}
	asJSON := jsonFlag(command)
	command.RunE = func(command *cobra.Command, args []string) error {
		return e.inTwin(command.Context(), args[0], func(rules *facilities.Rules, _ *administration.Rules, id string) error {
			twin, err := rules.Find(command.Context(), id)
			if err != nil {
				return err
			}
			return e.printTwin(*asJSON, rules, twin)
		})
	}
	return command
}
