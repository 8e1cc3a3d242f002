package commands

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/portico-id/portico/cmd/portico/internal/wiring"
	"github.com/portico-id/portico/dataapi/administration"
	"github.com/portico-id/portico/dataapi/webhooks"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/gate/adminapi"
	"github.com/portico-id/portico/storage"
)

const webhookHelp = `Addresses that are told of what happens in a project: each change is sent there as
a signed request, and tried for a day.

  portico webhook create --project PROJECT --url https://example.com/hook
  portico webhook list --project PROJECT
  portico webhook deliveries WEBHOOK --project PROJECT
  portico webhook redeliver WEBHOOK DELIVERY --project PROJECT

X-Portico-Signature is t=SECONDS,v1=HEX: the HMAC-SHA256 of "SECONDS.BODY" under the
webhook's secret.`

func newWebhookCommand(e *Env) *cobra.Command {
	return group("webhook", "Tell other programs of what happens in projects", webhookHelp,
		newWebhookCreate(e), newWebhookList(e), newWebhookShow(e), newWebhookDelete(e), newWebhookDeliveries(e),
		newWebhookRedeliver(e))
}

// hookWork is a command's work on webhooks.
type hookWork func(*webhooks.Rules, *administration.Rules) error

// withWebhooks opens the database around a command's work. The secrets of
// webhooks are sealed, so it needs the server's secret too.
func (e *Env) withWebhooks(ctx context.Context, work hookWork) error {
	err := e.with(ctx, func(p *wiring.Parts) error {
		rules, err := p.Webhooks()
		if err != nil {
			return err
		}
		return work(rules, p.Administration())
	})
	return seeWebhooks(inFlags(err, hookFlag))
}

// hookFlag returns the flag that a fault is about.
func hookFlag(f *fault.Error) string {
	switch f.Source {
	case webhooks.FieldURL, webhooks.FieldFolder:
		return "--" + f.Source
	case webhooks.FieldEvents:
		return "--event"
	case webhooks.FieldSecret:
		return "the secret"
	}
	return ""
}

func seeWebhooks(err error) error {
	if fault.HasReason(err, "webhook_not_found") {
		return seeAlso(err, "webhook list --project PROJECT")
	}
	if fault.HasReason(err, "delivery_not_found") {
		return seeAlso(err, "webhook deliveries WEBHOOK --project PROJECT")
	}
	return whereToLook(err)
}

func newWebhookCreate(e *Env) *cobra.Command {
	command := &cobra.Command{
		Use: "create", Short: "Have an address told of changes", Args: cobra.NoArgs,
		Long: `Have an address told of what happens in a project, or in a folder and below. It is
told of what happens from now on. The secret that its notices are signed with is shown
once.

  portico webhook create --project PROJECT --url https://example.com/hook
  portico webhook create --project PROJECT --folder FOLDER --event dm.version.added --url https://example.com/hook

The address must be public and use https, unless PORTICO_OWN_NETWORKS allows
others. Events: ` + strings.Join(webhooks.Events(), ", ") + `.`,
	}
	wanted := webhooks.NewWebhook{ByServer: true}
	var folder string
	command.Flags().StringVar(&wanted.URL, "url", "", "Where notices are sent.")
	command.Flags().StringVar(&folder, "folder", "", "`FOLDER` by its id; without it, the whole project.")
	command.Flags().StringSliceVar(&wanted.Events, "event", nil, "Event to tell of; may be repeated. Without it, all.")
	project, asJSON := projectFlag(command), jsonFlag(command)
	require(command, "url")
	command.RunE = func(command *cobra.Command, _ []string) error {
		return e.withWebhooks(command.Context(), func(rules *webhooks.Rules, data *administration.Rules) error {
			wanted.ProjectID = *project
			if folder != "" {
				var err error
				if wanted.FolderID, err = data.FolderID(folder); err != nil {
					return err
				}
			}
			hook, secret, err := rules.Create(command.Context(), e.change(), wanted)
			if err != nil {
				return err
			}
			return e.printWebhook(*asJSON, data, hook, secret)
		})
	}
	return command
}

func newWebhookList(e *Env) *cobra.Command {
	command := &cobra.Command{
		Use: "list", Short: "List the webhooks of a project", Args: cobra.NoArgs,
		Long: `List the webhooks of a project, oldest first.

  portico webhook list --project PROJECT
  portico webhook list --project PROJECT --json`,
	}
	project, asJSON := projectFlag(command), jsonFlag(command)
	command.RunE = func(command *cobra.Command, _ []string) error {
		ctx := command.Context()
		return e.withWebhooks(ctx, func(rules *webhooks.Rules, data *administration.Rules) error {
			if _, err := data.FindProject(ctx, *project); err != nil {
				return err
			}
			hooks, err := rules.List(ctx, *project)
			if err != nil {
				return err
			}
			return printList(e, *asJSON, "webhooks", "ID URL EVENTS", hooks, data.WebhookJSON,
				func(w storage.Webhook) []string { return []string{w.ID, w.URL, eventsText(w)} })
		})
	}
	return command
}

func newWebhookShow(e *Env) *cobra.Command {
	return e.newWebhookAct("show WEBHOOK", "Show a webhook", `Show a webhook, without its secret.

  portico webhook show WEBHOOK --project PROJECT`, cobra.ExactArgs(1),
		func(ctx context.Context, rules *webhooks.Rules, data *administration.Rules, asJSON bool,
			project string, args []string) error {
			hook, err := rules.Find(ctx, project, args[0])
			if err != nil {
				return err
			}
			return e.printWebhook(asJSON, data, hook, "")
		})
}

