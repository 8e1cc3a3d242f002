package commands

import (
	"github.com/spf13/cobra"

	"github.com/portico-id/portico/cmd/portico/internal/wiring"
)

const userFactorHelp = `The second factor of a person, with which they sign in beside the password.
USER is an id, an e-mail address or a user name.

  portico user factor remove person@example.com --yes

People add and remove their own on their own page, /account/security.`

func newUserFactor(e *Env) *cobra.Command {
	return group("factor", "Help a person who lost their second factor", userFactorHelp, newUserFactorRemove(e))
}

func newUserFactorRemove(e *Env) *cobra.Command {
	command := &cobra.Command{
		Use: "remove USER", Short: "Remove a second factor that its user has lost", Args: cobra.ExactArgs(1),
		Long: `Remove authenticator app and recovery codes of a person who has lost them, so that
the password alone lets them in. Their sign-ins and tokens end within a second,
and they are told by mail. Make sure first that it is they who ask. It asks before it
does so; scripts say --yes.

  portico user factor remove person@example.com --yes`,
	}
	yes := yesFlag(command)
	command.RunE = func(command *cobra.Command, args []string) error {
		ctx := command.Context()
		return e.with(ctx, func(p *wiring.Parts) error {
			user, err := p.People().Find(ctx, args[0])
			if err != nil {
				return seeAlso(err, "user list")
			}
			rules, err := p.Factors()
			if err != nil {
				return err
			}
			if err := e.confirm(*yes, "Remove the second factor of %s (%s)?", user.Profile.Name, user.Email); err != nil {
				return err
			}
			if err := rules.RemoveLost(ctx, e.act(), user); err != nil {
				return err
			}
			e.printf("The second factor of %s is removed.\n", user.Email)
			return nil
		})
	}
	return command
}
