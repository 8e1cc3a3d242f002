package upstreams

import (
	"io"
	"net/http"

	"github.com/portico-id/portico/internal/gate/websession"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/internal/webpage"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/templates"
	"github.com/portico-id/portico/templates/texts"
)

const listPath = "/admin/upstreams"

// adminRoutes are the pages on which administrators look after upstreams.
func (p *Pages) adminRoutes() []httpio.Route {
	gate := p.gate.Administrators()
	const one = listPath + "/{" + providerVariable + "}"
	return []httpio.Route{
		httpio.At(listPath).Get(gate.Show(p.adminList)).Post(gate.Form(p.adminCreate)),
		httpio.At(one).Get(gate.Show(p.of(p.adminShow))).Post(gate.Form(p.of(p.adminEdit))),
		httpio.At(one + "/test").Get(gate.Show(p.of(p.adminTest))),
		gate.Grave(httpio.At(one+"/disable"), p.of(p.askDisable), p.of(p.adminDisable)),
		httpio.At(one + "/enable").Post(gate.Form(p.of(p.adminEnable))).On(one),
		gate.Grave(httpio.At(one+"/delete"), p.of(p.askDelete), p.of(p.adminDelete)),
	}
}

func adminDesk(r *http.Request) templates.Desk {
	return webpage.Desk(r, templates.SectionUsers, map[string]texts.Text{
		"created": texts.Say("upstream-desk.done.created"), "edited": texts.Say("upstream-desk.done.edited"),
		"disabled": texts.Say("upstream-desk.done.disabled"), "enabled": texts.Say("upstream-desk.done.enabled"),
		"deleted": texts.Say("upstream-desk.done.deleted"),
	})
}

func pathOf(u storage.Upstream) string { return listPath + "/" + u.ID }

type adminPage func(w http.ResponseWriter, r *http.Request, v websession.Visit, u storage.Upstream) error

// of is a page about the upstream that the path names.
func (p *Pages) of(do adminPage) websession.Page {
	return func(w http.ResponseWriter, r *http.Request, v websession.Visit) error {
		found, err := httpio.Named(r, providerVariable, p.Find)
		if err != nil {
			return err
		}
		return do(w, r, v, found)
	}
}

func (p *Pages) adminList(w http.ResponseWriter, r *http.Request, _ websession.Visit) error {
	return p.listPage(w, r, http.StatusOK, createForm())
}

func (p *Pages) listPage(w http.ResponseWriter, r *http.Request, status int, form templates.Form) error {
	all, err := p.List(r.Context())
	if err != nil {
		return err
	}
	view := templates.UpstreamsPage{Desk: adminDesk(r), Create: form,
		Back: templates.Link{URL: "/admin/users", Text: texts.Say("desk.tab.users")}}
	for _, u := range all {
		view.Upstreams = append(view.Upstreams, templates.UpstreamRow{URL: pathOf(u), Name: u.Name, ID: u.ID,
			Disabled: u.Disabled})
	}
	return p.page.Web.Send(w, status, func(out io.Writer) error { return p.page.Pages.Upstreams(out, view) })
}

func (p *Pages) adminCreate(w http.ResponseWriter, r *http.Request, v websession.Visit) error {
	values, err := httpio.ReadForm(w, r)
	if err != nil {
		return err
	}
	made, err := p.Create(r.Context(), v.Act, values.Get("id"), values.Get("preset"), values.Get("secret"),
		createChange(values))
	if err != nil {
		form := createForm().Refill(values)
		if !webpage.Mark(&form, err) {
			return err
		}
		return p.listPage(w, r, http.StatusUnprocessableEntity, form)
	}
	return webpage.See(w, r, pathOf(made)+"?done=created")
}

func (p *Pages) adminShow(w http.ResponseWriter, r *http.Request, _ websession.Visit, u storage.Upstream) error {
	return p.onePage(w, r, http.StatusOK, u, editForm(u), nil)
}

