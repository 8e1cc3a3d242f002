package templates_test

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"github.com/portico-id/portico/templates"
	"github.com/portico-id/portico/templates/texts"
)

// deskPage is an empty page of a signed-in person and the method that writes it.
type deskPage struct {
	page  any
	write func(io.Writer) error
}

// deskPages returns each page, with what has to be true for all of it to show.
func deskPages(p *templates.Pages) map[string]deskPage {
	app := &templates.AppPage{HasSecrets: true, HasMachines: true, Machines: templates.Machines{Room: true}}
	apps, form, confirm, reveal := &templates.AppsPage{}, &templates.FormPage{}, &templates.ConfirmPage{},
		&templates.RevealPage{}
	guide, try := &templates.GuidePage{}, &templates.TryPage{}
	users, user, groups, group := &templates.UsersPage{}, &templates.UserPage{},
		&templates.GroupsPage{}, &templates.GroupPage{}
	security, authenticator, passkey := &templates.SecurityPage{}, &templates.AuthenticatorPage{}, &templates.PasskeyPage{}
	event, connected, identities := &templates.EventPage{}, &templates.ConnectedPage{}, &templates.IdentitiesPage{}
	audit, all, admin, card := &templates.AuditPage{}, &templates.AllAppsPage{},
		&templates.AppAdminPage{}, &templates.CardPage{}
	access, claims := &templates.AppAccessPage{}, &templates.AppClaimsPage{}
	mails, keys, limits, system := &templates.MailsPage{}, &templates.KeysPage{}, &templates.LimitsPage{On: true},
		&templates.SystemPage{}
	upstreams, upstream := &templates.UpstreamsPage{}, &templates.UpstreamPage{}
	connections, connection := &templates.ConnectionsPage{}, &templates.ConnectionPage{}
	resources, resource := &templates.ResourcesPage{}, &templates.ResourcePage{}
	registrations, assistants := &templates.RegistrationsPage{}, &templates.AssistantsPage{Address: "https://x"}
	places, folder, file := &templates.PlacesPage{}, &templates.FolderPage{}, &templates.FilePage{}
	pick, hidden, upload := &templates.PickPage{}, &templates.HiddenPage{}, &templates.UploadPage{}
	listing := &templates.ListingPage{}
	version, compare, found := &templates.VersionPage{}, &templates.ComparePage{}, &templates.FoundPage{}
	activity, transmittal := &templates.ActivityPage{}, &templates.TransmittalPage{}
	directories, directory := &templates.DirectoriesPage{}, &templates.DirectoryPage{}
	return map[string]deskPage{
		"upstreams":     {upstreams, func(w io.Writer) error { return p.Upstreams(w, *upstreams) }},
		"upstream":      {upstream, func(w io.Writer) error { return p.Upstream(w, *upstream) }},
		"connections":   {connections, func(w io.Writer) error { return p.Connections(w, *connections) }},
		"directories":   {directories, func(w io.Writer) error { return p.Directories(w, *directories) }},
		"directory":     {directory, func(w io.Writer) error { return p.Directory(w, *directory) }},
		"places":        {places, func(w io.Writer) error { return p.Places(w, *places) }},
		"folder":        {folder, func(w io.Writer) error { return p.Folder(w, *folder) }},
		"file":          {file, func(w io.Writer) error { return p.File(w, *file) }},
		"pick":          {pick, func(w io.Writer) error { return p.Pick(w, *pick) }},
		"hidden":        {hidden, func(w io.Writer) error { return p.Hidden(w, *hidden) }},
		"upload":        {upload, func(w io.Writer) error { return p.Upload(w, *upload) }},
		"version":       {version, func(w io.Writer) error { return p.Version(w, *version) }},
		"compare":       {compare, func(w io.Writer) error { return p.Compare(w, *compare) }},
		"found":         {found, func(w io.Writer) error { return p.Found(w, *found) }},
		"activity":      {activity, func(w io.Writer) error { return p.Activity(w, *activity) }},
		"transmittal":   {transmittal, func(w io.Writer) error { return p.Transmittal(w, *transmittal) }},
		"listing":       {listing, func(w io.Writer) error { return p.Listing(w, *listing) }},
		"resources":     {resources, func(w io.Writer) error { return p.Resources(w, *resources) }},
		"registrations": {registrations, func(w io.Writer) error { return p.Registrations(w, *registrations) }},
		"assistants":    {assistants, func(w io.Writer) error { return p.Assistants(w, *assistants) }},
		"resource":      {resource, func(w io.Writer) error { return p.Resource(w, *resource) }},
		"connection":    {connection, func(w io.Writer) error { return p.Connection(w, *connection) }},
		"users":         {users, func(w io.Writer) error { return p.Users(w, *users) }},
		"user":          {user, func(w io.Writer) error { return p.User(w, *user) }},
		"groups":        {groups, func(w io.Writer) error { return p.Groups(w, *groups) }},
		"group":         {group, func(w io.Writer) error { return p.Group(w, *group) }},
		"audit":         {audit, func(w io.Writer) error { return p.Audit(w, *audit) }},
		"event":         {event, func(w io.Writer) error { return p.Event(w, *event) }},
		"all-apps":      {all, func(w io.Writer) error { return p.AllApps(w, *all) }},
		"app-admin":     {admin, func(w io.Writer) error { return p.AppAdmin(w, *admin) }},
		"app-access":    {access, func(w io.Writer) error { return p.AppAccess(w, *access) }},
		"app-claims":    {claims, func(w io.Writer) error { return p.AppClaims(w, *claims) }},
		"card":          {card, func(w io.Writer) error { return p.Card(w, *card) }},
		"mails":         {mails, func(w io.Writer) error { return p.Mails(w, *mails) }},
		"keys":          {keys, func(w io.Writer) error { return p.Keys(w, *keys) }},
		"limits":        {limits, func(w io.Writer) error { return p.Limits(w, *limits) }},
		"system":        {system, func(w io.Writer) error { return p.System(w, *system) }},
		"apps":          {apps, func(w io.Writer) error { return p.Apps(w, *apps) }},
		"app":           {app, func(w io.Writer) error { return p.App(w, *app) }},
		"form":          {form, func(w io.Writer) error { return p.Form(w, *form) }},
		"confirm":       {confirm, func(w io.Writer) error { return p.Confirm(w, *confirm) }},
		"reveal":        {reveal, func(w io.Writer) error { return p.Reveal(w, *reveal) }},
		"guide":         {guide, func(w io.Writer) error { return p.Guide(w, *guide) }},
		"security":      {security, func(w io.Writer) error { return p.Security(w, *security) }},
		"authenticator": {authenticator, func(w io.Writer) error { return p.Authenticator(w, *authenticator) }},
		"passkey":       {passkey, func(w io.Writer) error { return p.Passkey(w, *passkey) }},
		"connected":     {connected, func(w io.Writer) error { return p.Connected(w, *connected) }},
		"identities":    {identities, func(w io.Writer) error { return p.Identities(w, *identities) }},
		"try":           {try, func(w io.Writer) error { return p.Try(w, *try) }},
	}
}

