package twinned

import (
	"context"
	"io"
	"net/http"
	"net/url"

	"github.com/portico-id/portico/dataapi/access"
	"github.com/portico-id/portico/dataapi/pages/ground"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/internal/webpage"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/templates"
	"github.com/portico-id/portico/templates/texts"
)

const (
	fieldTwin   = "twin"
	fieldLabel  = "label"
	fieldPolicy = "policy"

	maxLabel = 255 // characters
)

func labelInput(value string) templates.Input {
	return templates.Input{Kind: templates.InputText, Name: fieldLabel, Label: texts.Say("twins.label"), Max: maxLabel,
		Value: value, Hint: texts.Say("twins.label-hint")}
}

func policyInput(is storage.DocumentPolicy) templates.Input {
	input := templates.Input{Kind: templates.InputChoice, Name: fieldPolicy, Label: texts.Say("twins.policy.title")}
	for _, p := range []struct {
		policy storage.DocumentPolicy
		says   texts.Text
	}{{storage.PolicyAuto, texts.Say("twins.policy.auto")}, {storage.PolicyNotify, texts.Say("twins.policy.notify")},
		{storage.PolicyPin, texts.Say("twins.policy.pin")}} {
		input.Options = append(input.Options, templates.Option{Value: string(p.policy), Label: p.says,
			Chosen: p.policy == is})
	}
	return input
}

// writable are the twins of a hub in which the caller may add documents, as options.
func (d *Desk) writable(ctx context.Context, who storage.Caller, hubID string) ([]templates.Option, error) {
	all, err := storage.EveryPage(func(page storage.PageRequest) ([]storage.Facility, string, error) {
		return d.twins.Of(ctx, who, hubID, storage.TwinReadWrite, page)
	})
	var options []templates.Option
	for _, f := range all {
		options = append(options, templates.Option{Value: f.ID, Label: texts.Own(f.Name)})
	}
	return options, err
}

// askAdd serves the form that makes a file a document of a twin.
func (d *Desk) askAdd(w http.ResponseWriter, r *http.Request) error {
	at, err := d.Find.ReachItem(r)
	if err == nil {
		err = access.MayCopy(at.Standing) // a copy is what it becomes
	}
	if err != nil {
		return err
	}
	page, some, err := d.addPage(r, at)
	if err != nil {
		return err
	}
	if !some {
		return d.Send(w, http.StatusOK, func(out io.Writer) error {
			return d.Pages.Places(out, templates.PlacesPage{Desk: d.Desk(r), Heading: page.Heading,
				None: texts.Say("twins.add-nowhere"), Trail: []templates.Link{page.Back}})
		})
	}
	return d.Form(w, r, page)
}

// addPage is the form, and whether there are twins to choose from.
func (d *Desk) addPage(r *http.Request, at access.ItemSpot) (page templates.FormPage, some bool, err error) {
	item := d.ItemURL(at.Project.ID, at.Item.ID)
	options, err := d.writable(r.Context(), at.Standing.Caller, at.Hub.ID)
	page = templates.FormPage{Back: ground.Step(item, at.Item.Name),
		Heading: texts.Say("twins.add-which", "Name", at.Item.Name), Lead: texts.Say("twins.add-lead")}
	page.Form = templates.Form{ID: "twin-form", Action: item + "/twin", Submit: texts.Say("parts.add"),
		Inputs: []templates.Input{
			{Kind: templates.InputList, Name: fieldTwin, Label: texts.Say("twins.twin"), Required: true, Options: options},
			policyInput(storage.PolicyAuto), labelInput(""),
		}}
	return page, len(options) > 0, err
}

