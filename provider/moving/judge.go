package moving

import (
	"context"

	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/storage"
)

// Options is what Moving needs.
type Options struct {
	Store   storage.ArrivalStore
	Ambient *ambient.Source

	// SetField gives a field of a person a value, or says what it would have to be.
	SetField func(user *storage.User, field, value string) error

	// CheckGroup says what is wrong with the name and the description of a group.
	CheckGroup func(name, description string) error

	// Client judges a client, and returns it as it is kept.
	Client func(ctx context.Context, client storage.Client) (storage.Client, error)
}

// numbered is an entry with its line.
type numbered struct {
	Entry
	line int
}

// judge adds entries of a kind that are new and in order, and reports of all.
type judge struct {
	with   Options
	in     storage.Arriving
	act    storage.Act
	report *Report
}
