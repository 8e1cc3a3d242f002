package templates_test

import (
	"io"

	"github.com/portico-id/portico/templates"
	"github.com/portico-id/portico/templates/texts"
)

func adminDesk(f templates.Frame, section templates.Section) templates.Desk {
	return templates.Desk{Frame: f, Account: "admin@example.test", Admin: true, Section: section}
}

func personForm() templates.Form {
	return templates.Form{ID: "add-member", Action: "/a", Submit: texts.Own("Add"),
		Inputs: []templates.Input{{Kind: templates.InputText, Name: "member", Label: texts.Own("Person"), Required: true}}}
}

func groupForm() templates.Form {
	return templates.Form{ID: "group-form", Action: "/admin/groups", Submit: texts.Own("Add"),
		Inputs: []templates.Input{{Kind: templates.InputText, Name: "name", Label: texts.Own("Name"),
			Value: "Editors", Required: true}}}
}

func peopleSamples() []sample {
	return []sample{
		{"users", func(p *templates.Pages, w io.Writer, f templates.Frame) error {
			return p.Users(w, templates.UsersPage{Desk: adminDesk(f, templates.SectionUsers),
				Search: templates.Search{Query: "demo",
					Sorts: []templates.Option{{Value: "admin", Label: texts.Own("Administrators"), Chosen: true}}}, Total: 10000,
				NewURL: "/admin/users/new", ImportURL: "/admin/users/import",
				Pager: templates.Pager{PreviousURL: "/admin/users?before=U1", NextURL: "/admin/users?after=U2"},
				Users: []templates.UserRow{
					{URL: "/admin/users/U1", Name: "Demo Person", Email: "demo@example.test", Username: "demo",
						Admin: true, LastSignIn: noon},
					{URL: "/admin/users/U2", Email: "other@example.test", Disabled: true},
				}})
		}},
		{"import", func(p *templates.Pages, w io.Writer, f templates.Frame) error {
			return p.Import(w, templates.ImportPage{
				Desk: adminDesk(f, templates.SectionUsers),
				Back: templates.Link{URL: "/admin/users/import", Text: texts.Own("Another file")},
				New:  2, Known: 1, Wrong: 1, Faults: []templates.ImportFault{{Line: 3, Field: texts.Own("E-mail address"),
					Text: texts.Own("This must be an e-mail address.")}},
				People: []templates.UserRow{{Name: "Demo Person", Email: "demo@example.test", Username: "demo"}}, Form: groupForm(),
			})
		}},
		{"sessions", func(p *templates.Pages, w io.Writer, f templates.Frame) error {
			return p.Sessions(w, templates.SessionsPage{
				Desk: desk(f), Back: templates.Link{URL: "/", Text: texts.Own("Your account")}, EndAction: "/account/sessions",
				OthersURL: "/account/sessions/end-others",
				Sessions: []templates.SessionRow{
					{ID: "s1", Here: true, Device: texts.Own("Firefox"), Address: "192.0.2.1", Since: noon, LastSeen: noon},
					{ID: "s2", Device: texts.Own("Safari"), Address: "192.0.2.2", Since: noon, LastSeen: noon},
				},
			})
		}},
		{"own-events", func(p *templates.Pages, w io.Writer, f templates.Frame) error {
			return p.OwnEvents(w, templates.OwnEventsPage{Desk: desk(f),
				Back:  templates.Link{URL: "/", Text: texts.Own("Your account")},
				Pager: templates.Pager{NextURL: "/account/events?after=1"}, Events: []templates.OwnEventRow{
					{At: noon, What: texts.Own("You signed in"), Address: "192.0.2.1"},
					{At: noon, What: texts.Own("Your account was disabled"), By: texts.Own("by an administrator")},
				}})
		}},
		{"own-data", func(p *templates.Pages, w io.Writer, f templates.Frame) error {
			return p.OwnData(w, templates.OwnDataPage{Desk: desk(f),
				Back: templates.Link{URL: "/", Text: texts.Own("Your account")}, ArchiveURL: "/account/data/archive.zip"})
		}},
		{"leave", func(p *templates.Pages, w io.Writer, f templates.Frame) error {
			return p.Leave(w, templates.LeavePage{
				Desk: desk(f), Back: templates.Link{URL: "/", Text: texts.Own("Your account")}, DataURL: "/account/data",
				CancelURL: "/", Action: "/account/delete",
				Heirs: []texts.Text{texts.Own("The app Site Planner, which Other Person owns from then on.")},
			})
		}},
		{"leave-first", func(p *templates.Pages, w io.Writer, f templates.Frame) error {
			return p.Leave(w, templates.LeavePage{
				Desk: desk(f), Back: templates.Link{URL: "/", Text: texts.Own("Your account")},
				DataURL: "/account/data", CancelURL: "/",
				Apps: []templates.Link{{URL: "/apps/c1", Text: texts.Own("Site Planner")}}, LastAdmin: true,
				Directory: "example.test",
			})
		}},
		{"picture", func(p *templates.Pages, w io.Writer, f templates.Frame) error {
			return p.Picture(w, templates.PicturePage{
				Desk: desk(f), Back: templates.Link{URL: "/", Text: texts.Own("Your account")}, Heading: texts.Own("Your picture"),
				Lead: texts.Own("Apps show it."),
				URL:  "/portraits/0a1b/sizeX120.jpg", Alt: texts.Own("Your picture"),
				Remove: templates.Button{ID: "remove-picture", Action: "/account/picture/delete", Text: texts.Own("Remove")},
				Form: templates.Form{ID: "picture-form", Action: "/account/picture", Submit: texts.Own("Use"),
					Inputs: []templates.Input{{Kind: templates.InputFile, Name: "portrait", Label: texts.Own("Picture"),
						Accept: "image/png,image/jpeg"}}},
			})
		}},
		{"folded-form", func(p *templates.Pages, w io.Writer, f templates.Frame) error {
			return p.Form(w, templates.FormPage{Desk: desk(f), Back: templates.Link{URL: "/", Text: texts.Own("Your account")},
				Heading: texts.Own("Your profile"), Form: templates.Form{
					ID: "profile-form", Action: "/account/profile", Submit: texts.Own("Save"), More: texts.Own("More about you"),
					Inputs: []templates.Input{{Kind: templates.InputText, Name: "name", Label: texts.Own("Name")},
						{Kind: templates.InputText, Name: "website", Label: texts.Own("Website"), More: true,
							Problems: []texts.Text{texts.Own("This is none.")}}},
				}})
		}},
		{"users-none", func(p *templates.Pages, w io.Writer, f templates.Frame) error {
			return p.Users(w, templates.UsersPage{Desk: adminDesk(f, templates.SectionUsers), NewURL: "/admin/users/new"})
		}},
		{"user", func(p *templates.Pages, w io.Writer, f templates.Frame) error {
			return p.User(w, templates.UserPage{
				Desk: adminDesk(f, templates.SectionUsers), Back: templates.Link{URL: "/admin/users", Text: texts.Own("Users")},
				Name: "Demo Person", Marks: []texts.Text{texts.Own("administrator")},
				Facts: []templates.Fact{{Label: texts.Own("User ID"), Text: texts.Own("U1"), Code: true}}, EditURL: "/e",
				DeleteURL: "/d", AuditURL: "/admin/audit?actor=U1",
				Buttons: []templates.Button{{ID: "reset", Action: "/r", Text: texts.Own("Link to choose a password")},
					{ID: "disable", Action: "/x", Text: texts.Own("Disable"), Grave: true}},
				Sessions: []templates.SessionRow{{Device: texts.Own("Browser"), Address: "192.0.2.1", Since: noon, LastSeen: noon}},
				Groups:   []templates.Link{{URL: "/admin/groups/g1", Text: texts.Own("Editors")}},
			})
		}},
		{"groups", func(p *templates.Pages, w io.Writer, f templates.Frame) error {
			return p.Groups(w, templates.GroupsPage{Desk: adminDesk(f, templates.SectionGroups), Create: groupForm(),
				Groups: []templates.GroupRow{
					{URL: "/admin/groups/g1", Name: "Editors", Description: "They edit.", Members: 2},
					{URL: "/admin/groups/g2", Name: "Readers", Members: 1},
				}})
		}},
		{"group", func(p *templates.Pages, w io.Writer, f templates.Frame) error {
			return p.Group(w, templates.GroupPage{
				Desk: adminDesk(f, templates.SectionGroups), Back: templates.Link{URL: "/admin/groups", Text: texts.Own("Groups")},
				Name: "Editors",
				Edit: groupForm(), Add: personForm(), DeleteURL: "/admin/groups/g1/delete",
				Members: []templates.MemberRow{{Name: "Demo Person", Email: "demo@example.test", RemoveURL: "/r"}},
			})
		}},
		{"audit", func(p *templates.Pages, w io.Writer, f templates.Frame) error {
			return p.Audit(w, templates.AuditPage{
				Desk: adminDesk(f, templates.SectionAudit),
				Filter: []templates.Input{{Name: "kind", Label: texts.Own("What"), Hint: texts.Own("user.disabled"),
					Options: []templates.Option{{Value: "user.disabled"}}}},
				Events: []templates.AuditRow{{URL: "/admin/audit/7", At: noon, Kind: "user.disabled", ActorKind: "user",
					Actor:   templates.AuditName{ID: "U1", Name: "Ann", URL: "/admin/users/U1"},
					Subject: templates.AuditName{ID: "U2"}, Detail: `{"sessions_ended":1}`, Address: "192.0.2.1"}},
				CSVURL: "/admin/audit.csv", NDJSONURL: "/admin/audit.ndjson",
			})
		}},
		{"event", func(p *templates.Pages, w io.Writer, f templates.Frame) error {
			return p.Event(w, templates.EventPage{
				Desk: adminDesk(f, templates.SectionAudit),
				Back: templates.Link{URL: "/admin/audit", Text: texts.Own("Audit trail")}, Kind: "user.disabled", At: noon,
				Facts:      []templates.Fact{{Label: texts.Own("About"), Text: texts.Own("U2"), Code: true}},
				SubjectURL: "/admin/audit?subject=U2", ActorURL: "/admin/audit?actor=U1",
			})
		}},
		{"audit-error", func(p *templates.Pages, w io.Writer, f templates.Frame) error {
			return p.Audit(w, templates.AuditPage{Desk: adminDesk(f, templates.SectionAudit),
				Problem: texts.Own("since must be a day."), CSVURL: "/c", NDJSONURL: "/n"})
		}},
		{"all-apps", func(p *templates.Pages, w io.Writer, f templates.Frame) error {
			return p.AllApps(w, templates.AllAppsPage{Desk: adminDesk(f, templates.SectionAllApps),
				Apps: []templates.AppRow{{URL: "/admin/apps/c1", Name: "Site Planner", ID: "c1", Type: texts.Own("Web app"),
					Owner: texts.Own("demo@example.test"), LastUsed: noon}}})
		}},
		{"hubs", func(p *templates.Pages, w io.Writer, f templates.Frame) error {
			return p.HubList(w, templates.HubsPage{Desk: adminDesk(f, templates.SectionHubs),
				Search: templates.Search{Query: "works"}, Total: 2, Hubs: []templates.HubRow{
					{Name: "Example Works", ID: "b.1", Region: "EU"},
				}})
		}},
		{"app-admin", func(p *templates.Pages, w io.Writer, f templates.Frame) error {
			return p.AppAdmin(w, templates.AppAdminPage{
				Desk: adminDesk(f, templates.SectionAllApps), Back: templates.Link{URL: "/admin/apps", Text: texts.Own("Apps")},
				Name: "Site Planner", ID: "c1", Type: texts.Own("Web app"),
				Hubs: []templates.HubAccessRow{{Name: "Example Works", ID: "b.h1", Level: "edit", Users: texts.Own("nobody"),
					WithdrawURL: "/w"}, {Name: "Old Works", ID: "b.h2", Level: "view", Users: texts.Own("any member"),
					Inactive: true, WithdrawURL: "/w"}},
				HubForm: templates.Form{ID: "hub-form", Action: "/admin/apps/c1/hubs", Submit: texts.Own("Provision"),
					Inputs: []templates.Input{{Kind: templates.InputText, Name: "hub", Label: texts.Own("Hub"),
						Hint: texts.Own("Its ID."), Required: true}}},
				Members: []templates.MemberRow{{Name: "Demo Person", Email: "demo@example.test"},
					{Email: "other@example.test", Added: noon}}, AddMember: personForm(),
				Facts: []templates.Fact{{Label: texts.Own("Owner"), Text: texts.Own("demo@example.test")}}, DeleteURL: "/d",
				AuditURL: "/admin/audit?subject=c1",
				Form: templates.Form{ID: "flags-form", Action: "/admin/apps/c1", Submit: texts.Own("Save"),
					Inputs: []templates.Input{{Kind: templates.InputFlag, Name: "internal", Label: texts.Own("Internal"),
						Hint: texts.Own("May act for other apps.")}}},
				Buttons: []templates.Button{{ID: "disable", Action: "/x", Text: texts.Own("Disable"), Grave: true}},
			})
		}},
		{"app-claims", func(p *templates.Pages, w io.Writer, f templates.Frame) error {
			return p.AppClaims(w, templates.AppClaimsPage{
				Desk: adminDesk(f, templates.SectionAllApps),
				Back: templates.Link{URL: "/admin/apps/c1", Text: texts.Own("Site Planner")}, Name: "Site Planner",
				Form: personForm(), Claims: []templates.ClaimRow{{Name: "roles",
					What: texts.Say("app-admin.claims.says-role", "Value", "admin", "Group", "Operators"), RemoveURL: "/r"}},
			})
		}},
		{"app-access", func(p *templates.Pages, w io.Writer, f templates.Frame) error {
			return p.AppAccess(w, templates.AppAccessPage{
				Desk: adminDesk(f, templates.SectionAllApps),
				Back: templates.Link{URL: "/admin/apps/c1", Text: texts.Own("Site Planner")}, Name: "Site Planner",
				Who: templates.Form{ID: "access-form", Action: "/a", Submit: texts.Own("Save"),
					Inputs: []templates.Input{{Kind: templates.InputFlag, Name: "restricted",
						Label: texts.Own("For those named here")}}},
				AddGroup: templates.Form{ID: "add-group", Action: "/g", Submit: texts.Own("Add")}, AddUser: personForm(),
				Named: []templates.AccessRow{{Name: "Editors", Group: true, RemoveURL: "/r"},
					{Name: "Demo Person", Email: "demo@example.test", RemoveURL: "/r"}},
			})
		}},
		{"keys", func(p *templates.Pages, w io.Writer, f templates.Frame) error {
			return p.Keys(w, templates.KeysPage{
				Desk: adminDesk(f, templates.SectionKeys),
				Keys: []templates.KeyRow{{ID: "k2", Algorithm: "RS256", RotateURL: "/admin/keys/rotate?alg=RS256",
					State: texts.Own("next"), Generation: 2, Created: noon, From: noon},
					{ID: "k1", Algorithm: "RS256", State: texts.Own("active"), Generation: 1, Created: noon, From: noon, Until: noon}},
			})
		}},
		{"upstreams", func(p *templates.Pages, w io.Writer, f templates.Frame) error {
			return p.Upstreams(w, templates.UpstreamsPage{
				Desk: adminDesk(f, templates.SectionUsers), Back: templates.Link{URL: "/admin/users", Text: texts.Own("People")},
				Upstreams: []templates.UpstreamRow{{URL: "/u1", Name: "Works", ID: "works"},
					{URL: "/u2", Name: "Other", ID: "other", Disabled: true}},
				Create: templates.Form{ID: "upstream-form", Action: "/admin/upstreams", Submit: texts.Own("Add")},
			})
		}},
		{"upstream", func(p *templates.Pages, w io.Writer, f templates.Frame) error {
			return p.Upstream(w, templates.UpstreamPage{
				Desk: adminDesk(f, templates.SectionUsers), Back: templates.Link{URL: "/u", Text: texts.Own("Upstreams")},
				Name: "Works", Facts: []templates.Fact{{Label: texts.Own("Redirect URI"), Text: texts.Own("https://id/cb"),
					Code: true}},
				Steps: []templates.StepRow{{Name: texts.Own("Secret")}, {Name: texts.Own("Metadata"), Detail: "No.",
					Failed: true}},
				Edit:   templates.Form{ID: "upstream-form", Action: "/u1", Submit: texts.Own("Save")},
				Switch: templates.Button{ID: "disable", URL: "/d", Text: texts.Own("Disable"), Grave: true}, TestURL: "/t",
				DeleteURL: "/x",
			})
		}},
		{"connections", func(p *templates.Pages, w io.Writer, f templates.Frame) error {
			return p.Connections(w, templates.ConnectionsPage{
				Desk: adminDesk(f, templates.SectionUsers), Back: templates.Link{URL: "/admin/users", Text: texts.Own("People")},
				Connections: []templates.ConnectionRow{{URL: "/c1", Name: "Works", People: 3, Groups: 1},
					{URL: "/c2", Name: "Other", Disabled: true}},
				Create: templates.Form{ID: "connection-form", Action: "/admin/connections", Submit: texts.Own("Add")},
			})
		}},
		{"connection", func(p *templates.Pages, w io.Writer, f templates.Frame) error {
			return p.Connection(w, templates.ConnectionPage{
				Desk: adminDesk(f, templates.SectionUsers), Back: templates.Link{URL: "/c", Text: texts.Own("Connections")},
				Name: "Works", Facts: []templates.Fact{{Label: texts.Own("Address"),
					Text: texts.Own("https://id/scim"), Code: true}},
				Tokens: []templates.TokenRow{{ID: "t1", Label: "Entra", Created: noon, Ends: noon, LastUsed: noon, EndURL: "/e"},
					{ID: "t2", Label: "new", Created: noon, Ends: noon, EndURL: "/e2"}},
				Token: templates.Form{ID: "token-form", Action: "/t", Submit: texts.Own("Make")},
				Calls: []templates.CallRow{{At: noon, Method: "PATCH", Path: "/Users/U1", Status: 200, Detail: "deactivated ann",
					RequestID: "r1"}, {At: noon, Method: "GET", Path: "/Users?filter=x", Status: 400, Detail: "No.", Failed: true}},
				Edit:   templates.Form{ID: "connection-form", Action: "/c1", Submit: texts.Own("Save")},
				Switch: templates.Button{ID: "disable", URL: "/d", Text: texts.Own("Disable"), Grave: true}, DeleteURL: "/x",
			})
		}},
		{"places", func(p *templates.Pages, w io.Writer, f templates.Frame) error {
			return p.Places(w, templates.PlacesPage{Desk: adminDesk(f, templates.SectionFiles), Heading: texts.Own("Works"),
				Trail:  []templates.Link{{URL: "/files", Text: texts.Own("Files")}},
				Places: []templates.PlaceRow{{URL: "/p1", Name: "Tower"}, {URL: "/p2", Name: "Old", Mark: texts.Own("archived")}}})
		}},
		{"folder", func(p *templates.Pages, w io.Writer, f templates.Frame) error {
			return p.Folder(w, templates.FolderPage{Desk: adminDesk(f, templates.SectionFiles), Name: "Plans",
				Trail: []templates.Link{{URL: "/files", Text: texts.Own("Files")}},
				Offers: []templates.Button{{ID: "new-folder", URL: "/f/new", Text: texts.Own("New folder")},
					{ID: "restore", Action: "/f/restore", Text: texts.Own("Restore")}},
				Bar: []templates.Button{{ID: "zip-chosen", Action: "/f/chosen/zip", Text: texts.Own("Download as ZIP")},
					{ID: "move-chosen", URL: "/f/chosen/move", Text: texts.Own("Move")}},
				Named: templates.Sorted{URL: "/f?order=back", As: "ascending"}, Dated: templates.Sorted{URL: "/f?order=newest"},
				Filter: templates.FolderFilter{Action: "/f", AllURL: "/f", On: true, Part: "plan", BelowURL: "/f/search?q=plan",
					States:   []templates.Option{{Value: "wip", Label: texts.Own("Work in progress"), Chosen: true}},
					Suits:    []templates.Option{{Value: "S0", Label: texts.Own("S0")}},
					Orders:   []templates.Option{{Label: texts.Own("By name"), Chosen: true}},
					Revision: "P01"},
				Staged: true,
				Rows: []templates.FolderRow{{URL: "/f1", Name: "Floors", Folder: true, Choice: "f-1", Changed: noon,
					By: "Demo Person"},
					{URL: "/i1", Name: "plan.pdf", Choice: "i-1", Version: 3,
						Picture: "/files/v3/thumbnail", Size: templates.Size(2_400_000), Changed: noon,
						Stage: templates.Stage{State: texts.Own("Shared"), Suitability: "S2", Revision: "P01"},
						By:    "Demo Person", ReservedBy: "Other Person"}}})
		}},
		{"file", func(p *templates.Pages, w io.Writer, f templates.Frame) error {
			return p.File(w, templates.FilePage{Desk: adminDesk(f, templates.SectionFiles), Name: "plan.pdf",
				ReservedBy: "Other Person", Trail: []templates.Link{{URL: "/files", Text: texts.Own("Files")}},
				URL: "/v1", View: templates.View{Readable: true, Name: "plan.pdf", Frame: "/files/v1/shown"},
				Refs: []templates.Link{{URL: "/i2", Text: texts.Own("list.txt")}},
				Versions: []templates.FileVersionRow{{URL: "/v1", Number: 1, Name: "plan.pdf", Size: templates.Size(999), At: noon,
					Stage: templates.Stage{State: texts.Own("Shared"), Suitability: "S2"}, Sum: "0123456789abcdef", SumStart: "0123",
					By: "Demo Person", Offers: []templates.Button{{URL: "/v1/newest", Text: texts.Own("Restore version 1")}}}}})
		}},
		{"version", func(p *templates.Pages, w io.Writer, f templates.Frame) error {
			return p.Version(w, templates.VersionPage{Desk: adminDesk(f, templates.SectionFiles), Name: "notes.txt", Number: 2,
				Newest: true, Trail: []templates.Link{{URL: "/files", Text: texts.Own("Files")}}, At: noon, By: "Demo Person",
				Offers: []templates.Button{{ID: "download", URL: "/v2/bytes", Text: texts.Own("Download")}},
				View:   templates.View{Readable: true, Name: "notes.txt", Text: "<b>one</b>\n\ttwo\n", Cut: true},
				Facts:  []templates.Fact{{Label: texts.Own("SHA-256"), Text: texts.Own("ab12"), Code: true}}})
		}},
		{"version-pdf", func(p *templates.Pages, w io.Writer, f templates.Frame) error {
			return p.Version(w, templates.VersionPage{Desk: adminDesk(f, templates.SectionFiles), Name: "plan.pdf", Number: 1,
				At: noon, View: templates.View{Readable: true, Name: "plan.pdf", Frame: "/files/v1/shown"}})
		}},
		{"version-picture", func(p *templates.Pages, w io.Writer, f templates.Frame) error {
			return p.Version(w, templates.VersionPage{Desk: adminDesk(f, templates.SectionFiles), Name: "site.jpg", Number: 1,
				At: noon, View: templates.View{Readable: true, Name: "site.jpg", Picture: "/files/v1/picture",
					Whole: "/files/v1/shown"}})
		}},
		{"compare", func(p *templates.Pages, w io.Writer, f templates.Frame) error {
			return p.Compare(w, templates.ComparePage{Desk: adminDesk(f, templates.SectionFiles), Name: "notes.txt",
				Action: "/i1/compare", Older: 1, Newer: 2, Newest: 3, Cut: true,
				Sides: [2]templates.Side{{URL: "/v1", Number: 1, Name: "notes.txt", At: noon, By: "Demo Person",
					Picture: "/files/v1/picture"},
					{URL: "/v2", Number: 2, Name: "notes.txt", At: noon}},
				Lines: []templates.Line{{Text: "as it was"}, {Text: "old", Gone: true}, {Text: "new", Added: true}, {Gap: true}}})
		}},
		{"found", func(p *templates.Pages, w io.Writer, f templates.Frame) error {
			return p.Found(w, templates.FoundPage{Desk: adminDesk(f, templates.SectionFiles), Name: "Plans",
				Action: "/f1/search",
				Query:  "plan", Rows: []templates.FoundRow{{URL: "/i1", Name: "plan.pdf", Size: templates.Size(999), At: noon,
					By: "Demo Person", In: templates.Link{URL: "/f2", Text: texts.Own("Floors")}}}})
		}},
		{"activity", func(p *templates.Pages, w io.Writer, f templates.Frame) error {
			return p.Activity(w, templates.ActivityPage{Desk: adminDesk(f, templates.SectionFiles), Name: "Plans",
				AllURL: "/f1/activity", By: texts.Own("Demo Person"), Pager: templates.Pager{NextURL: "/f1/activity?after=c"},
				Rows: []templates.ActivityRow{
					{About: templates.Link{URL: "/i1", Text: texts.Own("plan.pdf")}, What: texts.Own("Version 3 added"),
						By: texts.Own("Demo Person"), ByURL: "/f1/activity?by=u1", At: noon,
						In: templates.Link{URL: "/f1", Text: texts.Own("Plans")}},
					{What: texts.Own("File deleted for good"), By: texts.Own("this server"), At: noon}}})
		}},
		{"transmittal", func(p *templates.Pages, w io.Writer, f templates.Frame) error {
			return p.Transmittal(w, templates.TransmittalPage{Desk: adminDesk(f, templates.SectionFiles), Number: 7,
				Title: "For review", Message: "As agreed.\nPlease answer.", By: "Demo Person", At: noon, FetchesURL: "/t7/fetches",
				Offers: []templates.Button{{ID: "zip", Action: "/t7/zip", Text: texts.Own("Download as ZIP")}},
				Files: []templates.SentFile{
					{Name: "plan.pdf", Number: 3, URL: "/v3", FetchURL: "/t7/v3/bytes", Size: templates.Size(1200),
						Stage: templates.Stage{State: texts.Own("Shared"), Suitability: "S2", Revision: "P01"},
						Sum:   "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef", SumStart: "0123456789ab"},
					{Name: "old.txt", Number: 1, Size: templates.Size(7), Now: texts.Own("deleted")}},
				People: []templates.SentPerson{{Name: "Mary Major", Fetched: 1, Of: 2, At: noon},
					{Name: "Richard Roe", Group: "Architects", Of: 2}}})
		}},
		{"pick", func(p *templates.Pages, w io.Writer, f templates.Frame) error {
			return p.Pick(w, templates.PickPage{Desk: adminDesk(f, templates.SectionFiles), Heading: texts.Own("Move plan.pdf"),
				Back:   templates.Link{URL: "/i1", Text: texts.Own("plan.pdf")},
				Trail:  []templates.WalkRow{{URL: "/m", Name: "Tower"}, {URL: "/m?in=f1", Name: "Floors"}},
				Places: []templates.WalkRow{{URL: "/m?in=f2", Name: "Ground floor"}}, Chosen: true,
				Form: templates.Form{ID: "move-form", Action: "/m?in=f1", Submit: texts.Own("Move into this folder")}})
		}},
		{"pick-several", func(p *templates.Pages, w io.Writer, f templates.Frame) error {
			return p.Pick(w, templates.PickPage{Desk: adminDesk(f, templates.SectionFiles),
				Heading: texts.Own("Move what you chose"), Action: "/f/chosen/move", Of: "f-1,i-1", Chosen: true,
				Back:   templates.Link{URL: "/f", Text: texts.Own("Plans")},
				Trail:  []templates.WalkRow{{Name: "Tower"}, {In: "f1", Name: "Floors"}},
				Places: []templates.WalkRow{{In: "f2", Name: "Ground floor"}},
				Form: templates.Form{ID: "move-form", Action: "/f/chosen/move?in=f1", Submit: texts.Own("Move into this folder"),
					Inputs: []templates.Input{{Kind: templates.InputChoices, Name: "of", Label: texts.Own("Chosen"),
						Options: []templates.Option{{Value: "f-1", Label: texts.Own("Roofs"), Hint: texts.Own("folder"), Chosen: true},
							{Value: "i-1", Label: texts.Own("plan.pdf"), Hint: texts.Own("Reserved."), Chosen: true}}}}}})
		}},
		{"listing", func(p *templates.Pages, w io.Writer, f templates.Frame) error {
			return p.Listing(w, templates.ListingPage{Desk: adminDesk(f, templates.SectionFiles),
				Heading: texts.Own("Share Plans"), Trail: []templates.Link{{URL: "/files", Text: texts.Own("Files")}},
				Ways: []templates.Button{{ID: "sees", URL: "/sees", Text: texts.Own("What can somebody see here?")}},
				Rows: []templates.Listed{{Name: "Demo Person", What: texts.Own("May download."),
					Acts: []templates.Button{{ID: "remove-u1", URL: "/r", Text: texts.Own("Remove")}}}, {Name: "Readers", URL: "/g"},
					{Name: "Wiki", ID: "client-1", What: texts.Own("May download.")}},
				More: texts.Own("Share with somebody"),
				Form: templates.Form{ID: "share-form", Action: "/share", Submit: texts.Own("Share"),
					Inputs: []templates.Input{{Kind: templates.InputText, Name: "user", Label: texts.Own("Person"), Required: true}}}})
		}},
		{"upload", func(p *templates.Pages, w io.Writer, f templates.Frame) error {
			return p.Upload(w, templates.UploadPage{Desk: adminDesk(f, templates.SectionFiles),
				Heading: texts.Own("Upload into Plans"), Back: templates.Link{URL: "/f1", Text: texts.Own("Plans")},
				Begin: "/f1/uploads", Then: "/f1", Problem: true,
				Came: []templates.CameRow{{Name: "plan.pdf", What: texts.Own("It is stored.")},
					{Name: "large.ifc", What: texts.Own("The project is full."), Wrong: true}},
				Form: templates.Form{ID: "upload-form", Action: "/f1/upload", Submit: texts.Own("Upload"),
					Inputs: []templates.Input{{Kind: templates.InputFile, Name: "files", Label: texts.Own("Files"), Several: true,
						Required: true}}}})
		}},
		{"hidden", func(p *templates.Pages, w io.Writer, f templates.Frame) error {
			return p.Hidden(w, templates.HiddenPage{Desk: adminDesk(f, templates.SectionFiles), Name: "Plans",
				Back: templates.Link{URL: "/f1", Text: texts.Own("Plans")},
				Rows: []templates.HiddenRow{{URL: "/f2", RestoreAction: "/f2/restore", ID: "f2", Name: "Old", Folder: true,
					At: noon, By: "Demo Person"}, {URL: "/i1", RestoreAction: "/i1/restore", ID: "i1", Name: "plan.pdf", At: noon}}})
		}},
		{"resources", func(p *templates.Pages, w io.Writer, f templates.Frame) error {
			return p.Resources(w, templates.ResourcesPage{
				Desk: adminDesk(f, templates.SectionAllApps), Back: templates.Link{URL: "/admin/apps", Text: texts.Own("Apps")},
				Resources: []templates.ResourceRow{{URL: "/r1", Name: "Orders", Address: "https://orders.example.test"},
					{URL: "/r2", Name: "Other", Address: "urn:other", Disabled: true}},
				Create: templates.Form{ID: "resource-form", Action: "/admin/resources", Submit: texts.Own("Add")},
			})
		}},
		{"resource", func(p *templates.Pages, w io.Writer, f templates.Frame) error {
			return p.Resource(w, templates.ResourcePage{
				Desk: adminDesk(f, templates.SectionAllApps), Back: templates.Link{URL: "/r", Text: texts.Own("Resources")},
				Name: "Orders", Facts: []templates.Fact{{Label: texts.Own("Id"), Text: texts.Own("r1"), Code: true}},
				Edit:   templates.Form{ID: "resource-form", Action: "/r1", Submit: texts.Own("Save")},
				Switch: templates.Button{ID: "disable", URL: "/d", Text: texts.Own("Disable"), Grave: true}, DeleteURL: "/x",
			})
		}},
		{"registrations", func(p *templates.Pages, w io.Writer, f templates.Frame) error {
			return p.Registrations(w, templates.RegistrationsPage{
				Desk: adminDesk(f, templates.SectionAllApps), Back: templates.Link{URL: "/admin/apps", Text: texts.Own("Apps")},
				Mode:   []texts.Text{texts.Own("Any app may register itself."), texts.Own("Others need not.")},
				Policy: templates.Link{URL: "/admin/policy", Text: texts.Own("Change who may")},
				Rows: []templates.RegistrationRow{{URL: "/a1", Name: "Assistant", Address: "192.0.2.7", At: noon},
					{URL: "/a2", Name: "Agent", Token: "team", Address: "2001:db8::1", At: noon, Used: true, Disabled: true}},
				Tokens: []templates.InitialTokenRow{{ID: "t1", Label: "team", Left: 3, Ends: noon, EndURL: "/t1/end"}},
				Create: templates.Form{ID: "token-form", Action: "/admin/registrations", Submit: texts.Own("Make a token")},
			})
		}},
		{"assistants", func(p *templates.Pages, w io.Writer, f templates.Frame) error {
			return p.Assistants(w, templates.AssistantsPage{Desk: desk(f), Address: "https://id.example.test/mcp",
				Back:   templates.Link{URL: "/", Text: texts.Own("Your account")},
				Arrive: []texts.Text{texts.Own("One of claude.ai makes itself known."), texts.Own("Others need a token.")}})
		}},
		{"assistants-none", func(p *templates.Pages, w io.Writer, f templates.Frame) error {
			return p.Assistants(w, templates.AssistantsPage{Desk: desk(f),
				Back: templates.Link{URL: "/", Text: texts.Own("Your account")}})
		}},
		{"directories", func(p *templates.Pages, w io.Writer, f templates.Frame) error {
			return p.Directories(w, templates.DirectoriesPage{
				Desk: adminDesk(f, templates.SectionUsers), Back: templates.Link{URL: "/admin/users", Text: texts.Own("People")},
				Directories: []templates.DirectoryRow{{URL: "/d1", Name: "Works", People: 3, Troubled: true},
					{URL: "/d2", Name: "Other", Disabled: true}},
				Create: templates.Form{ID: "directory-form", Action: "/admin/directories", Submit: texts.Own("Add")},
			})
		}},
		{"directory", func(p *templates.Pages, w io.Writer, f templates.Frame) error {
			return p.Directory(w, templates.DirectoryPage{
				Desk: adminDesk(f, templates.SectionUsers), Back: templates.Link{URL: "/d", Text: texts.Own("Directories")},
				Name: "Works", Facts: []templates.Fact{{Label: texts.Own("Id"), Text: texts.Own("works"), Code: true}},
				Walk:   []templates.Fact{{Label: texts.Own("Outcome"), Text: texts.Own("It failed.")}},
				Sync:   templates.Form{ID: "sync-form", Action: "/d1/sync", Submit: texts.Own("Now")},
				Test:   templates.Form{ID: "test-form", Action: "/d1/test", Submit: texts.Own("Test")},
				Edit:   templates.Form{ID: "directory-form", Action: "/d1", Submit: texts.Own("Save")},
				Switch: templates.Button{ID: "disable", URL: "/d", Text: texts.Own("Disable"), Grave: true}, DeleteURL: "/x",
			})
		}},
		{"mails", func(p *templates.Pages, w io.Writer, f templates.Frame) error {
			return p.Mails(w, templates.MailsPage{
				Desk: adminDesk(f, templates.SectionMail), Delivers: true, Where: "mail.example.test:587",
				Search: templates.Search{Query: "demo"},
				Test:   templates.Button{ID: "test-mail", Action: "/admin/mail/test", Text: texts.Say("mails.test")},
				Pager:  templates.Pager{NextURL: "/admin/mail?after=1"},
				Mails: []templates.MailRow{
					{To: "demo@example.test", What: texts.Say("mails.what.new-sign-in"),
						State: texts.Say("mails.state.delivered"), At: noon, Tries: 1},
					{
						To: "other@example.test", What: texts.Say("mails.what.invitation"), State: texts.Say("mails.state.failed"),
						Failed: true, At: noon, Tries: 2, Why: "No such mailbox.",
						Next: noon, Resend: &templates.Button{ID: "resend-7", Action: "/admin/mail/7/resend",
							Text: texts.Say("mails.resend")},
					},
				},
			})
		}},
		{"mails-none", func(p *templates.Pages, w io.Writer, f templates.Frame) error {
			return p.Mails(w, templates.MailsPage{Desk: adminDesk(f, templates.SectionMail), Where: "/var/lib/portico/mail",
				Test: templates.Button{ID: "test-mail", Action: "/t", Text: texts.Say("mails.test")}})
		}},
		{"limits", func(p *templates.Pages, w io.Writer, f templates.Frame) error {
			return p.Limits(w, templates.LimitsPage{
				Desk: adminDesk(f, templates.SectionLimits), On: true,
				Rates: []templates.Fact{{Label: texts.Own("token"), Text: texts.Own("500")}},
				Usage: []templates.UsageRow{{What: "token", Whose: "c1@192.0.2.1", Used: 3, Limit: 500}},
			})
		}},
		{"limits-off", func(p *templates.Pages, w io.Writer, f templates.Frame) error {
			return p.Limits(w, templates.LimitsPage{Desk: adminDesk(f, templates.SectionLimits)})
		}},
		{"system", func(p *templates.Pages, w io.Writer, f templates.Frame) error {
			return p.System(w, templates.SystemPage{Desk: adminDesk(f, templates.SectionSystem), Usage: usageSample(),
				Groups: []templates.FactGroup{{Heading: texts.Own("Server"),
					Facts: []templates.Fact{{Label: texts.Own("Version"), Text: texts.Own("0.1.0")}}}}})
		}},
		{"card", func(p *templates.Pages, w io.Writer, f templates.Frame) error {
			return p.Card(w, templates.CardPage{Frame: f, Heading: texts.Own("Choose a password"),
				Lead: texts.Own("for demo@example.test"), Form: templates.Form{
					ID: "password-form", Action: "/password?link=t", Submit: texts.Own("Set the password"),
					Inputs: []templates.Input{{Kind: templates.InputPassword, Name: "password", Label: texts.Own("Password"),
						Required: true, Complete: "new-password", Problems: []texts.Text{texts.Own("Too short.")}}},
					Problems: []templates.Problem{{Text: texts.Own("Too short."), Field: "password"}},
				}})
		}},
	}
}
