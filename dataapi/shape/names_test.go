package shape_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/portico-id/portico/dataapi/shape"
	"github.com/portico-id/portico/internal/ambient"
)

// book is names that notes who was looked up.
type book struct {
	names map[string]string
	asked []string
	err   error
}

func (b *book) ListNames(_ context.Context, ids []string) (map[string]string, error) {
	b.asked = slices.Clone(ids)
	found := map[string]string{}
	for _, id := range ids {
		if name, ok := b.names[id]; ok {
			found[id] = name
		}
	}
	return found, b.err
}

// Rule: DATA-99
func TestNamesAreLookedUpOnceForAllWhoAskWithinHalfASecond(t *testing.T) {
	now, age := time.Unix(1_800_000_000, 0), uint64(1)
	b := &book{names: map[string]string{"A": "Anna", "B": "Ben"}}
	names := shape.Remember(b, ambient.New(func() time.Time { return now }, nil), func() uint64 { return age })
	ask := func(want map[string]string, asked []string, ids ...string) {
		t.Helper()
		b.asked = nil
		got, err := names.ListNames(t.Context(), ids)
		if !errors.Is(err, b.err) || err == nil && cmp.Diff(want, got) != "" {
			t.Errorf("%v: %v, %v", ids, got, err)
		}
		if !slices.Equal(b.asked, asked) {
			t.Errorf("%v: %v were looked up, want %v", ids, b.asked, asked)
		}
	}
	both := map[string]string{"A": "Anna", "B": "Ben"}
	ask(map[string]string{"A": "Anna"}, []string{"A", "nobody"}, "A", "nobody")
	ask(both, []string{"B"}, "A", "nobody", "B")
	ask(both, nil, "A", "nobody", "B")
	b.names["A"] = "Anne"
	ask(both, nil, "A", "B") // nobody has told of it yet
	age++
	ask(map[string]string{"A": "Anne"}, []string{"A"}, "A")
	now = now.Add(500 * time.Millisecond)
	b.err = errors.New("no answer")
	ask(nil, []string{"A"}, "A")
	b.err = nil
	ask(map[string]string{"A": "Anne"}, []string{"A"}, "A")
}
