package catalogue

import (
	"io"
	"net/http"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/gate/websession"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/internal/webpage"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/templates"
	"github.com/portico-id/portico/templates/texts"
)

// DeskOptions are what a Desk is made of. Every field is needed.
type DeskOptions struct {
	Catalogue *Catalogue
	Sessions  *websession.Manager
	Pages     *templates.Pages
	Web       *webpage.Writer
}

// Desk is the pages on which administrators look after resources.
type Desk struct {
	with      DeskOptions
	catalogue *Catalogue
	gate      *websession.Gate
}

// NewDesk returns the pages.
func NewDesk(o DeskOptions) *Desk {
	return &Desk{with: o, catalogue: o.Catalogue, gate: o.Sessions.Gate(o.Web.Error).Administrators()}
}

// Routes are the pages.
func (d *Desk) Routes() []httpio.Route {
	const one = listPath + "/{" + resourceVariable + "}"
	return []httpio.Route{
		httpio.At(listPath).Get(d.gate.Show(d.list)).Post(d.gate.Form(d.create)),
		httpio.At(one).Get(d.gate.Show(d.of(d.show))).Post(d.gate.Form(d.of(d.edit))),
		d.gate.Grave(httpio.At(one+"/disable"), d.of(d.askDisable), d.of(d.disable)),
		httpio.At(one + "/enable").Post(d.gate.Form(d.of(d.enable))).On(one),
		d.gate.Grave(httpio.At(one+"/delete"), d.of(d.askDelete), d.of(d.delete)),
	}
}

func desk(r *http.Request) templates.Desk {
	return webpage.Desk(r, templates.SectionAllApps, map[string]texts.Text{
		"created": texts.Say("resources.done.created"), "edited": texts.Say("resources.done.edited"),
		"disabled": texts.Say("resources.done.disabled"), "enabled": texts.Say("resources.done.enabled"),
		"deleted": texts.Say("resources.done.deleted"),
	})
}

func (d *Desk) list(w http.ResponseWriter, r *http.Request, _ websession.Visit) error {
	return d.listPage(w, r, http.StatusOK, createForm())
}

func (d *Desk) listPage(w http.ResponseWriter, r *http.Request, status int, form templates.Form) error {
	all, err := d.catalogue.List(r.Context())
	if err != nil {
		return err
	}
	view := templates.ResourcesPage{Desk: desk(r), Create: form,
		Back: templates.Link{URL: "/admin/apps", Text: texts.Say("desk.tab.apps")}}
	for _, one := range all {
		view.Resources = append(view.Resources, templates.ResourceRow{URL: pathOf(one), Name: one.Name,
			Address: one.Identifier, Disabled: one.Disabled})
	}
	return d.with.Web.Send(w, status, func(out io.Writer) error { return d.with.Pages.Resources(out, view) })
}

func (d *Desk) create(w http.ResponseWriter, r *http.Request, v websession.Visit) error {
	values, err := httpio.ReadForm(w, r)
	if err != nil {
		return err
	}
	made, err := d.catalogue.Create(r.Context(), v.Act, changeOf(values))
	if err != nil {
		form := createForm().Refill(values)
		if !mark(&form, err) {
			return err
		}
		return d.listPage(w, r, http.StatusUnprocessableEntity, form)
	}
	return webpage.See(w, r, pathOf(made)+"?done=created")
}

// page is a page of one resource.
type page func(w http.ResponseWriter, r *http.Request, v websession.Visit, one storage.Resource) error

func (d *Desk) of(do page) websession.Page {
	return func(w http.ResponseWriter, r *http.Request, v websession.Visit) error {
		one, err := httpio.Named(r, resourceVariable, d.catalogue.Find)
		if err != nil {
			return err
		}
		return do(w, r, v, one)
	}
}

func (d *Desk) show(w http.ResponseWriter, r *http.Request, _ websession.Visit, one storage.Resource) error {
	return d.page(w, r, http.StatusOK, one, editForm(one))
}

// mark puts what is wrong onto the form; an address that another has, at its field.
func mark(form *templates.Form, err error) bool {
	if fault.HasReason(err, storage.ReasonResourceTaken) {
		err = fault.From(err).At(FieldResource)
	}
	return webpage.Mark(form, err)
}

