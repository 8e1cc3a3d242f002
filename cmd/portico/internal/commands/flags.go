package commands

import (
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/provider/connections"
	"github.com/portico-id/portico/provider/registration"
)

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

const emptyAnnotation = "empty"

// mayBeEmpty marks flags whose empty value says something: that there is to be none.
func mayBeEmpty(command *cobra.Command, names ...string) {
	for _, name := range names {
		if err := command.Flags().SetAnnotation(name, emptyAnnotation, []string{}); err != nil {
			panic(err) // only for a flag that was not added
		}
	}
}

// refuseEmpty refuses flags that were given without a value, as by a script whose variable
// is not set: "--device $ID" must not end what all devices may, nor "--until $DAY" make what
// never ends. An empty setting counts as not given.
func refuseEmpty(command *cobra.Command) (err error) {
	command.Flags().Visit(func(f *pflag.Flag) {
		_, setting := f.Annotations[settingAnnotation]
		_, mayBe := f.Annotations[emptyAnnotation]
		if err == nil && !setting && !mayBe && isEmpty(f.Value) {
			err = emptyFlag(f)
		}
	})
	return err
}

func emptyFlag(f *pflag.Flag) error {
	if _, required := f.Annotations[cobra.BashCompOneRequiredFlag]; required {
		return usagef("--%s is empty: give it a value", f.Name)
	}
	return usagef("--%s is empty: give it a value, or leave it out", f.Name)
}

// isEmpty reports whether a text is empty, or one of a list.
func isEmpty(value pflag.Value) bool {
	if list, is := value.(pflag.SliceValue); is {
		return len(list.GetSlice()) == 0 || slices.Contains(list.GetSlice(), "")
	}
	return value.String() == ""
}

// fieldFlag returns the flag of a token, or of a connection, that a fault is about.
func fieldFlag(f *fault.Error) string {
	return map[string]string{registration.FieldLabel: "--label", registration.FieldUses: "--uses",
		registration.FieldDays: "--days", connections.FieldName: "--name", connections.FieldDomains: "--domain",
		connections.FieldPrefix: "--prefix"}[f.Source]
}