var noon = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)

func desk(f templates.Frame) templates.Desk {
	return templates.Desk{Frame: f, Account: "dev@example.test", Section: templates.SectionApps}
}

func appForm(problems ...templates.Problem) templates.Form {
	form := templates.Form{ID: "app-form", Action: "/apps/new", Submit: texts.Own("Register"), Problems: problems,
		Inputs: []templates.Input{
			{Kind: templates.InputText, Name: "name", Label: texts.Own("Name"), Hint: texts.Own("As people read it."),
				Value: "Site Planner", Required: true, Max: 100},
			{Kind: templates.InputChoice, Name: "type", Label: texts.Own("Type"), Required: true, Options: []templates.Option{
				{Value: "web", Label: texts.Own("Web app"), Hint: texts.Own("A site with a server of its own."), Chosen: true},
				{Value: "spa", Label: texts.Own("Single-page app")},
			}},
			{Kind: templates.InputLines, Name: "redirect_uris", Label: texts.Own("Callback URLs"),
				Hint: texts.Own("One a line."), Value: "http://planner.example.test/cb"},
			{Kind: templates.InputChoices, Name: "scopes", Label: texts.Own("Scopes"),
				Options: []templates.Option{{Value: "openid", Label: texts.Own("openid"), Chosen: true}}},
			{Kind: templates.InputFlag, Name: "require_pkce", Label: texts.Own("Refuse sign-ins without PKCE"), Value: "on"},
		}}
	for _, p := range problems {
		for i := range form.Inputs {
			if form.Inputs[i].Name == p.Field {
				form.Inputs[i].Problems = append(form.Inputs[i].Problems, p.Text)
			}
		}
	}
	return form
}

