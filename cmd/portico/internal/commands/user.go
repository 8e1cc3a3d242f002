package commands

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/portico-id/portico/cmd/portico/internal/config"
	"github.com/portico-id/portico/cmd/portico/internal/wiring"
	"github.com/portico-id/portico/provider/people"
	"github.com/portico-id/portico/storage"
)

const userHelp = `People who can sign in. USER is an id, an e-mail address or a user name.

  portico user create --email person@example.com --name "A Person" --password-stdin <password.txt
  portico user list
  portico user update person@example.com --set given_name=A --set locale=en-US
  portico user set-password person@example.com --password-stdin <password.txt
  portico user disable person@example.com

Every command works beside a running server, which acts on it within a second.`

func newUserCommand(e *Env) *cobra.Command {
	return group("user", "Add people who can sign in, and change them", userHelp,
		newUserCreate(e), newUserList(e), newUserShow(e), newUserUpdate(e), newUserSetPassword(e),
		newUserInvite(e), newUserPasswordLink(e), newUserSignOut(e), newUserDisable(e), newUserEnable(e), newUserDelete(e),
		newUserArchive(e), newUserFactor(e), newUserIdentities(e), newUserDisconnect(e),
		newUserSession(e), newUserImport(e),
	)
}

// withPeople opens the database around a command's work and puts its faults
// into the words of the command line.
func (e *Env) withPeople(ctx context.Context, work func(*people.People) error) error {
	return e.withPeopleAt(ctx, func(rules *people.People, _ config.Config) error { return work(rules) })
}

// withPeopleAt is withPeople for work that needs the server's address.
func (e *Env) withPeopleAt(ctx context.Context, work func(*people.People, config.Config) error) error {
	err := e.with(ctx, func(p *wiring.Parts) error { return work(p.People(), p.Config) })
	return seeAlso(inFlags(err, userFlag), "user list")
}

// withUser is withPeople for the user that a handle names.
func (e *Env) withUser(ctx context.Context, handle string, work func(*people.People, storage.User) error) error {
	return e.withPeople(ctx, func(rules *people.People) error {
		user, err := rules.Find(ctx, handle)
		if err != nil {
			return err
		}
		return work(rules, user)
	})
}

const userCreateHelp = `Add a person. The password is read from standard input, never from a flag, where
other users of the machine could see it. Without one the person can't sign in
until portico user set-password.

  printf %s "$PASSWORD" | portico user create --email admin@example.com \
      --name "An Administrator" --username admin --admin --password-stdin

With --json the output is one object; its "id" is the user's.`

func newUserCreate(e *Env) *cobra.Command {
	var newcomer people.Newcomer
	var settings []string
	var fromStdin bool
	command := &cobra.Command{Use: "create", Short: "Add a person", Long: userCreateHelp, Args: cobra.NoArgs}
	flags := command.Flags()
	flags.StringVar(&newcomer.Email, "email", "", "E-mail address, unique on this server.")
	flags.StringVar(&newcomer.Name, "name", "", "Full name, as others read it.")
	flags.StringVar(&newcomer.Username, "username", "", "User name to sign in with beside the address, unique.")
	flags.BoolVar(&newcomer.Admin, "admin", false, "Make the person a server administrator.")
	flags.BoolVar(&newcomer.EmailVerified, "email-verified", false, "The address is known to be the person's.")
	flags.BoolVar(&fromStdin, "password-stdin", false, "Read the password from standard input.")
	flags.StringArrayVar(&settings, "set", nil, "Set a further `FIELD=VALUE`, as in portico user update; may be repeated.")
	asJSON := jsonFlag(command)
	require(command, "email", "name")
	command.RunE = func(command *cobra.Command, _ []string) (err error) {
		if newcomer.Settings, err = parseSettings(settings); err != nil {
			return err
		}
		if fromStdin {
			if newcomer.Password, err = e.readPassword(); err != nil {
				return err
			}
		}
		if err := once(append(identified(command), newcomer.Settings...)); err != nil {
			return err
		}
		return e.withPeople(command.Context(), func(rules *people.People) error {
			user, err := rules.Create(command.Context(), e.act(), newcomer)
			if err != nil {
				return err
			}
			if !fromStdin {
				e.note("No password yet: portico user set-password %s --password-stdin", user.ID)
			}
			return e.printUser(*asJSON, user)
		})
	}
	return command
}

func newUserList(e *Env) *cobra.Command {
	command := &cobra.Command{
		Use: "list [TEXT]", Short: "List people", Args: cobra.MaximumNArgs(1),
		Long: `List people by name, all or those whose address, user name or name contains
TEXT, whatever its case and accents; and of them administrators, those who are
disabled, or those without a second factor.

  portico user list
  portico user list @example.com --json
  portico user list --admin --no-factor`,
	}
	admins := command.Flags().Bool("admin", false, "Only administrators.")
	disabled := command.Flags().Bool("disabled", false, "Only those who are disabled.")
	noFactor := command.Flags().Bool("no-factor", false, "Only those without a second factor.")
	asJSON := jsonFlag(command)
	command.RunE = func(command *cobra.Command, args []string) error {
		filter := storage.UserFilter{Query: strings.Join(args, ""), Admin: only(*admins), Disabled: only(*disabled)}
		if *noFactor {
			filter.TwoFactor = new(false)
		}
		return e.withPeople(command.Context(), func(rules *people.People) error {
			users, err := everyName(func(page storage.PageRequest) (storage.Listing[storage.User], error) {
				return rules.List(command.Context(), filter, page)
			})
			if err != nil {
				return err
			}
			return e.printUsers(*asJSON, users)
		})
	}
	return command
}

// only is true for a flag that is set, and nil, for no matter, otherwise.
func only(flag bool) *bool {
	if !flag {
		return nil
	}
	return &flag
}

func newUserShow(e *Env) *cobra.Command {
	command := &cobra.Command{
		Use: "show USER", Short: "Show a person with all fields", Args: cobra.ExactArgs(1),
		Long: `Show a person with all fields that are known.

  portico user show person@example.com
  portico user show person@example.com --json`,
	}
	asJSON := jsonFlag(command)
	command.RunE = func(command *cobra.Command, args []string) error {
		return e.withUser(command.Context(), args[0], func(_ *people.People, user storage.User) error {
			return e.printUser(*asJSON, user)
		})
	}
	return command
}
