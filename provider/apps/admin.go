package apps

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/portico-id/portico/internal/gate/websession"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/internal/webpage"
	"github.com/portico-id/portico/provider/clientprofile"
	"github.com/portico-id/portico/provider/scope"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/templates"
	"github.com/portico-id/portico/templates/texts"
)

// Admin is the pages on which administrators see all apps, and give them what
// no developer can: the flags of decisions C5 and C6, and the scopes of the
// administration API.
type Admin struct {
	portal *Portal
	gate   *websession.Gate
	hubs   Hubs
}

// NewAdmin returns the pages, which share their parts with the portal.
func NewAdmin(portal *Portal, hubs Hubs) *Admin {
	return &Admin{portal: portal, gate: portal.gate.Administrators(), hubs: hubs}
}

const adminPath = "/admin/apps"

func adminAppPath(id string) string { return adminPath + "/" + id }

// Routes are the pages.
func (a *Admin) Routes() []httpio.Route {
	const app = adminPath + "/{clientId}"
	return append([]httpio.Route{
		httpio.At(adminPath).Get(a.gate.Show(a.list)),
		httpio.At(app).Get(a.gate.Show(a.ofApp(a.showApp))).Post(a.gate.Form(a.ofApp(a.setFlags))),
		httpio.At(app + "/hubs").Post(a.gate.Form(a.ofApp(a.provision))).On(app),
		a.grave(app+"/hubs/{hubId}/withdraw", a.askWithdraw, a.withdraw),
		httpio.At(app + "/members").Post(a.gate.Form(a.ofApp(a.addMember))).On(app),
		httpio.At(app + "/guides/{guide}").Get(a.gate.Show(a.ofApp(a.guide))),
		a.grave(app+"/disable", a.askDisable, a.setDisabled(true, "disabled")),
		httpio.At(app + "/enable").Post(a.gate.Form(a.ofApp(a.setDisabled(false, "enabled")))).On(app),
		a.grave(app+"/delete", a.askDelete, a.delete),
		httpio.At("/admin/hubs").Get(a.gate.Show(a.listHubs)),
	}, slices.Concat(a.accessRoutes(app), a.claimsRoutes(app), a.exchangeRoutes(app))...)
}

// ofApp is a handler for any app.
func (a *Admin) ofApp(page managed) websession.Page {
	return func(w http.ResponseWriter, r *http.Request, v websession.Visit) error {
		client, err := httpio.Named(r, appVariable, a.portal.apps.Find)
		if err != nil {
			return err
		}
		return page(w, r, v, client)
	}
}

func adminDesk(r *http.Request) templates.Desk {
	view := desk(r)
	view.Section = templates.SectionAllApps
	if key := r.URL.Query().Get("done"); view.Done.Empty() {
		view.Done = doneByAdministrator[key]
	}
	return view
}

// doneByAdministrator says what else a form did.
var doneByAdministrator = map[string]texts.Text{
	"provisioned": texts.Say("app-admin.done.provisioned"),
	"withdrawn":   texts.Say("app-admin.done.withdrawn"),
	"manages":     texts.Say("app-admin.done.manages"),
	"disabled":    texts.Say("app-admin.done.disabled"),
	"enabled":     texts.Say("app-admin.done.enabled"),

	"access-given": texts.Say("app-admin.done.access-given"),
	"access-taken": texts.Say("app-admin.done.access-taken"),
}

