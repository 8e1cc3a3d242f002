package people

import (
	"io"
	"net/http"
	"strings"

	"github.com/portico-id/portico/internal/gate/websession"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/internal/webpage"
	"github.com/portico-id/portico/templates"
	"github.com/portico-id/portico/templates/texts"
)

const (
	importPath     = usersPath + "/import"
	importVariable = "importId"

	fieldInvite = "invite"

	// How much of a file its preview shows.
	shownPeople = 10
	shownFaults = 100
)

// showImport serves the form that a file of people is sent by.
func (d *Desk) showImport(w http.ResponseWriter, r *http.Request, _ websession.Visit) error {
	return d.importForm(w, r, http.StatusOK, nil)
}

func (d *Desk) importForm(w http.ResponseWriter, r *http.Request, status int, problem error) error {
	form := templates.Form{ID: "import-form", Action: importPath, Submit: texts.Say("people.import.look"),
		Inputs: []templates.Input{{
			Kind: templates.InputFile, Name: FieldFile, Label: texts.Say("people.import.file"), Required: true,
			Accept: "text/csv,.csv",
			Hint:   texts.Say("people.import.file-hint", "Most", maxImportRows),
		}}}
	if problem != nil && !webpage.Mark(&form, problem) {
		return problem
	}
	return d.send(w, status, func(out io.Writer) error {
		return d.with.Pages.Form(out, templates.FormPage{
			Desk: desk(r, templates.SectionUsers), Back: templates.Link{URL: usersPath, Text: texts.Say("desk.tab.users")},
			Heading: texts.Say("people.import.title"),
			Lead:    texts.Say("people.import.lead", "Fields", strings.Join(fieldNames(), ", ")), Form: form,
		})
	})
}

// sendImport takes the file, and leads to what it would do.
func (d *Desk) sendImport(w http.ResponseWriter, r *http.Request, v websession.Visit) error {
	file, err := httpio.ReadUpload(w, r, FieldFile, MaxImport)
	if err != nil {
		return err
	}
	if _, err := d.people.ReadImport(r.Context(), v.Act, file); err != nil {
		return d.importForm(w, r, http.StatusUnprocessableEntity, err)
	}
	id, err := d.people.KeepImport(r.Context(), v.Act, v.UserID, file)
	if err != nil {
		return err
	}
	return webpage.See(w, r, importPath+"/"+id+"?done=read")
}

// ofImport is a handler for a file that the visitor sent.
func (d *Desk) ofImport(page func(w http.ResponseWriter, r *http.Request, v websession.Visit, id string,
	plan ImportPlan) error) websession.Page {
	return func(w http.ResponseWriter, r *http.Request, v websession.Visit) error {
		id, err := httpio.PathID(r, importVariable)
		if err != nil {
			return err
		}
		file, err := d.people.FindImport(r.Context(), v.UserID, id, v.Act.At)
		if err != nil {
			return err
		}
		plan, err := d.people.ReadImport(r.Context(), v.Act, file)
		if err != nil {
			return err
		}
		return page(w, r, v, id, plan)
	}
}

// preview serves the page that says what a file would do.
func (d *Desk) preview(w http.ResponseWriter, r *http.Request, _ websession.Visit, id string, plan ImportPlan) error {
	return d.send(w, http.StatusOK, func(out io.Writer) error {
		return d.with.Pages.Import(out, d.importPage(r, id, plan))
	})
}

func (d *Desk) importPage(r *http.Request, id string, plan ImportPlan) templates.ImportPage {
	view := templates.ImportPage{
		Desk: desk(r, templates.SectionUsers), Back: templates.Link{URL: importPath, Text: texts.Say("people.import.again")},
		New: len(plan.People), Known: len(plan.Known), Wrong: len(plan.Faults),
	}
	for _, f := range plan.Faults[:min(shownFaults, len(plan.Faults))] {
		view.Faults = append(view.Faults, templates.ImportFault{Line: f.Line, Field: labels[f.Fault.Source],
			Text: webpage.Detail(f.Fault)})
	}
	for _, u := range plan.People[:min(shownPeople, len(plan.People))] {
		view.People = append(view.People, templates.UserRow{Name: u.Title(), Email: u.Email, Username: u.Username})
	}
	if view.New > 0 && view.Wrong == 0 {
		view.Form = templates.Form{ID: "import-form", Action: importPath + "/" + id,
			Submit: texts.Say("people.import.do", "Count", view.New)}
		if d.people.Delivers() {
			view.Form.Inputs = []templates.Input{{
				Kind: templates.InputFlag, Name: fieldInvite, Label: texts.Say("people.import.invite"), Value: "on",
				Hint: texts.Say("people.import.invite-hint"),
			}}
		}
	}
	return view
}

// carryOutImport serves the form that adds the people of a file.
func (d *Desk) carryOutImport(w http.ResponseWriter, r *http.Request, v websession.Visit, id string,
	plan ImportPlan) error {
	values, err := httpio.ReadForm(w, r)
	if err != nil {
		return err
	}
	httpio.AtLeisure(w)
	if err := d.people.CarryOut(r.Context(), v.Act, plan, values.Get(fieldInvite) == "on", v.User.Title()); err != nil {
		return err
	}
	if err := d.people.store.DropImport(r.Context(), id); err != nil {
		return err
	}
	return webpage.See(w, r, usersPath+"?done=imported")
}
