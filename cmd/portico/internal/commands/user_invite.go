package commands

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/portico-id/portico/cmd/portico/internal/config"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/provider/people"
)

func newUserInvite(e *Env) *cobra.Command {
	command := &cobra.Command{
		Use: "invite USER", Short: "Invite a person who has no password", Args: cobra.ExactArgs(1),
		Long: `Invite a person who has no password yet, or anew: an address that nobody has is
added. The running server mails the invitation; where it has no mail server the
link is printed, to be handed over. It works once, for 7 days.

  portico user invite person@example.com`,
	}
	asJSON := jsonFlag(command)
	command.RunE = func(command *cobra.Command, args []string) error {
		return e.withPeopleAt(command.Context(), func(rules *people.People, c config.Config) error {
			if c.BaseURL == "" {
				return errNoBase
			}
			made, err := e.invite(command.Context(), rules, args[0])
			if err != nil {
				return err
			}
			if *asJSON {
				return e.printJSON(invitation{URL: made.URL(c.BaseURL), Until: made.Until})
			}
			if made.Mailed() {
				e.printf("The invitation is on its way to %s.\n", args[0])
			} else {
				e.printf("%s\n", made.URL(c.BaseURL))
			}
			e.note("It works once, until %s.", moment(made.Until))
			return nil
		})
	}
	return command
}

// invite invites whoever the handle names, and adds who is not known.
func (e *Env) invite(ctx context.Context, rules *people.People, handle string) (people.Invitation, error) {
	user, err := rules.Find(ctx, handle)
	if fault.Is(err, fault.NotFound) && strings.Contains(handle, "@") {
		_, made, err := rules.Invite(ctx, e.act(), handle, invitedBy)
		return made, err
	}
	if err != nil {
		return people.Invitation{}, err
	}
	return rules.InviteUser(ctx, e.act(), user, invitedBy)
}
