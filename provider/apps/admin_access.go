package apps

import (
	"cmp"
	"io"
	"net/http"
	"slices"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/gate/websession"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/internal/webpage"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/templates"
	"github.com/portico-id/portico/templates/texts"
)

// accessRoutes are the pages on which administrators say who may use an app.
func (a *Admin) accessRoutes(app string) []httpio.Route {
	return []httpio.Route{
		httpio.At(app + "/access").Get(a.gate.Show(a.ofApp(a.showAccess))).Post(a.gate.Form(a.ofApp(a.setRestricted))),
		httpio.At(app + "/access/{kind}").Post(a.gate.Form(a.ofApp(a.allow))).On(app + "/access"),
		a.grave(app+"/access/{kind}/{memberId}/remove", a.askDisallow, a.disallow),
	}
}

// The variables of their paths.
const (
	kindVariable   = "kind"
	accessVariable = "memberId"
)

func accessPath(c storage.Client) string { return adminAppPath(c.ID) + "/access" }

// accessForms are the forms of the page.
type accessForms struct{ who, group, user templates.Form }

func newAccessForms(c storage.Client) accessForms {
	path := accessPath(c)
	chosen := map[bool]string{false: "everybody", true: "listed"}[c.Restricted]
	return accessForms{
		who: templates.Form{ID: "access-form", Action: path, Submit: texts.Say("parts.save"), Inputs: []templates.Input{{
			Kind: templates.InputChoice, Name: FieldRestricted, Label: texts.Say("app-admin.access.who"), Required: true,
			Options: options(chosen, []choice{
				{"everybody", texts.Say("app-admin.access.everybody"), texts.Say("app-admin.access.everybody-hint")},
				{"listed", texts.Say("app-admin.access.listed"), texts.Say("app-admin.access.listed-hint")},
			}),
		}}},
		group: nameForm(path+"/"+AccessGroups, FieldGroup, texts.Say("app-admin.access.group"),
			texts.Say("app-admin.access.group-hint")),
		user: nameForm(path+"/"+AccessUsers, FieldUser, texts.Say("app-admin.access.user"),
			texts.Say("app-admin.access.user-hint")),
	}
}

func nameForm(action, field string, label, hint texts.Text) templates.Form {
	return templates.Form{ID: "add-" + field, Action: action, Submit: texts.Say("parts.add"), Inputs: []templates.Input{{
		Kind: templates.InputText, Name: field, Label: label, Hint: hint, Required: true, Max: 320,
	}}}
}

// showAccess serves the page of who may use an app.
func (a *Admin) showAccess(w http.ResponseWriter, r *http.Request, v websession.Visit, c storage.Client) error {
	return a.accessPage(w, r, c, http.StatusOK, newAccessForms(c))
}

func (a *Admin) accessPage(w http.ResponseWriter, r *http.Request, c storage.Client, status int,
	forms accessForms) error {
	named, err := a.portal.apps.Access(r.Context(), c.ID)
	if err != nil {
		return err
	}
	view := templates.AppAccessPage{
		Desk: adminDesk(r), Back: templates.Link{URL: adminAppPath(c.ID), Text: texts.Own(c.Name)}, Name: c.Name,
		Restricted: c.Restricted, Who: forms.who, AddGroup: forms.group, AddUser: forms.user,
	}
	for _, who := range named {
		view.Named = append(view.Named, templates.AccessRow{Name: nameOf(who), Email: who.Email, Group: who.GroupID != "",
			RemoveURL: disallowPath(c, who)})
	}
	return a.portal.with.Web.Send(w, status, func(out io.Writer) error { return a.portal.with.Pages.AppAccess(out, view) })
}

func nameOf(who storage.ClientAccess) string {
	return cmp.Or(who.Name, who.Email)
}

func disallowPath(c storage.Client, who storage.ClientAccess) string {
	if who.GroupID != "" {
		return accessPath(c) + "/" + AccessGroups + "/" + who.GroupID + "/remove"
	}
	return accessPath(c) + "/" + AccessUsers + "/" + who.UserID + "/remove"
}

// setRestricted serves the form that says whether an app is for everybody.
func (a *Admin) setRestricted(w http.ResponseWriter, r *http.Request, v websession.Visit, c storage.Client) error {
	values, err := httpio.ReadForm(w, r)
	if err != nil {
		return err
	}
	chosen := values.Get(FieldRestricted)
	if chosen != "everybody" && chosen != "listed" {
		forms := newAccessForms(c)
		webpage.Mark(&forms.who, fault.New(fault.Invalid, ReasonField, "Choose who may use the app.").At(FieldRestricted))
		return a.accessPage(w, r, c, http.StatusUnprocessableEntity, forms)
	}
	if _, err := a.portal.apps.Update(r.Context(), v.Act, c.ID,
		Change{Restricted: new(chosen == "listed"), ByAdministrator: true}); err != nil {
		return err
	}
	return webpage.See(w, r, accessPath(c)+"?done=edited")
}

// allow serves the forms that name a group or a person for an app.
func (a *Admin) allow(w http.ResponseWriter, r *http.Request, v websession.Visit, c storage.Client) error {
	kind, err := httpio.PathID(r, kindVariable)
	if err != nil {
		return err
	}
	values, err := httpio.ReadForm(w, r)
	if err != nil {
		return err
	}
	forms := newAccessForms(c)
	form := &forms.group
	if kind == AccessUsers {
		form = &forms.user
	}
	input := &form.Inputs[0]
	input.Value = values.Get(input.Name)
	who, err := a.portal.apps.Named(r.Context(), kind, input.Value)
	if err == nil {
		err = a.portal.apps.Allow(r.Context(), v.Act, c.ID, who)
	}
	if err != nil {
		if !webpage.Mark(form, err) {
			return err
		}
		return a.accessPage(w, r, c, http.StatusUnprocessableEntity, forms)
	}
	return webpage.See(w, r, accessPath(c)+"?done=access-given#named")
}

// askDisallow serves the question before a group or a person may not use an app
// any more, and its answer.
func (a *Admin) askDisallow(w http.ResponseWriter, r *http.Request, v websession.Visit, c storage.Client) error {
	who, err := a.namedFor(r, c)
	if err != nil {
		return err
	}
	return a.ask(w, r, c, templates.ConfirmPage{
		Heading: texts.Say("app-admin.access.take-off", "Name", nameOf(who), "App", c.Name),
		Submit:  texts.Say("parts.remove"),
		Stops:   []texts.Text{texts.Say("app-admin.access.take-off-stops")}, Action: disallowPath(c, who),
	})
}

func (a *Admin) disallow(w http.ResponseWriter, r *http.Request, v websession.Visit, c storage.Client) error {
	who, err := a.namedFor(r, c)
	if err != nil {
		return err
	}
	if err := a.portal.apps.Disallow(r.Context(), v.Act, c.ID, who); err != nil {
		return err
	}
	return webpage.See(w, r, accessPath(c)+"?done=access-taken#named")
}

// namedFor returns whom the path names of those for whom the app is.
func (a *Admin) namedFor(r *http.Request, c storage.Client) (storage.ClientAccess, error) {
	id, err := httpio.PathID(r, accessVariable)
	if err != nil {
		return storage.ClientAccess{}, err
	}
	named, err := a.portal.apps.Access(r.Context(), c.ID)
	if err != nil {
		return storage.ClientAccess{}, err
	}
	i := slices.IndexFunc(named, func(who storage.ClientAccess) bool { return who.GroupID == id || who.UserID == id })
	if i < 0 {
		return storage.ClientAccess{}, notNamed(fault.New(fault.NotFound, "", ""))
	}
	return named[i], nil
}
