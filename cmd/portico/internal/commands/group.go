package commands

import "github.com/spf13/cobra"

// group returns a command that only holds others: alone it shows its help, and
// it refuses a name that none of them has.
func group(use, short, long string, commands ...*cobra.Command) *cobra.Command {
	command := &cobra.Command{
		Use: use, Short: short, Long: long, Args: cobra.ArbitraryArgs,
		RunE: func(command *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usagef("unknown command %q", args[0])
			}
			return command.Help()
		},
	}
	command.AddCommand(commands...)
	return command
}
