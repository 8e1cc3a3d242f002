// Package access is who may what with hubs, projects, folders and what lies in
// them, and finds what paths name for those who may see it.
//
// Standings are facts of the store; what follows from them is said here alone.
// Start at Enter and MayRead, and at Finder.
package access

import (
	"context"
	"net/http"
	"strings"

	"github.com/portico-id/portico/dataapi/level"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/gate/bearer"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/storage"
)

// Reasons of refusals.
const (
	ReasonNotProvisioned  = "app_not_provisioned"
	ReasonUserRefused     = "user_not_allowed" // x-user-id names nobody the app may act for
	ReasonNoRight         = "no_permission"
	ReasonProjectInactive = "project_inactive"
)

// UserHeader names the user that an app acts for (decision J12).
const (
	UserHeader    = "X-User-Id"
	UserParameter = "x-user-id"
)

type personKey struct{}

// AsPerson returns the request as one that a person makes by themselves, with no
// app in between: on our own pages.
func AsPerson(r *http.Request, userID string) *http.Request {
	return r.WithContext(context.WithValue(r.Context(), personKey{}, userID))
}

// Caller returns on whose behalf the request is made.
func Caller(r *http.Request) (storage.Caller, error) {
	if person, ok := r.Context().Value(personKey{}).(string); ok {
		return storage.Caller{UserID: person}, nil
	}
	token, _ := bearer.From(r.Context())
	c := storage.Caller{ClientID: token.ClientID, UserID: token.UserID}
	named := r.Header.Values(UserHeader)
	if len(named) == 0 {
		return c, nil
	}
	// An empty header must not widen a call that was meant for one user.
	if len(named) > 1 || named[0] == "" {
		return c, fault.New(fault.Invalid, "bad_input", "Name one user, or leave the header out.").At(UserHeader)
	}
	if !httpio.IsText(named[0]) { // no store is asked for what only some take
		return c, UserRefused()
	}
	if token.TwoLegged() {
		return storage.Caller{ClientID: token.ClientID, UserID: named[0], OnBehalf: true}, nil
	}
	if named[0] != token.UserID {
		return c, UserRefused()
	}
	return c, nil
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
		return UserRefused()
	}
	return fault.Absent("hub")
}

