package facilities

import (
	"context"
	"net/http"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/gate/adminapi"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/storage"
)

// APIOptions are what an API is made of. Every field is needed.
type APIOptions struct {
	Rules *Rules
	Door  *adminapi.Door

	// Hub returns the hub to a user who administers it. NotFound.
	Hub func(ctx context.Context, user storage.User, id string) (storage.Hub, error)

	// Person returns the id of the user or service account that the caller may
	// name so: an id, or an address that was verified.
	Person func(ctx context.Context, user storage.User, handle string) (string, error)
}

// API is the operations under /admin/v1/hubs/{hubId}/twins and /admin/v1/twins,
// on routes with the variables hubId, twinId, modelId and userId. They are for
// server administrators, for administrators of the hub, and, within a facility,
// for who may manage it; for everybody else these are not there.
type API struct {
	rules  *Rules
	door   *adminapi.Door
	hub    func(ctx context.Context, user storage.User, id string) (storage.Hub, error)
	person func(ctx context.Context, user storage.User, handle string) (string, error)
}

// NewAPI returns the operations.
func NewAPI(o APIOptions) *API {
	return &API{rules: o.Rules, door: o.Door, hub: o.Hub, person: o.Person}
}

// Routes are the operations.
func (a *API) Routes() []httpio.Route {
	const twin = "/twins/{twinId}"
	reads := func(do task) httpio.Endpoint { return a.door.ReadPart(a.inTwin(do)) }
	writes := func(do task) httpio.Endpoint { return a.door.WritePart(a.inTwin(do)) }
	return []httpio.Route{
		httpio.At("/hubs/{hubId}/twins").Get(a.door.ReadPart(a.inHub(a.listTwins))).
			Post(a.door.WritePart(a.inHub(a.createTwin))),
		httpio.At(twin).Get(reads(a.showTwin)).Patch(writes(a.changeTwin)),
		httpio.At(twin + "/members").Get(reads(a.listMembers)),
		httpio.At(twin + "/members/{userId}").Put(writes(a.putMember)).Delete(writes(a.removeMember)),
		httpio.At(twin + "/models").Get(reads(a.listModels)).Post(writes(a.createModel)),
		httpio.At(twin + "/models/{modelId}/elements").Post(writes(a.importElements)),
	}
}

// Variables of the routes.
const (
	hubVariable   = "hubId"
	twinVariable  = "twinId"
	modelVariable = "modelId"
	userVariable  = "userId"
)

// errand is a request of somebody who may make it where it leads.
type errand struct {
	user   storage.User
	change storage.Change
	hub    storage.Hub
	twin   storage.Facility // where the path has one
	power  Power
}

type task func(w http.ResponseWriter, r *http.Request, e errand) error

func begin(c adminapi.Call) errand {
	return errand{user: c.User, change: storage.Change{Act: c.Act,
		Caller: storage.Caller{ClientID: c.ClientID, UserID: c.User.ID}}}
}

// inHub is an operation on the hub in the path.
func (a *API) inHub(do task) adminapi.Operation {
	return func(w http.ResponseWriter, r *http.Request, c adminapi.Call) error {
		id, err := httpio.PathID(r, hubVariable)
		if err != nil {
			return err
		}
		e := begin(c)
		if e.hub, err = a.hub(r.Context(), c.User, id); err != nil {
			return err
		}
		return do(w, r, e)
	}
}

// inTwin is an operation on the facility in the path.
func (a *API) inTwin(do task) adminapi.Operation {
	return func(w http.ResponseWriter, r *http.Request, c adminapi.Call) error {
		name, err := httpio.PathID(r, twinVariable)
		if err != nil {
			return err
		}
		id, err := a.rules.TwinID(name)
		if err != nil {
			return err
		}
		e := begin(c)
		if e.twin, e.power, err = a.rules.TwinFor(r.Context(), c.User, id); err != nil {
			return err
		}
		return do(w, r, e)
	}
}

// Power is how far somebody's word goes in a facility that they may manage.
type Power int

// The powers; each includes those before it.
const (
	Managing Power = iota // gives what is less than Owner, to members of the hub
	Owning                // gives everything, to members of the hub
	Everyone              // gives everything to everyone: administrators of the hub and the server
)

// TwinFor returns the facility to those who administer its hub, and to those
// who may manage it. NotFound.
func (a *Rules) TwinFor(ctx context.Context, user storage.User, id string) (storage.Facility, Power, error) {
	place, err := a.store.FindFacility(ctx, storage.Caller{UserID: user.ID}, id)
	if err != nil {
		return storage.Facility{}, Managing, fault.OrAbsent(err, FieldTwin)
	}
	access := place.Access()
	switch {
	case user.Admin, place.Standing.HubAdmin && access == storage.TwinOwner:
		return place.Facility, Everyone, nil
	case place.Hub.Active && access == storage.TwinOwner:
		return place.Facility, Owning, nil
	case place.Hub.Active && access == storage.TwinManage:
		return place.Facility, Managing, nil
	}
	return storage.Facility{}, Managing, fault.Absent(FieldTwin)
}
