package commands

import (
	"context"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/portico-id/portico/cmd/portico/internal/wiring"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/provider/directory"
)

const directoryHelp = `Directories (LDAP, Active Directory) whose people sign in here with the password that
they have there.

  portico directory create works --kind ad --secret-file secret hosts=ldaps://dc1.works.example \
    bind_dn=CN=portico,OU=Services,DC=works,DC=example base=OU=People,DC=works,DC=example networks=10.0.0.0/8
  portico directory test works alice
  portico directory sync works`

const directoryFields = `Fields are name, position, domains, exclusive, group_prefix, hosts, start_tls, ca (PEM), bind_dn,
networks, base, filter, logins, subject, email, name_attribute, group_base, group_filter, group_name, member, member_uid,
active_directory, domain, join (off, sign-in, all), link (ask, verified), vouches_for, groups_come, own_groups and
unbraked. Lists have commas; @FILE is what is in the file.`

func newDirectoryCommand(e *Env) *cobra.Command {
	return group("directory", "Let people sign in with the password of their directory", directoryHelp,
		newDirectoryCreate(e), newDirectorySet(e), newDirectoryList(e), newDirectoryShow(e), newDirectoryTest(e),
		newDirectorySync(e), newDirectoryGroups(e), newDirectoryConnect(e), newDirectorySwitch(e, "disable", true),
		newDirectorySwitch(e, "enable", false), newDirectoryDelete(e))
}

func withDirectories(ctx context.Context, e *Env, work func(*directory.Directories, *wiring.Parts) error) error {
	err := e.with(ctx, func(p *wiring.Parts) error {
		rules, err := p.Directories()
		if err != nil {
			return err
		}
		return work(rules, p)
	})
	if fault.HasReason(err, directory.ReasonNoDirectory) {
		return seeAlso(err, "directory list")
	}
	return inFlags(err, func(f *fault.Error) string { return f.Source })
}

// directoryChange reads FIELD=VALUE arguments, and the secret.
func directoryChange(args []string, secret func() (string, error)) (directory.Change, error) {
	pairs, err := changeOf(args)
	if err != nil {
		return directory.Change{}, err
	}
	for field, value := range pairs {
		name, named := strings.CutPrefix(value, "@")
		if !named || field == "name" {
			continue
		}
		if pairs[field], err = inFile(field, name); err != nil {
			return directory.Change{}, err
		}
	}
	change, err := directory.Said(pairs)
	if err != nil {
		return change, err
	}
	text, err := secret()
	if text != "" {
		change.Secret = &text
	}
	return change, err
}

func newDirectoryCreate(e *Env) *cobra.Command {
	command := &cobra.Command{
		Use: "create DIRECTORY FIELD=VALUE...", Short: "Add a directory", Args: cobra.MinimumNArgs(1),
		Long: `Add a directory, switched on. ` + directoryFields + `

  portico directory create works --kind openldap --secret-file secret hosts=ldaps://ldap.works.example \
    bind_dn=cn=portico,dc=works,dc=example base=ou=people,dc=works,dc=example`,
	}
	kind := command.Flags().String("kind", "openldap", "ad, openldap, 389 or ipa")
	secret := secretFlag(command, "service account's password")
	command.RunE = func(command *cobra.Command, args []string) error {
		change, err := directoryChange(args[1:], secret)
		if err != nil {
			return err
		}
		return withDirectories(command.Context(), e, func(rules *directory.Directories, _ *wiring.Parts) error {
			_, err := rules.Create(command.Context(), e.act(), args[0], *kind, change)
			return err
		})
	}
	return command
}

func newDirectorySet(e *Env) *cobra.Command {
	command := &cobra.Command{
		Use: "set DIRECTORY FIELD=VALUE...", Short: "Change a directory", Args: cobra.MinimumNArgs(1),
		Long: `Change a directory. Where the service account's password would go to another server it must be
given anew. ` + directoryFields + `

  portico directory set works join=all groups_come=true group_base=OU=Groups,DC=works,DC=example
  portico directory set works --secret-file secret`,
	}
	secret := secretFlag(command, "service account's password")
	command.RunE = func(command *cobra.Command, args []string) error {
		change, err := directoryChange(args[1:], secret)
		if err != nil {
			return err
		}
		return withDirectories(command.Context(), e, func(rules *directory.Directories, _ *wiring.Parts) error {
			_, err := rules.Set(command.Context(), e.act(), args[0], change)
			return err
		})
	}
	return command
}

func newDirectoryList(e *Env) *cobra.Command {
	command := &cobra.Command{Use: "list", Short: "List directories", Args: cobra.NoArgs,
		Long: "List directories with what the last walk through each came to.\n\n  portico directory list"}
	asJSON := jsonFlag(command)
	command.RunE = func(command *cobra.Command, _ []string) error {
		return withDirectories(command.Context(), e, func(rules *directory.Directories, _ *wiring.Parts) error {
			all, err := rules.List(command.Context())
			if err != nil {
				return err
			}
			return printList(e, *asJSON, "directories", "ID NAME STATE PEOPLE WALK", all,
				func(v directory.View) directory.View { return v }, func(v directory.View) []string {
					return []string{v.ID, v.Name, standing(false, v.Disabled), strconv.Itoa(v.People), v.Walk.Outcome}
				})
		})
	}
	return command
}

func newDirectoryShow(e *Env) *cobra.Command {
	return &cobra.Command{Use: "show DIRECTORY", Short: "Show a directory, as JSON", Args: cobra.ExactArgs(1),
		Long: "Show a directory, as JSON; its secret is never shown.\n\n  portico directory show works",
		RunE: func(command *cobra.Command, args []string) error {
			return withDirectories(command.Context(), e, func(rules *directory.Directories, _ *wiring.Parts) error {
				view, err := rules.Show(command.Context(), args[0])
				if err != nil {
					return err
				}
				return e.printJSON(view)
			})
		},
	}
}

