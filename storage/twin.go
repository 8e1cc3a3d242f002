package storage

import (
	"context"
	"time"
)

// Facility is the twin of a building or the like. It belongs to a hub, and has
// members of its own.
type Facility struct {
	ID         string // 22 base64url characters
	HubID      string
	Name       string
	Props      string // JSON object: groups of names with their values; may be empty
	CreatedAt  time.Time
	ModifiedAt time.Time // of itself, its members, models or values
}

// TwinAccess is what somebody may do in a facility; each includes those before
// it.
type TwinAccess int

// The accesses (decision W4). TwinNone, the zero value, is none at all.
const (
	TwinNone      TwinAccess = iota
	TwinRead                 // see everything
	TwinReadWrite            // change values, import and delete documents
	TwinManage               // say who may do what
	TwinOwner
)

// TwinPlace is a facility with its hub, and how a caller stands there. Of the
// standing only what is about the hub is filled.
type TwinPlace struct {
	Facility Facility
	Hub      Hub
	Standing Standing
	Member   TwinAccess // the user's own
}

// Access returns what the caller may do: TwinNone unless Admitted; the
// member's, and everything for an admin of the hub; what the provisioning of the
// app allows for the app by itself, and at most that for a user it names (W4,
// J12).
func (p TwinPlace) Access() TwinAccess {
	if !p.Standing.Admitted() {
		return TwinNone
	}
	byApp := accessAt(p.Standing.AppLevel)
	if p.Standing.Caller.UserID == "" {
		return byApp
	}
	access := p.Member
	if p.Standing.HubAdmin {
		access = TwinOwner
	}
	if p.Standing.Caller.OnBehalf {
		access = min(access, byApp)
	}
	return access
}

// accessAt is what an app that is provisioned at the level may do.
func accessAt(level Level) TwinAccess {
	switch {
	case level >= LevelControl:
		return TwinOwner
	case level >= LevelPublish:
		return TwinReadWrite
	case level >= LevelView:
		return TwinRead
	}
	return TwinNone
}

// TwinMember is a user or service account with access to a facility.
type TwinMember struct {
	UserID  string
	Access  TwinAccess
	AddedAt time.Time
}

// TwinModel is a part of a facility that has elements. A facility has one
// default model from its beginning.
type TwinModel struct {
	ID        string // 22 base64url characters
	Label     string
	Default   bool
	CreatedAt time.Time
}

// Property is what elements of a facility have values for, by family and
// column.
type Property struct {
	Family string // one of Families
	Column string
	Name   string
	Type   PropertyType
}

// PropertyType says what the values of a property are.
type PropertyType string

// The types of properties.
const (
	PropertyText     PropertyType = "text"
	PropertyNumber   PropertyType = "number"
	PropertyBoolean  PropertyType = "boolean"
	PropertyDocument PropertyType = "document" // text: an address, or a document of the facility
)

// UserFamily is the family whose properties come into being with their first
// value.
const UserFamily = "z"

// FacilityStore keeps facilities, their members and models.
type FacilityStore interface {
	// CreateFacility adds the facility with its default model. NotFound for an
	// absent hub; Conflict when an id is taken; names may repeat.
	CreateFacility(ctx context.Context, change Change, facility Facility, model TwinModel) error

	// UpdateFacility makes name and props what edit says of them as they are, which nobody
	// changes meanwhile. NotFound; what edit returns.
	UpdateFacility(ctx context.Context, change Change, facilityID string, edit func(*Facility) error) error

	// FindFacility returns the facility with the caller's standing, whatever
	// that is, or NotFound.
	FindFacility(ctx context.Context, caller Caller, facilityID string) (TwinPlace, error)

	// FindModel is FindFacility for the facility that has the model.
	FindModel(ctx context.Context, caller Caller, modelID string) (TwinPlace, error)

	// ListFacilities returns a page of the hub's facilities, ordered by name
	// key and id, and the next cursor; none for an absent hub.
	ListFacilities(ctx context.Context, hubID string, page PageRequest) ([]Facility, string, error)

	// ListTwinPlaces is ListFacilities with how the caller stands in each, whatever that is.
	ListTwinPlaces(ctx context.Context, caller Caller, hubID string, page PageRequest) ([]TwinPlace, string, error)

	// SetTwinMember gives access, or changes it; the same again changes
	// nothing. A user who is no member of the hub becomes one. NotFound for an
	// absent facility or user (ReasonUserAbsent); Invalid for TwinNone.
	SetTwinMember(ctx context.Context, change Change, facilityID, userID string, access TwinAccess) error

	// RemoveTwinMember takes it away. NotFound.
	RemoveTwinMember(ctx context.Context, change Change, facilityID, userID string) error

	// ListTwinMembers returns a page ordered by user id, and the next cursor.
	ListTwinMembers(ctx context.Context, facilityID string, page PageRequest) ([]TwinMember, string, error)

	// CreateModel adds a model that is not the default one. NotFound; Conflict
	// when the id is taken; Invalid beyond MaxModels.
	CreateModel(ctx context.Context, change Change, facilityID string, model TwinModel) error

	// ListModels returns the facility's models, the default one first, then in
	// the order in which they were made.
	ListModels(ctx context.Context, facilityID string) ([]TwinModel, error)

	// ListProperties returns the facility's properties, ordered by family and
	// column.
	ListProperties(ctx context.Context, facilityID string) ([]Property, error)
}

// Bounds of a facility.
const (
	MaxModels     = 100
	MaxProperties = 5000
)
