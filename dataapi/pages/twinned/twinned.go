// Package twinned is twins for people: the facilities of a hub, and their documents,
// which are copies of files that follow their originals.
//
// It goes by the rules of package twins, as its endpoints do; rights of facilities are
// their own, and of an original its reader is shown what the pages of files would show.
// Start at Routes.
package twinned

import (
	"context"
	"io"
	"net/http"
	"net/url"

	"github.com/portico-id/portico/dataapi/access"
	"github.com/portico-id/portico/dataapi/pages/ground"
	"github.com/portico-id/portico/dataapi/twins"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/templates"
	"github.com/portico-id/portico/templates/texts"
)

const (
	twinPath     = ground.Root + "/twins/{twin_id}"
	documentPath = twinPath + "/documents/{document_id}"

	shownRows   = 100
	cursorLabel = "twins page cursor"
)

// Store is what the pages list.
type Store interface {
	ListFacilities(ctx context.Context, hubID string, page storage.PageRequest) ([]storage.Facility, string, error)
}

// Options are what a Desk is made of. Every field is needed.
type Options struct {
	Ground *ground.Ground
	Store  Store
	Twins  *twins.Handler
}

// Desk is the pages. It is safe for concurrent use.
type Desk struct {
	*ground.Ground
	store Store
	twins *twins.Handler
}

// New returns the pages.
func New(o Options) *Desk { return &Desk{o.Ground, o.Store, o.Twins} }

// Routes are the pages.
func (d *Desk) Routes() []httpio.Route {
	return []httpio.Route{
		httpio.At(ground.HubPath + "/twins").Get(d.Shown(d.facilities)),
		httpio.At(twinPath).Get(d.Shown(d.facility)),
		httpio.At(documentPath).Get(d.Shown(d.askDescribe)).Post(d.Done(d.describe)),
		httpio.At(documentPath + "/content").Get(d.Shown(d.content)),
		httpio.At(documentPath + "/remove").Get(d.Shown(d.askRemove)).Post(d.Done(d.remove)),
		httpio.At(ground.ItemPath + "/twin").Get(d.Shown(d.askAdd)).Post(d.Done(d.add)),
	}
}

func (d *Desk) twinURL(uid string) string { return ground.Root + "/twins/" + d.URN.Twin(uid) }

// cursor reads where a list goes on, and at is the way to its next page.
func (d *Desk) cursor(r *http.Request) (storage.PageRequest, error) {
	page := storage.PageRequest{Limit: shownRows}
	query, err := httpio.ReadQuery(r)
	if err != nil || query.Get("after") == "" {
		return page, err
	}
	after, ok := d.Pager.OpenCursor(cursorLabel, query.Get("after"), r.URL.Path)
	if !ok {
		return page, ground.Astray()
	}
	page.After = string(after)
	return page, nil
}

func (d *Desk) ways(r *http.Request, next string) templates.Pager {
	if next == "" {
		return templates.Pager{}
	}
	return templates.Pager{NextURL: r.URL.Path + "?" +
		url.Values{"after": {d.Pager.Cursor(cursorLabel, []byte(next), r.URL.Path)}}.Encode()}
}

// facilities shows the twins of a hub in which the person has a part.
func (d *Desk) facilities(w http.ResponseWriter, r *http.Request) error {
	hub, standing, err := d.Find.ReachHub(r)
	if err != nil {
		return err
	}
	page, err := d.cursor(r)
	if err != nil {
		return err
	}
	all, next, err := d.store.ListFacilities(r.Context(), hub.ID, page)
	if err != nil {
		return err
	}
	list := templates.PlacesPage{Desk: d.Desk(r), Heading: texts.Say("twins.title", "Name", hub.Name),
		None: texts.Say("twins.none"), Pager: d.ways(r, next),
		Trail: []templates.Link{{URL: ground.Root, Text: texts.Say("files.title")},
			ground.Step(ground.Hubs+hub.ID, hub.Name)}}
	for _, f := range all {
		_, err := d.twins.For(r.Context(), standing.Caller, f.ID, storage.TwinRead)
		if fault.Is(err, fault.NotFound) {
			continue
		}
		if err != nil {
			return err
		}
		list.Places = append(list.Places, templates.PlaceRow{URL: d.twinURL(f.ID), Name: f.Name})
	}
	return d.Send(w, http.StatusOK, func(out io.Writer) error { return d.Pages.Places(out, list) })
}

// reach returns the facility in the path.
func (d *Desk) reach(r *http.Request, least storage.TwinAccess) (storage.TwinPlace, error) {
	who, err := access.Caller(r)
	if err != nil {
		return storage.TwinPlace{}, err
	}
	name, err := httpio.PathID(r, "twin_id")
	if err != nil {
		return storage.TwinPlace{}, err
	}
	uid, ok := d.URN.TwinUID(name)
	if !ok {
		return storage.TwinPlace{}, fault.Absent("twin")
	}
	return d.twins.For(r.Context(), who, uid, least)
}

