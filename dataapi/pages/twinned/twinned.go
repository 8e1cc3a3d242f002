// Package twinned is twins for people: the facilities of a hub, and their documents,
// which are copies of files that follow their originals.
//
// It goes by the rules of package twins, as its endpoints do; rights of facilities are
// their own, and of an original its reader is shown what the pages of files would show.
// Start at Routes.
package twinned

import (
	"io"
	"net/http"

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
)

// Options are what a Desk is made of. Every field is needed.
type Options struct {
	Ground *ground.Ground
	Twins  *twins.Handler
}

// Desk is the pages. It is safe for concurrent use.
type Desk struct {
	*ground.Ground
	twins *twins.Handler
}

// New returns the pages.
func New(o Options) *Desk { return &Desk{o.Ground, o.Twins} }

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

// facilities shows the twins of a hub in which the person has a part.
func (d *Desk) facilities(w http.ResponseWriter, r *http.Request) error {
	hub, standing, err := d.Find.ReachHub(r)
	if err != nil {
		return err
	}
	page, err := d.Onward(r)
	if err != nil {
		return err
	}
	asked := page
	all, next, err := d.twins.Of(r.Context(), standing.Caller, hub.ID, storage.TwinRead, page)
	for err == nil && len(all) == 0 && next != "" { // a page of twins of others says nothing
		page.After = next
		all, next, err = d.twins.Of(r.Context(), standing.Caller, hub.ID, storage.TwinRead, page)
	}
	if err != nil {
		return err
	}
	if ground.Strays(asked, len(all)) {
		return ground.Afresh(w, r)
	}
	list := templates.PlacesPage{Desk: d.Desk(r), Heading: texts.Say("twins.title", "Name", hub.Name),
		None: texts.Say("twins.none"), Pager: d.Ways(r, next),
		Trail: []templates.Link{{URL: ground.Root, Text: texts.Say("files.title")},
			ground.Step(ground.Hubs+hub.ID, hub.Name)}}
	for _, f := range all {
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
