package commands

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/portico-id/portico/dataapi/administration"
	"github.com/portico-id/portico/storage"
)

const eventHelp = `What happened in hubs and projects: who changed what, when and through which app.
Events are kept for 90 days. What happened to people and applications is in portico
audit.

  portico event list --project PROJECT
  portico event list --hub HUB --kind member.`

func newEventCommand(e *Env) *cobra.Command {
	return group("event", "Read what happened in hubs and projects", eventHelp, newEventList(e))
}

func newEventList(e *Env) *cobra.Command {
	command := &cobra.Command{
		Use: "list", Short: "List events, the newest first", Args: cobra.NoArgs,
		Long: `List what happened in a project, or in a hub itself, the newest first.

  portico event list --project PROJECT
  portico event list --project PROJECT --kind folder.moved
  portico event list --project PROJECT --subject urn:portico:dm.lineage:… --limit 0
  portico event list --hub HUB --kind member. --json

A kind that ends with a dot stands for all that begin so.`,
	}
	place, asJSON := placeFlags(command), jsonFlag(command)
	var wanted administration.EventsWanted
	command.Flags().StringVar(&wanted.Kind, "kind", "",
		"Only this `KIND`, such as folder.moved, or folder. for all of folders.")
	command.Flags().StringVar(&wanted.Subject, "subject", "", "Only what happened to this `ID`.")
	command.Flags().StringVar(&wanted.ActorID, "actor", "", "Only what this `ID` did.")
	limit := command.Flags().Int("limit", 100, "At most so many; 0: all.")
	command.RunE = func(command *cobra.Command, _ []string) error {
		if *limit < 0 {
			return usagef("--limit must be a number from 0 on")
		}
		ctx := command.Context()
		wanted.HubID, wanted.ProjectID = place.HubID, place.ProjectID
		return e.withData(ctx, func(rules *administration.Rules) error {
			events, err := listEvents(ctx, rules, wanted, *limit)
			if err != nil {
				return err
			}
			return printList(e, *asJSON, "events", "AT KIND ACTOR SUBJECT DATA", events, rules.EventJSON,
				func(event storage.Event) []string {
					actor := strings.TrimSpace(string(event.Act.Actor.Kind) + " " + event.Act.Actor.ID)
					return []string{moment(event.Act.At), event.Kind, actor, rules.SubjectName(event), event.Data}
				})
		})
	}
	return command
}

// listEvents returns the newest events of a place that exists; limit 0 is all.
func listEvents(ctx context.Context, rules *administration.Rules, wanted administration.EventsWanted,
	limit int) ([]storage.Event, error) {
	if err := findPlace(ctx, rules, wanted); err != nil {
		return nil, err
	}
	var all []storage.Event
	var page storage.PageRequest
	for {
		if limit > 0 {
			page.Limit = min(limit-len(all), storage.MaxPage)
		}
		some, next, err := rules.ListEvents(ctx, wanted, page)
		all = append(all, some...)
		if err != nil || next == "" || len(all) == limit {
			return all, err
		}
		page.After = next
	}
}

func findPlace(ctx context.Context, rules *administration.Rules, wanted administration.EventsWanted) (err error) {
	if wanted.ProjectID != "" {
		_, err = rules.FindProject(ctx, wanted.ProjectID)
		return err
	}
	_, err = rules.FindHub(ctx, wanted.HubID)
	return err
}