// list serves the page that finds apps.
func (a *Admin) list(w http.ResponseWriter, r *http.Request, v websession.Visit) error {
	list, err := webpage.ListOf(r)
	if err != nil {
		return err
	}
	filter := storage.ClientFilter{Query: strings.TrimSpace(list.Get("q")), Disabled: list.Only("disabled")}
	clients, err := a.portal.apps.List(r.Context(), filter,
		storage.PageRequest{After: list.After, Before: list.Before, Limit: webpage.Rows})
	if list.Strays(len(clients.Rows), err) {
		return list.Begin(w, r)
	}
	if err != nil {
		return err
	}
	view := templates.AllAppsPage{
		Desk: adminDesk(r), Total: clients.Total, Pager: list.Pager(clients.Previous, clients.Next),
		Search: list.Search(templates.Option{Value: "disabled", Label: texts.Say("app-admin.only.disabled")}),
	}
	provisioned, err := a.provisioned(r.Context(), clients.Rows)
	if err != nil {
		return err
	}
	owners, err := clientprofile.Owners(r.Context(), a.portal.apps.store, clients.Rows)
	if err != nil {
		return err
	}
	for _, c := range clients.Rows {
		owner, known := owners[c.OwnerUserID]
		view.Apps = append(view.Apps, templates.AppRow{
			URL: adminAppPath(c.ID), Name: c.Name, ID: c.ID, Type: typeWords[c.Type], Owner: ownerWords(c, owner, known),
			Disabled: c.Disabled, Public: c.Public(), Marks: append(marks(c), provisioned[c.ID]...), LastUsed: lastUsed(c),
		})
	}
	return a.portal.with.Web.Send(w, http.StatusOK,
		func(out io.Writer) error { return a.portal.with.Pages.AllApps(out, view) })
}

// ownerWords names an app's owner.
func ownerWords(c storage.Client, owner storage.User, known bool) texts.Text {
	switch {
	case known:
		return texts.Own(owner.Email)
	case c.OwnerUserID != "":
		return texts.Say("app-admin.former-member")
	}
	return texts.Say("app-admin.operator")
}

// provisioned returns the mark of those that are provisioned somewhere.
func (a *Admin) provisioned(ctx context.Context, clients []storage.Client) (map[string][]texts.Text, error) {
	ids := make([]string, len(clients))
	for i, c := range clients {
		ids[i] = c.ID
	}
	accesses, err := a.hubs.Of(ctx, ids)
	all := map[string][]texts.Text{}
	for _, access := range accesses {
		all[access.ClientID] = []texts.Text{texts.Say("apps.mark.provisioned")}
	}
	return all, err
}

// adminScopes are what only administrators give.
func adminScopes() []string {
	return slices.DeleteFunc(scope.All(), func(name string) bool { return !scope.NeedsAdministrator(name) })
}

func flagsForm(c storage.Client) templates.Form {
	input := templates.Input{Kind: templates.InputChoices, Name: FieldScopes, Label: texts.Say("app-admin.admin-scopes")}
	for _, name := range adminScopes() {
		input.Options = append(input.Options, templates.Option{
			Value: name, Label: texts.Own(name), Hint: templates.ScopeText(name), Chosen: slices.Contains(c.Scopes, name),
		})
	}
	return templates.Form{ID: "flags-form", Action: adminAppPath(c.ID), Submit: texts.Say("parts.save"), Edits: true,
		Inputs: []templates.Input{
			{Kind: templates.InputFlag, Name: FieldFirstParty, Label: texts.Say("app-admin.first-party"),
				Value: onOr(c.FirstParty), Hint: texts.Say("app-admin.first-party-hint")},
			{Kind: templates.InputFlag, Name: FieldVouched, Label: texts.Say("app-admin.vouched"), Value: onOr(c.Vouched),
				Hint: texts.Say("app-admin.vouched-hint", "Until", texts.Say("app.vouched-until"))},
			{Kind: templates.InputFlag, Name: FieldInternal, Label: texts.Say("app-admin.internal"), Value: onOr(c.Internal),
				Hint: texts.Say("app-admin.internal-hint")},
			{Kind: templates.InputFlag, Name: FieldFactor, Label: texts.Say("app-admin.factor"),
				Value: onOr(c.SecondFactor), Hint: texts.Say("app-admin.factor-hint")},
			input,
		}}
}

func onOr(flag bool) string {
	if flag {
		return "on"
	}
	return ""
}

// showApp serves the page of one app, and the form with what only administrators
// give.
func (a *Admin) showApp(w http.ResponseWriter, r *http.Request, v websession.Visit, c storage.Client) error {
	forms, err := a.forms(r.Context(), c, noHub())
	if err != nil {
		return err
	}
	return a.page(w, r, c, http.StatusOK, forms)
}

