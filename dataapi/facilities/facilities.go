// Package facilities is the rules of setting up twins: facilities, who belongs
// to them, their models and the elements in these; and the operations under
// /admin/v1 that do it.
//
// The command line and the operations go through the same rules. The endpoints
// that clients use are package twins'. Start at Rules; at API for the
// operations.
package facilities

import (
	"context"
	"encoding/json"

	"github.com/portico-id/portico/dataapi/setup"
	"github.com/portico-id/portico/dataapi/urn"
	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

// Store is what Rules keep and look up.
type Store interface {
	storage.FacilityStore
	Mutate(ctx context.Context, change storage.Change, mutation storage.Mutation) (storage.MutationRecord, error)
	FindHub(ctx context.Context, caller storage.Caller, hubID string) (storage.Hub, storage.Standing, error)
	FindHubMember(ctx context.Context, hubID, userID string) (storage.Member, error)
	ListNames(ctx context.Context, ids []string) (map[string]string, error)
}

// Options are what Rules are made of.
type Options struct {
	Store     Store
	Ambient   *ambient.Source
	Namespace string // of URNs
}

// Rules are those of setting up twins. They act for whoever the change names;
// that they may is for its callers to know. They are safe for concurrent use.
type Rules struct {
	store   Store
	ambient *ambient.Source
	urn     urn.Space
}

// New returns Rules.
func New(o Options) *Rules {
	return &Rules{store: o.Store, ambient: o.Ambient, urn: urn.Space(o.Namespace)}
}

// Fields of what is set up, as the sources of faults.
const (
	FieldName   = "name"
	FieldProps  = "props"
	FieldLabel  = "label"
	FieldHub    = "hub"
	FieldTwin   = "twin"
	FieldModel  = "model"
	FieldUser   = "user"
	FieldAccess = "access"
	FieldFile   = "file"
)

const maxProps = 32_768 // bytes

// TwinURN and ModelURN return what a facility and a model are called outside.
func (a *Rules) TwinURN(uid string) string { return a.urn.Twin(uid) }

// ModelURN is TwinURN for a model.
func (a *Rules) ModelURN(uid string) string { return a.urn.Model(uid) }

// TwinID returns the short id in a facility's URN; the short id itself will do.
func (a *Rules) TwinID(name string) (string, error) {
	return setup.UID(name, FieldTwin, a.urn.Twin("<id>"), a.urn.TwinUID)
}

// ModelID is TwinID for a model.
func (a *Rules) ModelID(name string) (string, error) {
	return setup.UID(name, FieldModel, a.urn.Model("<id>"), a.urn.ModelUID)
}

// NewTwin is a facility to be made.
type NewTwin struct {
	HubID string
	Name  string
	Props string // JSON object of groups; may be empty
}

// defaultLabel is what the model is called that every facility begins with.
const defaultLabel = "Default model"

// Create adds a facility with a default model and without members. The model has
// the facility's id, as existing clients, which make its name of the facility's,
// count on. Invalid, with the field; NotFound for an absent hub.
func (a *Rules) Create(ctx context.Context, change storage.Change, wanted NewTwin) (storage.Facility, error) {
	name, err := setup.Name(wanted.Name, FieldName)
	if err == nil {
		err = checkProps(wanted.Props)
	}
	if err != nil {
		return storage.Facility{}, err
	}
	facility := storage.Facility{
		ID: a.ambient.UID(), HubID: wanted.HubID, Name: name, Props: wanted.Props,
		CreatedAt: change.At, ModifiedAt: change.At,
	}
	model := storage.TwinModel{ID: facility.ID, Label: defaultLabel, CreatedAt: change.At}
	return facility, fault.OrAbsent(a.store.CreateFacility(ctx, change, facility, model), FieldHub)
}

// Update gives the facility another name and other props; nil leaves one as it
// is. Invalid, with the field; NotFound.
func (a *Rules) Update(ctx context.Context, change storage.Change, id string, name,
	props *string) (storage.Facility, error) {
	err := a.store.UpdateFacility(ctx, change, id, func(facility *storage.Facility) (err error) {
		if name != nil {
			if facility.Name, err = setup.Name(*name, FieldName); err != nil {
				return err
			}
		}
		if props != nil {
			facility.Props, err = *props, checkProps(*props)
		}
		return err
	})
	if err != nil {
		return storage.Facility{}, fault.OrAbsent(err, FieldTwin)
	}
	return a.Find(ctx, id)
}

// Find returns the facility, or NotFound.
func (a *Rules) Find(ctx context.Context, id string) (storage.Facility, error) {
	place, err := a.store.FindFacility(ctx, storage.Caller{}, id)
	return place.Facility, fault.OrAbsent(err, FieldTwin)
}

// Page returns a page of the hub's facilities by name, and the next cursor.
func (a *Rules) Page(ctx context.Context, hubID string, page storage.PageRequest) ([]storage.Facility, string, error) {
	return a.store.ListFacilities(ctx, hubID, page)
}

// List returns all facilities of the hub by name. NotFound.
func (a *Rules) List(ctx context.Context, hubID string) ([]storage.Facility, error) {
	if _, _, err := a.store.FindHub(ctx, storage.Caller{}, hubID); err != nil {
		return nil, fault.OrAbsent(err, FieldHub)
	}
	return storage.EveryPage(func(page storage.PageRequest) ([]storage.Facility, string, error) {
		return a.Page(ctx, hubID, page)
	})
}

// checkProps wants groups of names with values, such as
// {"Identity Data": {"Owner": "…"}}.
func checkProps(props string) error {
	var groups map[string]map[string]string
	if props == "" {
		return nil
	}
	if len(props) > maxProps || json.Unmarshal([]byte(props), &groups) != nil {
		return setup.Invalid(FieldProps, `The props must be groups of names with texts, such as {"Identity Data": {"Owner": "…"}}, of at most 32 KiB.`)
	}
	return nil
}
