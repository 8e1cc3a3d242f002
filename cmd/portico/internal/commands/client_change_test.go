package commands

import (
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/portico-id/portico/provider/apps"
)

// A flag that is left out of the change would be taken and do nothing.
func TestEachFlagOfAClientChangesSomething(t *testing.T) {
	register := func() (*clientFlags, *cobra.Command) {
		f, command := &clientFlags{}, &cobra.Command{}
		f.add(command)
		return f, command
	}
	_, all := register()
	all.Flags().VisitAll(func(flag *pflag.Flag) {
		if flag.Name == "json" { // says how it is told
			return
		}
		f, command := register()
		value := "subject_dn=CN=app" // good enough for any flag with a text
		if flag.Value.Type() == "bool" {
			value = "true"
		}
		if err := command.Flags().Set(flag.Name, value); err != nil {
			t.Fatal(err)
		}
		if f.change(command) == (apps.Change{}) {
			t.Errorf("--%s changes nothing", flag.Name)
		}
	})
}
