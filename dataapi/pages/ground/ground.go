// Package ground is what all pages of files stand on: their addresses, the person
// of the session as the caller of the data rules, the way to a place, and what a
// form says that could not be carried out.
//
// It shows nothing and changes nothing by itself: see package pages for what is
// shown, and its other rooms for what is done. Start at New.
package ground

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"slices"

	"github.com/portico-id/portico/dataapi/access"
	"github.com/portico-id/portico/dataapi/jsonapi"
	"github.com/portico-id/portico/dataapi/urn"
	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/gate/websession"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/internal/sealing"
	"github.com/portico-id/portico/internal/webpage"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/templates"
	"github.com/portico-id/portico/templates/texts"
)

// Store is what every page reads.
type Store interface {
	access.Store
	ListNames(ctx context.Context, ids []string) (map[string]string, error)
	FindEnds(ctx context.Context, caller storage.Caller, projectID string,
		ends []storage.End) (storage.Place, []storage.Found, error)
}

// Options are what a Ground is made of. Every field is needed.
type Options struct {
	Store    Store
	Ambient  *ambient.Source
	URN      urn.Space
	Sessions *websession.Manager
	Pages    *templates.Pages
	Web      *webpage.Writer
	Sealer   *sealing.Ring // of page cursors
}

// Ground is what pages share. It is safe for concurrent use.
type Ground struct {
	Options
	Find  access.Finder
	Gate  *websession.Gate
	Pager jsonapi.Pager
}

// New returns the ground.
func New(o Options) *Ground {
	return &Ground{Options: o, Find: access.Finder{Store: o.Store, URN: o.URN}, Gate: o.Sessions.Gate(o.Web.Error),
		Pager: jsonapi.Pager{Sealer: o.Sealer}}
}

// Addresses of the pages. The variables are the API's.
const (
	Root    = "/files"
	Hubs    = Root + "/hubs/"
	Project = Root + "/projects/"

	HubPath     = Hubs + "{hub_id}"
	ProjectPath = Project + "{project_id}"
	FolderPath  = ProjectPath + "/folders/{folder_id}"
	ItemPath    = ProjectPath + "/items/{item_id}"
	VersionPath = ProjectPath + "/versions/{version_id}"
)

// FolderURL returns the address of a folder's page.
func (g *Ground) FolderURL(projectID, id string) string {
	return Project + projectID + "/folders/" + g.URN.Folder(id)
}

// ItemURL returns the address of a file's page.
func (g *Ground) ItemURL(projectID, id string) string {
	return Project + projectID + "/items/" + g.URN.Item(id)
}

// VersionURL returns where the pages of a version begin.
func (g *Ground) VersionURL(projectID string, v storage.VersionRef) string {
	return Project + projectID + "/versions/" + url.PathEscape(g.URN.Version(v.ItemID, v.Number))
}

// Shown serves a page to whoever is signed in, as the caller of the data rules.
func (g *Ground) Shown(page httpio.Handler) httpio.Endpoint {
	return g.Gate.Show(func(w http.ResponseWriter, r *http.Request, v websession.Visit) error {
		return page(w, access.AsPerson(r, v.UserID))
	})
}

// Act is a form of whoever the change names.
type Act func(w http.ResponseWriter, r *http.Request, change storage.Change) error

// Done serves a form of a page, which acts once however often it is sent.
func (g *Ground) Done(act Act) httpio.Endpoint { return g.Gate.Form(As(act)) }

// As lets the person of the session act by the rules of the data half.
func As(act Act) websession.Page {
	return func(w http.ResponseWriter, r *http.Request, v websession.Visit) error {
		return act(w, access.AsPerson(r, v.UserID), Change(v))
	}
}

// Change is what a person changes by themselves.
func Change(v websession.Visit) storage.Change {
	return storage.Change{Act: v.Act, Caller: storage.Caller{UserID: v.UserID}}
}

// Desk is what is around a page.
func (g *Ground) Desk(r *http.Request) templates.Desk {
	return webpage.Desk(r, templates.SectionFiles, done)
}

// Send sends a page.
func (g *Ground) Send(w http.ResponseWriter, status int, page func(io.Writer) error) error {
	return g.Web.Send(w, status, page)
}

// Names returns what the people with the ids are called, who is gone in the language of
// the page.
func (g *Ground) Names(ctx context.Context, ids ...string) (map[string]string, error) {
	slices.Sort(ids)
	ids = slices.DeleteFunc(slices.Compact(ids), func(id string) bool { return id == "" })
	if len(ids) == 0 {
		return nil, nil
	}
	names, err := g.Store.ListNames(ctx, ids)
	for id, name := range names {
		if name == storage.FormerMember {
			names[id] = g.Pages.Say(httpio.From(ctx).Languages.String(), texts.Say("files.former-member"))
		}
	}
	return names, err
}

// Step is a way up, of a trail.
func Step(url, name string) templates.Link { return templates.Link{URL: url, Text: texts.Own(name)} }

// Within is the trail to a project, which is its last step.
func Within(place storage.Place) []templates.Link {
	return []templates.Link{
		{URL: Root, Text: texts.Say("files.title")},
		Step(Hubs+place.Hub.ID, place.Hub.Name), Step(Project+place.Project.ID, place.Project.Name),
	}
}

// Trail is the way to a folder, which is its last step, from the highest that the
// person can read.
func (g *Ground) Trail(ctx context.Context, at access.Spot) ([]templates.Link, error) {
	way, err := g.Find.Way(ctx, at)
	trail := Within(at.Place)
	for _, f := range way {
		trail = append(trail, Step(g.FolderURL(at.Project.ID, f.ID), f.Name))
	}
	return trail, err
}