func deskSamples() []sample {
	return []sample{
		{"apps-empty", func(p *templates.Pages, w io.Writer, f templates.Frame) error {
			return p.Apps(w, templates.AppsPage{Desk: desk(f), NewURL: "/apps/new"})
		}},
		{"apps", func(p *templates.Pages, w io.Writer, f templates.Frame) error {
			page := templates.AppsPage{Desk: desk(f), NewURL: "/apps/new", Invitations: []templates.InvitationRow{
				{ID: "i1", App: "Tower", By: "Demo Person", Until: noon, AcceptAction: "/apps/invitations/i1/accept",
					DeclineAction: "/apps/invitations/i1/decline"}}, Apps: []templates.AppRow{
				{URL: "/apps/c1", Name: "Site Planner", ID: "c1", Type: texts.Own("Web app"), LastUsed: noon,
					Marks: []texts.Text{texts.Own("first-party")}},
				{URL: "/apps/c2", Name: "Viewer", ID: "c2", Type: texts.Own("Single-page app"), Disabled: true, Public: true},
			}}
			page.Admin, page.Done = true, texts.Own("The app is deleted.")
			return p.Apps(w, page)
		}},
		{"openable", func(p *templates.Pages, w io.Writer, f templates.Frame) error {
			return p.Openable(w, templates.OpenablePage{Desk: desk(f),
				Back: templates.Link{URL: "/", Text: texts.Own("Demo User")}, Search: templates.Search{Query: "plan"},
				Apps: []templates.Openable{{Name: "Site Planner", URL: "https://app.example.test/start?iss=x"}}})
		}},
		{"connected-none", func(p *templates.Pages, w io.Writer, f templates.Frame) error {
			return p.Connected(w, templates.ConnectedPage{Desk: desk(f),
				Back: templates.Link{URL: "/", Text: texts.Own("Your account")}})
		}},
		{"connected", func(p *templates.Pages, w io.Writer, f templates.Frame) error {
			page := templates.ConnectedPage{Desk: desk(f), Back: templates.Link{URL: "/", Text: texts.Own("Demo User")},
				EndAction: "/account/apps",
				Apps: []templates.ConnectedRow{
					{Name: "Site Planner", Owner: "Example Builders",
						Scopes: templates.ScopeLines([]string{"data:read", "email", "openid"}), Since: noon, LastSeen: noon,
						EndsAt: noon, WithdrawURL: "/account/apps/c1/withdraw", ID: "c1", Devices: []templates.DeviceRow{
							{ID: "g1", Address: "192.0.2.7", Since: noon, LastSeen: noon}}},
					{Name: "Viewer", Disabled: true, Since: noon, WithdrawURL: "/account/apps/c2/withdraw"},
				}}
			page.Section, page.Done = "", texts.Own("The app can’t act for you any more.")
			return p.Connected(w, page)
		}},
		{"identities-none", func(p *templates.Pages, w io.Writer, f templates.Frame) error {
			return p.Identities(w, templates.IdentitiesPage{Desk: desk(f),
				Back: templates.Link{URL: "/", Text: texts.Own("Your account")}})
		}},
		{"identities", func(p *templates.Pages, w io.Writer, f templates.Frame) error {
			return p.Identities(w, templates.IdentitiesPage{Desk: desk(f),
				Back: templates.Link{URL: "/", Text: texts.Own("Your account")}, Rows: []templates.IdentityRow{
					{Name: "Works", Account: "one@works.example", Since: noon, LastAt: noon,
						DisconnectURL: "/account/identities/disconnect/works"},
					{Name: "GitHub", ConnectURL: "/account/identities/connect/github"},
				}})
		}},
		{"security", func(p *templates.Pages, w io.Writer, f templates.Frame) error {
			return p.Security(w, templates.SecurityPage{Desk: desk(f),
				Back: templates.Link{URL: "/", Text: texts.Own("Your account")}, Since: noon, Codes: 9,
				CodesURL: "/account/security/codes", RemoveURL: "/account/security/remove",
				PasskeyURL: "/account/security/passkey", Passkeys: []templates.PasskeyRow{
					{ID: "p1", Label: "Phone", Created: noon, LastUsed: noon, RemoveURL: "/account/security/passkey/p1"},
					{ID: "p2", Label: "Key ring", Created: noon, RemoveURL: "/account/security/passkey/p2"},
				},
			})
		}},
		{"security-none", func(p *templates.Pages, w io.Writer, f templates.Frame) error {
			return p.Security(w, templates.SecurityPage{Desk: desk(f), AddURL: "/account/security/authenticator"})
		}},
		{"passkey", func(p *templates.Pages, w io.Writer, f templates.Frame) error {
			page := templates.PasskeyPage{Desk: desk(f), Ask: ask(), Form: templates.Form{
				ID: "passkey-form", Action: "/account/security/passkey", Submit: texts.Say("security.passkey-add"),
				Inputs: []templates.Input{{Kind: templates.InputText, Name: "label",
					Label: texts.Say("security.passkey-label"), Required: true}},
			}}
			page.Ask.UserID, page.Ask.Account, page.Ask.Name, page.Ask.Algorithms = "VVNFUg", "user@example.test",
				"Demo User", []int{-7, -8}
			return p.Passkey(w, page)
		}},
		{"authenticator", func(p *templates.Pages, w io.Writer, f templates.Frame) error {
			return p.Authenticator(w, templates.AuthenticatorPage{
				Desk: desk(f), QR: templates.QR{Size: 29, Path: "M4 4h1v1h-1z"}, Secret: "ABCDEFGH", Form: templates.Form{
					ID: "authenticator-form", Action: "/account/security/authenticator", Submit: texts.Say("security.add"),
					Inputs: []templates.Input{{Kind: templates.InputText, Name: "code",
						Label: texts.Say("security.code"), Required: true}},
				},
			})
		}},
		{"app-form", func(p *templates.Pages, w io.Writer, f templates.Frame) error {
			return p.Form(w, templates.FormPage{Desk: desk(f),
				Back: templates.Link{URL: "/apps", Text: texts.Own("Apps I develop")}, Heading: texts.Own("Register an app"),
				Lead: texts.Own("Four questions."), Form: appForm()})
		}},
		{"app-form-error", func(p *templates.Pages, w io.Writer, f templates.Frame) error {
			return p.Form(w, templates.FormPage{Desk: desk(f), Heading: texts.Own("Register an app"), Form: appForm(
				templates.Problem{Text: texts.Own("Plain http is only for this machine."), Field: "redirect_uris"},
				templates.Problem{Text: texts.Own("Choose a type."), Field: "type"},
				templates.Problem{Text: texts.Own("Something else.")},
			)})
		}},
		{"logo-form", func(p *templates.Pages, w io.Writer, f templates.Frame) error {
			return p.Form(w, templates.FormPage{Desk: desk(f), Heading: texts.Own("Logo of Site Planner"), Form: templates.Form{
				ID: "logo-form", Action: "/apps/c1/logo", Submit: texts.Own("Use this picture"),
				Inputs: []templates.Input{{Kind: templates.InputFile, Name: "logo", Label: texts.Own("Picture"), Required: true,
					Accept: "image/png,image/jpeg", Hint: texts.Own("PNG or JPEG.")}},
			}})
		}},
		{"app", appSample},
		{"confirm", func(p *templates.Pages, w io.Writer, f templates.Frame) error {
			return p.Confirm(w, templates.ConfirmPage{
				Desk: desk(f), Back: templates.Link{URL: "/apps/c1", Text: texts.Own("Site Planner")},
				Heading: texts.Own("Delete Site Planner?"),
				Stops:   []texts.Text{texts.Own("Every token of the app stops working within a second.")},
				Action:  "/apps/c1/delete", Submit: texts.Own("Delete this app"), CancelURL: "/apps/c1",
			})
		}},
		{"reveal", func(p *templates.Pages, w io.Writer, f templates.Frame) error {
			return p.Reveal(w, templates.RevealPage{
				Desk: desk(f), Heading: texts.Own("A new key"), Lead: texts.Own("Copy it now."),
				Next: templates.Link{URL: "/apps/c1", Text: texts.Own("I have copied it")},
				Items: []templates.Revealed{
					{ID: "client-secret", Label: texts.Own("Client secret"), Value: "not-a-real-secret"},
					{ID: "private-key", Label: texts.Own("Private key"), Value: "-----BEGIN\nx\n", Lines: true, FileName: "k1.pem"},
				},
			})
		}},
		{"guide", func(p *templates.Pages, w io.Writer, f templates.Frame) error {
			return p.Guide(w, templates.GuidePage{
				Desk: desk(f), Back: templates.Link{URL: "/apps/c1", Text: texts.Own("Site Planner")},
				Heading: texts.Own("Grafana"), Lead: texts.Own("Grafana signs people in."),
				Guides: []templates.Link{{URL: "/apps/c1/guides/curl", Text: texts.Own("curl")},
					{URL: "/apps/c1/guides/grafana", Text: texts.Own("Grafana")}},
				Here: "/apps/c1/guides/grafana", Missing: []texts.Text{texts.Own("Choose the profile Standard.")},
				Blocks: []templates.GuideBlock{{ID: "grafana-1", Where: texts.Own("grafana.ini"),
					Text: "[auth.generic_oauth]\nenabled = true"}},
			})
		}},
		{"try", func(p *templates.Pages, w io.Writer, f templates.Frame) error {
			return p.Try(w, templates.TryPage{Desk: desk(f), AppName: "Site Planner",
				Form: templates.Form{ID: "try-form", Action: "/apps/c1/try", Submit: texts.Own("Sign in as the app would")}})
		}},
		{"try-key", func(p *templates.Pages, w io.Writer, f templates.Frame) error {
			return p.Try(w, templates.TryPage{Desk: desk(f), AppName: "Site Planner",
				Form: templates.Form{ID: "try-form", Action: "/apps/c1/try", Submit: texts.Own("Sign in as the app would")},
				Key: &templates.TryKey{ClientID: "c1", Issuer: "https://id.example.test", Signed: true, State: "s",
					RedirectURI: "https://id.example.test/apps/try/callback?ticket=t",
					Results:     []templates.TryResult{{ID: "id_token", Label: texts.Own("ID token")}}}})
		}},
		{"try-back", func(p *templates.Pages, w io.Writer, f templates.Frame) error {
			return p.Try(w, templates.TryPage{Desk: desk(f), AppName: "Site Planner", HandsOver: "s"})
		}},
		{"try-tokens", func(p *templates.Pages, w io.Writer, f templates.Frame) error {
			return p.Try(w, templates.TryPage{Desk: desk(f), AppName: "Site Planner", Results: []templates.TryResult{
				{ID: "id_token", Label: texts.Own("ID token"), JSON: "{\n  \"sub\": \"U1\"\n}",
					Facts: []templates.Fact{{Label: texts.Own("Issued"), Text: texts.Own("now")}}},
			}})
		}},
		{"try-refused", func(p *templates.Pages, w io.Writer, f templates.Frame) error {
			return p.Try(w, templates.TryPage{Desk: desk(f), AppName: "Site Planner", Error: "access_denied",
				Detail: texts.Own("The person did not allow it.")})
		}},
	}
}

