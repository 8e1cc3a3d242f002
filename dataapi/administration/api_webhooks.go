package administration

import (
	"net/http"
	"strconv"
	"time"

	"github.com/portico-id/portico/dataapi/webhooks"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/gate/adminapi"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/storage"
)

// Variables of the routes of webhooks.
const (
	hookVariable     = "webhookId"
	deliveryVariable = "deliveryId"
)

// WebhookJSON is a webhook in the API, and on the command line.
type WebhookJSON struct {
	ID        string    `json:"id"`
	Project   string    `json:"project_id"`
	Folder    string    `json:"folder,omitempty"`
	Events    []string  `json:"events"` // none: all
	URL       string    `json:"url"`
	Secret    string    `json:"secret,omitempty"` // when it is made
	CreatedAt time.Time `json:"created_at"`
	CreatedBy string    `json:"created_by,omitempty"`
}

// WebhookJSON tells of a webhook.
func (a *Rules) WebhookJSON(w storage.Webhook) WebhookJSON {
	j := WebhookJSON{ID: w.ID, Project: w.ProjectID, Events: w.Events, URL: w.URL, CreatedAt: w.CreatedAt,
		CreatedBy: w.CreatedBy}
	if j.Events == nil {
		j.Events = []string{}
	}
	if w.FolderID != "" {
		j.Folder = a.FolderURN(w.FolderID)
	}
	return j
}

type webhookWanted struct {
	Folder string   `json:"folder"`
	Events []string `json:"events"`
	URL    string   `json:"url"`
	Secret string   `json:"secret"`
}

// listWebhooks serves GET /admin/v1/projects/{projectId}/webhooks.
func (a *API) listWebhooks(w http.ResponseWriter, r *http.Request, e errand) error {
	hooks, err := a.hooks.List(r.Context(), e.place.Project.ID)
	if err != nil {
		return err
	}
	return adminapi.OK(w, adminapi.NewList(hooks, "", a.rules.WebhookJSON))
}

// createWebhook serves POST /admin/v1/projects/{projectId}/webhooks. The answer
// alone has the secret.
func (a *API) createWebhook(w http.ResponseWriter, r *http.Request, e errand) error {
	var body webhookWanted
	if err := httpio.ReadJSON(w, r, &body); err != nil {
		return err
	}
	wanted := webhooks.NewWebhook{ProjectID: e.place.Project.ID, Events: body.Events, URL: body.URL, Secret: body.Secret,
		ByServer: e.who.Server}
	if body.Folder != "" {
		var err error
		if wanted.FolderID, err = a.rules.FolderID(body.Folder); err != nil {
			return err
		}
	}
	hook, secret, err := a.hooks.Create(r.Context(), e.change, wanted)
	if err != nil {
		return err
	}
	j := a.rules.WebhookJSON(hook)
	j.Secret = secret
	return adminapi.Created(w, "projects/"+hook.ProjectID+"/webhooks/"+hook.ID, j)
}

// showWebhook serves GET /admin/v1/projects/{projectId}/webhooks/{webhookId}.
func (a *API) showWebhook(w http.ResponseWriter, r *http.Request, e errand, id string) error {
	hook, err := a.hooks.Find(r.Context(), e.place.Project.ID, id)
	if err != nil {
		return err
	}
	return adminapi.OK(w, a.rules.WebhookJSON(hook))
}

// deleteWebhook serves DELETE /admin/v1/projects/{projectId}/webhooks/{webhookId}.
func (a *API) deleteWebhook(w http.ResponseWriter, r *http.Request, e errand, id string) error {
	if err := a.hooks.Delete(r.Context(), e.change, e.place.Project.ID, id); err != nil {
		return err
	}
	return adminapi.NoContent(w)
}

func (a *API) atWebhook(do func(w http.ResponseWriter, r *http.Request, e errand, id string) error) adminapi.Operation {
	return a.inProject(func(w http.ResponseWriter, r *http.Request, e errand) error {
		id, err := httpio.PathID(r, hookVariable)
		if err != nil {
			return err
		}
		return do(w, r, e, id)
	})
}

// deliveryJSON is one line of a webhook's log.
type deliveryJSON struct {
	ID          int64      `json:"id"`
	Event       string     `json:"event"`
	State       string     `json:"state"` // delivered, waiting or failed
	Attempts    int        `json:"attempts"`
	CreatedAt   time.Time  `json:"created_at"`
	LastAt      *time.Time `json:"last_at,omitempty"`
	LastStatus  int        `json:"last_status,omitempty"`
	Failure     string     `json:"failure,omitempty"`
	NextAt      *time.Time `json:"next_at,omitempty"`
	DeliveredAt *time.Time `json:"delivered_at,omitempty"`
	Body        string     `json:"body"`
}

func newDeliveryJSON(d storage.WebhookDelivery) deliveryJSON {
	return deliveryJSON{
		ID: d.ID, Event: d.Event, State: d.State(), Attempts: d.Attempts, CreatedAt: d.CreatedAt,
		LastAt: adminapi.Moment(d.LastAt), LastStatus: d.LastStatus, Failure: d.Failure,
		NextAt: adminapi.Moment(d.NextAt), DeliveredAt: adminapi.Moment(d.DeliveredAt), Body: d.Body,
	}
}

// listDeliveries serves GET …/webhooks/{webhookId}/deliveries, newest first.
func (a *API) listDeliveries(w http.ResponseWriter, r *http.Request, e errand, id string) error {
	_, page, err := adminapi.Query(r)
	if err != nil {
		return err
	}
	list := a.hooks.DeliveriesUnseen
	if e.who.Server {
		list = a.hooks.Deliveries
	}
	deliveries, next, err := list(r.Context(), e.place.Project.ID, id, page)
	if err != nil {
		return err
	}
	return adminapi.OK(w, adminapi.NewList(deliveries, next, newDeliveryJSON))
}

// redeliver serves POST …/webhooks/{webhookId}/deliveries/{deliveryId}/redeliver.
func (a *API) redeliver(w http.ResponseWriter, r *http.Request, e errand, id string) error {
	name, err := httpio.PathID(r, deliveryVariable)
	if err != nil {
		return err
	}
	number, err := strconv.ParseInt(name, 10, 64)
	if err != nil {
		return fault.Absent("delivery")
	}
	if err := a.hooks.Redeliver(r.Context(), e.place.Project.ID, id, number); err != nil {
		return err
	}
	return adminapi.NoContent(w)
}
