// Package pages is files for people: hubs, projects, folders, files and their
// versions as pages for whoever is signed in.
//
// A page is one more face of the rules, beside the API: the person of the session
// becomes the caller of the data half, with no app in between (access.AsPerson),
// and what addresses name is found by the same access.Finder, under the same ids.
// So who may see what, and in which words it is refused, is said once. There is no
// SQL here and no right of its own.
//
//	session → websession.Gate → Desk.as → access.Finder → store → typed page
//
// Rooms: hubs.go are hubs and the projects in them, folder.go folders, file.go
// files with their versions. Failures are webpage.Writer's: what the person may not
// know of is not found, a right withdrawn meanwhile is a refusal, and a store that
// does not answer is told as such. Start at New and Routes.
package pages

import (
	"context"
	"net/http"

	"github.com/portico-id/portico/dataapi/access"
	"github.com/portico-id/portico/dataapi/jsonapi"
	"github.com/portico-id/portico/dataapi/urn"
	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/gate/websession"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/internal/webpage"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/templates"
	"github.com/portico-id/portico/templates/texts"
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
	ListVersions(ctx context.Context, projectID, itemID string, query storage.VersionQuery,
		page storage.DataPage) ([]storage.Version, string, error)
	ListNames(ctx context.Context, ids []string) (map[string]string, error)
}

// Options are what a Desk is made of. Every field is needed.
type Options struct {
	Store    Store
	Ambient  *ambient.Source
	Sealer   jsonapi.Sealer // of page cursors
	URN      urn.Space
	Sessions *websession.Manager
	Pages    *templates.Pages
	Web      *webpage.Writer
}

// Desk is the pages. It is safe for concurrent use.
type Desk struct {
	with  Options
	store Store
	find  access.Finder
	pager jsonapi.Pager
	gate  *websession.Gate
}

// New returns the pages.
func New(o Options) *Desk {
	return &Desk{with: o, store: o.Store, find: access.Finder{Store: o.Store, URN: o.URN},
		pager: jsonapi.Pager{Sealer: o.Sealer}, gate: o.Sessions.Gate(o.Web.Error)}
}

// Addresses of the pages. The variables are the API's.
const (
	root       = "/files"
	hubs       = root + "/hubs/"
	projects   = root + "/projects/"
	hubPath    = hubs + "{hub_id}"
	project    = projects + "{project_id}"
	folderPath = project + "/folders/{folder_id}"
	itemPath   = project + "/items/{item_id}"
)

// Routes are the pages.
func (d *Desk) Routes() []httpio.Route {
	return []httpio.Route{
		httpio.At(root).Get(d.shown(d.hubs)),
		httpio.At(hubPath).Get(d.shown(d.projects)),
		httpio.At(project).Get(d.shown(d.project)),
		httpio.At(folderPath).Get(d.shown(d.folder)),
		httpio.At(itemPath).Get(d.shown(d.file)),
	}
}

// shown serves a page to whoever is signed in, as the caller of the data rules.
func (d *Desk) shown(page httpio.Handler) httpio.Endpoint {
	return d.gate.Show(func(w http.ResponseWriter, r *http.Request, v websession.Visit) error {
		return page(w, access.AsPerson(r, v.UserID))
	})
}

func desk(r *http.Request) templates.Desk {
	return webpage.Desk(r, templates.SectionFiles, map[string]texts.Text{})
}

func (d *Desk) folderURL(projectID, id string) string {
	return projects + projectID + "/folders/" + d.with.URN.Folder(id)
}

func (d *Desk) itemURL(projectID, id string) string {
	return projects + projectID + "/items/" + d.with.URN.Item(id)
}

// step is a way up, of a trail.
func step(url, name string) templates.Link { return templates.Link{URL: url, Text: texts.Own(name)} }

// within is the trail to a project, which is its last step.
func within(place storage.Place) []templates.Link {
	return []templates.Link{
		{URL: root, Text: texts.Say("files.title")},
		step(hubs+place.Hub.ID, place.Hub.Name), step(projects+place.Project.ID, place.Project.Name),
	}
}
