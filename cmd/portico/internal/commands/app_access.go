package commands

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/portico-id/portico/dataapi/administration"
	"github.com/portico-id/portico/dataapi/level"
	"github.com/portico-id/portico/storage"
)

const appHelp = `Which applications may enter which hubs. An application by itself reaches every
hub in which it is provisioned, at the level given there; with x-user-id it acts
for one user, and does never more than either may.

  portico app provision --hub HUB --client CLIENT_ID
  portico app provision --hub HUB --client CLIENT_ID --level view --users none
  portico app list --hub HUB
  portico app remove --hub HUB --client CLIENT_ID`

func newAppCommand(e *Env) *cobra.Command {
	return group("app", "Let applications into hubs", appHelp,
		e.newProvision("provision", cobra.NoArgs), newAppList(e), newAppRemove(e))
}

// newProvision is a command that takes the client as an argument, or as a flag
// when it takes no argument.
func (e *Env) newProvision(use string, args cobra.PositionalArgs) *cobra.Command {
	var access storage.AppAccess
	command := &cobra.Command{
		Use: use, Short: "Let an application into a hub", Args: args,
		Long: `Let an application into a hub, or change what it may do there. --level bounds
what it does by itself and for users that it names; --users says for whom it may
act: all-members, none, or ids of users separated by commas.

  portico hub provision CLIENT_ID --hub HUB
  portico app provision --hub HUB --client CLIENT_ID --level download --users all-members

With --json the output is one object; its "id" is the client's.`,
	}
	hub, client := hubFlag(command), new(string)
	if !strings.Contains(use, " ") {
		client = clientIDFlag(command)
	}
	wanted := command.Flags().String("level", "edit", "`LEVEL`: view, download, publish, collaborate, edit or control.")
	users := command.Flags().String("users", string(storage.AppForMembers),
		"`USERS` whom it may act for: all-members, none, or ids.")
	asJSON := jsonFlag(command)
	command.RunE = func(command *cobra.Command, args []string) (err error) {
		access.HubID, access.ClientID = *hub, strings.Join(append(args, *client), "")
		access.Users, access.UserIDs = parseUsers(*users)
		return e.withData(command.Context(), func(rules *administration.Rules) error {
			if access.Level, err = level.Parse(*wanted, administration.FieldLevel); err != nil {
				return err
			}
			access, err := rules.ProvisionApp(command.Context(), e.change(), access)
			if err != nil {
				return err
			}
			return e.printAppAccess(*asJSON, access)
		})
	}
	return command
}

func clientIDFlag(command *cobra.Command) *string {
	client := command.Flags().String("client", "", "`CLIENT_ID` of the application.")
	require(command, "client")
	return client
}

// parseUsers reads --users.
func parseUsers(text string) (storage.AppUsers, []string) {
	switch users := storage.AppUsers(text); users {
	case storage.AppForMembers, storage.AppForNobody:
		return users, nil
	}
	var ids []string
	for id := range strings.SplitSeq(text, ",") {
		if id = strings.TrimSpace(id); id != "" {
			ids = append(ids, id)
		}
	}
	return storage.AppForListed, ids
}

func newAppList(e *Env) *cobra.Command {
	command := &cobra.Command{
		Use: "list", Short: "List the applications of a hub", Args: cobra.NoArgs,
		Long: `List which applications may enter a hub.

  portico app list --hub HUB
  portico app list --hub HUB --json`,
	}
	hub, asJSON := hubFlag(command), jsonFlag(command)
	command.RunE = func(command *cobra.Command, _ []string) error {
		return e.withData(command.Context(), func(rules *administration.Rules) error {
			apps, err := rules.ListApps(command.Context(), *hub)
			if err != nil {
				return err
			}
			return e.printAppAccesses(*asJSON, apps)
		})
	}
	return command
}

func newAppRemove(e *Env) *cobra.Command {
	command := &cobra.Command{
		Use: "remove", Short: "Take an application out of a hub", Args: cobra.NoArgs,
		Long: `Take an application out of a hub: from then on it is refused there. It can be
provisioned again.

  portico app remove --hub HUB --client CLIENT_ID`,
	}
	hub, client := hubFlag(command), clientIDFlag(command)
	asJSON := jsonFlag(command)
	command.RunE = func(command *cobra.Command, _ []string) error {
		return e.withData(command.Context(), func(rules *administration.Rules) error {
			if err := rules.WithdrawApp(command.Context(), e.change(), *hub, *client); err != nil {
				return err
			}
			return e.printDone(*asJSON, *client, "is no longer provisioned.")
		})
	}
	return command
}
