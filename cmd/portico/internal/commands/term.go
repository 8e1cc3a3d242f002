package commands

import (
	"time"

	"github.com/spf13/cobra"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/term"
)

// termFlags adds --label and --until of what a command makes, and returns what reads
// them.
func termFlags(command *cobra.Command, what string) func() (term.Term, error) {
	label := command.Flags().String("label", "", "What the "+what+" is for.")
	until := command.Flags().String("until", "",
		"Last `DAY` (UTC) or time at which it works, as in 2027-06-30 or 2027-06-30T12:00:00Z; without end unless it is given.")
	return func() (term.Term, error) {
		wanted, err := term.Parse("", *label, *until, time.UTC)
		return wanted, inFlags(err, termFlag)
	}
}

// termFlag returns the flag that a fault of a term is about.
func termFlag(f *fault.Error) string {
	return map[string]string{term.FieldLabel: "--label", term.FieldEndsAt: "--until"}[f.Source]
}