func (d *Desk) page(w http.ResponseWriter, r *http.Request, status int, one storage.Resource,
	edit templates.Form) error {
	view := templates.ResourcePage{
		Desk: desk(r), Back: templates.Link{URL: listPath, Text: texts.Say("resources.title")},
		Name: one.Name, Disabled: one.Disabled, Edit: edit, DeleteURL: pathOf(one) + "/delete",
		Facts: []templates.Fact{
			{Label: texts.Say("resources.key"), Text: texts.Own(one.ID), Code: true},
			{Label: texts.Say("resources.since"), Text: texts.Value(one.CreatedAt)},
		},
		Switch: templates.Button{ID: "disable", URL: pathOf(one) + "/disable", Text: texts.Say("parts.disable"),
			Grave: true},
	}
	if one.Disabled {
		view.Switch = templates.Button{ID: "enable", Action: pathOf(one) + "/enable", Text: texts.Say("parts.enable")}
	}
	return d.with.Web.Send(w, status, func(out io.Writer) error { return d.with.Pages.Resource(out, view) })
}

func (d *Desk) edit(w http.ResponseWriter, r *http.Request, v websession.Visit, one storage.Resource) error {
	values, err := httpio.ReadForm(w, r)
	if err != nil {
		return err
	}
	if err = webpage.Meet(values, editForm(one)); err == nil {
		_, err = d.catalogue.Update(r.Context(), v.Act, one.ID, changeOf(values))
	}
	if err != nil {
		form := editForm(one).Refill(values)
		if !mark(&form, err) {
			return err
		}
		return d.page(w, r, http.StatusUnprocessableEntity, one, form)
	}
	return webpage.See(w, r, pathOf(one)+"?done=edited")
}

func (d *Desk) confirm(w http.ResponseWriter, r *http.Request, one storage.Resource,
	view templates.ConfirmPage) error {
	view.Desk, view.CancelURL = desk(r), pathOf(one)
	view.Back = templates.Link{URL: pathOf(one), Text: texts.Own(one.Name)}
	return d.with.Web.Send(w, http.StatusOK, func(out io.Writer) error { return d.with.Pages.Confirm(out, view) })
}

func (d *Desk) askDisable(w http.ResponseWriter, r *http.Request, _ websession.Visit, one storage.Resource) error {
	return d.confirm(w, r, one, templates.ConfirmPage{
		Heading: texts.Say("resources.disable-which", "Name", one.Name), Submit: texts.Say("parts.disable"),
		Stops: []texts.Text{texts.Say("resources.stops")}, Action: pathOf(one) + "/disable",
	})
}

func (d *Desk) disable(w http.ResponseWriter, r *http.Request, v websession.Visit, one storage.Resource) error {
	return d.turn(w, r, v, one, true, "disabled")
}

func (d *Desk) enable(w http.ResponseWriter, r *http.Request, v websession.Visit, one storage.Resource) error {
	return d.turn(w, r, v, one, false, "enabled")
}

func (d *Desk) turn(w http.ResponseWriter, r *http.Request, v websession.Visit, one storage.Resource, off bool,
	key string) error {
	if _, err := d.catalogue.Update(r.Context(), v.Act, one.ID, Change{Disabled: &off}); err != nil {
		return err
	}
	return webpage.See(w, r, pathOf(one)+"?done="+key)
}

func (d *Desk) askDelete(w http.ResponseWriter, r *http.Request, _ websession.Visit, one storage.Resource) error {
	return d.confirm(w, r, one, templates.ConfirmPage{
		Heading: texts.Say("resources.delete-which", "Name", one.Name), Submit: texts.Say("resources.delete"),
		Stops:  []texts.Text{texts.Say("resources.stops"), texts.Say("parts.undone")},
		Action: pathOf(one) + "/delete",
	})
}

func (d *Desk) delete(w http.ResponseWriter, r *http.Request, v websession.Visit, one storage.Resource) error {
	if err := d.catalogue.Delete(r.Context(), v.Act, one.ID); err != nil {
		return err
	}
	return webpage.See(w, r, listPath+"?done=deleted")
}
