package storage

import (
	"context"
	"encoding/json"
)

// VersionState is how far a version has come, as ISO 19650 counts it: what a
// version's extension has as its member cde. Empty fields are not said.
type VersionState struct {
	State       string `json:"state,omitempty"`       // one of VersionStates
	Suitability string `json:"suitability,omitempty"` // S0 to S5, A or B
	Revision    string `json:"revision,omitempty"`    // P01.01, C01
}

// VersionStates are the states that a version can be in, in the order in which it gets there.
func VersionStates() []string { return []string{"wip", "shared", "published", "archived"} }

// StateMember is the member of an extension's data with the state. Clients can't
// set it there, and a copy begins without one.
const StateMember = "cde"

// StateOf returns the state of a version with the extension. The member's name counts
// as it is written: what a client calls CDE is the client's own.
func StateOf(e Extension) (state VersionState) {
	var all map[string]json.RawMessage
	if json.Unmarshal([]byte(e.Data), &all) == nil && all[StateMember] != nil {
		_ = json.Unmarshal(all[StateMember], &state) // we wrote it
	}
	return state
}

// WithState returns the data of an extension with another state.
func WithState(data string, state VersionState) (string, error) {
	all := map[string]json.RawMessage{}
	if data != "" {
		if err := json.Unmarshal([]byte(data), &all); err != nil {
			return "", err
		}
	}
	delete(all, StateMember)
	if state != (VersionState{}) {
		text, err := json.Marshal(state)
		if err != nil {
			return "", err
		}
		all[StateMember] = text
	}
	if len(all) == 0 {
		return "", nil
	}
	text, err := json.Marshal(all)
	return string(text), err
}

// ReasonRevisionTaken is the reason of the Conflict fault of a revision that
// another version of the item has.
const ReasonRevisionTaken = "revision_taken"

// NamingField is a part of a name.
type NamingField struct {
	Name   string   `json:"name"`             // what people call it
	Values []string `json:"values,omitempty"` // what it may be; none: anything that fits
	Digits int      `json:"digits,omitempty"` // how many digits it is
	Max    int      `json:"max,omitempty"`    // characters; 0: no limit
}

// Naming is how the files of a project are called: fields with a separator
// between them, and whatever ending. Without fields every name will do.
type Naming struct {
	Separator string        `json:"separator"`
	Fields    []NamingField `json:"fields"`

	// Holding is the uid of a folder that takes new files with another name;
	// empty: they are refused.
	Holding string `json:"holding,omitempty"`
}

// FlowStore keeps the states of versions, and how files are called.
type FlowStore interface {
	// SetVersionState gives a version a state. The same as before is no change.
	// NotFound; Conflict (ReasonRevisionTaken); PreconditionFailed
	// (ReasonChanged); Locked (ReasonReserved, ReasonProjectArchived,
	// ReasonProjectBusy).
	SetVersionState(ctx context.Context, change Change, projectID string, ref VersionRef, state VersionState) error

	// FindNaming returns how the project's files are called; nothing for an
	// absent project.
	FindNaming(ctx context.Context, projectID string) (Naming, error)

	// SetNaming says how, or takes it back without fields. NotFound; Locked
	// (ReasonProjectArchived).
	SetNaming(ctx context.Context, change Change, projectID string, naming Naming) error
}
