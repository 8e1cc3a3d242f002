package storage

import (
	"context"
	"time"
)

// Hub is a company's account: projects, members and groups belong to one.
type Hub struct {
	ID        string // b.<UUID>
	Name      string
	Region    string // such as US or EMEA
	Extension Extension
	Active    bool
	CreatedAt time.Time
	UpdatedAt time.Time
}

// HubQuery narrows a list of hubs; empty fields keep everything.
type HubQuery struct {
	IDs            []string // any of them; nil: all
	Names          []TextCondition
	ExtensionTypes []TextCondition
	Inactive       bool // inactive hubs too
	Administered   bool // only those whose administrator the caller is
}

// HubList is what a caller sees of hubs.
type HubList struct {
	Hubs []Hub // ordered by name key and id

	// Elsewhere says that the user is a member of an active hub that is left
	// out because the app is not provisioned there, or not for this user (J19).
	// It doesn't depend on the query.
	Elsewhere bool
}

// HubStore keeps hubs.
type HubStore interface {
	// CreateHub adds the hub. Conflict when the id is taken; names may repeat.
	CreateHub(ctx context.Context, change Change, hub Hub) error

	// UpdateHub makes name, region, extension and Active what edit says of them as they are,
	// which nobody changes meanwhile, and sets UpdatedAt. NotFound; what edit returns.
	UpdateHub(ctx context.Context, change Change, hubID string, edit func(*Hub) error) error

	// SetHubActive activates or deactivates the hub; repeating it changes
	// nothing. NotFound.
	SetHubActive(ctx context.Context, change Change, hubID string, active bool) error

	// ListHubs returns the hubs to which the caller is Admitted; to the zero
	// Caller all.
	ListHubs(ctx context.Context, caller Caller, query HubQuery) (HubList, error)

	// FindHub returns the hub, inactive too, with the caller's standing in it
	// whatever that is, or NotFound.
	FindHub(ctx context.Context, caller Caller, hubID string) (Hub, Standing, error)
}

// AppUsers says for whom a provisioned app may act by x-user-id.
type AppUsers string

// For whom a provisioned app may act.
const (
	AppForMembers AppUsers = "all-members" // every member of the hub
	AppForNobody  AppUsers = "none"
	AppForListed  AppUsers = "listed" // the members in AppAccess.UserIDs
)

// AppAccess says that a client is provisioned in a hub.
type AppAccess struct {
	HubID      string
	ClientID   string
	ClientName string // told by ListAppAccess alone
	Level      Level  // what it may do by itself, and at most for somebody it names
	Users      AppUsers
	UserIDs    []string // with AppForListed, sorted
	CreatedAt  time.Time
}

// AppHub is a hub in which a client is provisioned.
type AppHub struct {
	ClientID  string
	HubID     string
	HubName   string
	HubActive bool
	Level     Level
	Users     AppUsers
	Listed    int // people, with AppForListed
}

// AppAccessStore keeps which apps are provisioned where.
type AppAccessStore interface {
	// ProvisionApp lets the client into the hub, or replaces Level, Users and
	// UserIDs of before; the same again changes nothing. NotFound for an absent
	// hub or client (ReasonClientAbsent) or one of the users (ReasonUserAbsent).
	ProvisionApp(ctx context.Context, change Change, access AppAccess) error

	// WithdrawApp takes the client's access away. NotFound.
	WithdrawApp(ctx context.Context, change Change, hubID, clientID string) error

	// ListAppAccess returns who is provisioned in the hub, ordered by client
	// id; none for an absent hub.
	ListAppAccess(ctx context.Context, hubID string) ([]AppAccess, error)

	// ListHubsOfApps returns where the clients are provisioned, in inactive hubs
	// too, ordered by client, hub name and hub id. Invalid beyond MaxPage
	// clients.
	ListHubsOfApps(ctx context.Context, clientIDs []string) ([]AppHub, error)
}