func (p *Pages) onePage(w http.ResponseWriter, r *http.Request, status int, u storage.Upstream, edit templates.Form,
	steps []Step) error {
	view := templates.UpstreamPage{
		Desk: adminDesk(r), Back: templates.Link{URL: listPath, Text: texts.Say("upstream-desk.title")},
		Name: u.Name, Disabled: u.Disabled, Edit: edit, TestURL: pathOf(u) + "/test", DeleteURL: pathOf(u) + "/delete",
		Facts: []templates.Fact{
			{Label: texts.Say("upstream-desk.redirect"), Text: texts.Own(p.RedirectURI(u.ID)), Code: true},
			{Label: texts.Say("upstream-desk.logout"), Text: texts.Own(p.logoutURI(u.ID)), Code: true},
		},
		Switch: templates.Button{ID: "disable", URL: pathOf(u) + "/disable", Text: texts.Say("parts.disable"), Grave: true},
	}
	if u.Disabled {
		view.Switch = templates.Button{ID: "enable", Action: pathOf(u) + "/enable", Text: texts.Say("parts.enable")}
	}
	for _, step := range steps {
		view.Steps = append(view.Steps, templates.StepRow{Name: step.name(),
			Detail: step.Said(), Failed: step.Err != nil})
	}
	return p.page.Web.Send(w, status, func(out io.Writer) error { return p.page.Pages.Upstream(out, view) })
}

func (s Step) name() texts.Text {
	switch s.Name {
	case "secret":
		return texts.Say("upstream-desk.step.secret")
	case "metadata":
		return texts.Say("upstream-desk.step.metadata")
	}
	return texts.Say("upstream-desk.step.keys")
}

func (p *Pages) adminEdit(w http.ResponseWriter, r *http.Request, v websession.Visit, u storage.Upstream) error {
	values, err := httpio.ReadForm(w, r)
	if err != nil {
		return err
	}
	if err = webpage.Meet(values, editForm(u)); err == nil {
		_, err = p.Set(r.Context(), v.Act, u.ID, values.Get("secret"), changeOf(values))
	}
	if err != nil {
		form := editForm(u).Refill(values)
		if !webpage.Mark(&form, err) {
			return err
		}
		return p.onePage(w, r, http.StatusUnprocessableEntity, u, form, nil)
	}
	return webpage.See(w, r, pathOf(u)+"?done=edited")
}

// adminTest shows what a sign-in needs of the upstream, step by step.
func (p *Pages) adminTest(w http.ResponseWriter, r *http.Request, _ websession.Visit, u storage.Upstream) error {
	steps, err := p.Test(r.Context(), u.ID)
	if err != nil {
		return err
	}
	return p.onePage(w, r, http.StatusOK, u, editForm(u), steps)
}

func (p *Pages) askAdmin(w http.ResponseWriter, r *http.Request, u storage.Upstream, view templates.ConfirmPage) error {
	view.Desk, view.CancelURL = adminDesk(r), pathOf(u)
	view.Back = templates.Link{URL: pathOf(u), Text: texts.Own(u.Name)}
	return p.page.Web.Send(w, http.StatusOK, func(out io.Writer) error { return p.page.Pages.Confirm(out, view) })
}

func (p *Pages) askDisable(w http.ResponseWriter, r *http.Request, _ websession.Visit, u storage.Upstream) error {
	return p.askAdmin(w, r, u, templates.ConfirmPage{Heading: texts.Say("parts.disable-named", "Name", u.Name),
		Stops:  []texts.Text{texts.Say("upstream-desk.disable-stops")},
		Submit: texts.Say("parts.disable"), Action: pathOf(u) + "/disable"})
}

func (p *Pages) adminDisable(w http.ResponseWriter, r *http.Request, v websession.Visit, u storage.Upstream) error {
	if err := p.Disable(r.Context(), v.Act, u.ID, true); err != nil {
		return err
	}
	return webpage.See(w, r, pathOf(u)+"?done=disabled")
}

func (p *Pages) adminEnable(w http.ResponseWriter, r *http.Request, v websession.Visit, u storage.Upstream) error {
	if err := p.Disable(r.Context(), v.Act, u.ID, false); err != nil {
		return err
	}
	return webpage.See(w, r, pathOf(u)+"?done=enabled")
}

func (p *Pages) askDelete(w http.ResponseWriter, r *http.Request, _ websession.Visit, u storage.Upstream) error {
	return p.askAdmin(w, r, u, templates.ConfirmPage{Heading: texts.Say("upstream-desk.delete-which", "Name", u.Name),
		Stops: []texts.Text{texts.Say("upstream-desk.disable-stops"),
			texts.Say("upstream-desk.delete-stops"), texts.Say("parts.undone")},
		Submit: texts.Say("upstream-desk.delete"), Action: pathOf(u) + "/delete"})
}

func (p *Pages) adminDelete(w http.ResponseWriter, r *http.Request, v websession.Visit, u storage.Upstream) error {
	if err := p.Delete(r.Context(), v.Act, u.ID); err != nil {
		return err
	}
	return webpage.See(w, r, listPath+"?done=deleted")
}
