package commands

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/portico-id/portico/provider/people"
	"github.com/portico-id/portico/storage"
)

func userUpdateHelp() string {
	var help strings.Builder
	help.WriteString(`Change what is known about a person. A value of nothing clears a field; a new
e-mail address or telephone number counts as not verified until said otherwise.

  portico user update person@example.com --set given_name=A --set "address.locality=Some Town"
  portico user update person --email new@example.com --set email_verified=true
  portico user update person --admin=false

Fields of --set and what they take:

`)
	for _, f := range people.Fields() {
		fmt.Fprintf(&help, "  %-24s %s\n", f.Name, f.Wants)
	}
	return strings.TrimSuffix(help.String(), "\n")
}

func newUserUpdate(e *Env) *cobra.Command {
	var settings []string
	var admin bool
	change := people.Change{}
	command := &cobra.Command{Use: "update USER", Short: "Change a person's fields",
		Long: userUpdateHelp(), Args: cobra.ExactArgs(1)}
	flags := command.Flags()
	flags.String("email", "", "E-mail address.")
	flags.String("name", "", "Full name.")
	flags.String("username", "", "User name; empty removes it.")
	flags.StringArrayVar(&settings, "set", nil, "Set `FIELD=VALUE`; may be repeated.")
	flags.BoolVar(&admin, "admin", false, "Make the person a server administrator; =false takes it back.")
	flags.BoolVar(&change.Force, "force", false, "Even if no administrator is left.")
	asJSON := jsonFlag(command)
	mayBeEmpty(command, "username")
	command.RunE = func(command *cobra.Command, args []string) (err error) {
		if change.Settings, err = parseSettings(settings); err != nil {
			return err
		}
		change.Settings = append(change.Settings, identified(command)...)
		if err := once(change.Settings); err != nil {
			return err
		}
		if command.Flags().Changed("admin") {
			change.Admin = &admin
		}
		if len(change.Settings) == 0 && change.Admin == nil {
			return usagef("nothing to change: give --set field=value, --email, --name, --username or --admin")
		}
		return e.withUser(command.Context(), args[0], func(rules *people.People, user storage.User) error {
			user, err := rules.Update(command.Context(), e.act(), user.ID, change)
			if err != nil {
				return err
			}
			return e.printUser(*asJSON, user)
		})
	}
	return command
}

func newUserSetPassword(e *Env) *cobra.Command {
	var fromStdin bool
	command := &cobra.Command{
		Use: "set-password USER", Short: "Replace a person's password", Args: cobra.ExactArgs(1),
		Long: `Replace a person's password. It ends all their sign-ins and what they granted to
applications: whoever knew the old one is out.

  printf %s "$PASSWORD" | portico user set-password person@example.com --password-stdin`,
	}
	command.Flags().BoolVar(&fromStdin, "password-stdin", false, "Read the password from standard input.")
	require(command, "password-stdin")
	command.RunE = func(command *cobra.Command, args []string) error {
		if !fromStdin {
			return usagef("the password can only come from standard input: add --password-stdin")
		}
		plain, err := e.readPassword()
		if err != nil {
			return err
		}
		return e.withUser(command.Context(), args[0], func(rules *people.People, user storage.User) error {
			if err := rules.SetPassword(command.Context(), e.act(), user, plain, ""); err != nil {
				return err
			}
			e.printf("The password of %s was replaced.\n", user.Email)
			return nil
		})
	}
	return command
}

func newUserDisable(e *Env) *cobra.Command {
	var force bool
	command := &cobra.Command{
		Use: "disable USER", Short: "Keep a person out", Args: cobra.ExactArgs(1),
		Long: `Keep a person from signing in, and end their sign-ins and tokens within a second.
portico user enable lets them in again; what ended does not come back.

  portico user disable person@example.com`,
	}
	command.Flags().BoolVar(&force, "force", false, "Even if no administrator is left.")
	command.RunE = func(command *cobra.Command, args []string) error {
		return e.withUser(command.Context(), args[0], func(rules *people.People, user storage.User) error {
			if err := rules.Disable(command.Context(), e.act(), user, force); err != nil {
				return err
			}
			e.printf("%s is disabled.\n", user.Email)
			return nil
		})
	}
	return command
}

func newUserEnable(e *Env) *cobra.Command {
	command := &cobra.Command{
		Use: "enable USER", Short: "Let a disabled person in again", Args: cobra.ExactArgs(1),
		Long: `Let a disabled person sign in again.

  portico user enable person@example.com`,
	}
	command.RunE = func(command *cobra.Command, args []string) error {
		return e.withUser(command.Context(), args[0], func(rules *people.People, user storage.User) error {
			if err := rules.Enable(command.Context(), e.act(), user); err != nil {
				return err
			}
			e.printf("%s is enabled.\n", user.Email)
			return nil
		})
	}
	return command
}

func newUserDelete(e *Env) *cobra.Command {
	var force bool
	command := &cobra.Command{
		Use: "delete USER", Short: "Remove a person for good", Args: cobra.ExactArgs(1),
		Long: `Remove a person for good, with their password, sign-ins, consents and tokens. It
asks first; scripts say --yes. To keep somebody out, disable them instead.

  portico user delete person@example.com --yes`,
	}
	yes := yesFlag(command)
	command.Flags().BoolVar(&force, "force", false, "Even if no administrator is left.")
	command.RunE = func(command *cobra.Command, args []string) error {
		return e.withUser(command.Context(), args[0], func(rules *people.People, user storage.User) error {
			if err := e.confirm(*yes, "Delete %s (%s) with everything that is theirs?", user.Profile.Name,
				user.Email); err != nil {
				return err
			}
			if err := rules.Delete(command.Context(), e.act(), user, force); err != nil {
				return err
			}
			e.printf("%s is deleted.\n", user.Email)
			return nil
		})
	}
	return command
}
