package dataapi

import (
	"context"
	"net/http"
	"time"

	"github.com/portico-id/portico/dataapi/access"
	"github.com/portico-id/portico/dataapi/filter"
	"github.com/portico-id/portico/dataapi/jsonapi"
	"github.com/portico-id/portico/dataapi/shape"
	"github.com/portico-id/portico/dataapi/urn"
	"github.com/portico-id/portico/storage"
)

func versionsRules() jsonapi.Rules {
	return jsonapi.Rules{
		Types: []string{shape.TypeVersions}, Paged: true, Sort: []string{filter.Number},
		Filters: filter.By(filter.ID, filter.Extension, filter.Data, filter.Number),
	}
}

// GetTip serves GET …/items/{item_id}/tip: the newest version.
func (h *Handler) GetTip(w http.ResponseWriter, r *http.Request) error {
	q, err := filter.Plain(shape.TypeVersions).Parse(r)
	if err != nil {
		return err
	}
	at, err := h.find.ReachItem(r)
	if err != nil {
		return err
	}
	return h.writeVersion(w, r, q, at, at.Tip)
}

// GetVersion serves GET /data/v1/projects/{project_id}/versions/{version_id}.
func (h *Handler) GetVersion(w http.ResponseWriter, r *http.Request) error {
	q, err := filter.Plain(shape.TypeVersions).Parse(r)
	if err != nil {
		return err
	}
	at, version, err := h.find.ReachVersion(r)
	if err != nil {
		return err
	}
	return h.writeVersion(w, r, q, at, version)
}

func (h *Handler) writeVersion(w http.ResponseWriter, r *http.Request, q jsonapi.Query, at access.ItemSpot,
	version storage.Version) error {
	d, err := h.showVersion(r.Context(), at, version)
	if err != nil {
		return err
	}
	return h.writeFresh(w, r, q, d)
}

func (h *Handler) showVersion(ctx context.Context, at access.ItemSpot, version storage.Version) (single, error) {
	names, err := h.tell.Show(ctx, []storage.Stamp{version.Stamp})
	if err != nil {
		return single{}, err
	}
	resource := names.Version(at.Project.ID, &version)
	return single{
		Document: jsonapi.Document{Links: shape.Self(h.tell.VersionURL(at.Project.ID, version.ItemID, version.Number)),
			Data: &resource},
		Resource: resource,
		freshness: freshness{
			Revision: version.Revision, Changed: []time.Time{version.ModifiedAt}, Standing: at.Standing,
		},
	}, nil
}

// ListVersions serves GET …/items/{item_id}/versions, newest first.
func (h *Handler) ListVersions(w http.ResponseWriter, r *http.Request) error {
	q, err := versionsRules().Parse(r)
	if err != nil {
		return err
	}
	at, err := h.find.ReachItem(r)
	if err != nil {
		return err
	}
	query, err := versionQuery(h.tell.URN, q, at.Item.ID)
	if err != nil {
		return err
	}
	address := h.tell.ItemURL(at.Project.ID, at.Item.ID) + "/versions"
	page, err := filter.Page(h.pager, address, q)
	if err != nil {
		return err
	}
	versions, next, err := h.store.ListVersions(r.Context(), at.Project.ID, at.Item.ID, query, page)
	if err != nil {
		return err
	}
	shown, err := h.tell.ShowItem(r.Context(), at.ItemWithTip, versions...)
	if err != nil {
		return err
	}
	resources := make([]jsonapi.Resource, len(versions))
	for i := range versions {
		resources[i] = shown.Version(at.Project.ID, &versions[i])
	}
	return jsonapi.WriteDocument(w, r, q, jsonapi.Document{Links: h.pager.Links(address, q, next), Data: resources})
}

func versionQuery(s urn.Space, q jsonapi.Query, itemUID string) (query storage.VersionQuery, err error) {
	all := filter.Conditions(q.Conditions)
	query.ExtensionTypes = all.Texts(filter.Extension)
	query.Ascending = q.Sort != "" && !q.Descending
	if query.Data, err = all.Data(); err != nil {
		return query, err
	}
	if query.Numbers, err = all.Numbers(filter.Number, 32); err != nil {
		return query, err
	}
	ids, err := all.Words(filter.ID, s.Version("<id>", 1), func(urn string) bool {
		_, ok := s.VersionRef(urn)
		return ok
	})
	if ids == nil || err != nil {
		return query, err
	}
	wanted := storage.NumberCondition{Op: storage.OpEqual}
	for _, urn := range ids {
		if ref, _ := s.VersionRef(urn); ref.ItemID == itemUID {
			wanted.Values = append(wanted.Values, int64(ref.Number))
		}
	}
	query.Numbers = append(query.Numbers, wanted)
	return query, nil
}
