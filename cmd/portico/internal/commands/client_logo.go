package commands

import (
	"github.com/spf13/cobra"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/provider/apps"
)

func newClientLogo(e *Env) *cobra.Command {
	command := &cobra.Command{
		Use: "logo CLIENT_ID FILE", Short: "Set an application's picture, or remove it",
		Args: cobra.RangeArgs(1, 2),
		Long: `Set the picture that stands for an application where people allow it something: PNG or
JPEG, of at most 256 kB. Without a file it is read from standard input.

  portico client logo CLIENT_ID logo.png
  portico client logo CLIENT_ID --remove`,
	}
	remove := command.Flags().Bool("remove", false, "take it away")
	command.RunE = func(command *cobra.Command, args []string) error {
		if *remove && len(args) > 1 {
			return errRemoved
		}
		return e.withApps(command.Context(), func(rules *apps.Apps) error {
			client, err := rules.Find(command.Context(), args[0])
			if err != nil {
				return err
			}
			if *remove {
				err := rules.DeleteLogo(command.Context(), e.act(), client.ID)
				if fault.Is(err, fault.NotFound) { // it is gone all the same
					return nil
				}
				return err
			}
			file, err := e.read(args[1:])
			if err != nil {
				return err
			}
			return rules.GiveLogo(command.Context(), e.act(), client.ID, file)
		})
	}
	return command
}
