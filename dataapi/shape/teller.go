package shape

import (
	"context"
	"maps"
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
	var who people
	for _, s := range stamps {
		who.add(s.CreatedBy, s.ModifiedBy)
	}
	who.add(others...)
	return t.know(ctx, who)
}

// people are ids, many of which stand beside the same one.
type people []string

func (p *people) add(ids ...string) {
	for _, id := range ids {
		if n := len(*p); id != "" && (n == 0 || (*p)[n-1] != id) {
			*p = append(*p, id)
		}
	}
}

func (t Teller) know(ctx context.Context, who people) (Shower, error) {
	slices.Sort(who)
	s := Shower{Shape: t.Shape, Names: map[string]string{}, Now: t.Ambient.Now()}
	for chunk := range slices.Chunk(slices.Compact(who), maxNames) {
		names, err := t.Store.ListNames(ctx, chunk)
		if err != nil {
			return s, err
		}
		maps.Copy(s.Names, names)
	}
	return s, nil
}

// ShowContents returns a shower for folders, and for items with their tips.
func (t Teller) ShowContents(ctx context.Context, c storage.Contents) (Shower, error) {
	var who people
	for i := range c.Folders {
		who.add(c.Folders[i].CreatedBy, c.Folders[i].ModifiedBy)
	}
	for n := range c.Items {
		i := &c.Items[n]
		who.add(i.Item.CreatedBy, i.Item.ModifiedBy, i.Tip.CreatedBy, i.Tip.ModifiedBy, i.Item.ReservedBy)
	}
	return t.know(ctx, who)
}

// ShowItem returns a shower for the item, its tip and further versions.
func (t Teller) ShowItem(ctx context.Context, item storage.ItemWithTip, versions ...storage.Version) (Shower, error) {
	stamps := []storage.Stamp{item.Item.Stamp, item.Tip.Stamp}
	for _, v := range versions {
		stamps = append(stamps, v.Stamp)
	}
	return t.Show(ctx, stamps, item.Item.ReservedBy)
}
