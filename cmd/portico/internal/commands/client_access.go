package commands

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/portico-id/portico/provider/apps"
	"github.com/portico-id/portico/storage"
)

func newClientAccess(e *Env) *cobra.Command {
	command := &cobra.Command{
		Use: "access CLIENT_ID", Short: "List who may use a restricted application", Args: cobra.ExactArgs(1),
		Long: `List the groups and people who are named for an application. They count while it
is restricted: portico client update CLIENT_ID --restricted.

  portico client access CLIENT_ID
  portico client access CLIENT_ID --json`,
	}
	asJSON := jsonFlag(command)
	command.RunE = func(command *cobra.Command, args []string) error {
		return e.withApps(command.Context(), func(rules *apps.Apps) error {
			client, err := rules.Find(command.Context(), args[0])
			if err != nil {
				return err
			}
			named, err := rules.Access(command.Context(), client.ID)
			if err != nil {
				return err
			}
			if !client.Restricted {
				e.note("The application is for everybody: these count once it is restricted.")
			}
			return printList(e, *asJSON, "named", "ID KIND NAME EMAIL", named, apps.NewAccessJSON,
				func(who storage.ClientAccess) []string {
					if who.GroupID != "" {
						return []string{who.GroupID, "group", who.Name, ""}
					}
					return []string{who.UserID, "user", who.Name, who.Email}
				})
		})
	}
	return command
}

func newClientAllow(e *Env) *cobra.Command {
	return e.namingForClient("allow", "Let a group or a person use a restricted application", (*apps.Apps).Allow)
}

func newClientDisallow(e *Env) *cobra.Command {
	return e.namingForClient("disallow", "Take a group or a person off an application's list; what it has of them ends within a second", (*apps.Apps).Disallow)
}

func (e *Env) namingForClient(verb, short string,
	do func(rules *apps.Apps, ctx context.Context, act storage.Act, clientID string,
		who storage.ClientAccess) error) *cobra.Command {
	command := &cobra.Command{
		Use: verb + " CLIENT_ID", Short: short, Args: cobra.ExactArgs(1),
		Long: short + ".\n\n  portico client " + verb + " CLIENT_ID --group Editors\n  portico client " + verb +
			" CLIENT_ID --user person@example.com",
	}
	group := command.Flags().String("group", "", "Name or id of a group.")
	user := command.Flags().String("user", "", "E-mail address, user name or id of a person.")
	command.MarkFlagsOneRequired("group", "user")
	command.MarkFlagsMutuallyExclusive("group", "user")
	command.RunE = func(command *cobra.Command, args []string) error {
		return e.withApps(command.Context(), func(rules *apps.Apps) error {
			client, err := rules.Find(command.Context(), args[0])
			if err != nil {
				return err
			}
			kind, handle := apps.AccessGroups, *group
			if command.Flags().Changed("user") {
				kind, handle = apps.AccessUsers, *user
			}
			who, err := rules.Named(command.Context(), kind, handle)
			if err != nil {
				return err
			}
			return seeAlso(do(rules, command.Context(), e.act(), client.ID, who), "client access CLIENT_ID")
		})
	}
	return command
}
