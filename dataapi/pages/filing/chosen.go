package filing

import (
	"context"
	"net/http"
	"net/url"
	"strings"

	"github.com/portico-id/portico/dataapi/access"
	"github.com/portico-id/portico/dataapi/pages/ground"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/templates"
	"github.com/portico-id/portico/templates/texts"
)

// chosen is what somebody has chosen in a folder.
type chosen struct {
	at   access.Spot
	list []ground.Chosen
	url  string // of the folder's page
}

func (c chosen) back() templates.Link { return ground.Step(c.url, c.at.Folder.Name) }

// of is what is chosen in one field.
func (c chosen) of() string {
	var values []string
	for _, one := range c.list {
		values = append(values, one.Value)
	}
	return strings.Join(values, ",")
}

// chosen finds what is chosen in an address, or in a form.
func (d *Desk) chosen(r *http.Request, read func() (url.Values, error)) (chosen, error) {
	at, err := d.Find.ReachFolder(r)
	if err != nil {
		return chosen{}, err
	}
	values, err := read()
	if err != nil {
		return chosen{}, err
	}
	list, err := d.Chosen(r.Context(), at, values)
	return chosen{at, list, d.FolderURL(at.Project.ID, at.Folder.ID)}, err
}

func (d *Desk) asked(r *http.Request) (chosen, error) {
	return d.chosen(r, func() (url.Values, error) { return httpio.ReadQuery(r) })
}

func (d *Desk) sent(w http.ResponseWriter, r *http.Request) (chosen, error) {
	return d.chosen(r, func() (url.Values, error) { return httpio.ReadForm(w, r) })
}

// one is a thing among what is chosen.
func (d *Desk) one(c ground.Chosen) thing {
	t := thing{spot: c.Spot, file: c.File, name: c.Name, url: d.FolderURL(c.Spot.Project.ID, c.Spot.Folder.ID)}
	if c.File != nil {
		t.url = d.ItemURL(c.Spot.Project.ID, c.File.Item.ID)
	}
	return t
}

// judged is what is chosen as a form asks about it: what can't be done is said there.
// Whoever may do none of it is refused.
func (d *Desk) judged(ctx context.Context, c chosen, may func(thing) error) (templates.Input, error) {
	why := map[string]texts.Text{}
	var refusal error
	for _, one := range c.list {
		if err := may(d.one(one)); err != nil {
			why[one.Value], refusal = d.Told(ctx, err), err
		}
	}
	if len(why) < len(c.list) || !fault.Is(refusal, fault.Forbidden) {
		refusal = nil
	}
	return ground.ChosenInput(c.list, why, false), refusal
}

// each does something with all that is chosen, one after the other: what was done stays
// done, and what was not is left, with the reason of each.
func (d *Desk) each(ctx context.Context, c chosen, do func(thing) error) (left chosen, why map[string]texts.Text,
	err error) {
	left, why = c, map[string]texts.Text{}
	left.list = nil
	for _, one := range c.list {
		err := do(d.one(one))
		if fault.Is(err, fault.Internal) {
			return left, why, err
		}
		if err != nil {
			left.list, why[one.Value] = append(left.list, one), d.Told(ctx, err)
		}
	}
	return left, why, nil
}

// askHideChosen asks before several things are hidden.
func (d *Desk) askHideChosen(w http.ResponseWriter, r *http.Request) error {
	c, err := d.asked(r)
	if err != nil {
		return err
	}
	if len(c.list) == 0 {
		return ground.See(w, r, c.url, ground.NoneChosen)
	}
	input, err := d.judged(r.Context(), c, func(t thing) error { return d.may(t, wish{hidden: new(true)}) })
	if err != nil {
		return err
	}
	return d.Form(w, r, c.hidePage(input))
}

func (c chosen) hidePage(input templates.Input) templates.FormPage {
	return templates.FormPage{Back: c.back(), Heading: texts.Say("filing.chosen.hide"),
		Lead: texts.Say("filing.hide-stops.back"),
		Form: templates.Form{ID: "hide-form", Action: choosing(c.url+"/chosen/hide", c.of()),
			Submit: texts.Say("filing.hide"), Grave: true, Inputs: []templates.Input{input}}}
}

// hideChosen hides them.
func (d *Desk) hideChosen(w http.ResponseWriter, r *http.Request, change storage.Change) error {
	c, err := d.sent(w, r)
	if err != nil {
		return err
	}
	if len(c.list) == 0 {
		return ground.See(w, r, c.url, ground.NoneChosen)
	}
	left, why, err := d.each(r.Context(), c, func(t thing) error {
		return d.change(r.Context(), change, t, wish{hidden: new(true)})
	})
	if err != nil {
		return err
	}
	if len(why) > 0 {
		return d.Again(w, r, c.hidePage(ground.ChosenInput(left.list, why, true)), ground.Left())
	}
	return ground.See(w, r, c.url, "hidden")
}
