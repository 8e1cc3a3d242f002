package batch

import (
	"net/http"

	"github.com/portico-id/portico/dataapi/access"
	"github.com/portico-id/portico/dataapi/filter"
	"github.com/portico-id/portico/dataapi/jsonapi"
	"github.com/portico-id/portico/dataapi/shape"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

// listNamedFolders serves GET …/projects/{project_id}/folders: those of the ids
// in filter[id], in their order, that the caller could read one by one.
func (h *Handler) listNamedFolders(w http.ResponseWriter, r *http.Request) error {
	return h.listNamed(w, r, shape.TypeFolders, h.tell.URN.Folder("<id>"), func(id string) (storage.End, bool) {
		uid, ok := h.tell.URN.FolderUID(id)
		return storage.End{FolderID: uid}, ok
	})
}

// listNamedItems serves GET …/projects/{project_id}/items, likewise, with the
// tips included.
func (h *Handler) listNamedItems(w http.ResponseWriter, r *http.Request) error {
	return h.listNamed(w, r, shape.TypeItems, h.tell.URN.Item("<id>"), func(id string) (storage.End, bool) {
		uid, ok := h.tell.URN.ItemUID(id)
		return storage.End{ItemID: uid}, ok
	})
}

func (h *Handler) listNamed(w http.ResponseWriter, r *http.Request, kind, form string,
	read func(string) (storage.End, bool)) error {
	rules := jsonapi.Rules{Types: []string{kind}, Filters: filter.By(filter.ID)}
	if kind == shape.TypeItems {
		rules.Types = append(rules.Types, shape.TypeVersions)
	}
	q, err := rules.Parse(r)
	if err != nil {
		return err
	}
	ends, err := namedEnds(q, form, read)
	if err != nil {
		return err
	}
	at, err := h.find.ReachProject(r, false)
	if err != nil {
		return err
	}
	place, found, err := h.store.FindEnds(r.Context(), at.Standing.Caller, at.Project.ID, ends)
	if err != nil {
		return err
	}
	var readable []storage.Found
	for _, f := range found {
		if access.MayReadFound(place, f, kind) == nil {
			readable = append(readable, f)
		}
	}
	d := jsonapi.Document{Links: q.Self(h.tell.Base + "/data/v1/projects/" + at.Project.ID + "/" + kind)}
	if d.Data, err = h.ends.Show(r.Context(), place, readable); err != nil {
		return err
	}
	if kind == shape.TypeItems {
		if d.Included, err = h.ends.ShowTips(r.Context(), place, readable); err != nil {
			return err
		}
	}
	return jsonapi.WriteDocument(w, r, q, d)
}

// namedEnds returns what filter[id] names, each once.
func namedEnds(q jsonapi.Query, form string, read func(string) (storage.End, bool)) ([]storage.End, error) {
	ids, err := filter.Conditions(q.Conditions).Words(filter.ID, form, func(id string) bool {
		_, ok := read(id)
		return ok
	})
	if err != nil {
		return nil, err
	}
	if ids == nil || len(ids) > storage.MaxEnds {
		return nil, fault.Newf(fault.Invalid, jsonapi.ReasonInvalid, "Name 1 to %d ids.", storage.MaxEnds).At("filter[id]")
	}
	var ends []storage.End
	seen := map[storage.End]bool{}
	for _, id := range ids {
		if end, _ := read(id); !seen[end] {
			seen[end] = true
			ends = append(ends, end)
		}
	}
	return ends, nil
}
