package twinned

import (
	"context"
	"io"
	"net/http"

	"github.com/portico-id/portico/dataapi/access"
	"github.com/portico-id/portico/dataapi/pages/ground"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/templates"
	"github.com/portico-id/portico/templates/texts"
)

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
	page, err := d.Onward(r)
	if err != nil {
		return err
	}
	documents, next, err := d.twins.Documents(r.Context(), place, page)
	if err != nil {
		return err
	}
	if ground.Strays(page, len(documents)) {
		return ground.Afresh(w, r)
	}
	open, err := d.open(r.Context(), place.Standing.Caller, documents)
	if err != nil {
		return err
	}
	list := templates.ListingPage{Desk: d.Desk(r), Heading: texts.Own(place.Facility.Name),
		Lead: texts.Say("twins.lead"), None: texts.Say("twins.documents-none"), Trail: d.trail(place)[:3],
		Pager: d.Ways(r, next)}
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