// Enter decides whether the project is open to the caller. Where they have no
// part in it, it does not exist for them.
func Enter(p storage.Place) error {
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
	if err := Enter(p); err != nil {
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

// MayShowHidden reports whether hidden things may be listed to the caller.
func MayShowHidden(s storage.Standing) bool { return s.Level() >= storage.LevelEdit }

// MayGive reports whether the caller may see and change who has rights.
func MayGive(s storage.Standing) bool { return s.Level() >= storage.LevelControl }

// Need refuses a caller whose level in a folder is lower than the deed takes.
func Need(s storage.Standing, least storage.Level, deed string) error {
	if s.Level() >= least {
		return nil
	}
	return fault.Newf(fault.Forbidden, ReasonNoRight,
		"You have no permission to %s: it takes the level %s there.", deed, level.Name(least))
}

// What changes take (data model, section 4). What is hidden itself has been
// found by mayRead, which takes the level edit already.

// MayAddFolder is about the folder to create it in.
func MayAddFolder(into storage.Standing) error {
	return Need(into, storage.LevelCollaborate, "create folders in this folder")
}

// MayAddItem is about the folder of the item.
func MayAddItem(into storage.Standing) error {
	return Need(into, storage.LevelPublish, "create items in this folder")
}

// MayAddVersion is about the item.
func MayAddVersion(of storage.Standing) error {
	return Need(of, storage.LevelCollaborate, "add versions to this item")
}

// MayCopy is about the source (decision J20).
func MayCopy(from storage.Standing) error {
	return Need(from, storage.LevelDownload, "copy this version")
}

// MayRename is about names and about what is described in extensions.
func MayRename(s storage.Standing) error {
	return Need(s, storage.LevelCollaborate, "rename or describe this")
}

// MayHide is about restoring, too.
func MayHide(s storage.Standing) error {
	return Need(s, storage.LevelEdit, "hide or restore this")
}

// MayMove is about either end.
func MayMove(s storage.Standing) error {
	return Need(s, storage.LevelEdit, "move anything out of or into this folder")
}

// MaySend is about the folder of a file that is to be sent to people.
func MaySend(s storage.Standing) error {
	return Need(s, storage.LevelEdit, "send this file to others")
}

// MayReserve is about reserving for oneself.
func MayReserve(s storage.Standing) error {
	return Need(s, storage.LevelCollaborate, "reserve this item")
}

// MayBreak reports whether the caller may end the reservations of others.
func MayBreak(s storage.Standing) bool { return s.Level() >= storage.LevelControl }

// Readable says for each folder on the way from the root whether the caller,
// whose standing in the project this is, can read it.
func Readable(s storage.Standing, way []storage.Ancestor) []bool {
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

// ShowsParent reports whether the caller, who can read the folder, can read its
// parent, whose id is to be shown only then.
func (f Finder) ShowsParent(ctx context.Context, p storage.Place, folder storage.Folder) (bool, error) {
	if folder.ParentID == "" {
		return false, nil
	}
	if p.Standing.Everywhere() {
		return true, nil
	}
	if folder.Visible { // and so is what is above it
		above := p.Standing
		above.Granted = above.GrantedAbove
		return above.Level() >= storage.LevelView, nil
	}
	way, err := f.Store.ListAncestors(ctx, p.Standing.Caller.UserID, p.Project.ID, folder.ID)
	if err != nil || len(way) < 2 {
		return false, err
	}
	may := Readable(p.Standing, way)
	return may[len(may)-2], nil
}

// ShowsRoot reports whether the caller can read the root of the project.
func (f Finder) ShowsRoot(ctx context.Context, s storage.Standing, project storage.Project) (bool, error) {
	if s.Everywhere() {
		return s.Level() >= storage.LevelView, nil
	}
	inside, _, err := f.Store.FindFolder(ctx, s.Caller, project.ID, project.RootFolderID)
	return inside.Standing.Level() >= storage.LevelView, err
}

// UserRefused is the refusal of an app that may not act for the user.
func UserRefused() error {
	return fault.New(fault.Forbidden, ReasonUserRefused,
		"The app may not act for this user here.").At(UserHeader)
}

func notProvisioned(clientID string) error {
	return fault.New(fault.Forbidden, ReasonNotProvisioned, provisionAdvice(clientID))
}

// provisionAdvice says what is to be done for an app without access.
func provisionAdvice(clientID string) string {
	return "The app " + clientID + " is not provisioned here. " +
		"An administrator of the hub must give this client id access to it."
}

// MayRemove decides about what somebody has made.
func MayRemove(s storage.Standing, madeBy, deed string) error {
	if madeBy != "" && madeBy == s.Caller.UserID {
		return nil
	}
	return Need(s, storage.LevelEdit, deed)
}

// What is the word for a type of resources in messages.
func What(kind string) string { return strings.TrimSuffix(kind, "s") }

// At is how the caller, who stands in the project as the place says, stands at
// something that was found in it.
func At(place storage.Place, f storage.Found) storage.Place {
	place.Standing.Granted = f.Granted
	return place
}

// MayReadFound is mayRead for one of many.
func MayReadFound(place storage.Place, f storage.Found, kind string) error {
	if f.Folder.ID == "" {
		return fault.Absent(What(kind))
	}
	return mayRead(At(place, f), f.Folder, f.Item.Item.Hidden, What(kind))
}

// Shows reports whether a list that nobody has asked for hidden things shows
// this to the caller.
func Shows(place storage.Place, f storage.Found) bool {
	hidden := f.Folder.ID == "" || !f.Folder.Visible || f.Item.Item.Hidden
	return !hidden && At(place, f).Standing.Level() >= storage.LevelView
}
