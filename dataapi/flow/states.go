// Package flow is how far files have come: state, suitability and revision of
// versions, and the rule of a project's names; and the operations on them under
// /files/v1.
//
// The states are those of ISO 19650, without a workflow: who may edit sets them.
// Start at Check.
package flow

import (
	"slices"
	"strings"

	"github.com/portico-id/portico/dataapi/access"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/pattern"
	"github.com/portico-id/portico/storage"
)

const reasonInvalid = "invalid_field"

var (
	preliminary = pattern.Of(`^P[0-9]{2}(\.[0-9]{2})?$`)
	contractual = pattern.Of(`^C[0-9]{2}$`)
	shareable   = pattern.Of(`^S[1-5]$`)
	authorised  = pattern.Of(`^[AB][0-9]?$`)
)

// Check refuses a state that is none, or whose parts do not go together: work in
// progress is S0, what is shared S1 to S5, what is published A or B, and only
// that has a contractual revision.
func Check(s storage.VersionState) error {
	if s == (storage.VersionState{}) {
		return nil
	}
	if !slices.Contains(storage.VersionStates(), s.State) {
		return invalid("state", "The state must be one of "+strings.Join(storage.VersionStates(), ", ")+".")
	}
	if !preliminary().MatchString(s.Revision) && !contractual().MatchString(s.Revision) && s.Revision != "" {
		return invalid("revision", "A revision looks like P01, P01.01 or C01.")
	}
	switch suits := s.Suitability; {
	case suits == "":
	case suits != "S0" && !shareable().MatchString(suits) && !authorised().MatchString(suits):
		return invalid("suitability", "The suitability must be one of S0 to S5, or A or B with or without a number.")
	case s.State == "wip" && suits != "S0":
		return invalid("suitability", "Work in progress is S0.")
	case s.State == "shared" && !shareable().MatchString(suits):
		return invalid("suitability", "What is shared is S1 to S5.")
	case s.State == "published" && !authorised().MatchString(suits):
		return invalid("suitability", "What is published is A or B.")
	}
	switch {
	case s.State == "published" && preliminary().MatchString(s.Revision):
		return invalid("revision", "What is published has a revision such as C01.")
	case (s.State == "wip" || s.State == "shared") && contractual().MatchString(s.Revision):
		return invalid("revision", "What is not published has a revision such as P01 or P01.01.")
	}
	return nil
}

func invalid(field, detail string) error {
	return fault.New(fault.Invalid, reasonInvalid, detail).At(field)
}

// MaySet decides who may bring a version from one state to another: who may edit,
// and who gives rights where something that was published or archived is taken
// back.
func MaySet(s storage.Standing, was, now storage.VersionState) error {
	from, to := slices.Index(storage.VersionStates(), was.State), slices.Index(storage.VersionStates(), now.State)
	if from >= slices.Index(storage.VersionStates(), "published") && to < from {
		return access.Need(s, storage.LevelControl, "take back what was published or archived")
	}
	return access.Need(s, storage.LevelEdit, "set the state of this version")
}