func usageSample() templates.Usage {
	return templates.Usage{
		Periods: []templates.UsagePeriod{{URL: "?period=day#usage", Text: texts.Say("usage.period.day")},
			{URL: "?period=month#usage", Text: texts.Say("usage.period.month"), Shown: true}},
		Charts: []templates.Chart{{ID: "sign-ins", Title: texts.Say("usage.sign-ins"), Width: 20, Height: 100,
			Says: texts.Say("usage.sum.day", "All", 1234, "Most", 1200), Path: "M0 100v-2h8v2zM10 100v-100h8v100z",
			From: texts.Value(texts.Day(noon)), To: texts.Value(texts.Day(noon.AddDate(0, 0, 1)))}},
		Lines: []templates.UsageLine{{Began: texts.Value(noon), SignIns: 34, People: 5, Tokens: 6, Refused: 7, Failed: 8}},
	}
}

func appSample(p *templates.Pages, w io.Writer, f templates.Frame) error {
	return p.App(w, templates.AppPage{
		Desk: desk(f), Back: templates.Link{URL: "/apps", Text: texts.Own("Apps I develop")}, Name: "Night Job", ID: "c1",
		Type: texts.Own("Server-to-server app"), Marks: []texts.Text{texts.Own("internal")},
		Facts: []templates.Fact{{Label: texts.Own("Issuer"), Text: texts.Own("https://id.example.test"), Code: true},
			{Label: texts.Own("Callback URLs"), Lines: []string{"https://a.example.test/cb"}, Code: true}},
		Scopes: templates.ScopeLines([]string{"data:read"}), LogoURL: templates.LogoPath("0a1b"),
		LogoFormURL: "/apps/c1/logo", Logo: templates.Button{ID: "delete-logo", Action: "/apps/c1/logo/delete",
			Text: texts.Own("Remove")}, EditURL: "/apps/c1/edit", DeleteURL: "/apps/c1/delete", TryURL: "/apps/c1/try",
		Guides: []templates.Link{{URL: "/apps/c1/guides/curl", Text: texts.Own("curl")}}, HasSecrets: true,
		NewSecretURL: "/apps/c1/secrets",
		Secrets: []templates.SecretRow{{ID: "s2", Label: "Second server", Created: noon, LastUsed: noon, Ends: noon,
			DeleteURL: "/apps/c1/secrets/s2/delete"}, {ID: "s1", Created: noon, Ends: noon, Ended: true},
			{ID: "s0", Created: noon}},
		Failures: []templates.FailureRow{{At: noon, What: texts.Own("The callback URL is not registered"),
			Got: "https://a.example.test/x", Expected: "https://a.example.test/cb", Times: 3, RequestID: "r1"}},
		HasLogouts: true, Logouts: []templates.LogoutRow{
			{Ended: noon, State: texts.Own("failed"), Failed: true, Attempts: 1, Last: noon,
				Failure: "The URL leads to 10.0.0.1, which this server does not call."},
			{Ended: noon, State: texts.Own("waiting"), Attempts: 2, Last: noon, Failure: "No answer came.", Next: noon},
			{Ended: noon, State: texts.Own("waiting")},
		},
		Members: []templates.MemberRow{
			{Name: "Demo Person", Email: "dev@example.test"},
			{Email: "other@example.test", Added: noon, RemoveURL: "/apps/c1/members/U2/remove"},
		},
		Invitations: []templates.InvitationRow{{ID: "i1", Invitee: "third@example.test", Until: noon,
			WithdrawAction: "/apps/c1/invitations/i1/delete"}},
		AddMember: templates.Form{ID: "add-member", Action: "/apps/c1/members", Submit: texts.Own("Add"),
			Inputs: []templates.Input{{Kind: templates.InputText, Name: "member",
				Label: texts.Own("Add somebody"), Required: true}}},
		HasMachines: true, Machines: templates.Machines{
			Room: true, Create: templates.Form{ID: "create-account", Action: "/apps/c1/service-accounts",
				Submit: texts.Own("Create"), Inputs: []templates.Input{{Kind: templates.InputText, Name: "name",
					Label: texts.Own("Name"), Required: true}}},
			Accounts: []templates.MachineRow{{
				ID: "A1", Name: "robot", Email: "robot@c1.example.test", Status: texts.Own("enabled"), Enabled: true,
				Created: noon, Expires: noon,
				StatusAction: "/s", NextStatus: "DISABLED", DeleteURL: "/d", NewKeyURL: "/k",
				Keys: []templates.MachineKeyRow{{ID: "k1", Label: "Night job", Ends: noon, Status: texts.Own("disabled"),
					Created: noon, StatusAction: "/ks",
					NextStatus: "ENABLED", DeleteURL: "/kd"}},
			}},
		},
	})
}

