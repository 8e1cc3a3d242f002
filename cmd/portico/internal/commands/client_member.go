package commands

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/portico-id/portico/provider/apps"
	"github.com/portico-id/portico/storage"
)

const clientMemberHelp = `Who manages an application beside its owner. MEMBER is an e-mail address or a user
name. Whoever is added manages it at once; whoever is invited, once they accept on
their page of apps, within a week.

  portico client member add CLIENT_ID person@example.com
  portico client member invite CLIENT_ID person@example.com
  portico client member list CLIENT_ID
  portico client member invitations CLIENT_ID`

func newClientMember(e *Env) *cobra.Command {
	return group("member", "Say who manages an application", clientMemberHelp,
		newClientMemberAdd(e), newClientMemberList(e), newClientMemberRemove(e),
		newClientMemberInvite(e), newClientMemberInvitations(e), newClientMemberWithdraw(e))
}

// ofClient makes the work of a command whose first argument is a client.
func ofClient(e *Env, do func(ctx context.Context, rules *apps.Apps, client storage.Client, args []string,
) error) func(*cobra.Command, []string) error {
	return func(command *cobra.Command, args []string) error {
		return e.withApps(command.Context(), func(rules *apps.Apps) error {
			client, err := rules.Find(command.Context(), args[0])
			if err != nil {
				return err
			}
			return do(command.Context(), rules, client, args[1:])
		})
	}
}

func newClientMemberAdd(e *Env) *cobra.Command {
	return &cobra.Command{
		Use: "add CLIENT_ID MEMBER", Short: "Let a person manage an application", Args: cobra.ExactArgs(2),
		Long: `Let a person manage an application, at once. Their address must be verified.

  portico client member add CLIENT_ID person@example.com`,
		RunE: ofClient(e, func(ctx context.Context, rules *apps.Apps, client storage.Client, args []string) error {
			if err := rules.AddMember(ctx, e.act(), client, args[0]); err != nil {
				return err
			}
			e.printf("%s manages %s.\n", args[0], client.Name)
			return nil
		}),
	}
}

func newClientMemberList(e *Env) *cobra.Command {
	command := &cobra.Command{
		Use: "list CLIENT_ID", Short: "List who manages an application", Args: cobra.ExactArgs(1),
		Long: `List who manages an application, its owner first.

  portico client member list CLIENT_ID
  portico client member list CLIENT_ID --json`,
	}
	asJSON := jsonFlag(command)
	command.RunE = ofClient(e, func(ctx context.Context, rules *apps.Apps, client storage.Client, _ []string) error {
		all, err := rules.Managers(ctx, client)
		if err != nil {
			return err
		}
		return printList(e, *asJSON, "members", "ID OWNER NAME EMAIL", all, apps.NewMemberJSON,
			func(m apps.Manager) []string { return []string{m.UserID, yesNo(m.Owner), m.Name, m.Email} })
	})
	return command
}

func newClientMemberRemove(e *Env) *cobra.Command {
	return &cobra.Command{
		Use: "remove CLIENT_ID USER_ID", Short: "Let a person manage an application no more",
		Args: cobra.ExactArgs(2),
		Long: `Let a person manage an application no more. Whom they invited is invited no more.

  portico client member remove CLIENT_ID USER_ID`,
		RunE: ofClient(e, func(ctx context.Context, rules *apps.Apps, client storage.Client, args []string) error {
			if err := rules.RemoveMember(ctx, e.act(), client.ID, args[0]); err != nil {
				return seeAlso(err, "client member list")
			}
			e.printf("%s manages %s no more.\n", args[0], client.Name)
			return nil
		}),
	}
}

func newClientMemberInvite(e *Env) *cobra.Command {
	command := &cobra.Command{
		Use: "invite CLIENT_ID MEMBER", Short: "Invite somebody to manage an application",
		Args: cobra.ExactArgs(2),
		Long: `Invite somebody to manage an application. They get a mail, and accept on their page
of apps within a week; who has the address is not said here. Inviting them again
begins anew.

  portico client member invite CLIENT_ID person@example.com`,
	}
	asJSON := jsonFlag(command)
	command.RunE = ofClient(e, func(ctx context.Context, rules *apps.Apps, client storage.Client, args []string) error {
		made, err := rules.Invite(ctx, e.act(), client, apps.Inviter{Title: invitedBy}, args[0])
		if err != nil {
			return err
		}
		if *asJSON {
			return e.printJSON(apps.NewInvitationJSON(made))
		}
		e.printf("%s is invited to manage %s until %s.\n", made.Invitee, client.Name, moment(made.ExpiresAt))
		return nil
	})
	return command
}

func newClientMemberInvitations(e *Env) *cobra.Command {
	command := &cobra.Command{
		Use: "invitations CLIENT_ID", Short: "List who is invited to manage an application", Args: cobra.ExactArgs(1),
		Long: `List who is invited to manage an application and has not answered.

  portico client member invitations CLIENT_ID
  portico client member invitations CLIENT_ID --json`,
	}
	asJSON := jsonFlag(command)
	command.RunE = ofClient(e, func(ctx context.Context, rules *apps.Apps, client storage.Client, _ []string) error {
		all, err := rules.Invitations(ctx, client.ID, e.Ambient.Now())
		if err != nil {
			return err
		}
		return printList(e, *asJSON, "invitations", "ID INVITED BY UNTIL", all, apps.NewInvitationJSON,
			func(i storage.ClientInvitation) []string {
				return []string{i.ID, i.Invitee, i.Inviter, moment(i.ExpiresAt)}
			})
	})
	return command
}

func newClientMemberWithdraw(e *Env) *cobra.Command {
	return &cobra.Command{
		Use: "withdraw CLIENT_ID INVITATION_ID", Short: "Take an invitation back",
		Args: cobra.ExactArgs(2),
		Long: `Take an invitation to manage an application back.

  portico client member withdraw CLIENT_ID INVITATION_ID`,
		RunE: ofClient(e, func(ctx context.Context, rules *apps.Apps, client storage.Client, args []string) error {
			if err := rules.Uninvite(ctx, e.act(), client.ID, args[0]); err != nil {
				return seeAlso(err, "client member invitations")
			}
			e.printf("%s is withdrawn.\n", args[0])
			return nil
		}),
	}
}
