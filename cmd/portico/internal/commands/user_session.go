package commands

import (
	"github.com/spf13/cobra"

	"github.com/portico-id/portico/provider/people"
	"github.com/portico-id/portico/storage"
)

const userSessionHelp = `Where a person is signed in, and how to end one sign-in. USER is an id, an e-mail
address or a user name.

  portico user session list person@example.com
  portico user session end person@example.com SESSION

portico user sign-out ends all of them, and the tokens.`

func newUserSession(e *Env) *cobra.Command {
	return group("session", "See and end a person's sign-ins", userSessionHelp,
		newUserSessionList(e), newUserSessionEnd(e))
}

func newUserSessionList(e *Env) *cobra.Command {
	command := &cobra.Command{
		Use: "list USER", Short: "List where a person is signed in", Args: cobra.ExactArgs(1),
		Long: "List where a person is signed in, the newest first.\n\n  portico user session list person@example.com",
	}
	asJSON := jsonFlag(command)
	command.RunE = func(command *cobra.Command, args []string) error {
		return e.withUser(command.Context(), args[0], func(rules *people.People, user storage.User) error {
			sessions, err := rules.Sessions(command.Context(), user.ID)
			if err != nil {
				return err
			}
			return printList(e, *asJSON, "sessions", "ID SINCE LAST-SEEN ADDRESS DEVICE", sessions, people.NewSessionJSON,
				func(s storage.LoginSession) []string {
					return []string{s.ID, moment(s.CreatedAt), moment(s.LastSeenAt), s.Address, s.UserAgent}
				})
		})
	}
	return command
}

func newUserSessionEnd(e *Env) *cobra.Command {
	command := &cobra.Command{
		Use: "end USER SESSION", Short: "End one sign-in of a person", Args: cobra.ExactArgs(2),
		Long: `End one sign-in of a person within a second. Tokens of apps go on working.

  portico user session end person@example.com SESSION`,
	}
	command.RunE = func(command *cobra.Command, args []string) error {
		return e.withUser(command.Context(), args[0], func(rules *people.People, user storage.User) error {
			if err := rules.EndSession(command.Context(), e.act(), user.ID, args[1]); err != nil {
				return seeAlso(err, "user session list")
			}
			e.printf("The sign-in %s of %s has ended.\n", args[1], user.Email)
			return nil
		})
	}
	return command
}