// add serves it, filled in.
func (d *Desk) add(w http.ResponseWriter, r *http.Request, change storage.Change) error {
	at, err := d.Find.ReachItem(r)
	if err != nil {
		return err
	}
	values, err := httpio.ReadForm(w, r)
	if err != nil {
		return err
	}
	var made storage.TwinDocument
	there := false
	place, err := d.chosen(r.Context(), change.Caller, values)
	if err == nil {
		httpio.AtLeisure(w)
		made, there, err = d.twins.Bring(r.Context(), change, place, at.Project.ID, at.Item.ID, values.Get(fieldLabel),
			values.Get(fieldPolicy))
	}
	if err != nil {
		page, _, failed := d.addPage(r, at)
		if failed != nil {
			return failed
		}
		page.Form = page.Form.Refill(values)
		return d.Again(w, r, page, err)
	}
	if there {
		return ground.See(w, r, d.documentURL(made), "twin-there")
	}
	return ground.See(w, r, d.twinURL(place.Facility.ID), "twin-added")
}

func (d *Desk) chosen(ctx context.Context, who storage.Caller, values url.Values) (storage.TwinPlace, error) {
	place, err := d.twins.For(ctx, who, values.Get(fieldTwin), storage.TwinReadWrite)
	if fault.Is(err, fault.NotFound) || fault.Is(err, fault.Forbidden) {
		err = fault.New(fault.Invalid, "no_twin", "Choose a twin that you may add documents to.").At(fieldTwin)
	}
	return place, err
}

func (d *Desk) describePage(place storage.TwinPlace, doc storage.TwinDocument) templates.FormPage {
	return templates.FormPage{Back: ground.Step(d.twinURL(place.Facility.ID), place.Facility.Name),
		Heading: texts.Own(doc.Name), Lead: state(doc),
		Form: templates.Form{ID: "document-form", Action: d.documentURL(doc), Submit: texts.Say("parts.save"), Edits: true,
			Inputs: []templates.Input{policyInput(doc.Policy), labelInput(doc.Label)}}}
}

// askDescribe serves the form that says what happens when the original changes.
func (d *Desk) askDescribe(w http.ResponseWriter, r *http.Request) error {
	place, doc, err := d.document(r, storage.TwinReadWrite)
	if err != nil {
		return err
	}
	return d.Form(w, r, d.describePage(place, doc))
}

// describe serves it, filled in.
func (d *Desk) describe(w http.ResponseWriter, r *http.Request, change storage.Change) error {
	place, doc, err := d.document(r, storage.TwinReadWrite)
	if err != nil {
		return err
	}
	values, err := httpio.ReadForm(w, r)
	if err != nil {
		return err
	}
	page := d.describePage(place, doc)
	if err = webpage.Meet(values, page.Form); err == nil {
		err = d.twins.Describe(r.Context(), change, place, doc.ID, values.Get(fieldLabel), values.Get(fieldPolicy))
	}
	if err != nil {
		page.Form = page.Form.Refill(values)
		return d.Again(w, r, page, err)
	}
	return ground.See(w, r, d.twinURL(place.Facility.ID), "twin-described")
}

// askRemove asks once before a document goes.
func (d *Desk) askRemove(w http.ResponseWriter, r *http.Request) error {
	place, doc, err := d.document(r, storage.TwinReadWrite)
	if err != nil {
		return err
	}
	back := ground.Step(d.twinURL(place.Facility.ID), place.Facility.Name)
	return d.Ask(w, r, templates.ConfirmPage{Back: back,
		Heading: texts.Say("twins.remove-which", "Name", doc.Name, "Twin", place.Facility.Name),
		Action:  d.documentURL(doc) + "/remove", Stops: []texts.Text{texts.Say("twins.remove-stops")},
		Submit: texts.Say("parts.remove"), CancelURL: back.URL})
}

// remove takes it out. What is gone by then is gone.
func (d *Desk) remove(w http.ResponseWriter, r *http.Request, change storage.Change) error {
	place, doc, err := d.document(r, storage.TwinReadWrite)
	if err == nil {
		err = d.twins.Remove(r.Context(), change, place, doc.ID)
	}
	if err != nil {
		return err
	}
	return ground.See(w, r, d.twinURL(place.Facility.ID), "twin-removed")
}
