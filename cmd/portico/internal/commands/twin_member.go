package commands

import (
	"github.com/spf13/cobra"

	"github.com/portico-id/portico/dataapi/administration"
	"github.com/portico-id/portico/dataapi/facilities"
)

const twinMemberHelp = `Who may do what in a twin: Read, ReadWrite (change values, import documents),
Manage (say who may do what) or Owner. Administrators of the hub may do everything.

  portico twin member add --twin TWIN --user person@example.com --access ReadWrite
  portico twin member list --twin TWIN
  portico twin member remove --twin TWIN --user person@example.com

Whoever is added becomes a member of the hub.`

func newTwinMemberCommand(e *Env) *cobra.Command {
	return group("member", "Say who may do what in a twin", twinMemberHelp,
		newTwinMemberAdd(e), newTwinMemberList(e), newTwinMemberRemove(e))
}

func newTwinMemberAdd(e *Env) *cobra.Command {
	command := &cobra.Command{
		Use: "add", Short: "Give somebody access to a twin", Args: cobra.NoArgs,
		Long: `Give somebody access to a twin, or another access than before.

  portico twin member add --twin TWIN --user person@example.com
  portico twin member add --twin TWIN --user ABCDEFGHIJKLMNOP --access Manage --json`,
	}
	twin, user := twinIDFlag(command), userIDFlag(command)
	wanted := command.Flags().String("access", "Read", "`ACCESS`: Read, ReadWrite, Manage or Owner.")
	asJSON := jsonFlag(command)
	command.RunE = func(command *cobra.Command, _ []string) error {
		ctx := command.Context()
		return e.inTwin(ctx, *twin, func(rules *facilities.Rules, people *administration.Rules, id string) error {
			access, err := facilities.ParseAccess(*wanted)
			if err != nil {
				return err
			}
			userID, err := people.Person(ctx, *user)
			if err != nil {
				return err
			}
			if err := rules.SetMember(ctx, e.change(), id, userID, access); err != nil {
				return err
			}
			return e.printTwinMember(*asJSON, userID, access)
		})
	}
	return command
}

func newTwinMemberList(e *Env) *cobra.Command {
	command := &cobra.Command{
		Use: "list", Short: "List who has access to a twin", Args: cobra.NoArgs,
		Long: `List who has access to a twin. Administrators of the hub have it without being here.

  portico twin member list --twin TWIN
  portico twin member list --twin TWIN --json`,
	}
	twin, asJSON := twinIDFlag(command), jsonFlag(command)
	command.RunE = func(command *cobra.Command, _ []string) error {
		ctx := command.Context()
		return e.inTwin(ctx, *twin, func(rules *facilities.Rules, _ *administration.Rules, id string) error {
			members, err := rules.ListMembers(ctx, id)
			if err != nil {
				return err
			}
			return e.printTwinMembers(*asJSON, members)
		})
	}
	return command
}

func newTwinMemberRemove(e *Env) *cobra.Command {
	command := &cobra.Command{
		Use: "remove", Short: "Take somebody's access to a twin away", Args: cobra.NoArgs,
		Long: `Take somebody's access to a twin away. They stay a member of the hub.

  portico twin member remove --twin TWIN --user person@example.com`,
	}
	twin, user := twinIDFlag(command), userIDFlag(command)
	asJSON := jsonFlag(command)
	command.RunE = func(command *cobra.Command, _ []string) error {
		ctx := command.Context()
		return e.inTwin(ctx, *twin, func(rules *facilities.Rules, people *administration.Rules, id string) error {
			userID, err := people.Person(ctx, *user)
			if err != nil {
				return err
			}
			if err := rules.RemoveMember(ctx, e.change(), id, userID); err != nil {
				return err
			}
			return e.printDone(*asJSON, userID, "has no access any more.")
		})
	}
	return command
}
