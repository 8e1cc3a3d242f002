package dataapi

import (
	"context"
	"slices"

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
