package filing

import (
	"context"
	"net/http"

	"github.com/portico-id/portico/dataapi/access"
	"github.com/portico-id/portico/dataapi/flow"
	"github.com/portico-id/portico/dataapi/pages/ground"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/internal/webpage"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/templates"
	"github.com/portico-id/portico/templates/texts"
)

// reserving is an act on who has reserved a file.
type reserving func(ctx context.Context, change storage.Change, at access.ItemSpot) (access.ItemSpot, error)

// Fields of a version's state, as faults of flow name them.
const (
	fieldState       = "state"
	fieldSuitability = "suitability"
	fieldRevision    = "revision"
)

// state serves the form that says how far a version has come.
func (d *Desk) state(w http.ResponseWriter, r *http.Request) error {
	at, version, err := d.Find.ReachVersion(r)
	if err != nil {
		return err
	}
	is := storage.StateOf(version.Extension)
	if err := flow.MaySet(at.Standing, is, is); err != nil {
		return err
	}
	return d.Form(w, r, d.statePage(r, at, version))
}

func (d *Desk) statePage(r *http.Request, at access.ItemSpot, version storage.Version) templates.FormPage {
	is := storage.StateOf(version.Extension)
	states := []templates.Option{{Label: texts.Say("filing.state.none"), Chosen: is.State == ""}}
	for _, state := range storage.VersionStates() {
		word, _ := ground.StateWord(state)
		states = append(states, templates.Option{Value: state, Label: word, Chosen: state == is.State})
	}
	suits := templates.Input{Kind: templates.InputList, Name: fieldSuitability, Label: texts.Say("filing.suitability"),
		Hint: texts.Say("filing.suitability-hint")}
	for _, s := range ground.Suitabilities(is.Suitability) {
		suits.Options = append(suits.Options, templates.Option{Value: s, Label: texts.Own(s), Chosen: s == is.Suitability})
	}
	return templates.FormPage{Back: d.ofItem(at).back(),
		Heading: texts.Say("filing.state-which", "Number", version.Number, "Name", at.Item.Name),
		Form: templates.Form{ID: "state-form", Action: r.URL.EscapedPath(), Submit: texts.Say("parts.save"), Edits: true,
			Inputs: []templates.Input{
				{Kind: templates.InputChoice, Name: fieldState, Label: texts.Say("filing.state.title"), Options: states},
				suits,
				{Kind: templates.InputText, Name: fieldRevision, Label: texts.Say("filing.revision"), Max: 6,
					Value: is.Revision, Hint: texts.Say("filing.revision-hint")},
			}}}
}

// setState serves it, filled in.
func (d *Desk) setState(w http.ResponseWriter, r *http.Request, change storage.Change) error {
	at, version, err := d.Find.ReachVersion(r)
	if err != nil {
		return err
	}
	values, err := httpio.ReadForm(w, r)
	if err != nil {
		return err
	}
	page := d.statePage(r, at, version)
	if err = webpage.Meet(values, page.Form); err == nil {
		err = d.states.SetState(r.Context(), change, at.Project.ID,
			storage.VersionRef{ItemID: at.Item.ID, Number: version.Number}, storage.VersionState{
				State: values.Get(fieldState), Suitability: values.Get(fieldSuitability), Revision: values.Get(fieldRevision)})
	}
	if err != nil {
		page.Form = page.Form.Refill(values)
		return d.Again(w, r, page, err)
	}
	return ground.See(w, r, d.ItemURL(at.Project.ID, at.Item.ID), "state")
}
