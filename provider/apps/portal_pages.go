package apps

import (
	"context"
	"io"
	"net/http"
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/gate/websession"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/internal/outbound"
	"github.com/portico-id/portico/internal/webpage"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/templates"
	"github.com/portico-id/portico/templates/texts"
)

// list serves the apps that the visitor manages.
func (p *Portal) list(w http.ResponseWriter, r *http.Request, v websession.Visit) error {
	clients, err := p.apps.ListManaged(r.Context(), v.UserID)
	if err != nil {
		return err
	}
	page := templates.AppsPage{Desk: desk(r, v), NewURL: newPath}
	for _, c := range clients {
		page.Apps = append(page.Apps, templates.AppRow{
			URL: appPath(c.ID), Name: c.Name, ID: c.ID, Type: texts.Own(typeWords[c.Type]), Disabled: c.Disabled,
			Marks: texts.Owns(marks(c)), Public: c.Public(), LastUsed: lastUsed(c),
		})
	}
	return p.with.Web.Send(w, http.StatusOK, func(out io.Writer) error { return p.with.Pages.Apps(out, page) })
}

func lastUsed(c storage.Client) (latest time.Time) {
	for _, s := range c.Secrets {
		if s.LastUsedAt.After(latest) {
			latest = s.LastUsedAt
		}
	}
	return latest
}

// show serves the page of one app.
func (p *Portal) show(w http.ResponseWriter, r *http.Request, v websession.Visit, client storage.Client) error {
	return p.showPage(w, r, v, client, http.StatusOK, addMemberForm(appPath(client.ID), ""))
}

func (p *Portal) showPage(w http.ResponseWriter, r *http.Request, v websession.Visit, client storage.Client, status int, add templates.Form) error {
	page, err := p.appPage(r.Context(), client)
	if err != nil {
		return err
	}
	page.Desk, page.AddMember = desk(r, v), add
	return p.with.Web.Send(w, status, func(out io.Writer) error { return p.with.Pages.App(out, page) })
}

// appPage gathers what the page of an app shows.
func (p *Portal) appPage(ctx context.Context, c storage.Client) (templates.AppPage, error) {
	path := appPath(c.ID)
	page := templates.AppPage{
		Back: templates.Link{URL: listPath, Text: texts.Own("My apps")}, Name: c.Name, ID: c.ID, Type: texts.Own(typeWords[c.Type]),
		Disabled: c.Disabled, Marks: texts.Owns(marks(c)), Facts: p.facts(c), Scopes: templates.ScopeLines(c.Scopes),
		EditURL: path + "/edit", DeleteURL: path + "/delete", TryURL: tryPath(c), Guides: guideLinks(c, path),
		HasSecrets: !c.Public(), Secrets: secretRows(c), SecretAction: secretsPath(c), SecretsFull: len(c.Secrets) >= storage.MaxClientSecrets,
		LogoFormURL: path + "/logo", Logo: templates.Button{ID: "delete-logo", Action: path + "/logo/delete", Text: texts.Own("Remove")},
	}
	hash, err := p.apps.store.FindClientLogo(ctx, c.ID)
	if err != nil {
		return page, err
	}
	page.LogoURL = templates.LogoPath(hash)
	if page.Failures, err = p.failureRows(ctx, c); err != nil {
		return page, err
	}
	if page.HasLogouts = c.BackchannelLogoutURI != ""; page.HasLogouts {
		if page.Logouts, err = p.logoutRows(ctx, c); err != nil {
			return page, err
		}
	}
	if page.Members, err = p.memberRows(ctx, c); err != nil {
		return page, err
	}
	if page.HasMachines = c.Type == storage.ClientService; page.HasMachines {
		page.Machines, err = p.with.Machines.PageSection(ctx, c, path)
	}
	return page, err
}

// facts are what the app is registered with, and where its requests go.
func (p *Portal) facts(c storage.Client) []templates.Fact {
	all := []templates.Fact{{Label: texts.Own("Issuer"), Text: texts.Own(p.with.BaseURL), Code: true}, {Label: texts.Own("Profile"), Text: texts.Own(c.Profile)}}
	for _, list := range []struct {
		label string
		uris  []string
	}{
		{"Callback URLs", c.RedirectURIs}, {"Post-logout URLs", c.PostLogoutRedirectURIs},
		{"Browser origins", c.Origins}, {"Back-channel logout", webpage.Lines(c.BackchannelLogoutURI)},
		{"Logo address", webpage.Lines(c.LogoURI)}, {"Privacy policy", webpage.Lines(c.PolicyURI)}, {"Terms of service", webpage.Lines(c.TermsURI)},
	} {
		if len(list.uris) > 0 {
			all = append(all, templates.Fact{Label: texts.Own(list.label), Lines: list.uris, Code: true})
		}
	}
	return all
}

func secretRows(c storage.Client) []templates.SecretRow {
	var rows []templates.SecretRow
	for _, s := range c.Secrets {
		row := templates.SecretRow{ID: s.ID, Created: s.CreatedAt, LastUsed: s.LastUsedAt}
		if len(c.Secrets) > 1 {
			row.DeleteURL = appPath(c.ID) + "/secrets/" + s.ID + "/delete"
		}
		rows = append(rows, row)
	}
	return rows
}

// failureWords say what was refused.
var failureWords = map[storage.FailureKind]string{
	storage.FailureRedirect: "The callback URL is not registered",
	storage.FailureSecret:   "The app could not prove itself",
	storage.FailureScope:    "A scope the app is not registered for",
	storage.FailureOther:    "The request was refused",
}

