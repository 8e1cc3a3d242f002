package office

import (
	"io"
	"net/http"

	"github.com/portico-id/portico/dataapi/access"
	"github.com/portico-id/portico/dataapi/pages/ground"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/templates"
	"github.com/portico-id/portico/templates/texts"
)

// shareChosen leads to the page on which the one folder that is chosen is shared, or
// says which folders what is chosen is shared with.
func (d *Desk) shareChosen(w http.ResponseWriter, r *http.Request, _ errand) error {
	at, err := d.Find.ReachFolder(r)
	if err != nil {
		return err
	}
	values, err := httpio.ReadQuery(r)
	if err != nil {
		return err
	}
	list, err := d.Chosen(r.Context(), at, values)
	if err != nil {
		return err
	}
	here := d.FolderURL(at.Project.ID, at.Folder.ID)
	var places []templates.PlaceRow
	for _, c := range list {
		if c.File == nil && access.MayGive(c.Spot.Standing) {
			url := d.FolderURL(at.Project.ID, c.Spot.Folder.ID) + "/share"
			places = append(places, templates.PlaceRow{URL: url, Name: c.Name})
		}
	}
	switch {
	case len(list) == 0:
		return ground.See(w, r, here, ground.NoneChosen)
	case len(list) == 1 && len(places) == 1:
		http.Redirect(w, r, places[0].URL, http.StatusSeeOther)
		return nil
	case len(places) < len(list) && access.MayGive(at.Standing):
		places = append(places, templates.PlaceRow{URL: here + "/share", Name: at.Folder.Name})
	}
	if len(places) == 0 {
		return mayNotGive()
	}
	page := templates.PlacesPage{Desk: d.Desk(r), Heading: texts.Say("filing.chosen.share"),
		Lead: texts.Say("filing.chosen.share-lead"), Places: places}
	if page.Trail, err = d.Trail(r.Context(), at); err != nil {
		return err
	}
	return d.Send(w, http.StatusOK, func(out io.Writer) error { return d.Pages.Places(out, page) })
}
