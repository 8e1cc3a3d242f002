package commands

import (
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/portico-id/portico/cmd/portico/internal/wiring"
	"github.com/portico-id/portico/provider/system"
)

func newBacklogCommand(e *Env) *cobra.Command {
	command := &cobra.Command{
		Use: "backlog", Short: "Show what waits for a server to come to it", Args: cobra.NoArgs,
		Long: `Show what waits for a server to come to it: mails, notices of ended sessions,
webhooks, objects that are to be looked through for viruses, changes without a place
in the feed, and how late the clean-up is.

  portico backlog
  portico backlog --json`,
	}
	asJSON := jsonFlag(command)
	command.RunE = func(command *cobra.Command, _ []string) error {
		return e.with(command.Context(), func(p *wiring.Parts) error {
			found, err := system.FindBacklog(command.Context(), p.Store, p.Ambient.Now(), p.Config.KeepGrants())
			if err != nil {
				return err
			}
			if *asJSON {
				return e.printJSON(system.NewBacklogJSON(found))
			}
			e.printRows([]row{
				{"Mails", strconv.Itoa(found.Mails)},
				{"Notices of ended sessions", strconv.Itoa(found.Logouts)},
				{"Webhooks", strconv.Itoa(found.Webhooks)},
				{"Virus scans", strconv.Itoa(found.Scans)},
				{"Changes", strconv.Itoa(found.Changes)},
				{"Clean-up late by", found.Late.Round(time.Second).String()},
			})
			return nil
		})
	}
	return command
}
