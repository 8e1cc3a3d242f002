package dataapi

import (
	"context"
	"net/http"
	"slices"

	"github.com/portico-id/portico/dataapi/jsonapi"
	"github.com/portico-id/portico/storage"
)

// maxNames is how many ids the store resolves at once.
const maxNames = 1000

// show returns a shower that knows the people in the stamps and the others.
func (h *Handler) show(ctx context.Context, stamps []storage.Stamp, others ...string) (shower, error) {
	ids := slices.Clone(others)
	for _, s := range stamps {
		ids = append(ids, s.CreatedBy, s.ModifiedBy)
	}
	slices.Sort(ids)
	ids = slices.DeleteFunc(slices.Compact(ids), func(id string) bool { return id == "" })
	s := shower{shape: h.shape, names: map[string]string{}, now: h.ambient.Now()}
	for chunk := range slices.Chunk(ids, maxNames) {
		names, err := h.store.ListNames(ctx, chunk)
		if err != nil {
			return s, err
		}
		for id, name := range names {
			s.names[id] = name
		}
	}
	return s, nil
}

func (h *Handler) showFolders(ctx context.Context, folders ...storage.Folder) (shower, error) {
	stamps := make([]storage.Stamp, len(folders))
	for i, f := range folders {
		stamps[i] = f.Stamp
	}
	return h.show(ctx, stamps)
}

// showItem returns a shower for the item, its tip and further versions.
func (h *Handler) showItem(ctx context.Context, item storage.ItemWithTip, versions ...storage.Version) (shower, error) {
	stamps := []storage.Stamp{item.Item.Stamp, item.Tip.Stamp}
	for _, v := range versions {
		stamps = append(stamps, v.Stamp)
	}
	return h.show(ctx, stamps, item.Item.ReservedBy)
}

// writeDocument sends an answer that clients ask for anew each time.
func writeDocument(w http.ResponseWriter, r *http.Request, q jsonapi.Query, d jsonapi.Document) error {
	body, err := d.Encode(q)
	if err != nil {
		return err
	}
	w.Header().Set("Cache-Control", "no-store")
	jsonapi.Write(w, r, http.StatusOK, body)
	return nil
}
