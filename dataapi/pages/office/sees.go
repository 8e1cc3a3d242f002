package office

import (
	"net/http"
	"net/url"
	"slices"

	"github.com/portico-id/portico/dataapi/access"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/internal/webpage"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/templates"
	"github.com/portico-id/portico/templates/texts"
)

// showSees serves the page that says what somebody may do in a folder, and what that
// follows from.
func (d *Desk) showSees(w http.ResponseWriter, r *http.Request, e errand) error {
	at, err := d.given(r)
	if err != nil {
		return err
	}
	list, err := d.seesPage(r, at, "")
	if err != nil {
		return err
	}
	if user := r.URL.Query().Get(fieldUser); user != "" {
		if user, err = d.rules.MemberFor(r.Context(), e.who, at.Place, user); err != nil {
			return err
		}
		if err := d.explain(r, at, user, &list); err != nil {
			return err
		}
	}
	return d.list(w, r, list)
}

func (d *Desk) seesPage(r *http.Request, at access.Spot, typed string) (templates.ListingPage, error) {
	here := d.FolderURL(at.Project.ID, at.Folder.ID)
	trail, err := d.Trail(r.Context(), at)
	return templates.ListingPage{Heading: texts.Say("filing.sees.title", "Name", at.Folder.Name),
		More:  texts.Say("filing.sees.ask"),
		Trail: append(trail, templates.Link{URL: here + "/share", Text: texts.Say("filing.act.share")}),
		Form: templates.Form{ID: "sees-form", Action: here + "/sees", Submit: texts.Say("filing.sees.submit"),
			Inputs: []templates.Input{{Kind: templates.InputText, Name: fieldUser, Label: texts.Say("filing.sees.who"),
				Value: typed, Required: true, Max: maxHandle}}}}, err
}

// findSees leads to what the person may do whom somebody named.
func (d *Desk) findSees(w http.ResponseWriter, r *http.Request, e errand) error {
	at, err := d.given(r)
	if err != nil {
		return err
	}
	values, err := httpio.ReadForm(w, r)
	if err != nil {
		return err
	}
	user, err := d.rules.MemberFor(r.Context(), e.who, at.Place, handleIn(values, fieldUser))
	if err != nil {
		list, failed := d.seesPage(r, at, values.Get(fieldUser))
		if failed != nil {
			return failed
		}
		return d.again(w, r, list, asked(err))
	}
	return webpage.See(w, r, d.FolderURL(at.Project.ID, at.Folder.ID)+"/sees?"+
		url.Values{fieldUser: {user}, "done": {"sees"}}.Encode())
}

func (d *Desk) explain(r *http.Request, at access.Spot, user string, list *templates.ListingPage) error {
	got, reasons, err := d.rules.Explain(r.Context(), at.Project.ID, at.Folder.ID, user)
	if err != nil {
		return err
	}
	names, err := d.rules.Names(r.Context(), []string{user})
	if err != nil {
		return err
	}
	shown, err := d.Find.ShownOnWay(r.Context(), at)
	list.Heading = texts.Say("filing.sees.which", "Person", names[user], "Name", at.Folder.Name)
	list.Lead, list.None = may[got], texts.Say("filing.sees.none")
	for _, reason := range reasons {
		list.Rows = append(list.Rows, because(reason, at, shown))
	}
	return err
}

// because is a thing that a level follows from. Where it was given on a folder that
// its reader can't see it only says that it comes from above.
func because(r storage.AccessReason, at access.Spot, shown []string) templates.Listed {
	switch {
	case r.HubAdmin:
		return templates.Listed{Name: at.Hub.Name, What: texts.Say("filing.sees.hub-admin")}
	case r.ProjectAdmin:
		return templates.Listed{Name: at.Project.Name, What: texts.Say("filing.sees.project-admin")}
	}
	row := templates.Listed{Name: at.Folder.Name, What: may[r.Grant.Level]}
	if r.Grant.FolderID != at.Folder.ID {
		row.Name = "…"
		if slices.Contains(shown, r.Grant.FolderID) {
			row.Name = r.FolderName
		}
	}
	if r.GroupName != "" {
		row.Name += " · " + r.GroupName
	}
	return row
}
