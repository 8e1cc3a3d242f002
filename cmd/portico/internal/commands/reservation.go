package commands

import (
	"time"

	"github.com/spf13/cobra"

	"github.com/portico-id/portico/dataapi/administration"
	"github.com/portico-id/portico/storage"
)

const reservationHelp = `Items that somebody keeps for themselves. While an item is reserved nobody else
changes it; a reservation ends after eight hours, when its holder gives it back, or
when an administrator breaks it.

  portico reservation list --project PROJECT
  portico reservation break ITEM --project PROJECT

ITEM is an id as the API has it, urn:portico:dm.lineage:…`

func newReservationCommand(e *Env) *cobra.Command {
	return group("reservation", "See and break reservations of items", reservationHelp,
		newReservationList(e), newReservationBreak(e))
}

func projectFlag(command *cobra.Command) *string {
	project := command.Flags().String("project", "", "`PROJECT` by its id.")
	require(command, "project")
	return project
}

func newReservationList(e *Env) *cobra.Command {
	command := &cobra.Command{
		Use: "list", Short: "List the items that are reserved", Args: cobra.NoArgs,
		Long: `List the items of a project that are reserved now, with their holders.

  portico reservation list --project PROJECT
  portico reservation list --project PROJECT --json`,
	}
	project, asJSON := projectFlag(command), jsonFlag(command)
	command.RunE = func(command *cobra.Command, _ []string) error {
		ctx := command.Context()
		return e.withData(ctx, func(rules *administration.Rules) error {
			if _, err := rules.FindProject(ctx, *project); err != nil {
				return err
			}
			items, err := storage.EveryPage(func(page storage.PageRequest) ([]storage.Item, string, error) {
				return rules.ListReservations(ctx, *project, page)
			})
			if err != nil {
				return err
			}
			return e.printReservations(*asJSON, rules, items)
		})
	}
	return command
}

type reservationJSON struct {
	ID            string    `json:"id"`
	Name          string    `json:"name"`
	UserID        string    `json:"user_id"`
	ReservedAt    time.Time `json:"reserved_at"`
	ReservedUntil time.Time `json:"reserved_until"`
}

func (e *Env) printReservations(asJSON bool, rules *administration.Rules, items []storage.Item) error {
	toJSON := func(i storage.Item) reservationJSON {
		return reservationJSON{rules.ItemURN(i.ID), i.Name, i.ReservedBy, i.ReservedAt, i.ReservedUntil}
	}
	return printList(e, asJSON, "reservations", "ID USER UNTIL NAME", items, toJSON, func(i storage.Item) []string {
		return []string{rules.ItemURN(i.ID), i.ReservedBy, moment(i.ReservedUntil), i.Name}
	})
}

func newReservationBreak(e *Env) *cobra.Command {
	command := &cobra.Command{
		Use: "break ITEM", Short: "End somebody's reservation", Args: cobra.ExactArgs(1),
		Long: `End a reservation, whoever holds it. What the holder has done stays.

  portico reservation break ITEM --project PROJECT`,
	}
	project, asJSON := projectFlag(command), jsonFlag(command)
	command.RunE = func(command *cobra.Command, args []string) error {
		ctx := command.Context()
		return e.withData(ctx, func(rules *administration.Rules) error {
			id, err := rules.ItemID(args[0])
			if err != nil {
				return err
			}
			if err := rules.BreakReservation(ctx, e.change(), *project, id); err != nil {
				return err
			}
			return e.printDone(*asJSON, rules.ItemURN(id), "is free.")
		})
	}
	return command
}
