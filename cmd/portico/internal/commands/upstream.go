package commands

import (
	"context"
	"errors"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/portico-id/portico/cmd/portico/internal/wiring"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/provider/upstreams"
	"github.com/portico-id/portico/storage"
)

const upstreamHelp = `Providers of OpenID Connect and OAuth by which people sign in: those of companies,
Google, Microsoft Entra, Apple, GitHub, GitLab, another Portico.

  portico upstream create works --preset oidc --secret-file secret issuer=https://id.works.example client_id=portico
  portico upstream test works
  portico upstream set works join=domain join_domains=works.example vouches_for=works.example
  portico upstream disable works`

func newUpstreamCommand(e *Env) *cobra.Command {
	return group("upstream", "Let people sign in with what their company has", upstreamHelp, newUpstreamCreate(e),
		newUpstreamSet(e), newUpstreamList(e), newUpstreamShow(e), newUpstreamTest(e), newUpstreamGroups(e),
		newUpstreamStanding(e, "disable", true), newUpstreamStanding(e, "enable", false), newUpstreamDelete(e))
}

func withUpstreams(ctx context.Context, e *Env, work func(*upstreams.Upstreams, *wiring.Parts) error) error {
	err := e.with(ctx, func(p *wiring.Parts) error {
		rules, err := p.Upstreams()
		if err != nil {
			return err
		}
		return work(rules, p)
	})
	if fault.Is(err, fault.NotFound) {
		return seeAlso(err, "upstream list")
	}
	return inFlags(err, func(f *fault.Error) string { return f.Source })
}

// changeOf reads FIELD=VALUE arguments.
func changeOf(args []string) (upstreams.Change, error) {
	change := upstreams.Change{}
	for _, arg := range args {
		field, value, found := strings.Cut(arg, "=")
		if !found {
			return nil, usagef("%q is not of the form field=value", arg)
		}
		if err := put(change, field, value); err != nil {
			return nil, err
		}
	}
	return change, nil
}

// secretFlag is the file with a secret, which has no place in a shell's history.
func secretFlag(command *cobra.Command, what string) func() (string, error) {
	file := command.Flags().String("secret-file", "", "read the "+what+" from this file")
	return func() (string, error) {
		if *file == "" {
			return "", nil
		}
		return inFile("--secret-file", *file)
	}
}

// inFile returns what is in the file of a flag, or of a field. One that is empty, as of a program that failed,
// must not count as none: what was meant to be secret would be what it was before.
func inFile(name, file string) (string, error) {
	text, err := os.ReadFile(file) // #nosec G304 -- the operator's
	if err != nil {
		return "", fault.Newf(fault.Invalid, "", "%s: %v", name, err)
	}
	if kept := strings.TrimSpace(string(text)); kept != "" {
		return kept, nil
	}
	return "", fault.Newf(fault.Invalid, "", "%s: there is nothing in %s", name, file)
}

const upstreamFields = `Fields are name, position, domains, exclusive, issuer, client_id, scopes, tenants, hosted, join
(off, domain, open), join_domains, link (ask, verified), trust_email, vouches_for, trust_mfa, mfa_acrs, groups_claim,
own_groups, assertion_clients, offer_logout, logout_ends_grants, recheck, networks, team_id and key_id. Lists have
commas.`

func newUpstreamCreate(e *Env) *cobra.Command {
	command := &cobra.Command{
		Use: "create UPSTREAM FIELD=VALUE...", Short: "Add an upstream", Args: cobra.MinimumNArgs(1),
		Long: `Add an upstream. What it has to know of this server is printed. ` + upstreamFields + `

  portico upstream create google --preset google --secret-file secret client_id=123.apps.googleusercontent.com`,
	}
	preset := command.Flags().String("preset", "oidc", "oidc, google, entra, apple, github, gitlab or portico")
	secret := secretFlag(command, "client secret, or Apple's key,")
	command.RunE = func(command *cobra.Command, args []string) error {
		change, err := changeOf(args[1:])
		if err != nil {
			return err
		}
		text, err := secret()
		if err != nil {
			return err
		}
		return withUpstreams(command.Context(), e, func(rules *upstreams.Upstreams, _ *wiring.Parts) error {
			upstream, err := rules.Create(command.Context(), e.act(), args[0], *preset, text, change)
			if err != nil {
				return err
			}
			e.printRows([]row{{"redirect uri", noted(e, rules.RedirectURI(upstream.ID))}})
			return nil
		})
	}
	return command
}

func newUpstreamSet(e *Env) *cobra.Command {
	command := &cobra.Command{
		Use: "set UPSTREAM FIELD=VALUE...", Short: "Change an upstream", Args: cobra.MinimumNArgs(1),
		Long: `Change an upstream. Where its secret would go to another server it must be given anew.
` + upstreamFields + `

  portico upstream set works trust_mfa=true
  portico upstream set works --secret-file secret`,
	}
	secret := secretFlag(command, "client secret, or Apple's key,")
	command.RunE = func(command *cobra.Command, args []string) error {
		change, err := changeOf(args[1:])
		if err != nil {
			return err
		}
		text, err := secret()
		if err != nil {
			return err
		}
		return withUpstreams(command.Context(), e, func(rules *upstreams.Upstreams, _ *wiring.Parts) error {
			_, err := rules.Set(command.Context(), e.act(), args[0], text, change)
			return err
		})
	}
	return command
}

