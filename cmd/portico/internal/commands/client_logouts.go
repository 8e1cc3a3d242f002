package commands

import (
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/portico-id/portico/internal/gate/adminapi"
	"github.com/portico-id/portico/provider/apps"
	"github.com/portico-id/portico/storage"
)

func newClientLogouts(e *Env) *cobra.Command {
	command := &cobra.Command{
		Use: "logouts CLIENT_ID", Short: "List the sign-outs an application was told of", Args: cobra.ExactArgs(1),
		Long: `List what was sent to an application's back-channel logout URI in the last seven
days, and what is to be sent, newest first.

  portico client logouts CLIENT_ID
  portico client logouts CLIENT_ID --json`,
	}
	asJSON := jsonFlag(command)
	command.RunE = func(command *cobra.Command, args []string) error {
		return e.withApps(command.Context(), func(rules *apps.Apps) error {
			client, err := rules.Find(command.Context(), args[0])
			if err != nil {
				return err
			}
			all, err := storage.EveryPage(func(page storage.PageRequest) ([]storage.LogoutDelivery, string, error) {
				return rules.Logouts(command.Context(), client.ID, page)
			})
			if err != nil {
				return err
			}
			return e.printLogouts(*asJSON, all)
		})
	}
	return command
}

type logoutJSON struct {
	ID          int64      `json:"id"`
	State       string     `json:"state"` // delivered, waiting or failed
	UserID      string     `json:"user_id"`
	Attempts    int        `json:"attempts"`
	CreatedAt   time.Time  `json:"created_at"`
	LastAt      *time.Time `json:"last_at"`
	LastStatus  int        `json:"last_status"`
	Failure     string     `json:"failure"`
	NextAt      *time.Time `json:"next_at"`
	DeliveredAt *time.Time `json:"delivered_at"`
}

func (e *Env) printLogouts(asJSON bool, all []storage.LogoutDelivery) error {
	toJSON := func(d storage.LogoutDelivery) logoutJSON {
		return logoutJSON{d.ID, d.State(), d.UserID, d.Attempts, d.CreatedAt, adminapi.Moment(d.LastAt),
			d.LastStatus, d.Failure,
			adminapi.Moment(d.NextAt), adminapi.Moment(d.DeliveredAt)}
	}
	return printList(e, asJSON, "logouts", "ID STATE ATTEMPTS LAST NEXT WHY", all, toJSON,
		func(d storage.LogoutDelivery) []string {
			return []string{strconv.FormatInt(d.ID, 10), d.State(), strconv.Itoa(d.Attempts), moment(d.LastAt),
				moment(d.NextAt), d.Failure}
		})
}
