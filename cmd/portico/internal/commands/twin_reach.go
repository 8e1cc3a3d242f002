package commands

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/portico-id/portico/cmd/portico/internal/wiring"
	"github.com/portico-id/portico/dataapi/administration"
	"github.com/portico-id/portico/dataapi/facilities"
	"github.com/portico-id/portico/internal/fault"
)

// withTwins opens the database around a command's work on twins.
func (e *Env) withTwins(ctx context.Context, work func(*facilities.Rules, *administration.Rules) error) error {
	err := e.with(ctx, func(p *wiring.Parts) error { return work(p.Facilities(), p.Administration()) })
	return whereToLook(inFlags(err, twinFlag))
}

// twinFlag returns the flag that a fault is about.
func twinFlag(f *fault.Error) string {
	switch f.Source {
	case facilities.FieldName, facilities.FieldHub, facilities.FieldModel, facilities.FieldLabel, facilities.FieldUser,
		facilities.FieldAccess, facilities.FieldFile:
		return "--" + f.Source
	}
	return ""
}

func twinIDFlag(command *cobra.Command) *string {
	twin := command.Flags().String("twin", "", "`TWIN` by its id.")
	require(command, "twin")
	return twin
}

// inTwin is withTwins for a twin that is named by flag or argument.
func (e *Env) inTwin(ctx context.Context, name string,
	work func(rules *facilities.Rules, people *administration.Rules, id string) error) error {
	return e.withTwins(ctx, func(rules *facilities.Rules, people *administration.Rules) error {
		id, err := rules.TwinID(name)
		if err != nil {
			return err
		}
		return work(rules, people, id)
	})
}
