package administration

import (
	"context"
	"net/http"
	"time"

	"github.com/portico-id/portico/dataapi/webhooks"
	"github.com/portico-id/portico/internal/gate/adminapi"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/storage"
)

// Invitation is how somebody who was not known here gets in.
type Invitation struct {
	UserID string
	URL    string // to be handed to them; it works once
	Until  time.Time
}

// APIOptions are what an API is made of. Every field is needed.
type APIOptions struct {
	Rules    *Rules
	Webhooks *webhooks.Rules
	Door     *adminapi.Door

	// Invite adds a user with the address and returns how they get in.
	Invite func(ctx context.Context, act storage.Act, email string) (Invitation, error)
}

// API is the operations under /admin/v1/hubs and /admin/v1/projects, on routes
// with the variables hubId, projectId, userId, groupId, clientId, folderId,
// itemId, webhookId and deliveryId. They are for server administrators, and for whoever administers the
// hub, the project or the folder's rights; for everybody else these are not
// there.
type API struct {
	rules  *Rules
	hooks  *webhooks.Rules
	door   *adminapi.Door
	invite func(ctx context.Context, act storage.Act, email string) (Invitation, error)
}

// NewAPI returns the operations.
func NewAPI(o APIOptions) *API {
	return &API{rules: o.Rules, hooks: o.Webhooks, door: o.Door, invite: o.Invite}
}

// errand is a request of somebody who may make it where it leads.
type errand struct {
	who    Caller
	change storage.Change
	place  storage.Place  // in a hub only the hub
	folder storage.Folder // where the path has one
}

// task does an errand.
type task func(w http.ResponseWriter, r *http.Request, e errand) error

// Variables of the routes.
const (
	hubVariable     = "hubId"
	projectVariable = "projectId"
	userVariable    = "userId"
	groupVariable   = "groupId"
	clientVariable  = "clientId"
	folderVariable  = "folderId"
	itemVariable    = "itemId"
)

func begin(c adminapi.Call) errand {
	return errand{
		who:    Caller{UserID: c.User.ID, Server: c.User.Admin},
		change: storage.Change{Act: c.Act, Caller: storage.Caller{ClientID: c.ClientID, UserID: c.User.ID}},
	}
}

// anywhere is an operation on no hub in particular.
func anywhere(do task) adminapi.Operation {
	return func(w http.ResponseWriter, r *http.Request, c adminapi.Call) error { return do(w, r, begin(c)) }
}

// inHub is an operation on the hub in the path.
func (a *API) inHub(do task) adminapi.Operation {
	return func(w http.ResponseWriter, r *http.Request, c adminapi.Call) error {
		id, err := httpio.PathID(r, hubVariable)
		if err != nil {
			return err
		}
		e := begin(c)
		if e.place.Hub, err = a.rules.HubFor(r.Context(), e.who, id); err != nil {
			return err
		}
		return do(w, r, e)
	}
}

// inProject is an operation on the project in the path.
func (a *API) inProject(do task) adminapi.Operation {
	return func(w http.ResponseWriter, r *http.Request, c adminapi.Call) error {
		id, err := httpio.PathID(r, projectVariable)
		if err != nil {
			return err
		}
		e := begin(c)
		if e.place, err = a.rules.ProjectFor(r.Context(), e.who, id); err != nil {
			return err
		}
		return do(w, r, e)
	}
}

// inFolder is an operation on the rights in the folder in the path.
func (a *API) inFolder(do task) adminapi.Operation {
	return func(w http.ResponseWriter, r *http.Request, c adminapi.Call) error {
		project, err := httpio.PathID(r, projectVariable)
		if err != nil {
			return err
		}
		name, err := httpio.PathID(r, folderVariable)
		if err != nil {
			return err
		}
		id, err := a.rules.FolderID(name)
		if err != nil {
			return err
		}
		e := begin(c)
		if e.place, e.folder, err = a.rules.FolderFor(r.Context(), e.who, project, id); err != nil {
			return err
		}
		return do(w, r, e)
	}
}
