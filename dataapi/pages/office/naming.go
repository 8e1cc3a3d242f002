package office

import (
	"net/http"
	"strings"

	"github.com/portico-id/portico/dataapi/naming"
	"github.com/portico-id/portico/dataapi/pages/ground"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/internal/webpage"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/templates"
	"github.com/portico-id/portico/templates/texts"
)

// Fields of a rule of names, as faults of naming name them.
const (
	fieldSeparator = "separator"
	fieldFields    = "fields"
	fieldHolding   = "holding"

	maxHolding = 200 // folders that are offered
)

// askNaming serves the form that says how the files of a project are called.
func (d *Desk) askNaming(w http.ResponseWriter, r *http.Request, e errand) error {
	page, err := d.namingPage(r, e)
	if err != nil {
		return err
	}
	return d.Form(w, r, page)
}

func (d *Desk) namingPage(r *http.Request, e errand) (templates.FormPage, error) {
	rule, err := d.names.NamingOf(r.Context(), e.place.Project.ID)
	if err != nil {
		return templates.FormPage{}, err
	}
	holding, err := d.holding(r, e, rule.Holding)
	page := templates.FormPage{Back: ground.Step(e.url(), e.name()),
		Heading: texts.Say("filing.naming.title", "Name", e.name()), Lead: texts.Say("filing.naming.lead"),
		Form: templates.Form{ID: "naming-form", Action: e.url() + "/naming", Submit: texts.Say("parts.save"), Edits: true,
			Inputs: []templates.Input{
				{Kind: templates.InputLines, Name: fieldFields, Label: texts.Say("filing.naming.fields"),
					Value: naming.Write(rule.Fields), Hint: texts.Say("filing.naming.fields-hint")},
				{Kind: templates.InputText, Name: fieldSeparator, Label: texts.Say("filing.naming.separator"), Max: 1,
					Value: rule.Separator, Hint: texts.Say("filing.naming.separator-hint")},
				holding,
			}}}
	if len(rule.Fields) > 0 {
		page.Lead = texts.Say("filing.naming.now", "Form", naming.Form(rule))
	}
	return page, err
}

// holding is the choice of a folder for files with other names: the one that is, and those
// in the folder of the project's files.
func (d *Desk) holding(r *http.Request, e errand, is string) (templates.Input, error) {
	input := templates.Input{Kind: templates.InputList, Name: fieldHolding, Label: texts.Say("filing.naming.holding"),
		Hint: texts.Say("filing.naming.holding-hint")}
	folders, err := d.rules.ListFolders(r.Context(), e.place.Project.ID, is, maxHolding)
	for _, f := range folders {
		input.Options = append(input.Options, templates.Option{Value: f.ID, Label: texts.Own(f.Name), Chosen: f.ID == is})
	}
	return input, err
}

// setNaming serves it, filled in.
func (d *Desk) setNaming(w http.ResponseWriter, r *http.Request, e errand) error {
	values, err := httpio.ReadForm(w, r)
	if err != nil {
		return err
	}
	page, err := d.namingPage(r, e)
	if err != nil {
		return err
	}
	if err = webpage.Meet(values, page.Form); err == nil {
		rule := storage.Naming{Separator: values.Get(fieldSeparator), Holding: values.Get(fieldHolding)}
		if rule.Fields, err = naming.Read(values.Get(fieldFields)); err == nil {
			err = inField(d.names.PutNaming(r.Context(), e.change, e.place.Project.ID, rule))
		}
	}
	if err != nil {
		page.Form = page.Form.Refill(values)
		return d.Again(w, r, page, err)
	}
	return ground.See(w, r, e.url()+"/naming", "naming")
}

// inField names the input that a fault is about: all fields of a rule are one.
func inField(err error) error {
	if err == nil {
		return nil
	}
	if f := fault.From(err); strings.HasPrefix(f.Source, fieldFields+"/") {
		return f.At(fieldFields)
	}
	return err
}