func newWebhookDelete(e *Env) *cobra.Command {
	var yes *bool
	command := e.newWebhookAct("delete WEBHOOK", "Remove a webhook",
		`Remove a webhook with its deliveries: those that wait are not made. It asks first;
scripts say --yes.

  portico webhook delete WEBHOOK --project PROJECT --yes`, cobra.ExactArgs(1),
		func(ctx context.Context, rules *webhooks.Rules, _ *administration.Rules, asJSON bool,
			project string, args []string) error {
			hook, err := rules.Find(ctx, project, args[0])
			if err != nil {
				return err
			}
			if err := e.confirm(*yes, "Remove the webhook to %s with its deliveries?", hook.URL); err != nil {
				return err
			}
			if err := rules.Delete(ctx, e.change(), project, hook.ID); err != nil {
				return err
			}
			return e.printDone(asJSON, hook.ID, "is removed.")
		})
	yes = yesFlag(command)
	return command
}

func newWebhookDeliveries(e *Env) *cobra.Command {
	return e.newWebhookAct("deliveries WEBHOOK", "List what a webhook was told",
		`List what a webhook was told in the last 30 days, and what it is to be told,
newest first.

  portico webhook deliveries WEBHOOK --project PROJECT
  portico webhook deliveries WEBHOOK --project PROJECT --json`, cobra.ExactArgs(1),
		func(ctx context.Context, rules *webhooks.Rules, _ *administration.Rules, asJSON bool,
			project string, args []string) error {
			all, err := storage.EveryPage(func(page storage.PageRequest) ([]storage.WebhookDelivery, string, error) {
				return rules.Deliveries(ctx, project, args[0], page)
			})
			if err != nil {
				return err
			}
			return e.printDeliveries(asJSON, all)
		})
}

func newWebhookRedeliver(e *Env) *cobra.Command {
	return e.newWebhookAct("redeliver WEBHOOK DELIVERY", "Deliver once more",
		`Make a delivery due again, whatever became of it. A running server makes it at once.

  portico webhook redeliver WEBHOOK DELIVERY --project PROJECT`, cobra.ExactArgs(2),
		func(ctx context.Context, rules *webhooks.Rules, _ *administration.Rules, asJSON bool,
			project string, args []string) error {
			id, err := strconv.ParseInt(args[1], 10, 64)
			if err != nil {
				return fault.Absent("delivery")
			}
			if err := rules.Redeliver(ctx, project, args[0], id); err != nil {
				return err
			}
			return e.printDone(asJSON, args[1], "is due now.")
		})
}

type webhookAct func(ctx context.Context, rules *webhooks.Rules, data *administration.Rules, asJSON bool,
	project string, args []string) error

// newWebhookAct returns a command that does something with one webhook.
func (e *Env) newWebhookAct(use, short, help string, args cobra.PositionalArgs, act webhookAct) *cobra.Command {
	command := &cobra.Command{Use: use, Short: short, Long: help, Args: args}
	project, asJSON := projectFlag(command), jsonFlag(command)
	command.RunE = func(command *cobra.Command, args []string) error {
		return e.withWebhooks(command.Context(), func(rules *webhooks.Rules, data *administration.Rules) error {
			return act(command.Context(), rules, data, *asJSON, *project, args)
		})
	}
	return command
}

func eventsText(w storage.Webhook) string {
	if len(w.Events) == 0 {
		return "all"
	}
	return strings.Join(w.Events, ",")
}

func (e *Env) printWebhook(asJSON bool, data *administration.Rules, w storage.Webhook, secret string) error {
	j := data.WebhookJSON(w)
	j.Secret = secret
	if asJSON {
		return e.printJSON(j)
	}
	e.printRows([]row{
		{"id", w.ID}, {"project", w.ProjectID}, {"folder", j.Folder}, {"events", eventsText(w)}, {"url", w.URL},
		{"secret", secret}, {"created", moment(w.CreatedAt)},
	})
	return nil
}

type deliveryJSON struct {
	ID          int64      `json:"id"`
	Event       string     `json:"event"`
	State       string     `json:"state"` // delivered, waiting or failed
	Attempts    int        `json:"attempts"`
	CreatedAt   time.Time  `json:"created_at"`
	LastAt      *time.Time `json:"last_at"`
	LastStatus  int        `json:"last_status"`
	Failure     string     `json:"failure"`
	NextAt      *time.Time `json:"next_at"`
	DeliveredAt *time.Time `json:"delivered_at"`
	Body        string     `json:"body"`
}

func (e *Env) printDeliveries(asJSON bool, all []storage.WebhookDelivery) error {
	toJSON := func(d storage.WebhookDelivery) deliveryJSON {
		return deliveryJSON{d.ID, d.Event, d.State(), d.Attempts, d.CreatedAt, adminapi.Moment(d.LastAt),
			d.LastStatus, d.Failure,
			adminapi.Moment(d.NextAt), adminapi.Moment(d.DeliveredAt), d.Body}
	}
	return printList(e, asJSON, "deliveries", "ID EVENT STATE ATTEMPTS LAST WHY", all, toJSON,
		func(d storage.WebhookDelivery) []string {
			return []string{strconv.FormatInt(d.ID, 10), d.Event, d.State(), strconv.Itoa(d.Attempts),
				moment(d.LastAt), d.Failure}
		})
}
