package dataapi

import (
	"context"
	"net/http"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

// Each of these finds what the path names and returns it only to those who may
// see it; access.go decides.

// reachHub returns the hub in the path.
func (h *Handler) reachHub(r *http.Request) (storage.Hub, storage.Standing, error) {
	who, err := caller(r)
	if err != nil {
		return storage.Hub{}, storage.Standing{}, err
	}
	id, err := accountID(r, hubVariable)
	if err != nil {
		return storage.Hub{}, storage.Standing{}, err
	}
	hub, standing, err := h.store.FindHub(r.Context(), who, id)
	if err != nil {
		return hub, standing, fault.OrAbsent(err, "hub")
	}
	return hub, standing, admit(hub, standing)
}

// reachProject returns the project in the path, in the hub of the path where it
// names one.
func (h *Handler) reachProject(r *http.Request, inHub bool) (storage.Place, error) {
	var hub storage.Hub
	var err error
	if inHub {
		if hub, _, err = h.reachHub(r); err != nil {
			return storage.Place{}, err
		}
	}
	who, err := caller(r)
	if err != nil {
		return storage.Place{}, err
	}
	id, err := accountID(r, projectVariable)
	if err != nil {
		return storage.Place{}, err
	}
	place, err := h.project(r.Context(), who, id)
	if err == nil && inHub && place.Hub.ID != hub.ID {
		err = fault.Absent("project")
	}
	return place, err
}

func (h *Handler) project(ctx context.Context, who storage.Caller, id string) (storage.Place, error) {
	place, err := h.store.FindProject(ctx, who, id)
	if err != nil {
		return place, fault.OrAbsent(err, "project")
	}
	return place, enter(place)
}

// spot is a folder and how the caller stands in it.
type spot struct {
	storage.Place
	Folder storage.Folder
}

// reachFolder returns the folder in the path.
func (h *Handler) reachFolder(r *http.Request) (spot, error) {
	who, project, err := h.within(r)
	if err != nil {
		return spot{}, err
	}
	id, err := pathFolder(h.tell.URN, r)
	if err != nil {
		return spot{}, err
	}
	return h.folder(r.Context(), who, project, id)
}

func (h *Handler) folder(ctx context.Context, who storage.Caller, projectID, id string) (spot, error) {
	place, folder, err := h.store.FindFolder(ctx, who, projectID, id)
	if err != nil {
		return spot{}, h.orOutside(ctx, err, who, projectID, "folder")
	}
	return spot{place, folder}, mayRead(place, folder, false, "folder")
}

// itemSpot is an item and how the caller stands in its folder.
type itemSpot struct {
	spot
	storage.ItemWithTip
}

// reachItem returns the item in the path.
func (h *Handler) reachItem(r *http.Request) (itemSpot, error) {
	who, project, err := h.within(r)
	if err != nil {
		return itemSpot{}, err
	}
	id, err := pathItem(h.tell.URN, r)
	if err != nil {
		return itemSpot{}, err
	}
	return h.item(r.Context(), who, project, id)
}

func (h *Handler) item(ctx context.Context, who storage.Caller, projectID, id string) (itemSpot, error) {
	place, folder, item, err := h.store.FindItem(ctx, who, projectID, id)
	if err != nil {
		return itemSpot{}, h.orOutside(ctx, err, who, projectID, "item")
	}
	return itemSpot{spot{place, folder}, item}, mayRead(place, folder, item.Item.Hidden, "item")
}

// reachVersion returns the version in the path.
func (h *Handler) reachVersion(r *http.Request) (itemSpot, storage.Version, error) {
	who, project, err := h.within(r)
	if err != nil {
		return itemSpot{}, storage.Version{}, err
	}
	ref, err := pathVersion(h.tell.URN, r)
	if err != nil {
		return itemSpot{}, storage.Version{}, err
	}
	return h.version(r.Context(), who, project, ref)
}

func (h *Handler) version(ctx context.Context, who storage.Caller, projectID string, ref storage.VersionRef) (itemSpot, storage.Version, error) {
	place, folder, item, version, err := h.store.FindVersion(ctx, who, projectID, ref)
	if fault.Is(err, fault.NotFound) {
		// Who can't see the item is not told which versions it has.
		if place, folder, item, unknown := h.store.FindItem(ctx, who, projectID, ref.ItemID); unknown == nil {
			if refusal := mayRead(place, folder, item.Item.Hidden, "version"); refusal != nil {
				return itemSpot{}, version, refusal
			}
		}
	}
	if err != nil {
		return itemSpot{}, version, h.orOutside(ctx, err, who, projectID, "version")
	}
	return itemSpot{spot{place, folder}, item}, version, mayRead(place, folder, item.Item.Hidden, "version")
}

// within returns who asks and in which project.
func (h *Handler) within(r *http.Request) (storage.Caller, string, error) {
	who, err := caller(r)
	if err != nil {
		return who, "", err
	}
	id, err := accountID(r, projectVariable)
	return who, id, err
}

// orOutside turns the store's NotFound for a thing in a project into what the
// caller may learn: nothing of the project, if it is closed to them.
func (h *Handler) orOutside(ctx context.Context, err error, who storage.Caller, projectID, what string) error {
	if !fault.Is(err, fault.NotFound) {
		return err
	}
	if _, err := h.project(ctx, who, projectID); err != nil {
		return err
	}
	return fault.Absent(what)
}

// orRemoved gives the words of the API to what was there when the request came,
// and was removed for good before its change: the store's NotFound that is about
// nothing else.
func orRemoved(err error, what string) error {
	if f := fault.From(err); f != nil && f.Kind == fault.NotFound && f.Reason == "" {
		return fault.Absent(what)
	}
	return err
}
