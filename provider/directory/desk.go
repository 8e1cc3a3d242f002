package directory

import (
	"io"
	"net/http"
	"net/url"
	"strconv"

	"github.com/portico-id/portico/internal/gate/websession"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/internal/webpage"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/templates"
	"github.com/portico-id/portico/templates/texts"
)

// DeskOptions are what a Desk is made of. Every field is needed.
type DeskOptions struct {
	Directories *Directories
	Sessions    *websession.Manager
	Pages       *templates.Pages
	Web         *webpage.Writer
}

// Desk is the pages on which administrators look after directories.
type Desk struct {
	with  DeskOptions
	rules *Directories
	gate  *websession.Gate
}

// NewDesk returns the pages.
func NewDesk(o DeskOptions) *Desk {
	return &Desk{with: o, rules: o.Directories, gate: o.Sessions.Gate(o.Web.Error).Administrators()}
}

// Routes are the pages.
func (d *Desk) Routes() []httpio.Route {
	const one = listPath + "/{directoryId}"
	return []httpio.Route{
		httpio.At(listPath).Get(d.gate.Show(d.list)).Post(d.gate.Form(d.create)),
		httpio.At(one).Get(d.gate.Show(d.of(d.show))).Post(d.gate.Form(d.of(d.edit))),
		httpio.At(one + "/test").Post(d.gate.Form(d.of(d.test))).On(one),
		httpio.At(one + "/sync").Post(d.gate.Form(d.of(d.sync))).On(one),
		d.gate.Grave(httpio.At(one+"/disable"), d.of(d.askDisable), d.of(d.turn(true, "disabled"))),
		httpio.At(one + "/enable").Post(d.gate.Form(d.of(d.turn(false, "enabled")))).On(one),
		d.gate.Grave(httpio.At(one+"/delete"), d.of(d.askDelete), d.of(d.delete)),
	}
}

var done = map[string]texts.Text{
	"created": texts.Say("directories.done.created"), "edited": texts.Say("directories.done.edited"),
	"disabled": texts.Say("directories.done.disabled"), "enabled": texts.Say("directories.done.enabled"),
	"deleted": texts.Say("directories.done.deleted"), "sync": texts.Say("directories.done.sync"),
}

func desk(r *http.Request) templates.Desk { return webpage.Desk(r, templates.SectionUsers, done) }

// list serves the page with all directories, and the form that adds one.
func (d *Desk) list(w http.ResponseWriter, r *http.Request, _ websession.Visit) error {
	return d.listPage(w, r, http.StatusOK, createForm(url.Values{"kind": {"ad"}, "join": {JoinSignIn}}))
}

func (d *Desk) listPage(w http.ResponseWriter, r *http.Request, status int, form templates.Form) error {
	all, err := d.rules.List(r.Context())
	if err != nil {
		return err
	}
	view := templates.DirectoriesPage{Desk: desk(r), Create: form,
		Back: templates.Link{URL: "/admin/users", Text: texts.Say("desk.tab.users")}}
	for _, one := range all {
		view.Directories = append(view.Directories, templates.DirectoryRow{URL: pathOf(one.ID), Name: one.Name,
			Disabled: one.Disabled, People: one.People,
			Troubled: one.Walk.Outcome != "" && one.Walk.Outcome != storage.WalkDone})
	}
	return d.with.Web.Send(w, status, func(out io.Writer) error { return d.with.Pages.Directories(out, view) })
}

func (d *Desk) create(w http.ResponseWriter, r *http.Request, v websession.Visit) error {
	values, err := httpio.ReadForm(w, r)
	if err != nil {
		return err
	}
	change, err := changeOf(values)
	if err != nil {
		return err
	}
	made, err := d.rules.Create(r.Context(), v.Act, values.Get("id"), values.Get("kind"), change)
	if err != nil {
		form := createForm(nil).Refill(values)
		if !webpage.Mark(&form, err) {
			return err
		}
		return d.listPage(w, r, http.StatusUnprocessableEntity, form)
	}
	return webpage.See(w, r, pathOf(made.ID)+"?done=created")
}