func (p *Portal) failureRows(ctx context.Context, c storage.Client) ([]templates.FailureRow, error) {
	failures, err := p.with.Failures.ListClientFailures(ctx, c.ID, p.with.Ambient.Now().Add(-storage.KeepClientFailures))
	var rows []templates.FailureRow
	for _, f := range failures[:min(len(failures), maxFailuresShown)] {
		rows = append(rows, templates.FailureRow{
			At: f.At, What: texts.Own(failureWords[f.Kind]), Got: f.Got, Expected: f.Expected, Times: f.Times, RequestID: f.RequestID,
		})
	}
	return rows, err
}

func (p *Portal) logoutRows(ctx context.Context, c storage.Client) ([]templates.LogoutRow, error) {
	deliveries, _, err := p.apps.Logouts(ctx, c.ID, storage.PageRequest{Limit: maxFailuresShown})
	var rows []templates.LogoutRow
	for _, d := range deliveries {
		rows = append(rows, templates.LogoutRow{
			Ended: d.CreatedAt, State: texts.Own(d.State()), Failed: d.State() == storage.StateFailed, Attempts: d.Attempts,
			Last: d.LastAt, Failure: outbound.Discreet(d.Failure, d.URI), Next: d.NextAt,
		})
	}
	return rows, err
}

// maxFailuresShown keeps the page light; the newest say what is wrong now.
const maxFailuresShown = 10

func (p *Portal) memberRows(ctx context.Context, c storage.Client) ([]templates.MemberRow, error) {
	owner, known, err := p.apps.Owner(ctx, c)
	if err != nil {
		return nil, err
	}
	var rows []templates.MemberRow
	if known {
		rows = append(rows, templates.MemberRow{Name: owner.Profile.Name, Email: owner.Email})
	}
	members, err := p.apps.Members(ctx, c.ID)
	for _, m := range members {
		rows = append(rows, templates.MemberRow{
			Name: m.Name, Email: m.Email, Added: m.AddedAt, RemoveAction: appPath(c.ID) + "/members/" + m.UserID + "/remove",
		})
	}
	return rows, err
}

// addMemberForm is on the page of the app with the path.
func addMemberForm(path, typed string) templates.Form {
	return templates.Form{
		ID: "add-member", Action: path + "/members", Submit: texts.Own("Add"),
		Inputs: []templates.Input{{
			Kind: templates.InputText, Name: FieldMember, Label: texts.Own("Add somebody"), Value: typed, Required: true, Max: 320,
			Hint: texts.Own("Their e-mail address or user name. They can do all that its owner can, delete the app too."),
		}},
	}
}

// addMember serves the form that lets somebody else manage the app.
func (p *Portal) addMember(w http.ResponseWriter, r *http.Request, v websession.Visit, client storage.Client) error {
	values, err := httpio.ReadForm(w, r)
	if err != nil {
		return err
	}
	if err := p.apps.AddMember(r.Context(), v.Act, client, values.Get(FieldMember)); err != nil {
		form := addMemberForm(appPath(client.ID), values.Get(FieldMember))
		if !webpage.Mark(&form, err) {
			return err
		}
		return p.showPage(w, r, v, client, http.StatusUnprocessableEntity, form)
	}
	return webpage.See(w, r, appPath(client.ID)+"?done=member-added#members")
}

// removeMember serves the button that ends it.
func (p *Portal) removeMember(w http.ResponseWriter, r *http.Request, v websession.Visit, client storage.Client) error {
	userID, err := httpio.PathID(r, memberVariable)
	if err != nil {
		return err
	}
	if err := p.apps.RemoveMember(r.Context(), v.Act, client.ID, userID); err != nil && !fault.Is(err, fault.NotFound) {
		return err
	}
	if userID == v.UserID {
		return webpage.See(w, r, listPath)
	}
	return webpage.See(w, r, appPath(client.ID)+"?done=member-removed#members")
}

// askDelete serves the question before an app is deleted, and its answer.
func (p *Portal) askDelete(w http.ResponseWriter, r *http.Request, v websession.Visit, c storage.Client) error {
	page := templates.ConfirmPage{
		Desk: desk(r, v), Back: backToApp(c), Heading: texts.Own("Delete " + c.Name + "?"), Stops: texts.Owns(deleteStops(c)),
		Action: appPath(c.ID) + "/delete", Submit: texts.Own("Delete this app"), CancelURL: appPath(c.ID),
	}
	return p.with.Web.Send(w, http.StatusOK, func(out io.Writer) error { return p.with.Pages.Confirm(out, page) })
}

func (p *Portal) delete(w http.ResponseWriter, r *http.Request, v websession.Visit, c storage.Client) error {
	if err := p.apps.Delete(r.Context(), v.Act, c.ID); err != nil {
		return err
	}
	return webpage.See(w, r, listPath+"?done=deleted")
}

// deleteStops says what ends with an app.
func deleteStops(c storage.Client) []string {
	stops := []string{"Every token of the app stops working within a second, and its client ID is never given again."}
	if c.Type != storage.ClientService {
		stops = append(stops, "People can’t sign in with it any more, and what they allowed it is forgotten.")
	}
	if !c.Public() {
		stops = append(stops, "Its secrets stop working.")
	}
	if c.Type == storage.ClientService {
		stops = append(stops, "Its service accounts and their keys are deleted with it.")
	}
	return append(stops, "This can’t be undone.")
}
