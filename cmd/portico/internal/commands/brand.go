package commands

import (
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/portico-id/portico/cmd/portico/internal/wiring"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/provider/branding"
)

const brandHelp = `Whose server it is: what its pages and mails carry. Fields are name, support, terms,
privacy, imprint, color and color_dark. What is said here goes before the settings
PORTICO_BRAND_..., and every server shows it within a second.

  portico brand show
  portico brand set "name=Example Works" color=#2a4d8f
  portico brand set color=
  portico brand logo logo.png`

func newBrandCommand(e *Env) *cobra.Command {
	return group("brand", "Say whose server it is", brandHelp, newBrandShow(e), newBrandSet(e), newBrandLogo(e))
}

func newBrandShow(e *Env) *cobra.Command {
	return &cobra.Command{
		Use: "show", Short: "Show what was said here, as JSON", Args: cobra.NoArgs,
		Long: "Show what was said here, as JSON; what is empty is as the settings have it.\n\n  portico brand show",
		RunE: func(command *cobra.Command, _ []string) error {
			return e.with(command.Context(), func(p *wiring.Parts) error {
				brand, err := p.Branding().Said(command.Context())
				if err != nil {
					return err
				}
				return e.printJSON(branding.JSON(brand))
			})
		},
	}
}

func newBrandSet(e *Env) *cobra.Command {
	return &cobra.Command{
		Use: "set FIELD=VALUE...", Short: "Change fields of it", Args: cobra.MinimumNArgs(1),
		Long: `Change fields of it. An empty value leaves it to the settings again. A colour must have a
contrast of 4.5 to 1 on the pages of its theme (WCAG AA).

  portico brand set "name=Example Works" support=help@example.com
  portico brand set color=#2a4d8f color_dark=#93b2f5`,
		RunE: func(command *cobra.Command, args []string) error {
			change, err := pairs(args)
			if err != nil {
				return err
			}
			return e.with(command.Context(), func(p *wiring.Parts) error {
				_, err := p.Branding().Set(command.Context(), e.act(), change)
				return inFlags(err, func(f *fault.Error) string { return f.Source })
			})
		},
	}
}

func newBrandLogo(e *Env) *cobra.Command {
	command := &cobra.Command{
		Use: "logo FILE", Short: "Set the logo, or remove it", Args: cobra.MaximumNArgs(1),
		Long: `Set the picture that stands on every page: PNG or JPEG, of at most 256 kB. Without a
file it is read from standard input.

  portico brand logo logo.png
  portico brand logo --remove`,
	}
	remove := command.Flags().Bool("remove", false, "take it away")
	command.RunE = func(command *cobra.Command, args []string) error {
		if *remove && len(args) > 0 {
			return errRemoved
		}
		return e.with(command.Context(), func(p *wiring.Parts) error {
			if *remove {
				return p.Branding().SetLogo(command.Context(), e.act(), nil)
			}
			file, err := e.read(args)
			if err != nil {
				return err
			}
			return p.Branding().SetLogo(command.Context(), e.act(), file)
		})
	}
	return command
}

var errRemoved = usagef("--remove takes no FILE: which is it to be?")

// read returns what is in the file that was named, or in standard input.
func (e *Env) read(args []string) ([]byte, error) {
	if len(args) == 0 {
		return io.ReadAll(io.LimitReader(e.Stdin, 1<<20))
	}
	file, err := os.ReadFile(args[0]) // #nosec G304 -- the operator's
	if err != nil {
		return nil, fault.New(fault.Invalid, "", err.Error())
	}
	return file, nil
}
