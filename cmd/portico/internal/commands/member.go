package commands

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/portico-id/portico/dataapi/administration"
)

const memberHelp = `Who belongs to a hub or a project, and who administers it. Members of a project
belong to its hub as well. A member sees only the folders they were given (portico
grant); administrators of a project, and of its hub, see and change all of it.

  portico member add --hub HUB --user person@example.com --role admin
  portico member add --project PROJECT --user ABCDEFGHIJKLMNOP --role member
  portico member list --project PROJECT
  portico member remove --hub HUB --user person@example.com --yes

A person is named by id, or by an e-mail address that is known to be theirs. An
address that nobody has becomes an invitation: portico member add prints a link for
them. Service accounts are named by id, and are never administrators.`

func newMemberCommand(e *Env) *cobra.Command {
	return group("member", "Say who belongs to hubs and projects", memberHelp,
		newMemberAdd(e), newMemberList(e), newMemberRemove(e))
}

func newMemberAdd(e *Env) *cobra.Command {
	command := &cobra.Command{
		Use: "add", Short: "Add somebody to a hub or a project", Args: cobra.NoArgs,
		Long: `Add somebody to a hub or a project, or change their role there.

  portico member add --hub HUB --user person@example.com --role admin
  portico member add --project PROJECT --user person@example.com

An address that nobody has becomes an invitation: the person is added, and the
command prints a link by which they choose a password. Hand it to them; it works
once, for a week. It begins with PORTICO_BASE_URL, or else with the base URL that
the server last ran with.

With --json the output is one object; its "id" is the user's, and "invitation" the
link, if there is one.`,
	}
	place, user := placeFlags(command), userIDFlag(command)
	role := command.Flags().String("role", "member", "`ROLE`: admin or member.")
	asJSON := jsonFlag(command)
	command.RunE = func(command *cobra.Command, _ []string) (err error) {
		if place.Admin, err = administration.ParseRole(*role); err != nil {
			return usagef("--role must be admin or member")
		}
		invitation, err := e.invited(command.Context(), *place, *user)
		if err != nil {
			return err
		}
		if invitation != nil {
			*user = invitation.UserID
		}
		return e.withMember(command, place, *user, func(ctx context.Context, rules *administration.Rules) error {
			if err := rules.SetMember(ctx, e.change(), *place); err != nil {
				return err
			}
			return e.printMember(*asJSON, *place, invitation)
		})
	}
	return command
}

// withMember is withData for a membership of somebody who is to be found.
func (e *Env) withMember(command *cobra.Command, m *administration.Membership, handle string,
	work func(context.Context, *administration.Rules) error) error {
	ctx := command.Context()
	return e.withData(ctx, func(rules *administration.Rules) (err error) {
		if m.UserID, err = rules.Person(ctx, handle); err != nil {
			return err
		}
		return work(ctx, rules)
	})
}

func newMemberRemove(e *Env) *cobra.Command {
	command := &cobra.Command{
		Use: "remove", Short: "Take somebody out of a hub or a project", Args: cobra.NoArgs,
		Long: `Take somebody out of a project, with the folders they were given there; or out of
a hub, with its projects and groups. It asks first; scripts say --yes.

  portico member remove --project PROJECT --user person@example.com --yes`,
	}
	yes := yesFlag(command)
	place, user := placeFlags(command), userIDFlag(command)
	asJSON := jsonFlag(command)
	command.RunE = func(command *cobra.Command, _ []string) error {
		return e.withMember(command, place, *user, func(ctx context.Context, rules *administration.Rules) error {
			if err := e.confirm(*yes, "Take %s out, with all that they were given there?", *user); err != nil {
				return err
			}
			if err := rules.RemoveMember(ctx, e.change(), *place); err != nil {
				return err
			}
			return e.printDone(*asJSON, place.UserID, "is no longer a member.")
		})
	}
	return command
}

func newMemberList(e *Env) *cobra.Command {
	command := &cobra.Command{
		Use: "list", Short: "List who belongs to a hub or a project", Args: cobra.NoArgs,
		Long: `List who belongs to a hub or a project.

  portico member list --hub HUB
  portico member list --project PROJECT --json`,
	}
	place, asJSON := placeFlags(command), jsonFlag(command)
	command.RunE = func(command *cobra.Command, _ []string) error {
		ctx := command.Context()
		return e.withData(ctx, func(rules *administration.Rules) error {
			members, err := rules.ListMembers(ctx, *place)
			if err != nil {
				return err
			}
			return e.printMembers(ctx, *asJSON, rules, members)
		})
	}
	return command
}
