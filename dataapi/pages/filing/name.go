package filing

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/portico-id/portico/dataapi/access"
	"github.com/portico-id/portico/dataapi/pages/ground"
	"github.com/portico-id/portico/dataapi/tree"
	"github.com/portico-id/portico/dataapi/urn"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/internal/webpage"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/templates"
	"github.com/portico-id/portico/templates/texts"
)

const maxName = 255 // characters

func nameInput(value string) templates.Input {
	return templates.Input{Kind: templates.InputText, Name: tree.AtName, Label: texts.Say("parts.name"), Value: value,
		Required: true, Max: maxName, Hint: texts.Say("filing.name-hint")}
}

// readName returns a name as it was typed, blanks at its ends aside.
func readName(values url.Values) (string, error) {
	name := strings.TrimSpace(values.Get(tree.AtName))
	if wrong := tree.NameFault(name); wrong != nil {
		return name, wrong.At(tree.AtName)
	}
	return name, nil
}

// askFolder serves the form that makes a folder in a folder.
func (d *Desk) askFolder(w http.ResponseWriter, r *http.Request) error {
	at, err := d.Find.ReachFolder(r)
	if err == nil {
		err = access.MayAddFolder(at.Standing)
	}
	if err != nil {
		return err
	}
	return d.Form(w, r, d.folderPage(r, at, ""))
}

func (d *Desk) folderPage(r *http.Request, at access.Spot, name string) templates.FormPage {
	return templates.FormPage{
		Back:    templates.Link{URL: d.FolderURL(at.Project.ID, at.Folder.ID), Text: texts.Own(at.Folder.Name)},
		Heading: texts.Say("filing.new-folder"),
		Form: templates.Form{ID: "folder-form", Action: r.URL.Path, Submit: texts.Say("filing.make-folder"),
			Inputs: []templates.Input{nameInput(name)}},
	}
}

// makeFolder serves it, filled in.
func (d *Desk) makeFolder(w http.ResponseWriter, r *http.Request, change storage.Change) error {
	at, err := d.Find.ReachFolder(r)
	if err != nil {
		return err
	}
	values, err := httpio.ReadForm(w, r)
	if err != nil {
		return err
	}
	name, err := readName(values)
	var made access.Spot
	if err == nil {
		made, err = d.rules.AddFolder(r.Context(), change, at.Project.ID, storage.Folder{ParentID: at.Folder.ID, Name: name,
			Extension: storage.Extension{Type: d.URN.FolderType(), Version: urn.ExtensionVersion}})
	}
	if err != nil {
		return d.Again(w, r, d.folderPage(r, at, values.Get(tree.AtName)), err)
	}
	return ground.See(w, r, d.FolderURL(at.Project.ID, made.Folder.ID), "folder-made")
}

// askName serves the form that renames a folder or file.
func (d *Desk) askName(w http.ResponseWriter, r *http.Request, t thing) error {
	if err := d.may(t, wish{name: &t.name}); err != nil {
		return err
	}
	return d.Form(w, r, t.namePage(r))
}

func (t thing) namePage(r *http.Request) templates.FormPage {
	return templates.FormPage{Back: t.back(), Heading: texts.Say("filing.rename-which", "Name", t.name),
		Form: templates.Form{ID: "name-form", Action: r.URL.Path, Submit: texts.Say("parts.save"), Edits: true,
			Inputs: []templates.Input{nameInput(t.name)}}}
}

// rename serves it, filled in.
func (d *Desk) rename(w http.ResponseWriter, r *http.Request, change storage.Change, t thing) error {
	values, err := httpio.ReadForm(w, r)
	if err != nil {
		return err
	}
	page := t.namePage(r)
	if err = webpage.Meet(values, page.Form); err == nil {
		var name string
		if name, err = readName(values); name == t.name {
			err = nil // what was named by other rules may keep its name
		}
		if err == nil {
			err = d.change(r.Context(), change, t, wish{name: &name})
		}
	}
	if err != nil {
		page.Form = page.Form.Refill(values)
		return d.Again(w, r, page, err)
	}
	return ground.See(w, r, t.url, "renamed")
}
