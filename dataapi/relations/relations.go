// Package relations is what leads from folders, items and versions to others:
// references to things of the same project, and links to addresses (S2 4.2 to
// 4.4).
//
// Who sees a reference must see its other end: the store knows no rights, so
// they are judged here. Start at Routes; ends.go is about the things themselves,
// for whoever has several of them to read or to show.
package relations

import (
	"context"
	"net/http"

	"github.com/portico-id/portico/dataapi/access"
	"github.com/portico-id/portico/dataapi/jsonapi"
	"github.com/portico-id/portico/dataapi/shape"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/storage"
)

// Store is what the endpoints read and change.
type Store interface {
	EndStore
	AddRefs(ctx context.Context, change storage.Change, projectID string, from storage.End, refs []storage.Ref) error
	RemoveRefs(ctx context.Context, change storage.Change, projectID string, refs []storage.Ref) error

	ListLinks(ctx context.Context, projectID string, of storage.End, page storage.PageRequest) ([]storage.Link, string,
		error)
	FindLinks(ctx context.Context, projectID string, of storage.End, ids []string) ([]storage.Link, error)
	AddLinks(ctx context.Context, change storage.Change, projectID string, of storage.End, links []storage.Link) error
	RemoveLinks(ctx context.Context, change storage.Change, projectID string, of storage.End, ids []string) error
}

// Handler serves the endpoints. It is safe for concurrent use.
type Handler struct {
	store Store
	find  access.Finder
	tell  shape.Teller
	pager jsonapi.Pager
	ends  Ends
}

// New returns a Handler.
func New(store Store, find access.Finder, tell shape.Teller, pager jsonapi.Pager) *Handler {
	return &Handler{store, find, tell, pager, Ends{store, tell}}
}

const linksPath = "/relationships/links"

// Routes are the operations on each kind of thing.
func (h *Handler) Routes(g access.Guard) []httpio.Route {
	var all []httpio.Route
	for _, on := range []struct {
		path string
		on
	}{
		{"/projects/{project_id}/folders/{folder_id}", on{h, ofFolder}},
		{"/projects/{project_id}/items/{item_id}", on{h, ofItem}},
		{"/projects/{project_id}/versions/{version_id}", on{h, ofVersion}},
	} {
		all = append(all,
			httpio.Shared(on.path+"/refs").Get(g.Reads(on.listRelated)),
			httpio.Shared(on.path+"/relationships/refs").Get(g.Reads(on.listRefs)).
				Post(g.Creates(on.addRefs)).Delete(g.Writes(on.removeRefs)),
			httpio.Shared(on.path+linksPath).Get(g.Reads(on.listLinks)).
				Post(g.Creates(on.addLinks)).Delete(g.Writes(on.removeLinks)))
	}
	return all
}

// Bare is what the specification also has without /data/v1 (decision J3).
func (h *Handler) Bare(g access.Guard) httpio.Area {
	return httpio.Area{Prefix: "/projects", WriteError: jsonapi.WriteError, Routes: []httpio.Route{
		httpio.Shared("/{project_id}/versions/{version_id}" + linksPath).Get(g.Reads(on{h, ofVersion}.listLinks)),
	}}
}

// kind is that of a thing that references and links hang on, by the type of its
// resource.
type kind string

const (
	ofFolder  kind = shape.TypeFolders
	ofItem    kind = shape.TypeItems
	ofVersion kind = shape.TypeVersions
)

// on is the operations on a kind of thing.
type on struct {
	*Handler
	of kind
}

// reachOwner returns the thing in the path.
func (h on) reachOwner(r *http.Request) (Owner, error) {
	switch h.of {
	case ofItem:
		at, err := h.find.ReachItem(r)
		return Owner{at.Spot, storage.End{ItemID: at.Item.ID}, h.tell.ItemURL(at.Project.ID, at.Item.ID)}, err
	case ofVersion:
		at, v, err := h.find.ReachVersion(r)
		return Owner{at.Spot, storage.End{ItemID: v.ItemID, Version: v.Number},
			h.tell.VersionURL(at.Project.ID, v.ItemID, v.Number)}, err
	}
	at, err := h.find.ReachFolder(r)
	return Owner{at, storage.End{FolderID: at.Folder.ID}, h.tell.FolderURL(at.Project.ID, at.Folder.ID)}, err
}
