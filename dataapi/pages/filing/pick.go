package filing

import (
	"cmp"
	"io"
	"net/http"
	"net/url"
	"slices"

	"github.com/portico-id/portico/dataapi/access"
	"github.com/portico-id/portico/dataapi/pages/ground"
	"github.com/portico-id/portico/dataapi/tree"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/internal/webpage"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/templates"
)

// into is the parameter of an address that names the folder somebody has walked to
// on the way to one that something is to come into.
const into = "in"

// maxPlaces is how many folders are offered in one at a time; placesLabel is of the cursor
// to more of them.
const (
	maxPlaces   = 200
	placesAfter = "after"
	placesLabel = "folders to pick cursor"
)

// target returns the folder that the address names; false without one.
func (d *Desk) target(r *http.Request, project string, who storage.Caller) (access.Spot, bool, error) {
	id, ok := d.URN.FolderUID(r.URL.Query().Get(into))
	if !ok {
		return access.Spot{}, false, nil
	}
	at, err := d.Find.Folder(r.Context(), who, project, id)
	return at, err == nil, err
}

// opened is the folder that was open as a form was sent. What speaks against one is for
// the form, which is shown again: nothing was open, or what was is not there any more.
func (d *Desk) opened(r *http.Request, project string, who storage.Caller) (access.Spot, error) {
	at, chosen, err := d.target(r, project, who)
	switch {
	case lost(err):
		err = fault.Newf(fault.Conflict, storage.ReasonParentAbsent, "There is no such %s.", "folder")
	case err == nil && !chosen:
		err = fault.New(fault.Invalid, "no_target", "Open the folder that it shall come into first.")
	}
	return at, err
}

// lost reports whether somebody can't go on from a folder: it is gone, or theirs no more.
func lost(err error) bool { return fault.Is(err, fault.NotFound) || fault.Is(err, fault.Forbidden) }

// pick shows the folders of one, or the highest of a project, as ways on, with the
// form that takes the one that is open.
func (d *Desk) pick(w http.ResponseWriter, r *http.Request, place storage.Place, page templates.PickPage,
	wrong error) error {
	at, chosen, err := d.target(r, place.Project.ID, place.Standing.Caller)
	if wrong != nil && lost(err) {
		chosen, err = false, nil
	}
	if err != nil {
		return err
	}
	page.Desk, page.Chosen = d.Desk(r), chosen
	page.Form.Action, page.Action = choosing(r.URL.Path, page.Of), r.URL.Path
	page.Trail = []templates.WalkRow{{URL: named(r, r.URL.Path), Name: place.Project.Name}}
	status := http.StatusOK
	var folders []storage.Folder
	if chosen {
		page.Form.Action = choosing(d.walk(r, at.Folder.ID), page.Of)
		if folders, page.NextURL, err = d.inside(r, at, page.Of); err == nil {
			page.Trail, err = d.walked(r, at, page.Trail)
		}
	} else {
		folders, err = d.store.ListTopFolders(r.Context(), place, storage.TopQuery{})
	}
	if err != nil {
		return err
	}
	for _, f := range folders {
		page.Places = append(page.Places, d.step(r, f.ID, f.Name))
	}
	if wrong != nil {
		if !d.Mark(r.Context(), &page.Form, wrong) {
			return wrong
		}
		status = webpage.Marked(w.Header(), wrong)
	}
	return d.Send(w, status, func(out io.Writer) error { return d.Pages.Pick(out, page) })
}

// choosing is where a form is sent to that has what is chosen, so that all of it is there
// again after another sign-in.
func choosing(to, of string) string {
	if of == "" {
		return to
	}
	return httpio.WithQuery(to, ground.Of+"="+of)
}

// named is a way on with the name in it that was typed for what is to come there, and sent.
func named(r *http.Request, to string) string {
	name := cmp.Or(r.PostForm.Get(tree.AtName), r.URL.Query().Get(tree.AtName))
	if name == "" || len(name) > 4*maxName { // of bytes: no such name can be
		return to
	}
	return httpio.WithQuery(to, url.Values{tree.AtName: {name}}.Encode())
}

// walk is the address of the page with another folder open.
func (d *Desk) walk(r *http.Request, folder string) string {
	return r.URL.Path + "?" + url.Values{into: {d.URN.Folder(folder)}}.Encode()
}

func (d *Desk) step(r *http.Request, folder, name string) templates.WalkRow {
	return templates.WalkRow{URL: named(r, d.walk(r, folder)), In: d.URN.Folder(folder), Name: name}
}

// inside are the folders in the open one, from where the address says on, and the way to more.
func (d *Desk) inside(r *http.Request, at access.Spot, of string) (folders []storage.Folder, more string, err error) {
	page := storage.DataPage{Limit: maxPlaces}
	if text := r.URL.Query().Get(placesAfter); text != "" {
		after, ok := d.Pager.OpenCursor(placesLabel, text, at.Folder.ID)
		if !ok {
			return nil, "", ground.Astray()
		}
		page.After = string(after)
	}
	found, err := d.store.ListContents(r.Context(), at.Project.ID, at.Folder.ID, storage.ContentsQuery{NoItems: true},
		page)
	if err == nil && found.Next != "" {
		more = choosing(named(r, d.walk(r, at.Folder.ID)), of) + "&" + placesAfter + "=" +
			d.Pager.Cursor(placesLabel, []byte(found.Next), at.Folder.ID)
	}
	return found.Folders, more, err
}

// walked is the way to the open folder, each step of which leads back.
func (d *Desk) walked(r *http.Request, at access.Spot, trail []templates.WalkRow) ([]templates.WalkRow,
	error) {
	way, err := d.Find.Way(r.Context(), at)
	trail = slices.Clone(trail)
	for _, f := range way {
		trail = append(trail, d.step(r, f.ID, f.Name))
	}
	return trail, err
}
