// Package pages is files for people: hubs, projects, folders, files and their
// versions as pages for whoever is signed in.
//
// A page is one more face of the rules, beside the API: the person of the session
// becomes the caller of the data half, with no app in between (access.AsPerson),
// and what addresses name is found by the same access.Finder, under the same ids.
// So who may see what, and in which words it is refused, is said once. There is no
// SQL here and no right of its own.
//
//	session → websession.Gate → ground.Shown → access.Finder → store → typed page
//
// Rooms: hubs.go are hubs and the projects in them, folder.go folders; files with
// their versions are package showing's. Failures are webpage.Writer's: what the person may not
// know of is not found, a right withdrawn meanwhile is a refusal, and a store that
// does not answer is told as such. Start at New and Routes.
package pages

import (
	"context"

	"github.com/portico-id/portico/dataapi/access"
	"github.com/portico-id/portico/dataapi/pages/ground"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/storage"
)

// Store is what the pages read.
type Store interface {
	access.Store

	ListHubs(ctx context.Context, caller storage.Caller, query storage.HubQuery) (storage.HubList, error)
	ListProjects(ctx context.Context, caller storage.Caller, hubID string, query storage.ProjectQuery,
		page storage.DataPage) ([]storage.Project, string, error)
	ListTopFolders(ctx context.Context, place storage.Place, q storage.TopQuery) ([]storage.Folder, error)
	ListContents(ctx context.Context, projectID, folderID string, query storage.ContentsQuery,
		page storage.DataPage) (storage.Contents, error)
}

// Options are what a Desk is made of. Every field is needed.
type Options struct {
	Store  Store
	Ground *ground.Ground
}

// Desk is the pages. It is safe for concurrent use.
type Desk struct {
	*ground.Ground
	store Store
}

// New returns the pages.
func New(o Options) *Desk {
	return &Desk{Ground: o.Ground, store: o.Store}
}

// Routes are the pages.
func (d *Desk) Routes() []httpio.Route {
	return []httpio.Route{
		httpio.At(ground.Root).Get(d.Shown(d.hubs)),
		httpio.At(ground.HubPath).Get(d.Shown(d.projects)),
		httpio.At(ground.ProjectPath).Get(d.Shown(d.project)),
		httpio.At(ground.FolderPath).Get(d.Shown(d.folder)),
	}
}