// page is a page of one directory.
type page func(w http.ResponseWriter, r *http.Request, v websession.Visit, one View) error

func (d *Desk) of(do page) websession.Page {
	return func(w http.ResponseWriter, r *http.Request, v websession.Visit) error {
		one, err := httpio.Named(r, directoryVariable, d.rules.Show)
		if err != nil {
			return err
		}
		return do(w, r, v, one)
	}
}

func (d *Desk) show(w http.ResponseWriter, r *http.Request, _ websession.Visit, one View) error {
	return d.page(w, r, http.StatusOK, one, editForm(one))
}

func (d *Desk) page(w http.ResponseWriter, r *http.Request, status int, one View, edit templates.Form) error {
	view := templates.DirectoryPage{
		Desk: desk(r), Back: templates.Link{URL: listPath, Text: texts.Say("directories.title")},
		Name: one.Name, Disabled: one.Disabled, Edit: edit, Test: testForm(one.ID), Sync: syncForm(one.ID),
		Walk: walkFacts(one.Walk), DeleteURL: pathOf(one.ID) + "/delete",
		Facts: []templates.Fact{{Label: texts.Say("directories.key"), Text: texts.Own(one.ID), Code: true},
			{Label: texts.Say("directories.people"), Text: texts.Value(one.People)}},
		Switch: templates.Button{ID: "disable", URL: pathOf(one.ID) + "/disable", Text: texts.Say("parts.disable"),
			Grave: true},
	}
	if one.Disabled {
		view.Switch = templates.Button{ID: "enable", Action: pathOf(one.ID) + "/enable", Text: texts.Say("parts.enable")}
	}
	return d.with.Web.Send(w, status, func(out io.Writer) error { return d.with.Pages.Directory(out, view) })
}

func outcomeOf(outcome string) texts.Text {
	return map[string]texts.Text{
		storage.WalkDone: texts.Say("directories.walk-done"), storage.WalkFailed: texts.Say("directories.walk-failed"),
		storage.WalkStopped: texts.Say("directories.walk-stopped"),
	}[outcome]
}

func walkFacts(walk WalkView) []templates.Fact {
	if walk.EndedAt == nil {
		return nil
	}
	facts := []templates.Fact{
		{Label: texts.Say("directories.walk-at"), Text: texts.Value(*walk.EndedAt)},
		{Label: texts.Say("directories.walk-outcome"), Text: outcomeOf(walk.Outcome)},
		{Label: texts.Say("directories.people"), Text: texts.Value(walk.People)},
		{Label: texts.Say("directories.groups"), Text: texts.Value(walk.Groups)},
		{Label: texts.Say("directories.changed"), Text: texts.Value(walk.Changed)},
		{Label: texts.Say("directories.missing"), Text: texts.Value(walk.Missing)},
		{Label: texts.Say("directories.skipped"), Text: texts.Value(walk.Skipped)},
	}
	if walk.Outcome == storage.WalkFailed {
		facts = append(facts, templates.Fact{Label: texts.Say("directories.why"), Text: texts.Own(walk.Detail), Code: true})
	}
	return facts
}

func (d *Desk) edit(w http.ResponseWriter, r *http.Request, v websession.Visit, one View) error {
	values, err := httpio.ReadForm(w, r)
	if err != nil {
		return err
	}
	if err = webpage.Meet(values, editForm(one)); err == nil {
		var change Change
		if change, err = changeOf(values); err == nil {
			_, err = d.rules.Set(r.Context(), v.Act, one.ID, change)
		}
	}
	if err != nil {
		form := editForm(one).Refill(values)
		if !webpage.Mark(&form, err) {
			return err
		}
		return d.page(w, r, http.StatusUnprocessableEntity, one, form)
	}
	return webpage.See(w, r, pathOf(one.ID)+"?done=edited")
}

