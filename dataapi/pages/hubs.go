package pages

import (
	"io"
	"net/http"

	"github.com/portico-id/portico/dataapi/access"
	"github.com/portico-id/portico/dataapi/pages/ground"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/templates"
	"github.com/portico-id/portico/templates/texts"
)

// hubs shows the hubs that are open to the person.
func (d *Desk) hubs(w http.ResponseWriter, r *http.Request) error {
	who, err := access.Caller(r)
	if err != nil {
		return err
	}
	open, err := d.store.ListHubs(r.Context(), who, storage.HubQuery{})
	if err != nil {
		return err
	}
	page := templates.PlacesPage{Desk: d.Desk(r), Heading: texts.Say("files.title"), Lead: texts.Say("files.lead"),
		None: texts.Say("files.no-hubs")}
	for _, hub := range open.Hubs {
		page.Places = append(page.Places, templates.PlaceRow{URL: ground.Hubs + hub.ID, Name: hub.Name})
	}
	return d.places(w, page)
}

// projects shows the projects of a hub in which the person has a part.
func (d *Desk) projects(w http.ResponseWriter, r *http.Request) error {
	hub, standing, err := d.Find.ReachHub(r)
	if err != nil {
		return err
	}
	l, err := d.List(r)
	if err != nil {
		return err
	}
	found, next, err := d.store.ListProjects(r.Context(), standing.Caller, hub.ID, storage.ProjectQuery{}, l.Page())
	if err != nil {
		return err
	}
	if l.Strays(len(found)) {
		return l.Begin(w, r)
	}
	page := templates.PlacesPage{Desk: d.Desk(r), Heading: texts.Own(hub.Name), None: texts.Say("files.no-projects"),
		Trail: []templates.Link{{URL: ground.Root, Text: texts.Say("files.title")}}, Pager: l.Ways(next),
		Offers: d.HubOffers(hub, standing)}
	for _, p := range found {
		row := templates.PlaceRow{URL: ground.Project + p.ID, Name: p.Name}
		if p.Archived {
			row.Mark = texts.Say("files.archived")
		}
		page.Places = append(page.Places, row)
	}
	return d.places(w, page)
}

// project shows the highest folders that the person can read.
func (d *Desk) project(w http.ResponseWriter, r *http.Request) error {
	place, err := d.Find.ReachProject(r, false)
	if err != nil {
		return err
	}
	top, err := d.store.ListTopFolders(r.Context(), place, storage.TopQuery{})
	if err != nil {
		return err
	}
	trail := ground.Within(place)
	page := templates.PlacesPage{Desk: d.Desk(r), Heading: texts.Own(place.Project.Name), Trail: trail[:len(trail)-1],
		None: texts.Say("files.no-folders"), Offers: d.ProjectOffers(place)}
	for _, f := range top {
		page.Places = append(page.Places, templates.PlaceRow{URL: d.FolderURL(f.ProjectID, f.ID), Name: f.Name})
	}
	return d.places(w, page)
}

func (d *Desk) places(w http.ResponseWriter, page templates.PlacesPage) error {
	return d.Send(w, http.StatusOK, func(out io.Writer) error { return d.Pages.Places(out, page) })
}