// document returns the document in the path.
func (d *Desk) document(r *http.Request, least storage.TwinAccess) (storage.TwinPlace, storage.TwinDocument, error) {
	place, err := d.reach(r, least)
	if err != nil {
		return place, storage.TwinDocument{}, err
	}
	name, err := httpio.PathID(r, "document_id")
	if err != nil {
		return place, storage.TwinDocument{}, err
	}
	uid, ok := d.URN.DocumentUID(name)
	if !ok {
		return place, storage.TwinDocument{}, fault.Absent("document")
	}
	found, err := d.twins.Document(r.Context(), place, uid)
	return place, found, err
}

// facility shows the documents of a twin, how each stands to its original, and the way
// to that.
func (d *Desk) facility(w http.ResponseWriter, r *http.Request) error {
	place, err := d.reach(r, storage.TwinRead)
	if err != nil {
		return err
	}
	page, err := d.cursor(r)
	if err != nil {
		return err
	}
	documents, next, err := d.twins.Documents(r.Context(), place, page)
	if err != nil {
		return err
	}
	open, err := d.open(r.Context(), place.Standing.Caller, documents)
	if err != nil {
		return err
	}
	list := templates.ListingPage{Desk: d.Desk(r), Heading: texts.Own(place.Facility.Name),
		Lead: texts.Say("twins.lead"), None: texts.Say("twins.documents-none"), Trail: d.trail(place)[:3],
		Pager: d.ways(r, next)}
	for _, doc := range documents {
		list.Rows = append(list.Rows, d.row(place, doc, open[doc.Source.ItemID]))
	}
	return d.Send(w, http.StatusOK, func(out io.Writer) error { return d.Pages.Listing(out, list) })
}

// trail is the way to a facility, which is its last step.
func (d *Desk) trail(p storage.TwinPlace) []templates.Link {
	hub := ground.Hubs + p.Hub.ID
	return []templates.Link{{URL: ground.Root, Text: texts.Say("files.title")}, ground.Step(hub, p.Hub.Name),
		{URL: hub + "/twins", Text: texts.Say("twins.title", "Name", p.Hub.Name)},
		ground.Step(d.twinURL(p.Facility.ID), p.Facility.Name)}
}

func (d *Desk) documentURL(doc storage.TwinDocument) string {
	return d.twinURL(doc.FacilityID) + "/documents/" + d.URN.Document(doc.ID)
}

func (d *Desk) row(place storage.TwinPlace, doc storage.TwinDocument, open bool) templates.Listed {
	url := d.documentURL(doc)
	row := templates.Listed{Name: doc.Name, URL: url + "/content", What: state(doc)}
	if doc.Label != "" {
		row.Name = doc.Name + " · " + doc.Label
	}
	if open {
		row.Acts = append(row.Acts, templates.Button{ID: "original-" + doc.ID, Text: texts.Say("twins.original"),
			URL: d.ItemURL(doc.Source.ProjectID, doc.Source.ItemID)})
	}
	if place.Access() >= storage.TwinReadWrite {
		row.Acts = append(row.Acts,
			templates.Button{ID: "describe-" + doc.ID, URL: url, Text: texts.Say("twins.describe")},
			templates.Button{ID: "remove-" + doc.ID, URL: url + "/remove", Text: texts.Say("parts.remove")})
	}
	return row
}

// state says how a document stands to its original.
func state(doc storage.TwinDocument) texts.Text {
	switch doc.State {
	case storage.DocumentOutdated:
		return texts.Say("twins.state.outdated", "Number", doc.Source.Version, "Newest", doc.Newest)
	case storage.DocumentOrphaned:
		return texts.Say("twins.state.gone", "Number", doc.Source.Version)
	case storage.DocumentFailed:
		return texts.Say("twins.state.failed", "Number", doc.Source.Version, "Newest", doc.Newest)
	}
	return texts.Say("twins.state.ready", "Number", doc.Source.Version)
}

// open are the originals that the person can see, by their uid.
func (d *Desk) open(ctx context.Context, who storage.Caller,
	documents []storage.TwinDocument) (map[string]bool, error) {
	ends, open := map[string][]storage.End{}, map[string]bool{}
	for _, doc := range documents {
		ends[doc.Source.ProjectID] = append(ends[doc.Source.ProjectID], storage.End{ItemID: doc.Source.ItemID})
	}
	for project, of := range ends {
		place, found, err := d.Store.FindEnds(ctx, who, project, of)
		if fault.Is(err, fault.NotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		for i, f := range found {
			open[of[i].ItemID] = access.Enter(place) == nil && access.Shows(place, f)
		}
	}
	return open, nil
}

// content shows the bytes of a document.
func (d *Desk) content(w http.ResponseWriter, r *http.Request) error {
	_, doc, err := d.document(r, storage.TwinRead)
	if err != nil {
		return err
	}
	return d.twins.Show(w, r, doc)
}
