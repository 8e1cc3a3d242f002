package commands

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/portico-id/portico/cmd/portico/internal/wiring"
	"github.com/portico-id/portico/internal/fault"
)

const policyHelp = `What is decided for the whole server: second_factor (voluntary, administrators or
everybody must have one), register_apps (everybody, administrators or group:NAME) and
apps_per_person (how many apps somebody may have registered; 0 is without bound), and
dynamic_registration (clients register themselves: closed, token or open), and
metadata_documents (clients that a document describes, whose address is their id: off,
all, or names of hosts with blanks between them; -HOST blocks one; while a document does not
count, its client gets nothing and its tokens rest). A setting of the server goes
before, and every server acts on a change within a second.

  portico policy show
  portico policy set second_factor=administrators register_apps=group:Developers
  portico policy set apps_per_person=20 "metadata_documents=claude.ai vscode.dev"`

func newPolicyCommand(e *Env) *cobra.Command {
	return group("policy", "Decide what holds for the whole server", policyHelp, newPolicyShow(e), newPolicySet(e))
}

func newPolicyShow(e *Env) *cobra.Command {
	return &cobra.Command{
		Use: "show", Short: "Show what holds, as JSON", Args: cobra.NoArgs,
		Long: "Show what holds, as JSON.\n\n  portico policy show",
		RunE: func(command *cobra.Command, _ []string) error {
			return e.with(command.Context(), func(p *wiring.Parts) error {
				said, err := p.Policy().Said(command.Context())
				if err != nil {
					return err
				}
				return e.printJSON(said)
			})
		},
	}
}

func newPolicySet(e *Env) *cobra.Command {
	return &cobra.Command{
		Use: "set NAME=VALUE...", Short: "Decide anew", Args: cobra.MinimumNArgs(1),
		Long: `Decide anew. An empty value leaves it to what is usual again.

  portico policy set second_factor=everybody
  portico policy set register_apps=`,
		RunE: func(command *cobra.Command, args []string) error {
			change, err := pairs(args)
			if err != nil {
				return err
			}
			return e.with(command.Context(), func(p *wiring.Parts) error {
				_, err := p.Policy().Set(command.Context(), e.act(), change)
				return inFlags(err, func(f *fault.Error) string { return f.Source })
			})
		},
	}
}

// put keeps the value of a name that has none yet: of two values one would be passed over.
func put[V any](all map[string]V, name string, value V) error {
	if _, there := all[name]; there {
		return usagef("%s is given twice", name)
	}
	all[name] = value
	return nil
}

// pairs reads arguments of the form name=value.
func pairs(args []string) (map[string]string, error) {
	all := map[string]string{}
	for _, arg := range args {
		name, value, found := strings.Cut(arg, "=")
		if !found {
			return nil, usagef("%q is not of the form name=value", arg)
		}
		if err := put(all, name, value); err != nil {
			return nil, err
		}
	}
	return all, nil
}
