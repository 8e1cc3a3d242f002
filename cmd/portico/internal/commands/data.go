package commands

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/portico-id/portico/cmd/portico/internal/wiring"
	"github.com/portico-id/portico/dataapi/administration"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

// withData opens the database around a command's work and puts its faults into
// the words of the command line.
func (e *Env) withData(ctx context.Context, work func(*administration.Rules) error) error {
	err := e.with(ctx, func(p *wiring.Parts) error { return work(p.Administration()) })
	return whereToLook(inFlags(err, dataFlag))
}

// change returns the operator as the one who changes something, now.
func (e *Env) change() storage.Change { return storage.Change{Act: e.act()} }

// dataFlag returns the flag that a fault is about.
func dataFlag(f *fault.Error) string {
	switch f.Source {
	case administration.FieldName, administration.FieldRegion, administration.FieldUser, administration.FieldGroup,
		administration.FieldFolder,
		administration.FieldLevel, administration.FieldUsers, administration.FieldClient, administration.FieldRole,
		administration.FieldKind, administration.FieldSubject:
		return "--" + f.Source
	case administration.FieldDays:
		return "--hidden-days"
	case administration.FieldItem:
		return "ITEM"
	}
	return ""
}

// whereToLook adds which list has the ids of what was not found.
func whereToLook(err error) error {
	lists := map[string]string{
		"hub_not_found": "hub list", "project_not_found": "project list --hub HUB",
		"member_not_found": "member list", "grant_not_found": "grant list", "item_not_found": "reservation list",
		"twin_not_found": "twin list --hub HUB", "model_not_found": "twin model list --twin TWIN",
	}
	for reason, list := range lists {
		if fault.HasReason(err, reason) {
			return seeAlso(err, list)
		}
	}
	return err
}

// placeFlags adds --hub and --project, of which one is to be given.
func placeFlags(command *cobra.Command) *administration.Membership {
	var m administration.Membership
	command.Flags().StringVar(&m.HubID, "hub", "", "`HUB` by its id.")
	command.Flags().StringVar(&m.ProjectID, "project", "", "`PROJECT` by its id.")
	command.MarkFlagsOneRequired("hub", "project")
	command.MarkFlagsMutuallyExclusive("hub", "project")
	return &m
}

func userIDFlag(command *cobra.Command) *string {
	user := command.Flags().String("user", "",
		"`USER` by id (a service account's, too) or by an e-mail address that was verified.")
	require(command, "user")
	return user
}

func hubFlag(command *cobra.Command) *string {
	hub := command.Flags().String("hub", "", "`HUB` by its id.")
	require(command, "hub")
	return hub
}
