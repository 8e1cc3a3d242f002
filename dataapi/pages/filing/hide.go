package filing

import (
	"io"
	"net/http"
	"slices"

	"github.com/portico-id/portico/dataapi/access"
	"github.com/portico-id/portico/dataapi/pages/ground"
	"github.com/portico-id/portico/dataapi/tree"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/templates"
	"github.com/portico-id/portico/templates/texts"
)

// askHide asks once before something is hidden.
func (d *Desk) askHide(w http.ResponseWriter, r *http.Request, t thing) error {
	if err := d.may(t, wish{hidden: new(true)}); err != nil {
		return err
	}
	stops := []texts.Text{texts.Say("filing.hide-stops.seen"), texts.Say("filing.hide-stops.back")}
	if t.file == nil {
		stops = append([]texts.Text{texts.Say("filing.hide-stops.below")}, stops...)
	}
	return d.Ask(w, r, templates.ConfirmPage{Back: t.back(), Heading: texts.Say("filing.hide-which", "Name", t.name),
		Stops: stops, Action: r.URL.Path, Submit: texts.Say("filing.hide"), CancelURL: t.url})
}

// hide hides it, and leads to where it lay.
func (d *Desk) hide(w http.ResponseWriter, r *http.Request, change storage.Change, t thing) error {
	to, err := d.above(r.Context(), t)
	if err == nil {
		err = d.change(r.Context(), change, t, wish{hidden: new(true)})
	}
	if err != nil {
		return d.Again(w, r, t.anew(r, texts.Say("filing.hide-which", "Name", t.name), texts.Say("filing.hide")), err)
	}
	return ground.See(w, r, to, "hidden")
}

// restore brings it back. Where its name is taken by now another one is asked for in the
// same act.
func (d *Desk) restore(w http.ResponseWriter, r *http.Request, change storage.Change, t thing) error {
	values, err := httpio.ReadForm(w, r)
	if err != nil {
		return err
	}
	back, name, named := wish{hidden: new(false)}, t.name, values.Has(tree.AtName)
	if named {
		if name, err = readName(values); name != t.name {
			back.name = &name
		} else {
			err = nil // what was named by other rules may keep its name
		}
	}
	if err == nil {
		err = d.change(r.Context(), change, t, back)
	}
	if err != nil {
		page := t.anew(r, texts.Say("filing.restore-which", "Name", t.name), texts.Say("filing.restore"))
		taken := fault.HasReason(err, storage.ReasonNameTaken) && d.may(t, wish{name: &name}) == nil
		if named || taken {
			page.Form.Inputs = []templates.Input{nameInput(name)}
		}
		return d.Again(w, r, page, err)
	}
	return ground.See(w, r, t.url, "restored")
}

// hidden shows what is hidden in a folder, to those who may bring it back.
func (d *Desk) hidden(w http.ResponseWriter, r *http.Request) error {
	at, err := d.Find.ReachFolder(r)
	if err == nil {
		err = access.MayHide(at.Standing)
	}
	if err != nil {
		return err
	}
	l, err := d.List(r)
	if err != nil {
		return err
	}
	found, err := d.store.ListContents(r.Context(), at.Project.ID, at.Folder.ID,
		storage.ContentsQuery{Hidden: storage.HiddenOnly}, l.Page())
	if err != nil {
		return err
	}
	if l.Strays(len(found.Folders) + len(found.Items)) {
		return l.Begin(w, r)
	}
	page := templates.HiddenPage{Desk: d.Desk(r), Name: at.Folder.Name, Pager: l.Ways(found.Next),
		Back: templates.Link{URL: d.FolderURL(at.Project.ID, at.Folder.ID), Text: texts.Own(at.Folder.Name)}}
	if page.Rows, err = d.hiddenRows(r, found); err != nil {
		return err
	}
	return d.Send(w, http.StatusOK, func(out io.Writer) error { return d.Pages.Hidden(out, page) })
}

func (d *Desk) hiddenRows(r *http.Request, found storage.Contents) ([]templates.HiddenRow, error) {
	var rows []templates.HiddenRow
	var people []string
	row := func(url, id, name string, folder bool, s storage.Stamp) {
		people = append(people, s.ModifiedBy)
		rows = append(rows, templates.HiddenRow{URL: url, RestoreAction: url + "/restore", ID: id, Name: name,
			Folder: folder, At: s.ModifiedAt,
			By: s.ModifiedBy})
	}
	for _, f := range found.Folders {
		row(d.FolderURL(f.ProjectID, f.ID), f.ID, f.Name, true, f.Stamp)
	}
	for _, i := range found.Items {
		row(d.ItemURL(i.Item.ProjectID, i.Item.ID), i.Item.ID, i.Item.Name, false, i.Item.Stamp)
	}
	names, err := d.Names(r.Context(), slices.Clone(people)...)
	for i := range rows {
		rows[i].By = names[rows[i].By]
	}
	return rows, err
}
