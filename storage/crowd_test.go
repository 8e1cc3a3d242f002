package storage_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/portico-id/portico/storage"
)

func marks(random *rand.Rand, n int) []uint32 {
	all := make([]uint32, n)
	for i := range all {
		all[i] = random.Uint32()
	}
	return all
}

// Rule: USAGE-3
func TestACrowdCountsPeopleOnce(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{0, 1, 5, 100, storage.CrowdSize - 1, storage.CrowdSize, 5_000, 200_000} {
		all := marks(random, n)
		var once, several storage.Crowd
		once = once.Met(all...)
		for part := range slices.Chunk(all, n/3+1) { // of three servers, each of which met some of the others' people
			several = several.Met(part...).Met(all[:n/2]...)
		}
		if !slices.Equal(once, several) {
			t.Errorf("%d people are another crowd when several servers met them", n)
		}
		off := math.Abs(float64(once.People()-int64(n))) / float64(max(n, 1))
		if n <= storage.CrowdSize && off != 0 || off > 0.1 || len(once) > storage.CrowdSize {
			t.Errorf("%d people are counted as %d", n, once.People())
		}
		if kept, err := storage.ParseCrowd(once.String()); err != nil || !slices.Equal(kept, once) {
			t.Errorf("a crowd of %d is kept as another: %v", n, err)
		}
	}
	for _, text := range []string{"AAA", "not base64!", "AAAAAA=="} {
		if _, err := storage.ParseCrowd(text); err == nil {
			t.Errorf("%q is taken for a crowd", text)
		}
	}
}
