package demotree_test

import (
	"slices"
	"testing"

	"github.com/portico-id/portico/cmd/portico/internal/demotree"
)

// Rule: DATA-54
func TestTheSameSeedMakesTheSameTree(t *testing.T) {
	read := func(seed uint64) (ids []string) {
		l := demotree.Large{Folders: 20, Items: 50, Seed: seed}
		tree := l.Tree()
		for f := range tree.Folders {
			ids = append(ids, f.ID+f.Name)
		}
		for i := range tree.Items {
			ids = append(ids, i.ID+i.Name)
		}
		return ids
	}
	if a, b := read(7), read(7); !slices.Equal(a, b) || len(a) != 70 {
		t.Errorf("%d and %d things, not the same", len(a), len(b))
	}
	if slices.Equal(read(7), read(8)) {
		t.Error("two seeds make one tree")
	}
}
