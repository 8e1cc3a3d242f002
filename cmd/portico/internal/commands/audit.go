package commands

import (
	"encoding/json"
	"net/url"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/portico-id/portico/provider/people"
	"github.com/portico-id/portico/storage"
)

const auditHelp = `What happened: who changed what, and when.

  portico audit list --since 2026-03-04 --kind user.disabled
  portico audit list --ndjson >audit.ndjson`

func newAuditCommand(e *Env) *cobra.Command {
	return group("audit", "Read what happened", auditHelp, newAuditList(e))
}

func newAuditList(e *Env) *cobra.Command {
	command := &cobra.Command{
		Use: "list", Short: "List events, the newest first", Args: cobra.NoArgs,
		Long: `List events, the newest first. Times are days, such as 2026-03-04, or instants, in
UTC.

  portico audit list --kind user.disabled --since 2026-03-04`,
	}
	query := url.Values{}
	for _, filter := range [][2]string{
		{"kind", "Only this kind, such as user.disabled."}, {"subject", "Only what happened to this `ID`."},
		{"actor", "Only what this `ID` did."},
		{"since", "Only from this time on."}, {"until", "Only before this time."},
	} {
		command.Flags().String(filter[0], "", filter[1])
	}
	ndjson := command.Flags().Bool("ndjson", false, "Print one JSON object a line instead of a table.")
	command.RunE = func(command *cobra.Command, _ []string) error {
		for _, name := range []string{"kind", "subject", "actor", "since", "until"} {
			query.Set(name, command.Flags().Lookup(name).Value.String())
		}
		filter, err := people.ParseAuditFilter(query, time.UTC)
		if err != nil {
			return err
		}
		return e.withPeople(command.Context(), func(rules *people.People) error {
			return e.printAudit(*ndjson, func(page storage.PageRequest) ([]storage.AuditEvent, string, error) {
				return rules.Audit(command.Context(), filter, page)
			})
		})
	}
	return command
}

// printAudit prints pages of events. Lines of JSON are written as they are read, for a trail of
// years does not fit into memory.
func (e *Env) printAudit(ndjson bool, list func(storage.PageRequest) ([]storage.AuditEvent, string, error)) error {
	encoder := json.NewEncoder(escaping{e.Stdout})
	table, err := storage.EveryPage(func(page storage.PageRequest) (lines [][]string, next string, err error) {
		events, next, err := list(page)
		for _, event := range events {
			if !ndjson {
				actor := strings.TrimSpace(string(event.Act.Actor.Kind) + " " + event.Act.Actor.ID)
				lines = append(lines, []string{moment(event.Act.At), event.Kind, actor, event.Subject, event.Detail})
			} else if err == nil {
				err = encoder.Encode(people.NewEventJSON(event))
			}
		}
		return lines, next, err
	})
	if err == nil && !ndjson {
		e.printTable("AT KIND ACTOR SUBJECT DETAIL", table)
	}
	return err
}
