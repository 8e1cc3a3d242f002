package dataapi

import (
	"context"
	"net/http"

	"github.com/portico-id/portico/dataapi/jsonapi"
	"github.com/portico-id/portico/dataapi/level"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/gate/bearer"
	"github.com/portico-id/portico/storage"
)

// Reasons of refusals.
const (
	ReasonNotProvisioned  = "app_not_provisioned"
	ReasonUserRefused     = "user_not_allowed" // x-user-id names nobody the app may act for
	ReasonNoRight         = "no_permission"
	ReasonProjectInactive = "project_inactive"
)

// userHeader names the user that an app acts for (decision J12).
const (
	userHeader    = "X-User-Id"
	userParameter = "x-user-id"
)

// caller returns on whose behalf the request is made.
func caller(r *http.Request) (storage.Caller, error) {
	token, _ := bearer.From(r.Context())
	c := storage.Caller{ClientID: token.ClientID, UserID: token.UserID}
	named := r.Header.Values(userHeader)
	if len(named) == 0 {
		return c, nil
	}
	// An empty header must not widen a call that was meant for one user.
	if len(named) > 1 || named[0] == "" {
		return c, fault.New(fault.Invalid, "bad_input", "Name one user, or leave the header out.").At(userHeader)
	}
	if token.TwoLegged() {
		return storage.Caller{ClientID: token.ClientID, UserID: named[0], OnBehalf: true}, nil
	}
	if named[0] != token.UserID {
		return c, userRefused()
	}
	return c, nil
}

// namedInQuery returns the request with the user that its query names as its
// header would: the creation of items declares it as a parameter (decision J12).
func namedInQuery(r *http.Request, q jsonapi.Query) (*http.Request, error) {
	user, given := q.Text(userParameter)
	if !given {
		return r, nil
	}
	for _, other := range r.Header.Values(userHeader) {
		if other != user {
			return r, fault.New(fault.Invalid, jsonapi.ReasonInvalid, "The header x-user-id names another user.").At(userParameter)
		}
	}
	r = r.Clone(r.Context())
	r.Header.Set(userHeader, user)
	return r, nil
}

// admit decides whether the hub is open to the caller.
func admit(hub storage.Hub, s storage.Standing) error {
	byThemselves := s.Caller.UserID != "" && !s.Caller.OnBehalf
	switch {
	case !hub.Active: // decision J15
		return fault.Absent("hub")
	case byThemselves && !s.HubMember:
		return fault.Absent("hub")
	case s.AppLevel == storage.LevelNone:
		return notProvisioned(s.Caller.ClientID)
	case s.Admitted():
		return nil
	case s.Caller.OnBehalf:
		return userRefused()
	}
	return fault.Absent("hub")
}

// enter decides whether the project is open to the caller. Where they have no
// part in it, it does not exist for them.
func enter(p storage.Place) error {
	if err := admit(p.Hub, p.Standing); err != nil {
		if fault.Is(err, fault.NotFound) {
			return fault.Absent("project")
		}
		return err
	}
	if !p.Standing.HasPart() {
		return fault.Absent("project")
	}
	if !p.Project.Active { // decision J15
		return fault.New(fault.Invalid, ReasonProjectInactive,
			"The project is not active. An administrator of the hub can activate it.").At(projectVariable)
	}
	return nil
}

// mayRead decides whether the caller may see the folder, or a thing in it that
// is hidden itself. What is hidden exists only for those who may restore it
// (decision J17).
func mayRead(p storage.Place, folder storage.Folder, hidden bool, what string) error {
	if err := enter(p); err != nil {
		return err
	}
	level := p.Standing.Level()
	if hidden || !folder.Visible {
		if level < storage.LevelEdit {
			return fault.Absent(what)
		}
		return nil
	}
	if level < storage.LevelView {
		return fault.Newf(fault.Forbidden, ReasonNoRight, "You have no permission to see this %s.", what)
	}
	return nil
}

