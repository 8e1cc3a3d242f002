package storage

import (
	"context"
	"time"
)

// ValueOp is what a mutation does with a value or an element.
type ValueOp string

// The operations (decision X4).
const (
	OpWrite     ValueOp = "i" // write the value
	OpWriteDiff ValueOp = "c" // write it if it is another
	OpClear     ValueOp = "d" // clear the value
	OpDelete    ValueOp = "a" // delete the element with its values
	OpMake      ValueOp = "+" // make the element, without a value; no client says this
)

// Reasons of the faults of mutations. The source of each is the number of the
// operation, from 0.
const (
	ReasonModelAbsent    = "model_absent"    // NotFound: no such model in the facility
	ReasonPropertyAbsent = "property_absent" // Invalid: only properties of UserFamily are made by values
	ReasonValueType      = "value_type"      // Invalid: the property has values of another type
	ReasonDocumentAbsent = "document_absent" // Invalid: the facility has no such document
)

// Reasons of the refusals of UndoMutation (Conflict).
const (
	ReasonUndone    = "already_undone"
	ReasonOvertaken = "overtaken" // one of the values is not what the mutation left, or others have built on all of it
)

// ElementChange is one operation of a mutation.
type ElementChange struct {
	Op     ValueOp
	Key    string // of the element in the model
	Family string
	Column string
	Value  string // JSON: a string, a number or a boolean
}

// Mutation is what is to be changed in a model, all or nothing.
type Mutation struct {
	FacilityID  string
	ModelID     string // empty: the default model
	Description string
	Define      []Property // made first, unless they are there
	Changes     []ElementChange
}

// MutationRecord is a mutation that has happened.
type MutationRecord struct {
	Number      int64 // 1, 2, 3 … in the facility, without a gap; 0: nothing was changed
	ModelID     string
	Description string
	At          time.Time
	Actor       Actor
	Caller      Caller
	Undoes      int64 // number of the mutation that this one takes back; 0: none
	UndoneBy    int64
}

// CellChange is what a mutation did to one value, or, without family and
// column, to an element itself.
type CellChange struct {
	Key    string
	Family string
	Column string
	Was    string // JSON; empty: there was none. Of an element: true when it was there
	Became string // likewise
}

// Element is a part of a model with its values.
type Element struct {
	ModelID string
	Key     string
	Values  []ElementValue // ordered by family and column
}

// ElementValue is one value of an element.
type ElementValue struct {
	Family string
	Column string
	Value  string // JSON
}

// ElementQuery narrows a list of elements; empty fields keep everything.
type ElementQuery struct {
	ModelID string
	Keys    []string // at most MaxPage
}

// ElementStore keeps elements, their values and how these came about.
type ElementStore interface {
	// Mutate changes values. Elements come into being with their first value
	// and go with OpDelete; what is absent can be cleared and deleted without
	// anything being changed. A property of UserFamily comes into being with its
	// first value and the type of that. Mutations of a facility happen one after
	// the other. One that changes nothing is not kept, and has the number 0.
	// NotFound, also for an absent model (ReasonModelAbsent); Invalid as above.
	Mutate(ctx context.Context, change Change, mutation Mutation) (MutationRecord, error)

	// UndoMutation brings back what was before, as a mutation of its own, and
	// can be undone itself. An element that the mutation made stays when it has
	// got values from others since; when nothing of the mutation can go, it is
	// overtaken. NotFound; Conflict (ReasonUndone, ReasonOvertaken).
	UndoMutation(ctx context.Context, change Change, facilityID string, number int64,
		description string) (MutationRecord, error)

	// ListMutations returns a page of the facility's mutations, newest first,
	// and the next cursor.
	ListMutations(ctx context.Context, facilityID string, page PageRequest) ([]MutationRecord, string, error)

	// FindMutation returns the mutation and a page of what it changed, and the
	// next cursor. NotFound.
	FindMutation(ctx context.Context, facilityID string, number int64, page PageRequest) (MutationRecord,
		[]CellChange, string, error)

	// ListElements returns a page of elements with their values, in the order in
	// which they came into being, and the next cursor.
	ListElements(ctx context.Context, facilityID string, query ElementQuery, page PageRequest) ([]Element, string, error)
}
