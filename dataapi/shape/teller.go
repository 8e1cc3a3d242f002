package shape

import (
	"context"
	"slices"

	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/storage"
)

// Teller turns records into resources, and tells refusals, with the names of
// the people in them.
type Teller struct {
	Shape
	Ambient *ambient.Source
	Store   Names
}

// maxNames is how many ids the store resolves at once.
const maxNames = 1000

// Show returns a shower that knows the people in the stamps and the others.
func (t Teller) Show(ctx context.Context, stamps []storage.Stamp, others ...string) (Shower, error) {
	ids := slices.Clone(others)
	for _, s := range stamps {
		ids = append(ids, s.CreatedBy, s.ModifiedBy)
	}
	slices.Sort(ids)
	ids = slices.DeleteFunc(slices.Compact(ids), func(id string) bool { return id == "" })
	s := Shower{Shape: t.Shape, Names: map[string]string{}, Now: t.Ambient.Now()}
	for chunk := range slices.Chunk(ids, maxNames) {
		names, err := t.Store.ListNames(ctx, chunk)
		if err != nil {
			return s, err
		}
		for id, name := range names {
			s.Names[id] = name
		}
	}
	return s, nil
}

// ShowContents returns a shower for folders, and for items with their tips.
func (t Teller) ShowContents(ctx context.Context, c storage.Contents) (Shower, error) {
	var stamps []storage.Stamp
	var holders []string
	for _, f := range c.Folders {
		stamps = append(stamps, f.Stamp)
	}
	for _, i := range c.Items {
		stamps, holders = append(stamps, i.Item.Stamp, i.Tip.Stamp), append(holders, i.Item.ReservedBy)
	}
	return t.Show(ctx, stamps, holders...)
}

// ShowItem returns a shower for the item, its tip and further versions.
func (t Teller) ShowItem(ctx context.Context, item storage.ItemWithTip, versions ...storage.Version) (Shower, error) {
	stamps := []storage.Stamp{item.Item.Stamp, item.Tip.Stamp}
	for _, v := range versions {
		stamps = append(stamps, v.Stamp)
	}
	return t.Show(ctx, stamps, item.Item.ReservedBy)
}