func newDirectoryTest(e *Env) *cobra.Command {
	return &cobra.Command{Use: "test DIRECTORY [NAME]", Short: "Ask a directory for what a sign-in needs",
		Args: cobra.RangeArgs(1, 2),
		Long: `Ask a directory for what a sign-in needs, and show each step. With the name of somebody it looks
for them and their groups; nobody's password is needed.

  portico directory test works alice`,
		RunE: func(command *cobra.Command, args []string) error {
			login := strings.Join(args[1:], "")
			return withDirectories(command.Context(), e, func(rules *directory.Directories, _ *wiring.Parts) error {
				steps, err := rules.Test(command.Context(), args[0], login)
				for _, step := range steps {
					e.printf("%s\n", step)
					if err == nil && step.Err != nil {
						err = errStep
					}
				}
				return err
			})
		},
	}
}

func newDirectorySync(e *Env) *cobra.Command {
	command := &cobra.Command{Use: "sync DIRECTORY", Short: "Walk through a directory now", Args: cobra.ExactArgs(1),
		Long: `Walk through a directory now, as servers do every five minutes. A walk that misses more than five
people and more than one in twenty stops, and disables nobody, unless it is told that they are gone.

  portico directory sync works
  portico directory sync works --they-are-gone`}
	gone := command.Flags().Bool("they-are-gone", false, "However many are missing, disable them.")
	asJSON := jsonFlag(command)
	command.RunE = func(command *cobra.Command, args []string) error {
		return withDirectories(command.Context(), e, func(rules *directory.Directories, _ *wiring.Parts) error {
			walk, err := rules.Walk(command.Context(), args[0], *gone)
			if err != nil {
				return err
			}
			view := directory.NewWalkView(walk)
			if *asJSON {
				return e.printJSON(view)
			}
			e.printRows([]row{{"outcome", view.Outcome}, {"detail", view.Detail}, {"people", strconv.Itoa(view.People)},
				{"groups", strconv.Itoa(view.Groups)}, {"changed", strconv.Itoa(view.Changed)},
				{"missing", strconv.Itoa(view.Missing)}, {"skipped", strconv.Itoa(view.Skipped)}})
			return nil
		})
	}
	return command
}

func newDirectoryGroups(e *Env) *cobra.Command {
	command := &cobra.Command{Use: "groups DIRECTORY DN=HERE...", Short: "Say which groups of it are which here",
		Args: cobra.MinimumNArgs(1),
		Long: `Say which groups of the directory are which here, in place of what was said before. DN is that of
a group there, HERE the name of a group.

  portico directory groups works "CN=Staff,OU=Groups,DC=works,DC=example=Everybody"
  portico directory groups works --none`,
	}
	none := noneFlag(command)
	command.RunE = func(command *cobra.Command, args []string) error {
		ctx := command.Context()
		return withDirectories(ctx, e, func(rules *directory.Directories, p *wiring.Parts) error {
			all, err := groupsHere(ctx, p, args[1:], *none, strings.LastIndex)
			if err != nil {
				return err
			}
			return rules.SetGroups(ctx, e.act(), args[0], all)
		})
	}
	return command
}

func newDirectoryConnect(e *Env) *cobra.Command {
	return &cobra.Command{Use: "connect DIRECTORY NAME USER", Short: "Connect somebody there with a user here",
		Args: cobra.ExactArgs(3),
		Long: `Connect the person whom the directory knows by the name with a user here, who signs in with the
password of the directory from then on. Nothing checks that they are one person but you.

  portico directory connect works alice alice@example.com`,
		RunE: func(command *cobra.Command, args []string) error {
			return withDirectories(command.Context(), e, func(rules *directory.Directories, p *wiring.Parts) error {
				user, err := p.People().Find(command.Context(), args[2])
				if err != nil {
					return err
				}
				return rules.Connect(command.Context(), e.act(), args[0], args[1], user.ID)
			})
		},
	}
}

func newDirectorySwitch(e *Env, name string, disabled bool) *cobra.Command {
	short := "Let people sign in by a directory again"
	if disabled {
		short = "Let nobody sign in by a directory, and end what rests on it"
	}
	return &cobra.Command{Use: name + " DIRECTORY", Short: short, Args: cobra.ExactArgs(1),
		Long: short + ". Every server knows within a second.\n\n  portico directory " + name + " works",
		RunE: func(command *cobra.Command, args []string) error {
			return withDirectories(command.Context(), e, func(rules *directory.Directories, _ *wiring.Parts) error {
				return rules.Switch(command.Context(), e.act(), args[0], disabled)
			})
		},
	}
}

func newDirectoryDelete(e *Env) *cobra.Command {
	command := &cobra.Command{Use: "delete DIRECTORY", Short: "Remove a directory", Args: cobra.ExactArgs(1),
		Long: `Remove a directory with what it knows people by, and end what rests on it. People stay, and
belong to nobody.

  portico directory delete works --yes`}
	yes := yesFlag(command)
	command.RunE = func(command *cobra.Command, args []string) error {
		if err := e.confirm(*yes, "Remove the directory %s?", args[0]); err != nil {
			return err
		}
		return withDirectories(command.Context(), e, func(rules *directory.Directories, _ *wiring.Parts) error {
			return rules.Delete(command.Context(), e.act(), args[0])
		})
	}
	return command
}