// Rule: PORTAL-5
func TestAFailedFormKeepsWhatWasTypedMarksTheFieldAndTakesTheFocus(t *testing.T) {
	var out bytes.Buffer
	form := appForm(templates.Problem{Text: texts.Own("Plain http is only for this machine."), Field: "redirect_uris"})
	if err := newPages(t).Form(&out, templates.FormPage{Form: form}); err != nil {
		t.Fatal(err)
	}
	root := parse(t, out.String())
	field := byID(t, root, "field-redirect_uris")
	if attribute(field, "aria-invalid") != "true" ||
		attribute(field, "aria-describedby") != "hint-redirect_uris error-redirect_uris" {
		t.Errorf("the field is not marked: %v", field.Attr)
	}
	if text := field.FirstChild; text == nil || !strings.Contains(text.Data, "http://planner.example.test/cb") {
		t.Error("what was typed is gone")
	}
	summary := byID(t, root, "form-errors")
	if attribute(summary, "tabindex") != "-1" || !hasAttribute(summary, "autofocus") {
		t.Error("the summary does not take the focus")
	}
	if link := elements(summary, "a"); len(link) != 1 || attribute(link[0], "href") != "#field-redirect_uris" {
		t.Error("the summary does not lead to the field")
	}
}

func hasAttribute(n *html.Node, name string) bool {
	for _, a := range n.Attr {
		if a.Key == name {
			return true
		}
	}
	return false
}
