package commands

import (
	"errors"
	"time"

	"github.com/spf13/cobra"

	"github.com/portico-id/portico/cmd/portico/internal/config"
	"github.com/portico-id/portico/provider/people"
	"github.com/portico-id/portico/storage"
)

var errNoBase = errors.New("PORTICO_BASE_URL is not set, and no server has run yet: the link begins with it")

func newUserPasswordLink(e *Env) *cobra.Command {
	command := &cobra.Command{
		Use: "password-link USER", Short: "Make a link to choose a password", Args: cobra.ExactArgs(1),
		Long: `Make a link by which a person chooses a password. It works once, for 30 minutes;
another one voids it. It begins with PORTICO_BASE_URL, or else with the base URL
that the server last ran with.

  portico user password-link person@example.com`,
	}
	asJSON := jsonFlag(command)
	command.RunE = func(command *cobra.Command, args []string) error {
		return e.withPeopleAt(command.Context(), func(rules *people.People, c config.Config) error {
			if c.BaseURL == "" {
				return errNoBase
			}
			user, err := rules.Find(command.Context(), args[0])
			if err != nil {
				return err
			}
			link, err := rules.PasswordLink(command.Context(), e.act(), user)
			if err != nil {
				return err
			}
			address := link.PasswordURL(c.BaseURL)
			if *asJSON {
				return e.printJSON(map[string]any{"url": address, "expires_at": link.Until})
			}
			e.printf("%s\n", address)
			e.note("It works once, until %s.", link.Until.Format(time.RFC3339))
			return nil
		})
	}
	return command
}

func newUserSignOut(e *Env) *cobra.Command {
	command := &cobra.Command{
		Use: "sign-out USER", Short: "Sign a person out everywhere", Args: cobra.ExactArgs(1),
		Long: `End all sign-ins and tokens of a person within a second. They may sign in again.

  portico user sign-out person@example.com`,
	}
	command.RunE = func(command *cobra.Command, args []string) error {
		return e.withUser(command.Context(), args[0], func(rules *people.People, user storage.User) error {
			if err := rules.EndSessions(command.Context(), e.act(), user.ID); err != nil {
				return err
			}
			e.printf("%s is signed out everywhere.\n", user.Email)
			return nil
		})
	}
	return command
}
