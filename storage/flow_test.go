package storage_test

import (
	"testing"

	"github.com/portico-id/portico/storage"
)

// Clients write the data of an extension, but for the member that has the state.
//
// Rule: CDE-1
func TestNobodyGivesAVersionAStateByAnotherSpellingOfItsMember(t *testing.T) {
	const forged = `{"CDE":{"state":"published","suitability":"A","revision":"C01"},"own":1}`
	if got := storage.StateOf(storage.Extension{Data: forged}); got != (storage.VersionState{}) {
		t.Errorf("a version without a state has %+v", got)
	}
	shared := storage.VersionState{State: "shared", Suitability: "S2"}
	data, err := storage.WithState(forged, shared)
	if got := storage.StateOf(storage.Extension{Data: data}); err != nil || got != shared {
		t.Errorf("%s: %+v, %v; want %+v", data, got, err, shared)
	}
	for _, none := range []string{"", "{}", "[]", `{"cde":null}`} {
		if got := storage.StateOf(storage.Extension{Data: none}); got != (storage.VersionState{}) {
			t.Errorf("%q: %+v", none, got)
		}
	}
}
