package commands

import "github.com/spf13/cobra"

// require marks flags that a command can't do without.
func require(command *cobra.Command, names ...string) {
	for _, name := range names {
		if err := command.MarkFlagRequired(name); err != nil {
			panic(err) // only for a flag that was not added
		}
	}
}

// complete offers the values of a flag to the shell.
func complete(command *cobra.Command, flag string, values []string) {
	err := command.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
	if err != nil {
		panic(err) // only for a flag that was not added
	}
}