// noHub is the form of hubs as nobody has filled it.
func noHub() url.Values {
	return url.Values{FieldLevel: {"edit"}, FieldUsers: {string(storage.AppForNobody)}}
}

// adminForms are the forms on the page of an app.
type adminForms struct{ flags, hub, member templates.Form }

// forms returns them, that of hubs with what was chosen.
func (a *Admin) forms(ctx context.Context, c storage.Client, hub url.Values) (adminForms, error) {
	hubs, err := a.hubs.List(ctx)
	return adminForms{flagsForm(c), hubForm(c, hubs, a.hubs.Levels(), hub), addMemberForm(adminAppPath(c.ID), "")}, err
}

func (a *Admin) page(w http.ResponseWriter, r *http.Request, c storage.Client, status int, forms adminForms) error {
	owner, known, err := a.portal.apps.Owner(r.Context(), c)
	if err != nil {
		return err
	}
	facts := append([]templates.Fact{{Label: texts.Say("app-admin.owner"), Text: ownerWords(c, owner, known)}},
		a.portal.facts(c)...)
	facts = append(facts, templates.Fact{Label: texts.Say("parts.scopes"),
		Text: texts.Own(scope.Format(c.Scopes)), Code: true})
	button := templates.Button{ID: "disable", URL: adminAppPath(c.ID) + "/disable",
		Text: texts.Say("parts.disable"), Grave: true}
	if c.Disabled {
		button = templates.Button{ID: "enable", Action: adminAppPath(c.ID) + "/enable", Text: texts.Say("parts.enable")}
	}
	hash, err := a.portal.apps.store.FindClientLogo(r.Context(), c.ID)
	if err != nil {
		return err
	}
	accesses, err := a.hubs.Of(r.Context(), []string{c.ID})
	if err != nil {
		return err
	}
	members, err := a.portal.memberRows(r.Context(), c)
	if err != nil {
		return err
	}
	used, err := a.portal.with.Usage.Part(r, c.ID, adminAppPath(c.ID))
	if err != nil {
		return err
	}
	view := templates.AppAdminPage{
		Usage: used, LogoURL: templates.LogoPath(hash),
		Desk: adminDesk(r), Back: templates.Link{URL: adminPath, Text: texts.Say("desk.tab.apps")}, Name: c.Name,
		ID: c.ID, Type: typeWords[c.Type],
		Disabled: c.Disabled, Marks: marks(c), Facts: facts, Guides: guideLinks(c, adminAppPath(c.ID)), Form: forms.flags,
		Hubs: hubRows(c, accesses), HubForm: forms.hub,
		Members: members, AddMember: forms.member,
		Buttons: append([]templates.Button{button, {ID: "access", URL: adminAppPath(c.ID) + "/access",
			Text: texts.Say("app-admin.access.button")},
			{ID: "own-claims", URL: adminAppPath(c.ID) + "/claims", Text: texts.Say("app-admin.claims.button")}},
			exchangeButton(c)...),
		DeleteURL: adminAppPath(c.ID) + "/delete", AuditURL: "/admin/audit?" + url.Values{"subject": {c.ID}}.Encode(),
	}
	return a.portal.with.Web.Send(w, status, func(out io.Writer) error { return a.portal.with.Pages.AppAdmin(out, view) })
}