func newUpstreamList(e *Env) *cobra.Command {
	command := &cobra.Command{
		Use: "list", Short: "List upstreams", Args: cobra.NoArgs,
		Long: "List upstreams in the order of the sign-in page.\n\n  portico upstream list",
	}
	asJSON := jsonFlag(command)
	command.RunE = func(command *cobra.Command, _ []string) error {
		return withUpstreams(command.Context(), e, func(rules *upstreams.Upstreams, _ *wiring.Parts) error {
			all, err := rules.List(command.Context())
			if err != nil {
				return err
			}
			return printList(e, *asJSON, "upstreams", "ID NAME KIND STATE DOMAINS", all, upstreams.JSON,
				func(u storage.Upstream) []string {
					return []string{u.ID, u.Name, u.Kind, standing(false, u.Disabled), strings.Join(u.Domains, ",")}
				})
		})
	}
	return command
}

func newUpstreamShow(e *Env) *cobra.Command {
	return &cobra.Command{
		Use: "show UPSTREAM", Short: "Show an upstream, as JSON", Args: cobra.ExactArgs(1),
		Long: "Show an upstream, as JSON; its secret is never shown.\n\n  portico upstream show works",
		RunE: func(command *cobra.Command, args []string) error {
			return withUpstreams(command.Context(), e, func(rules *upstreams.Upstreams, _ *wiring.Parts) error {
				upstream, err := rules.Find(command.Context(), args[0])
				if err != nil {
					return err
				}
				return e.printJSON(upstreams.JSON(upstream))
			})
		},
	}
}

// errStep ends a test that went wrong. Why the step has failed it has said itself; what
// people read who sign in (another way, in a minute) helps nobody here.
var errStep = errors.New("nobody can sign in by it: the last step failed")

func newUpstreamTest(e *Env) *cobra.Command {
	return &cobra.Command{
		Use: "test UPSTREAM", Short: "Ask an upstream for what a sign-in needs", Args: cobra.ExactArgs(1),
		Long: "Ask an upstream for what a sign-in needs, and show each step.\n\n  portico upstream test works",
		RunE: func(command *cobra.Command, args []string) error {
			return withUpstreams(command.Context(), e, func(rules *upstreams.Upstreams, _ *wiring.Parts) error {
				steps, err := rules.Test(command.Context(), args[0])
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

func newUpstreamGroups(e *Env) *cobra.Command {
	command := &cobra.Command{
		Use: "groups UPSTREAM THERE=HERE...", Short: "Say which groups of it are which here",
		Args: cobra.MinimumNArgs(1),
		Long: `Say which groups of the upstream are which here, in place of what was said before.
HERE is a group's name. One there may be several here.

  portico upstream groups works engineers=Engineering staff=Everybody
  portico upstream groups works --none`,
	}
	none := noneFlag(command)
	command.RunE = func(command *cobra.Command, args []string) error {
		ctx := command.Context()
		return withUpstreams(ctx, e, func(rules *upstreams.Upstreams, p *wiring.Parts) error {
			all, err := groupsHere(ctx, p, args[1:], *none, strings.Index)
			if err != nil {
				return err
			}
			return rules.SetGroups(ctx, e.act(), args[0], all)
		})
	}
	return command
}

func newUpstreamStanding(e *Env, name string, disabled bool) *cobra.Command {
	short := "Let people sign in by an upstream again"
	if disabled {
		short = "Let nobody sign in by an upstream, and end what rests on it"
	}
	return &cobra.Command{
		Use: name + " UPSTREAM", Short: short, Args: cobra.ExactArgs(1),
		Long: short + ". Every server knows within a second.\n\n  portico upstream " + name + " works",
		RunE: func(command *cobra.Command, args []string) error {
			return withUpstreams(command.Context(), e, func(rules *upstreams.Upstreams, _ *wiring.Parts) error {
				return rules.Disable(command.Context(), e.act(), args[0], disabled)
			})
		},
	}
}

func newUpstreamDelete(e *Env) *cobra.Command {
	command := &cobra.Command{
		Use: "delete UPSTREAM", Short: "Remove an upstream", Args: cobra.ExactArgs(1),
		Long: `Remove an upstream with what it knows people by, and end what rests on it. People stay.
It asks first; scripts say --yes.

  portico upstream delete works --yes`,
	}
	yes := yesFlag(command)
	command.RunE = func(command *cobra.Command, args []string) error {
		return withUpstreams(command.Context(), e, func(rules *upstreams.Upstreams, _ *wiring.Parts) error {
			upstream, err := rules.Find(command.Context(), args[0])
			if err != nil {
				return err
			}
			if err := e.confirm(*yes, "Remove %s (%s) with what it knows people by?", upstream.Name, upstream.ID); err != nil {
				return err
			}
			return rules.Delete(command.Context(), e.act(), upstream.ID)
		})
	}
	return command
}
