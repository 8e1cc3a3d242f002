package commands

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/portico-id/portico/dataapi/administration"
	"github.com/portico-id/portico/storage"
)

const hubHelp = `Accounts of companies: projects, members and groups belong to a hub, and an
application reaches a hub's data once it is provisioned there.

  HUB=$(portico hub create --name "Example Works" --json | jq -r .id)
  portico hub provision CLIENT_ID --hub $HUB
  portico member add --hub $HUB --user person@example.com --role admin
  portico project create --hub $HUB --name "New Tower"

Every command works beside a running server, which acts on it at once.`

func newHubCommand(e *Env) *cobra.Command {
	return group("hub", "Set up hubs, and which applications may enter", hubHelp,
		newHubCreate(e), newHubList(e), newHubShow(e),
		e.newHubActive("activate", true, `Bring a deactivated hub back, with everything in it.

  portico hub activate HUB`),
		e.newHubActive("deactivate", false, `Close a hub: for clients it, and everything in it, does not exist until it is
activated again. Nothing is removed.

  portico hub deactivate HUB`),
		e.newProvision("provision CLIENT", cobra.ExactArgs(1)),
	)
}

func newHubCreate(e *Env) *cobra.Command {
	var wanted administration.NewHub
	command := &cobra.Command{
		Use: "create", Short: "Add a hub", Args: cobra.NoArgs,
		Long: `Add a hub. It has no members and no projects yet.

  portico hub create --name "Example Works"
  portico hub create --name "Example Works" --region EMEA --json

With --json the output is one object; its "id" is the hub's.`,
	}
	command.Flags().StringVar(&wanted.Name, "name", "", "Name, 1 to 255 characters; several hubs may have the same.")
	command.Flags().StringVar(&wanted.Region, "region", administration.Regions()[0],
		"Where it is: US, EMEA, AUS, CAN, DEU, IND, JPN or GBR.")
	asJSON := jsonFlag(command)
	require(command, "name")
	command.RunE = func(command *cobra.Command, _ []string) error {
		return e.withData(command.Context(), func(rules *administration.Rules) error {
			hub, err := rules.CreateHub(command.Context(), e.change(), wanted)
			if err != nil {
				return err
			}
			return e.printHub(*asJSON, hub)
		})
	}
	return command
}

func newHubList(e *Env) *cobra.Command {
	command := &cobra.Command{
		Use: "list", Short: "List hubs", Args: cobra.NoArgs,
		Long: `List all hubs by name, inactive ones too.

  portico hub list
  portico hub list --json`,
	}
	asJSON := jsonFlag(command)
	command.RunE = func(command *cobra.Command, _ []string) error {
		return e.withData(command.Context(), func(rules *administration.Rules) error {
			hubs, err := rules.ListHubs(command.Context())
			if err != nil {
				return err
			}
			return e.printHubs(*asJSON, hubs)
		})
	}
	return command
}

func newHubShow(e *Env) *cobra.Command {
	return e.newHubAct("show", "Show a hub", `Show a hub.

  portico hub show HUB
  portico hub show HUB --json`, (*administration.Rules).FindHub)
}

func (e *Env) newHubActive(verb string, active bool, help string) *cobra.Command {
	return e.newHubAct(verb, capital(verb)+" a hub", help,
		func(rules *administration.Rules, ctx context.Context, id string) (storage.Hub, error) {
			return rules.SetHubActive(ctx, e.change(), id, active)
		})
}

// newHubAct returns a command that does something with one hub and prints it.
func (e *Env) newHubAct(verb, short, help string,
	act func(*administration.Rules, context.Context, string) (storage.Hub, error)) *cobra.Command {
	command := &cobra.Command{Use: verb + " HUB", Short: short, Long: help, Args: cobra.ExactArgs(1)}
	asJSON := jsonFlag(command)
	command.RunE = func(command *cobra.Command, args []string) error {
		return e.withData(command.Context(), func(rules *administration.Rules) error {
			hub, err := act(rules, command.Context(), args[0])
			if err != nil {
				return err
			}
			return e.printHub(*asJSON, hub)
		})
	}
	return command
}
