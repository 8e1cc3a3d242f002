package flow

import (
	"testing"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

// Rule: CDE-2
func TestStateSuitabilityAndRevisionGoTogether(t *testing.T) {
	for _, tt := range []struct{ state, suitability, revision, wrong string }{
		{"", "", "", ""}, {"wip", "", "", ""}, {"wip", "S0", "P01.01", ""}, {"shared", "S1", "P01", ""},
		{"shared", "S5", "", ""}, {"published", "A", "C01", ""}, {"published", "B2", "C99", ""},
		{"archived", "S3", "P02", ""}, {"archived", "A1", "C01", ""},
		{"", "S0", "", "state"}, {"done", "", "", "state"}, {"wip", "S1", "", "suitability"},
		{"shared", "S0", "", "suitability"},
		{"shared", "A", "", "suitability"}, {"published", "S4", "", "suitability"}, {"archived", "S6", "", "suitability"},
		{"wip", "s0", "", "suitability"}, {"wip", "", "P1", "revision"}, {"wip", "", "P01.1", "revision"},
		{"wip", "", "C01", "revision"}, {"published", "", "P01", "revision"}, {"archived", "", "01", "revision"},
	} {
		err := Check(storage.VersionState{State: tt.state, Suitability: tt.suitability, Revision: tt.revision})
		if got := fault.From(err); err == nil && tt.wrong != "" || err != nil && got.Source != tt.wrong {
			t.Errorf("%+v: %v", tt, err)
		}
	}
}

// Rule: CDE-1
func TestWhatWasPublishedIsTakenBackOnlyByWhoGivesRights(t *testing.T) {
	standing := func(level storage.Level) storage.Standing {
		return storage.Standing{Caller: storage.Caller{UserID: "U"}, AppLevel: storage.LevelControl, AppActsFor: true,
			UserEnabled: true, HubMember: true, InProject: true, Granted: level}
	}
	for _, tt := range []struct {
		was, now string
		least    storage.Level
	}{
		{"", "wip", storage.LevelEdit}, {"wip", "published", storage.LevelEdit}, {"shared", "wip", storage.LevelEdit},
		{"published", "archived", storage.LevelEdit}, {"published", "published", storage.LevelEdit},
		{"published", "shared", storage.LevelControl}, {"published", "", storage.LevelControl},
		{"archived", "published", storage.LevelControl},
	} {
		for level := storage.LevelView; level <= storage.LevelControl; level++ {
			err := MaySet(standing(level), storage.VersionState{State: tt.was}, storage.VersionState{State: tt.now})
			if (err == nil) != (level >= tt.least) {
				t.Errorf("%q to %q at level %d: %v", tt.was, tt.now, level, err)
			}
		}
	}
}
