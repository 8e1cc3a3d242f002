package level_test

import (
	"testing"

	"github.com/portico-id/portico/dataapi/level"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

func TestEveryLevelThatCanBeGivenHasAName(t *testing.T) {
	for given := storage.LevelView; given <= storage.LevelControl; given++ {
		if got, err := level.Parse(level.Name(given), "level"); err != nil || got != given {
			t.Errorf("%v: %v, %v", given, got, err)
		}
	}
	for _, name := range []string{"", "none", "View", "owner"} {
		if _, err := level.Parse(name, "level"); !fault.Is(err, fault.Invalid) || fault.From(err).Source != "level" {
			t.Errorf("%q: %v", name, err)
		}
	}
}
