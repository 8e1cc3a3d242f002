package commands

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/portico-id/portico/provider/apps"
	"github.com/portico-id/portico/provider/clientprofile"
	"github.com/portico-id/portico/storage"
)

const clientClaimHelp = `What an application is told in ID tokens and user info beside the usual claims. Those
that are made of groups stand in place of the claim groups, and come with its scope.

  portico client claim add CLIENT_ID teams --groups
  portico client claim add CLIENT_ID roles --role admin --group Operators
  portico client claim add CLIENT_ID tenant --value example
  portico client claim remove CLIENT_ID roles

portico client show --json lists them.`

func newClientClaim(e *Env) *cobra.Command {
	return group("claim", "Say what an application is told beside the usual claims", clientClaimHelp,
		newClientClaimAdd(e), newClientClaimRemove(e))
}

// changingClaims makes a command about a claim of a client.
func (e *Env) changingClaims(use, short, example string,
	do func(ctx context.Context, rules *apps.Apps, client storage.Client, name string) error) *cobra.Command {
	command := &cobra.Command{Use: use, Short: short, Args: cobra.ExactArgs(2),
		Long: short + ".\n\n  portico client claim " + example}
	command.RunE = func(command *cobra.Command, args []string) error {
		return e.withApps(command.Context(), func(rules *apps.Apps) error {
			client, err := rules.Find(command.Context(), args[0])
			if err != nil {
				return err
			}
			return do(command.Context(), rules, client, args[1])
		})
	}
	return command
}

func newClientClaimAdd(e *Env) *cobra.Command {
	var groups bool
	var role, group, value string
	command := e.changingClaims("add CLIENT_ID CLAIM", "Tell an application something in a claim of its own",
		"add CLIENT_ID roles --role admin --group Operators",
		func(ctx context.Context, rules *apps.Apps, client storage.Client, name string) error {
			claim := apps.ClaimJSON{Name: name, Source: clientprofile.SourceFixed, Value: value}
			switch {
			case groups:
				claim.Source = clientprofile.SourceGroups
			case role != "":
				who, err := rules.Named(ctx, apps.AccessGroups, group)
				if err != nil {
					return err
				}
				claim = apps.ClaimJSON{Name: name, Source: clientprofile.SourceRole, Value: role, GroupID: who.GroupID}
			}
			return rules.AddClaim(ctx, e.act(), client, claim)
		})
	flags := command.Flags()
	flags.BoolVar(&groups, "groups", false, "The names of the person's groups.")
	flags.StringVar(&role, "role", "", "`VALUE` for whoever is in --group; may be added several times.")
	flags.StringVar(&group, "group", "", "Name or id of the group whose people have the role.")
	flags.StringVar(&value, "value", "", "`VALUE` for everybody.")
	command.MarkFlagsOneRequired("groups", "role", "value")
	command.MarkFlagsMutuallyExclusive("groups", "role", "value")
	command.MarkFlagsRequiredTogether("role", "group")
	return command
}

func newClientClaimRemove(e *Env) *cobra.Command {
	var role string
	command := e.changingClaims("remove CLIENT_ID CLAIM", "Tell an application something no more",
		"remove CLIENT_ID roles --role admin",
		func(ctx context.Context, rules *apps.Apps, client storage.Client, name string) error {
			return seeAlso(rules.DeleteClaim(ctx, e.act(), client, func(claim apps.ClaimJSON) bool {
				return claim.Name == name && (role == "" || claim.Value == role)
			}), "client show CLIENT_ID --json")
		})
	command.Flags().StringVar(&role, "role", "", "Only the role with this `VALUE`.")
	return command
}
