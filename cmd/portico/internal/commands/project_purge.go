package commands

import (
	"github.com/spf13/cobra"

	"github.com/portico-id/portico/dataapi/administration"
)

func newProjectPurge(e *Env) *cobra.Command {
	command := &cobra.Command{
		Use: "purge PROJECT", Short: "Remove for good what was hidden long ago", Args: cobra.ExactArgs(1),
		Long: `Remove folders and items for good that have been hidden for a number of days, at
least 30. Until then they can be restored. It asks first; scripts say --yes.

  portico project purge PROJECT --yes
  portico project purge PROJECT --hidden-days 365 --yes --json

With --json the output is one object; its "id" is the project's, and "removed" how
many folders and items went, each with all below it.`,
	}
	days := command.Flags().Int("hidden-days", administration.RetentionDays,
		"How many `DAYS` something must have been hidden.")
	yes, asJSON := yesFlag(command), jsonFlag(command)
	command.RunE = func(command *cobra.Command, args []string) error {
		ctx := command.Context()
		return e.withData(ctx, func(rules *administration.Rules) error {
			project, err := rules.FindProject(ctx, args[0])
			if err != nil {
				return err
			}
			if err := e.confirm(*yes, "Remove for good what has been hidden in %s for %d days?",
				project.Name, *days); err != nil {
				return err
			}
			removed, err := rules.Purge(ctx, e.change(), project.ID, *days)
			if err != nil {
				return err
			}
			if *asJSON {
				return e.printJSON(map[string]any{"id": project.ID, "removed": removed})
			}
			e.printf("%s: %d folders and items are gone.\n", project.ID, removed)
			return nil
		})
	}
	return command
}
