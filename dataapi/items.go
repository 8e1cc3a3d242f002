package dataapi

import (
	"context"
	"net/http"
	"time"

	"github.com/portico-id/portico/dataapi/access"
	"github.com/portico-id/portico/dataapi/filter"
	"github.com/portico-id/portico/dataapi/jsonapi"
	"github.com/portico-id/portico/dataapi/shape"
)

// GetItem serves GET /data/v1/projects/{project_id}/items/{item_id}, with the
// tip included.
func (h *Handler) GetItem(w http.ResponseWriter, r *http.Request) error {
	q, err := jsonapi.Rules{Types: []string{shape.TypeItems, shape.TypeVersions}, Flags: []string{shape.FlagPath}}.Parse(r)
	if err != nil {
		return err
	}
	at, err := h.find.ReachItem(r)
	if err != nil {
		return err
	}
	path := ""
	if q.Flag(shape.FlagPath) {
		if path, err = h.find.PathInProject(r.Context(), at.Spot); err != nil {
			return err
		}
	}
	return h.writeItem(w, r, q, at, path)
}

// GetItemOfVersion serves GET …/versions/{version_id}/item.
func (h *Handler) GetItemOfVersion(w http.ResponseWriter, r *http.Request) error {
	q, err := filter.Plain(shape.TypeItems, shape.TypeVersions).Parse(r)
	if err != nil {
		return err
	}
	at, _, err := h.find.ReachVersion(r)
	if err != nil {
		return err
	}
	return h.writeItem(w, r, q, at, "")
}

func (h *Handler) writeItem(w http.ResponseWriter, r *http.Request, q jsonapi.Query,
	at access.ItemSpot, path string) error {
	d, err := h.showItemAt(r.Context(), q, at, path)
	if err != nil {
		return err
	}
	return h.writeFresh(w, r, q, d)
}

func (h *Handler) showItemAt(ctx context.Context, q jsonapi.Query, at access.ItemSpot, path string) (single, error) {
	names, err := h.tell.ShowItem(ctx, at.ItemWithTip)
	if err != nil {
		return single{}, err
	}
	resource := names.Item(&at.Item, path)
	changed := []time.Time{at.Item.ModifiedAt, at.Tip.ModifiedAt, at.Item.ReservedAt}
	if !names.Now.Before(at.Item.ReservedUntil) {
		changed = append(changed, at.Item.ReservedUntil) // its end shows, and is no change of the record
	}
	return single{
		Document: jsonapi.Document{
			Links: q.Self(h.tell.ItemURL(at.Project.ID, at.Item.ID)), Data: &resource,
			Included: []jsonapi.Resource{names.Version(at.Project.ID, &at.Tip)},
		},
		Resource:  resource,
		freshness: freshness{Revision: at.Item.Revision, Changed: changed, Standing: at.Standing, ByTag: path != ""},
	}, nil
}
