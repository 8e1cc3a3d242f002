package shape

import (
	"context"

	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/fresh"
)

// Names are what a teller reads.
type Names interface {
	ListNames(ctx context.Context, ids []string) (map[string]string, error)
}

// Remember returns names that are looked up once for all who ask within half a second:
// nearly every answer says who made what is in it. age is that of what they are asked of.
func Remember(names Names, source *ambient.Source, age func() uint64) Names {
	return &remembered{names, fresh.NewMoments[string, string](source, age)}
}

type remembered struct {
	names Names
	known *fresh.Moments[string, string] // by id; who has none is ""
}

// ListNames implements Names.
func (r *remembered) ListNames(ctx context.Context, ids []string) (map[string]string, error) {
	asked, all := r.known.Begin(), map[string]string{}
	var unknown []string
	for _, id := range ids {
		name, ok := r.known.Find(asked, id)
		if !ok {
			unknown = append(unknown, id)
		} else if name != "" {
			all[id] = name
		}
	}
	if len(unknown) == 0 {
		return all, nil
	}
	found, err := r.names.ListNames(ctx, unknown)
	if err != nil {
		return nil, err
	}
	for _, id := range unknown {
		name, ok := found[id]
		if r.known.Keep(asked, id, name); ok {
			all[id] = name
		}
	}
	return all, nil
}