func stepName(s Step) texts.Text {
	return map[string]texts.Text{
		StepName: texts.Say("directories.step.name", "Of", s.Of), StepService: texts.Say("directories.step.service"),
		StepConnection: texts.Say("directories.step.connection", "Of", s.Of),
		StepGroups:     texts.Say("directories.step.groups"),
		StepPerson:     texts.Say("directories.step.person", "Of", s.Of),
	}[s.Kind]
}

// test shows each step of a test.
func (d *Desk) test(w http.ResponseWriter, r *http.Request, v websession.Visit, one View) error {
	values, err := httpio.ReadForm(w, r)
	if err != nil {
		return err
	}
	steps, err := d.rules.Test(r.Context(), one.ID, values.Get("person"))
	if err != nil {
		return err
	}
	shown := templates.RevealPage{Desk: templates.Desk{Section: templates.SectionUsers},
		Heading: texts.Say("directories.tested", "Name", one.Name), Lead: texts.Say("directories.tested-lead"),
		Next: templates.Link{URL: pathOf(one.ID), Text: texts.Own(one.Name)}}
	for i, step := range steps {
		shown.Items = append(shown.Items, templates.Revealed{ID: "step-" + strconv.Itoa(i), Label: stepName(step),
			Value: step.Said()})
	}
	return v.Show(w, r, templates.Shown{Reveal: &shown}, shown.Next.URL)
}

func (d *Desk) sync(w http.ResponseWriter, r *http.Request, _ websession.Visit, one View) error {
	values, err := httpio.ReadForm(w, r)
	if err != nil {
		return err
	}
	if err := d.rules.WalkSoon(r.Context(), one.ID, values.Get("gone") == on); err != nil {
		return err
	}
	return webpage.See(w, r, pathOf(one.ID)+"?done=sync")
}

func (d *Desk) confirm(w http.ResponseWriter, r *http.Request, one View, view templates.ConfirmPage) error {
	view.Desk, view.CancelURL = desk(r), pathOf(one.ID)
	view.Back = templates.Link{URL: pathOf(one.ID), Text: texts.Own(one.Name)}
	return d.with.Web.Send(w, http.StatusOK, func(out io.Writer) error { return d.with.Pages.Confirm(out, view) })
}

func (d *Desk) askDisable(w http.ResponseWriter, r *http.Request, _ websession.Visit, one View) error {
	return d.confirm(w, r, one, templates.ConfirmPage{
		Heading: texts.Say("directories.disable-which", "Name", one.Name), Submit: texts.Say("parts.disable"),
		Stops: []texts.Text{texts.Say("directories.disable-stops")}, Action: pathOf(one.ID) + "/disable",
	})
}

func (d *Desk) turn(off bool, key string) page {
	return func(w http.ResponseWriter, r *http.Request, v websession.Visit, one View) error {
		if err := d.rules.Switch(r.Context(), v.Act, one.ID, off); err != nil {
			return err
		}
		return webpage.See(w, r, pathOf(one.ID)+"?done="+key)
	}
}

func (d *Desk) askDelete(w http.ResponseWriter, r *http.Request, _ websession.Visit, one View) error {
	return d.confirm(w, r, one, templates.ConfirmPage{
		Heading: texts.Say("directories.delete-which", "Name", one.Name), Submit: texts.Say("directories.delete"),
		Stops: []texts.Text{texts.Say("directories.disable-stops"), texts.Say("directories.delete-stops"),
			texts.Say("parts.undone")},
		Action: pathOf(one.ID) + "/delete",
	})
}

func (d *Desk) delete(w http.ResponseWriter, r *http.Request, v websession.Visit, one View) error {
	if err := d.rules.Delete(r.Context(), v.Act, one.ID); err != nil {
		return err
	}
	return webpage.See(w, r, listPath+"?done=deleted")
}
