package dataapi

import (
	"context"
	"net/http"
	"slices"

	"github.com/portico-id/portico/dataapi/access"
	"github.com/portico-id/portico/dataapi/filter"
	"github.com/portico-id/portico/dataapi/jsonapi"
	"github.com/portico-id/portico/dataapi/shape"
	"github.com/portico-id/portico/storage"
)

// Rules of the queries.
func hubsRules() jsonapi.Rules {
	return jsonapi.Rules{
		Types: []string{shape.TypeHubs}, Sort: []string{filter.Name},
		Filters: filter.By(filter.ID, filter.Name, filter.Extension),
	}
}

// ListHubs serves GET /project/v1/hubs.
func (h *Handler) ListHubs(w http.ResponseWriter, r *http.Request) error {
	who, err := access.Caller(r)
	if err != nil {
		return err
	}
	q, err := hubsRules().Parse(r)
	if err != nil {
		return err
	}
	query, err := hubQuery(q)
	if err != nil {
		return err
	}
	list, warn, err := h.hubs(r.Context(), who, query)
	if err != nil {
		return err
	}
	resources := make([]jsonapi.Resource, len(list))
	for i, hub := range list {
		resources[i] = h.tell.Hub(hub)
	}
	if q.Descending {
		slices.Reverse(resources)
	}
	d := jsonapi.Document{Links: q.Self(h.tell.Base + "/project/v1/hubs"), Data: resources}
	if warn {
		d.Meta = newWarnings(who.ClientID)
	}
	return jsonapi.WriteDocument(w, r, q, d)
}

func hubQuery(q jsonapi.Query) (storage.HubQuery, error) {
	all := filter.Conditions(q.Conditions)
	ids, err := all.Accounts()
	return storage.HubQuery{IDs: ids, Names: all.Texts(filter.Name), ExtensionTypes: all.Texts(filter.Extension)}, err
}

// hubs returns the hubs that are open to the caller and fit the query, and
// whether a warning belongs with them.
func (h *Handler) hubs(ctx context.Context, who storage.Caller, query storage.HubQuery) ([]storage.Hub, bool, error) {
	list, err := h.store.ListHubs(ctx, who, query)
	if err != nil || len(list.Hubs) > 0 {
		return list.Hubs, list.Elsewhere, err
	}
	open, err := h.store.ListHubs(ctx, who, storage.HubQuery{})
	if err != nil || len(open.Hubs) > 0 {
		return nil, open.Elsewhere, err
	}
	if who.OnBehalf {
		return nil, false, access.UserRefused()
	}
	// An app by itself that is provisioned nowhere is told so, too.
	return nil, open.Elsewhere || who.UserID == "", nil
}

// GetHub serves GET /project/v1/hubs/{hub_id}.
func (h *Handler) GetHub(w http.ResponseWriter, r *http.Request) error {
	q, err := filter.Plain(shape.TypeHubs).Parse(r)
	if err != nil {
		return err
	}
	hub, _, err := h.find.ReachHub(r)
	if err != nil {
		return err
	}
	return h.writeHub(w, r, q, hub)
}

// GetHubOfProject serves GET …/hubs/{hub_id}/projects/{project_id}/hub.
func (h *Handler) GetHubOfProject(w http.ResponseWriter, r *http.Request) error {
	q, err := filter.Plain(shape.TypeHubs).Parse(r)
	if err != nil {
		return err
	}
	place, err := h.find.ReachProject(r, true)
	if err != nil {
		return err
	}
	return h.writeHub(w, r, q, place.Hub)
}

func (h *Handler) writeHub(w http.ResponseWriter, r *http.Request, q jsonapi.Query, hub storage.Hub) error {
	resource := h.tell.Hub(hub)
	return jsonapi.WriteDocument(w, r, q, jsonapi.Document{Links: shape.Self(h.tell.HubURL(hub.ID)), Data: &resource})
}

// warnings is the meta of the list of hubs, in the form that existing clients
// know.
type warnings struct {
	Warnings []warning `json:"warnings"`
}

type warning struct {
	ID         *string `json:"Id"`
	HTTPStatus string  `json:"HttpStatusCode"`
	Code       string  `json:"ErrorCode"`
	Title      string  `json:"Title"`
	Detail     string  `json:"Detail"`
	AboutLink  *string `json:"AboutLink"`
	Source     []any   `json:"Source"`
	Meta       []any   `json:"meta"`
}

// newWarnings says that there are hubs elsewhere, and of them nothing (decision
// J19).
func newWarnings(clientID string) warnings {
	return warnings{[]warning{{
		HTTPStatus: "403", Code: "APP_NOT_PROVISIONED", Title: "The app has no access to some hubs",
		Detail: "The app " + clientID + " is not provisioned in every hub of this user. " +
			"An administrator of a hub must give this client id access to it.",
		Source: []any{}, Meta: []any{},
	}}}
}
