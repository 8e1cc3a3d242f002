package commands

import (
	"github.com/spf13/cobra"

	"github.com/portico-id/portico/cmd/portico/internal/wiring"
)

func newUserArchive(e *Env) *cobra.Command {
	return &cobra.Command{
		Use: "archive USER", Short: "Write all there is of a person as a ZIP file", Args: cobra.ExactArgs(1),
		Long: `Write all there is of a person to standard output, as a ZIP file of JSON: profile and
picture, sign-ins, apps with access, security events, the apps they develop, what they
belong to, and the names of what they added. The contents of files are not in it.

  portico user archive person@example.com >person.zip

People do the same on their own page, /account/data.`,
		RunE: func(command *cobra.Command, args []string) error {
			ctx := command.Context()
			return e.with(ctx, func(p *wiring.Parts) error {
				user, err := p.People().Find(ctx, args[0])
				if err != nil {
					return seeAlso(err, "user list")
				}
				return p.Accounts().Archive(ctx, e.Stdout, user)
			})
		},
	}
}