func (a *Admin) setFlags(w http.ResponseWriter, r *http.Request, v websession.Visit, c storage.Client) error {
	values, err := httpio.ReadForm(w, r)
	if err != nil {
		return err
	}
	err = webpage.Meet(values, flagsForm(c))
	scopes := slices.DeleteFunc(slices.Clone(c.Scopes), scope.NeedsAdministrator)
	scopes = append(scopes, webpage.Chosen(values, FieldScopes, adminScopes())...)
	if err == nil {
		_, err = a.portal.apps.Update(r.Context(), v.Act, c.ID, Change{
			FirstParty: new(values.Get(FieldFirstParty) == "on"), Internal: new(values.Get(FieldInternal) == "on"),
			Vouched: new(values.Get(FieldVouched) == "on"), Scopes: &scopes,
			SecondFactor:    new(values.Get(FieldFactor) == "on"),
			ByAdministrator: true,
		})
	}
	if err != nil {
		forms, failed := a.forms(r.Context(), c, noHub())
		if failed != nil {
			return failed
		}
		forms.flags = forms.flags.Refill(values)
		if !webpage.Mark(&forms.flags, err) {
			return err
		}
		return a.page(w, r, c, http.StatusUnprocessableEntity, forms)
	}
	return webpage.See(w, r, adminAppPath(c.ID)+"?done=edited")
}

// addMember serves the form that lets somebody manage an app: one whose owner is
// gone has nobody else to say so. It is audited, and shows on the app's page.
func (a *Admin) addMember(w http.ResponseWriter, r *http.Request, v websession.Visit, c storage.Client) error {
	values, err := httpio.ReadForm(w, r)
	if err != nil {
		return err
	}
	if err := a.portal.apps.AddMember(r.Context(), v.Act, c, values.Get(FieldMember)); err != nil {
		forms, failed := a.forms(r.Context(), c, noHub())
		if failed != nil {
			return failed
		}
		forms.member = addMemberForm(adminAppPath(c.ID), values.Get(FieldMember))
		if !webpage.Mark(&forms.member, err) {
			return err
		}
		return a.page(w, r, c, http.StatusUnprocessableEntity, forms)
	}
	return webpage.See(w, r, adminAppPath(c.ID)+"?done=manages#members")
}

// setDisabled serves the buttons that disable and enable an app.
func (a *Admin) setDisabled(disabled bool, key string) managed {
	return func(w http.ResponseWriter, r *http.Request, v websession.Visit, c storage.Client) error {
		if err := a.portal.apps.SetDisabled(r.Context(), v.Act, c.ID, disabled); err != nil {
			return err
		}
		return webpage.See(w, r, adminAppPath(c.ID)+"?done="+key)
	}
}

// askDisable serves the question before an app is disabled.
func (a *Admin) askDisable(w http.ResponseWriter, r *http.Request, v websession.Visit, c storage.Client) error {
	return a.ask(w, r, c, templates.ConfirmPage{
		Heading: texts.Say("parts.disable-named", "Name", c.Name), Submit: texts.Say("parts.disable"),
		Action: adminAppPath(c.ID) + "/disable",
		Stops:  []texts.Text{texts.Say("app-admin.disable-stops.tokens"), texts.Say("app-admin.disable-stops.again")},
	})
}

func (a *Admin) grave(template string, ask, act managed) httpio.Route {
	return a.gate.Grave(httpio.At(template), a.ofApp(ask), a.ofApp(act))
}

func (a *Admin) ask(w http.ResponseWriter, r *http.Request, c storage.Client, view templates.ConfirmPage) error {
	view.Desk, view.CancelURL = adminDesk(r), adminAppPath(c.ID)
	view.Back = templates.Link{URL: adminAppPath(c.ID), Text: texts.Own(c.Name)}
	return a.portal.with.Web.Send(w, http.StatusOK,
		func(out io.Writer) error { return a.portal.with.Pages.Confirm(out, view) })
}

// askDelete serves the question before an app is deleted.
func (a *Admin) askDelete(w http.ResponseWriter, r *http.Request, v websession.Visit, c storage.Client) error {
	return a.ask(w, r, c, templates.ConfirmPage{
		Heading: texts.Say("parts.delete-named", "Name", c.Name), Stops: deleteStops(c),
		Action: adminAppPath(c.ID) + "/delete", Submit: texts.Say("parts.delete-app"),
	})
}

func (a *Admin) delete(w http.ResponseWriter, r *http.Request, v websession.Visit, c storage.Client) error {
	if err := a.portal.apps.Delete(r.Context(), v.Act, c.ID); err != nil {
		return err
	}
	return webpage.See(w, r, adminPath+"?done=deleted")
}
