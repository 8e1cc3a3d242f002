// Package dataapi is hubs, projects, folders, items and versions: who may see
// and change what, and the endpoints under /project/v1 and /data/v1 (S2).
//
// Documents as such are package jsonapi's, records are package storage's, and
// setting up hubs, members and rights is package administration's. Start at New
// for the endpoints, at package access for who may what, and at package shape
// for what records look like outside.
package dataapi

import (
	"context"

	"github.com/portico-id/portico/dataapi/access"
	"github.com/portico-id/portico/dataapi/jsonapi"
	"github.com/portico-id/portico/dataapi/shape"
	"github.com/portico-id/portico/dataapi/tree"
	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/gate/bearer"
	"github.com/portico-id/portico/internal/sealing"
	"github.com/portico-id/portico/storage"
)

// Store is what the endpoints read and change.
type Store interface {
	access.Store
	Writes

	ListHubs(ctx context.Context, caller storage.Caller, query storage.HubQuery) (storage.HubList, error)
	ListProjects(ctx context.Context, caller storage.Caller, hubID string, query storage.ProjectQuery,
		page storage.DataPage) ([]storage.Project, string, error)

	ListTopFolders(ctx context.Context, place storage.Place, q storage.TopQuery) ([]storage.Folder, error)
	ListContents(ctx context.Context, projectID, folderID string, query storage.ContentsQuery,
		page storage.DataPage) (storage.Contents, error)

	ListVersions(ctx context.Context, projectID, itemID string, query storage.VersionQuery,
		page storage.DataPage) ([]storage.Version, string, error)

	ListFolderGrants(ctx context.Context, projectID, folderID string) ([]storage.FolderGrant, error)
	ExplainAccess(ctx context.Context, userID, projectID, folderID string) ([]storage.AccessReason, error)
	FindObject(ctx context.Context, bucket, key string) (storage.Object, error)
	ListGroups(ctx context.Context, hubID string) ([]storage.Group, error)
}

// Options are what Handler is made of. Every field is needed.
type Options struct {
	Store  Store
	Bearer *bearer.Authenticator
	Sealer *sealing.Ring // of page cursors
	Tell   shape.Teller
}

// Handler serves the data endpoints. Its methods are the operations, on routes
// with the variables hub_id, project_id, folder_id, item_id and version_id;
// Routes and its neighbours have them. It is safe for concurrent use.
type Handler struct {
	store   Store
	find    access.Finder
	rules   *tree.Rules
	ambient *ambient.Source
	guard   access.Guard
	pager   jsonapi.Pager
	sheets  jsonapi.Sheets // of contents
	tell    shape.Teller
}

// New returns a Handler.
func New(o Options) *Handler {
	find := access.Finder{Store: o.Store, URN: o.Tell.URN}
	return &Handler{
		store: o.Store, ambient: o.Tell.Ambient, guard: access.Guard{Bearer: o.Bearer},
		pager: jsonapi.Pager{Sealer: o.Sealer},
		find:  find, rules: tree.New(o.Store, find, o.Tell.Ambient),
		tell: o.Tell,
	}
}
