package storage

import "context"

// Arrival is a person who comes from another product, or who is here already.
type Arrival struct {
	User
	PasswordHash string   // that product's, or ours; empty: none
	Groups       []string // ids of UserGroups that the person is in
}

// ArrivalStore takes in what another product kept.
type ArrivalStore interface {
	// Arrive has work bring people, groups and clients: all that it adds is kept when
	// it returns nil, and nothing otherwise. Its error is returned. Work may run more
	// than once, so it must begin anew each time. Beside a long one other acts on SQLite are
	// Unavailable.
	Arrive(ctx context.Context, act Act, work func(Arriving) error) error
}

// Arriving is what Arrive's work finds and adds. It finds what it has added.
type Arriving interface {
	// FindArrivals returns those who have one of the ids, or one of the logins as
	// address or user name, without regard to case, unsorted and each once.
	FindArrivals(ctx context.Context, ids, logins []string) ([]Arrival, error)

	// FindArrivedGroups returns the groups of the names, without regard to case.
	FindArrivedGroups(ctx context.Context, names []string) ([]UserGroup, error)

	// FindArrivedClients returns the clients of the ids with their secrets.
	FindArrivedClients(ctx context.Context, ids []string) ([]Client, error)

	// AddGroup is UserGroupStore.CreateUserGroup.
	AddGroup(ctx context.Context, group UserGroup) error

	// IsOwnGroup is Conflict, ReasonManaged, when a company sends the group.
	IsOwnGroup(ctx context.Context, id string) error

	// AddPeople adds people with their hashes and memberships. Conflict as
	// UserStore.CreateUser, and ReasonManaged for a group that a company sends.
	AddPeople(ctx context.Context, people []Arrival) error

	// AddClient is ClientStore.CreateClient.
	AddClient(ctx context.Context, client Client) error
}