// mayShowHidden reports whether hidden things may be listed to the caller.
func mayShowHidden(s storage.Standing) bool { return s.Level() >= storage.LevelEdit }

// mayGive reports whether the caller may see and change who has rights.
func mayGive(s storage.Standing) bool { return s.Level() >= storage.LevelControl }

// need refuses a caller whose level in a folder is lower than the deed takes.
func need(s storage.Standing, least storage.Level, deed string) error {
	if s.Level() >= least {
		return nil
	}
	return fault.Newf(fault.Forbidden, ReasonNoRight,
		"You have no permission to %s: it takes the level %s there.", deed, level.Name(least))
}

// What changes take (data model, section 4). What is hidden itself has been
// found by mayRead, which takes the level edit already.

func mayAddFolder(into storage.Standing) error {
	return need(into, storage.LevelCollaborate, "create folders in this folder")
}

func mayAddItem(into storage.Standing) error {
	return need(into, storage.LevelPublish, "create items in this folder")
}

func mayAddVersion(of storage.Standing) error {
	return need(of, storage.LevelCollaborate, "add versions to this item")
}

// mayCopy is about the source (decision J20).
func mayCopy(from storage.Standing) error {
	return need(from, storage.LevelDownload, "copy this version")
}

// mayRename is about names and about what is described in extensions.
func mayRename(s storage.Standing) error {
	return need(s, storage.LevelCollaborate, "rename or describe this")
}

func mayHide(s storage.Standing) error {
	return need(s, storage.LevelEdit, "hide or restore this")
}

// mayMove is about either end.
func mayMove(s storage.Standing) error {
	return need(s, storage.LevelEdit, "move anything out of or into this folder")
}

func mayReserve(s storage.Standing) error {
	return need(s, storage.LevelCollaborate, "reserve this item")
}

// mayBreak reports whether the caller may end the reservations of others.
func mayBreak(s storage.Standing) bool { return s.Level() >= storage.LevelControl }

// readable says for each folder on the way from the root whether the caller,
// whose standing in the project this is, can read it.
func readable(s storage.Standing, way []storage.Ancestor) []bool {
	may := make([]bool, len(way))
	hidden := false
	for i, a := range way {
		s.Granted = a.Granted
		hidden = hidden || a.Hidden
		least := storage.LevelView
		if hidden {
			least = storage.LevelEdit
		}
		may[i] = s.Level() >= least
	}
	return may
}

// showsParent reports whether the caller, who can read the folder, can read its
// parent, whose id is to be shown only then.
func (h *Handler) showsParent(ctx context.Context, p storage.Place, folder storage.Folder) (bool, error) {
	if folder.ParentID == "" {
		return false, nil
	}
	if p.Standing.Everywhere() {
		return true, nil
	}
	way, err := h.store.ListAncestors(ctx, p.Standing.Caller.UserID, p.Project.ID, folder.ID)
	if err != nil || len(way) < 2 {
		return false, err
	}
	may := readable(p.Standing, way)
	return may[len(may)-2], nil
}

// showsRoot reports whether the caller can read the root of the project.
func (h *Handler) showsRoot(ctx context.Context, s storage.Standing, project storage.Project) (bool, error) {
	if s.Everywhere() {
		return s.Level() >= storage.LevelView, nil
	}
	inside, _, err := h.store.FindFolder(ctx, s.Caller, project.ID, project.RootFolderID)
	return inside.Standing.Level() >= storage.LevelView, err
}

func userRefused() error {
	return fault.New(fault.Forbidden, ReasonUserRefused,
		"The app may not act for this user here.").At(userHeader)
}

func notProvisioned(clientID string) error {
	return fault.New(fault.Forbidden, ReasonNotProvisioned, provisionAdvice(clientID))
}

// provisionAdvice says what is to be done for an app without access.
func provisionAdvice(clientID string) string {
	return "The app " + clientID + " is not provisioned here. " +
		"An administrator of the hub must give this client id access to it."
}
