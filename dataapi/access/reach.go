package access

import (
	"context"
	"net/http"
	"slices"

	"github.com/portico-id/portico/dataapi/urn"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

// Store is what a Finder reads.
type Store interface {
	FindHub(ctx context.Context, caller storage.Caller, hubID string) (storage.Hub, storage.Standing, error)
	FindProject(ctx context.Context, caller storage.Caller, projectID string) (storage.Place, error)
	FindFolder(ctx context.Context, caller storage.Caller, projectID,
		folderID string) (storage.Place, storage.Folder, error)
	ListAncestors(ctx context.Context, userID, projectID, folderID string) ([]storage.Ancestor, error)
	FindItem(ctx context.Context, caller storage.Caller, projectID, itemID string) (storage.Place, storage.Folder,
		storage.ItemWithTip, error)
	FindVersion(ctx context.Context, caller storage.Caller, projectID string, ref storage.VersionRef) (storage.Place,
		storage.Folder, storage.ItemWithTip, storage.Version, error)
	ListObjectItems(ctx context.Context, userID string, object storage.Object) ([]string, error)
}

// Finder finds what paths name, and returns it only to those who may see it.
type Finder struct {
	Store Store
	URN   urn.Space
}

// ReachHub returns the hub in the path.
func (f Finder) ReachHub(r *http.Request) (storage.Hub, storage.Standing, error) {
	who, err := Caller(r)
	if err != nil {
		return storage.Hub{}, storage.Standing{}, err
	}
	id, err := accountID(r, hubVariable)
	if err != nil {
		return storage.Hub{}, storage.Standing{}, err
	}
	hub, standing, err := f.Store.FindHub(r.Context(), who, id)
	if err != nil {
		return hub, standing, fault.OrAbsent(err, "hub")
	}
	return hub, standing, admit(hub, standing)
}

// ReachProject returns the project in the path, in the hub of the path where it
// names one.
func (f Finder) ReachProject(r *http.Request, inHub bool) (storage.Place, error) {
	var hub storage.Hub
	var err error
	if inHub {
		if hub, _, err = f.ReachHub(r); err != nil {
			return storage.Place{}, err
		}
	}
	who, err := Caller(r)
	if err != nil {
		return storage.Place{}, err
	}
	id, err := accountID(r, projectVariable)
	if err != nil {
		return storage.Place{}, err
	}
	place, err := f.project(r.Context(), who, id)
	if err == nil && inHub && place.Hub.ID != hub.ID {
		err = fault.Absent("project")
	}
	return place, err
}

func (f Finder) project(ctx context.Context, who storage.Caller, id string) (storage.Place, error) {
	place, err := f.Store.FindProject(ctx, who, id)
	if err != nil {
		return place, fault.OrAbsent(err, "project")
	}
	return place, Enter(place)
}

// Spot is a folder and how the caller stands in it.
type Spot struct {
	storage.Place
	Folder storage.Folder
}

// ReachFolder returns the folder in the path.
func (f Finder) ReachFolder(r *http.Request) (Spot, error) {
	who, project, err := f.within(r)
	if err != nil {
		return Spot{}, err
	}
	id, err := pathFolder(f.URN, r)
	if err != nil {
		return Spot{}, err
	}
	return f.Folder(r.Context(), who, project, id)
}

// Folder returns a folder of the project.
func (f Finder) Folder(ctx context.Context, who storage.Caller, projectID, id string) (Spot, error) {
	place, folder, err := f.Store.FindFolder(ctx, who, projectID, id)
	if err != nil {
		return Spot{}, f.orOutside(ctx, err, who, projectID, "folder")
	}
	return Spot{place, folder}, mayRead(place, folder, false, "folder")
}

// ItemSpot is an item and how the caller stands in its folder.
type ItemSpot struct {
	Spot
	storage.ItemWithTip
}

// ReachItem returns the item in the path.
func (f Finder) ReachItem(r *http.Request) (ItemSpot, error) {
	who, project, err := f.within(r)
	if err != nil {
		return ItemSpot{}, err
	}
	id, err := pathItem(f.URN, r)
	if err != nil {
		return ItemSpot{}, err
	}
	return f.Item(r.Context(), who, project, id)
}

// Item returns an item of the project.
func (f Finder) Item(ctx context.Context, who storage.Caller, projectID, id string) (ItemSpot, error) {
	place, folder, item, err := f.Store.FindItem(ctx, who, projectID, id)
	if err != nil {
		return ItemSpot{}, f.orOutside(ctx, err, who, projectID, "item")
	}
	return ItemSpot{Spot{place, folder}, item}, mayRead(place, folder, item.Item.Hidden, "item")
}

// ReachVersion returns the version in the path.
func (f Finder) ReachVersion(r *http.Request) (ItemSpot, storage.Version, error) {
	who, project, err := f.within(r)
	if err != nil {
		return ItemSpot{}, storage.Version{}, err
	}
	ref, err := pathVersion(f.URN, r)
	if err != nil {
		return ItemSpot{}, storage.Version{}, err
	}
	return f.Version(r.Context(), who, project, ref)
}

// Version returns a version of an item of the project.
func (f Finder) Version(ctx context.Context, who storage.Caller, projectID string,
	ref storage.VersionRef) (ItemSpot, storage.Version, error) {
	place, folder, item, version, err := f.Store.FindVersion(ctx, who, projectID, ref)
	if fault.Is(err, fault.NotFound) {
		// Who can't see the item is not told which versions it has.
		if place, folder, item, unknown := f.Store.FindItem(ctx, who, projectID, ref.ItemID); unknown == nil {
			if refusal := mayRead(place, folder, item.Item.Hidden, "version"); refusal != nil {
				return ItemSpot{}, version, refusal
			}
		}
	}
	if err != nil {
		return ItemSpot{}, version, f.orOutside(ctx, err, who, projectID, "version")
	}
	return ItemSpot{Spot{place, folder}, item}, version, mayRead(place, folder, item.Item.Hidden, "version")
}

// within returns who asks and in which project.
func (f Finder) within(r *http.Request) (storage.Caller, string, error) {
	who, err := Caller(r)
	if err != nil {
		return who, "", err
	}
	id, err := accountID(r, projectVariable)
	return who, id, err
}

// orOutside turns the store's NotFound for a thing in a project into what the
// Caller may learn: nothing of the project, if it is closed to them.
func (f Finder) orOutside(ctx context.Context, err error, who storage.Caller, projectID, what string) error {
	if !fault.Is(err, fault.NotFound) {
		return err
	}
	if _, err := f.project(ctx, who, projectID); err != nil {
		return err
	}
	return fault.Absent(what)
}

// OrRemoved gives the words of the API to what was there when the request came,
// and was removed for good before its change: the store's NotFound that is about
// nothing else.
func OrRemoved(err error, what string) error {
	if f := fault.From(err); f != nil && f.Kind == fault.NotFound && f.Reason == "" {
		return fault.Absent(what)
	}
	return err
}

// PathInProject returns the names on the way to the item's folder, from the
// highest that the caller can read, without the hidden root.
func (f Finder) PathInProject(ctx context.Context, at Spot) (string, error) {
	way, err := f.Way(ctx, at)
	path := ""
	for _, folder := range way {
		path += "/" + folder.Name
	}
	return path, err
}

// ShownOnWay returns the ids of the folders on the way to the folder that the caller
// can read.
func (f Finder) ShownOnWay(ctx context.Context, at Spot) ([]string, error) {
	way, err := f.Store.ListAncestors(ctx, at.Standing.Caller.UserID, at.Project.ID, at.Folder.ID)
	var ids []string
	for i, may := range Readable(at.Standing, way) {
		if may {
			ids = append(ids, way[i].ID)
		}
	}
	return ids, err
}

// Way returns the folders on the way to the folder and the folder itself, from
// the highest that the caller can read, without the hidden root.
func (f Finder) Way(ctx context.Context, at Spot) ([]storage.Ancestor, error) {
	way, err := f.Store.ListAncestors(ctx, at.Standing.Caller.UserID, at.Project.ID, at.Folder.ID)
	if err != nil {
		return nil, err
	}
	for i, may := range slices.Backward(Readable(at.Standing, way)) {
		if !may || way[i].Depth == 0 {
			return way[i+1:], nil
		}
	}
	return way, nil
}
