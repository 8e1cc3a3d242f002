package apps

import (
	"cmp"
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
	page := templates.AppsPage{Desk: desk(r), NewURL: newPath}
	if _, err := p.apps.MayRegister(r.Context(), v.UserID); fault.Is(err, fault.Forbidden) {
		page.NewURL = ""
	} else if err != nil {
		return err
	}
	if page.Invitations, err = p.ownInvitationRows(r.Context(), v); err != nil {
		return err
	}
	for _, c := range clients {
		page.Apps = append(page.Apps, templates.AppRow{
			URL: appPath(c.ID), Name: c.Name, ID: c.ID, Type: typeWords[c.Type], Disabled: c.Disabled,
			Marks: marks(c), Public: c.Public(), LastUsed: lastUsed(c),
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
	return p.showPage(w, r, client, http.StatusOK, inviteForm(appPath(client.ID), ""))
}

func (p *Portal) showPage(w http.ResponseWriter, r *http.Request, client storage.Client, status int,
	add templates.Form) error {
	page, err := p.appPage(r, client)
	if err != nil {
		return err
	}
	page.Desk, page.AddMember = desk(r), add
	return p.with.Web.Send(w, status, func(out io.Writer) error { return p.with.Pages.App(out, page) })
}

// appPage gathers what the page of an app shows.
func (p *Portal) appPage(r *http.Request, c storage.Client) (templates.AppPage, error) {
	ctx, path := r.Context(), appPath(c.ID)
	page := templates.AppPage{
		Back: templates.Link{URL: listPath, Text: texts.Say("parts.my-apps")}, Name: c.Name, ID: c.ID,
		Type:     typeWords[c.Type],
		Disabled: c.Disabled, Marks: marks(c), Facts: p.facts(c), Scopes: templates.ScopeLines(c.Scopes),
		EditURL: path + "/edit", DeleteURL: path + "/delete", TryURL: tryPath(c), Guides: guideLinks(c, path),
		HasSecrets: c.BySecret() || len(c.Secrets) > 0, Secrets: p.secretRows(c),
		LogoFormURL: path + "/logo", Logo: templates.Button{ID: "delete-logo", Action: path + "/logo/delete",
			Text: texts.Say("parts.remove")},
	}
	if c.BySecret() {
		page.NewSecretURL = secretsPath(c)
	}
	hash, err := p.apps.store.FindClientLogo(ctx, c.ID)
	if err != nil {
		return page, err
	}
	page.LogoURL = templates.LogoPath(hash)
	if page.Usage, err = p.with.Usage.Part(r, c.ID, path); err != nil {
		return page, err
	}
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
	if page.Invitations, err = p.invitationRows(ctx, c); err != nil {
		return page, err
	}
	if page.HasMachines = c.Type == storage.ClientService; page.HasMachines {
		page.Machines, err = p.with.Machines.PageSection(ctx, c, path)
	}
	return page, err
}

// facts are what the app is registered with, and where its requests go.
func (p *Portal) facts(c storage.Client) []templates.Fact {
	all := []templates.Fact{{Label: texts.Say("app.issuer"), Text: texts.Own(p.with.BaseURL), Code: true},
		{Label: texts.Say("parts.profile"), Text: profileWords[c.Profile]}}
	if c.Restricted {
		all = append(all, templates.Fact{Label: texts.Say("app.for-whom"), Text: texts.Say("app.for-whom-listed")})
	}
	if c.SecondFactor {
		all = append(all, templates.Fact{Label: texts.Say("app.factor"), Text: texts.Say("app.factor-demanded")})
	}
	if c.Vouched {
		all = append(all, templates.Fact{Label: texts.Say("apps.mark.vouched"), Text: texts.Say("app.vouched-until")})
	}
	for _, list := range []struct {
		label texts.Text
		uris  []string
	}{
		{texts.Say("apps.form.callbacks"), c.RedirectURIs}, {texts.Say("apps.form.post-logout"), c.PostLogoutRedirectURIs},
		{texts.Say("apps.form.origins"), c.Origins}, {texts.Say("app.backchannel"), webpage.Lines(c.BackchannelLogoutURI)},
		{texts.Say("app.logo-address"), webpage.Lines(c.LogoURI)},
		{texts.Say("apps.form.home"), webpage.Lines(c.HomeURI)},
		{texts.Say("apps.form.initiate"), webpage.Lines(c.InitiateLoginURI)},
		{texts.Say("apps.form.policy"), webpage.Lines(c.PolicyURI)},
		{texts.Say("apps.form.terms"), webpage.Lines(c.TermsURI)},
	} {
		if len(list.uris) > 0 {
			all = append(all, templates.Fact{Label: list.label, Lines: list.uris, Code: true})
		}
	}
	return all
}

func (p *Portal) secretRows(c storage.Client) []templates.SecretRow {
	now := p.with.Ambient.Now()
	var rows []templates.SecretRow
	for _, s := range c.Secrets {
		row := templates.SecretRow{ID: s.ID, Label: s.Label, Created: s.CreatedAt, LastUsed: s.LastUsedAt, Ends: s.EndsAt,
			Ended: !s.LiveAt(now)}
		if deletable(c, s.ID, now) {
			row.DeleteURL = secretsPath(c) + "/" + s.ID + "/delete"
		}
		rows = append(rows, row)
	}
	return rows
}

// profileWords and stateWords are what the words of the API are called.
var (
	profileWords = map[string]texts.Text{
		storage.ProfilePlatform: texts.Say("apps.form.profile-platform"),
		storage.ProfileStandard: texts.Say("apps.form.profile-standard"),
		storage.ProfileFAPI:     texts.Say("apps.form.profile-fapi"),

		storage.ProfileFAPISigned: texts.Say("apps.form.profile-signed"),
	}
	stateWords = map[string]texts.Text{
		storage.StateDelivered: texts.Say("app.state.delivered"),
		storage.StateWaiting:   texts.Say("app.state.waiting"),
		storage.StateFailed:    texts.Say("app.state.failed"),
	}
)

// failureWords say what was refused.
var failureWords = map[storage.FailureKind]texts.Text{
	storage.FailureRedirect: texts.Say("app.failure.redirect"),
	storage.FailureSecret:   texts.Say("app.failure.secret"),
	storage.FailureScope:    texts.Say("app.failure.scope"),
	storage.FailureOther:    texts.Say("app.failure.request"),
}

func (p *Portal) failureRows(ctx context.Context, c storage.Client) ([]templates.FailureRow, error) {
	failures, err := p.with.Failures.ListClientFailures(ctx, c.ID, p.with.Ambient.Now().Add(-storage.KeepClientFailures))
	var rows []templates.FailureRow
	for _, f := range failures[:min(len(failures), maxFailuresShown)] {
		rows = append(rows, templates.FailureRow{
			At: f.At, What: failureWords[f.Kind], Got: f.Got, Expected: f.Expected, Times: f.Times, RequestID: f.RequestID,
		})
	}
	return rows, err
}

func (p *Portal) logoutRows(ctx context.Context, c storage.Client) ([]templates.LogoutRow, error) {
	deliveries, _, err := p.apps.Logouts(ctx, c.ID, storage.PageRequest{Limit: maxFailuresShown})
	var rows []templates.LogoutRow
	for _, d := range deliveries {
		rows = append(rows, templates.LogoutRow{
			Ended: d.CreatedAt, State: stateWords[d.State()], Failed: d.State() == storage.StateFailed, Attempts: d.Attempts,
			Last: d.LastAt, Failure: outbound.Discreet(d.Failure, d.URI), Next: d.NextAt,
		})
	}
	return rows, err
}

// maxFailuresShown keeps the page light; the newest say what is wrong now.
const maxFailuresShown = 10

func (p *Portal) memberRows(ctx context.Context, c storage.Client) ([]templates.MemberRow, error) {
	var rows []templates.MemberRow
	managers, err := p.apps.Managers(ctx, c)
	for _, m := range managers {
		row := templates.MemberRow{Name: m.Name, Email: m.Email, Added: m.AddedAt}
		if !m.Owner {
			row.RemoveURL = memberPath(c, m.UserID)
		}
		rows = append(rows, row)
	}
	return rows, err
}

// addMemberForm is on the page of the app with the path.
func addMemberForm(path, typed string) templates.Form {
	return templates.Form{
		ID: "add-member", Action: path + "/members", Submit: texts.Say("parts.add"),
		Inputs: []templates.Input{{
			Kind: templates.InputText, Name: FieldMember, Label: texts.Say("app.member-add"), Value: typed,
			Required: true, Max: 320,
			Hint: texts.Say("app.member-hint"),
		}},
	}
}

// askRemoveMember serves the question before somebody stops managing the app.
func (p *Portal) askRemoveMember(w http.ResponseWriter, r *http.Request, v websession.Visit, c storage.Client) error {
	member, err := p.member(r, c)
	if err != nil {
		return err
	}
	return p.ask(w, r, c, templates.ConfirmPage{
		Heading: texts.Say("app.remove-member", "Name", cmp.Or(member.Name, member.Email), "App", c.Name),
		Submit:  texts.Say("parts.remove"),
		Stops:   []texts.Text{texts.Say("app.remove-member-stops")},
		Action:  memberPath(c, member.UserID),
	})
}

func (p *Portal) removeMember(w http.ResponseWriter, r *http.Request, v websession.Visit, c storage.Client) error {
	userID, err := httpio.PathID(r, memberVariable)
	if err != nil {
		return err
	}
	if err := p.apps.RemoveMember(r.Context(), v.Act, c.ID, userID); err != nil && !fault.Is(err, fault.NotFound) {
		return err
	}
	if userID == v.UserID {
		return webpage.See(w, r, listPath+"?done=left")
	}
	return webpage.See(w, r, appPath(c.ID)+"?done=member-removed#members")
}

func memberPath(c storage.Client, userID string) string {
	return appPath(c.ID) + "/members/" + userID + "/remove"
}

// member returns who manages the app beside its owner and is named by the path.
func (p *Portal) member(r *http.Request, c storage.Client) (storage.ClientMember, error) {
	userID, err := httpio.PathID(r, memberVariable)
	if err != nil {
		return storage.ClientMember{}, err
	}
	members, err := p.apps.Members(r.Context(), c.ID)
	for _, m := range members {
		if m.UserID == userID {
			return m, nil
		}
	}
	return storage.ClientMember{}, cmp.Or[error](err,
		fault.New(fault.NotFound, ReasonNoMember, "They are not among the people who manage this app."))
}

func (p *Portal) ask(w http.ResponseWriter, r *http.Request, c storage.Client, page templates.ConfirmPage) error {
	page.Desk, page.Back, page.CancelURL = desk(r), backToApp(c), appPath(c.ID)
	return p.with.Web.Send(w, http.StatusOK, func(out io.Writer) error { return p.with.Pages.Confirm(out, page) })
}

// askDelete serves the question before an app is deleted.
func (p *Portal) askDelete(w http.ResponseWriter, r *http.Request, v websession.Visit, c storage.Client) error {
	return p.ask(w, r, c, templates.ConfirmPage{
		Heading: texts.Say("parts.delete-named", "Name", c.Name), Stops: deleteStops(c), Action: appPath(c.ID) + "/delete",
		Submit: texts.Say("parts.delete-app"),
	})
}

func (p *Portal) delete(w http.ResponseWriter, r *http.Request, v websession.Visit, c storage.Client) error {
	if err := p.apps.Delete(r.Context(), v.Act, c.ID); err != nil {
		return err
	}
	return webpage.See(w, r, listPath+"?done=deleted")
}

// deleteStops says what ends with an app.
func deleteStops(c storage.Client) []texts.Text {
	stops := []texts.Text{texts.Say("app.delete-stops.tokens")}
	if c.Type != storage.ClientService {
		stops = append(stops, texts.Say("app.delete-stops.people"))
	}
	if !c.Public() {
		stops = append(stops, texts.Say("app.delete-stops.secrets"))
	}
	if c.Type == storage.ClientService {
		stops = append(stops, texts.Say("app.delete-stops.machines"))
	}
	return append(stops, texts.Say("parts.undone"))
}
