package templates_test

import (
	"bytes"
	"io"
	"testing"
	"time"

	"github.com/portico-id/portico/templates"
	"github.com/portico-id/portico/templates/texts"
)

// sample is a page filled with what a person might see.
type sample struct {
	name  string
	write func(*templates.Pages, io.Writer, templates.Frame) error
}

func login(page templates.LoginPage) func(*templates.Pages, io.Writer, templates.Frame) error {
	return func(p *templates.Pages, w io.Writer, f templates.Frame) error {
		page := page
		page.Frame, page.Action = f, "/login?request=r1"
		return p.Login(w, page)
	}
}

func code(page templates.CodePage) func(*templates.Pages, io.Writer, templates.Frame) error {
	return func(p *templates.Pages, w io.Writer, f templates.Frame) error {
		page := page
		page.Frame, page.Action, page.BackURL = f, "/login/code?request=r1", "/login?request=r1"
		return p.Code(w, page)
	}
}

func enrol(page templates.EnrolPage) func(*templates.Pages, io.Writer, templates.Frame) error {
	return func(p *templates.Pages, w io.Writer, f templates.Frame) error {
		page := page
		page.Frame, page.Action, page.BackURL = f, "/login/enrol?request=r1", "/login?request=r1"
		page.Offer = templates.Offer{Token: "token", Secret: "ABCDEFGH", QR: templates.QR{Size: 29, Path: "M4 4h1v1h-1z"}}
		return p.Enrol(w, page)
	}
}

func ask() templates.PasskeyAsk {
	return templates.PasskeyAsk{Challenge: "AAAA", Party: "id.example.test", Credentials: []string{"BBBB", "CCCC"}}
}

func newPasskey() templates.PasskeyAsk {
	one := ask()
	one.UserID, one.Account, one.Name, one.Algorithms = "VVVV", "user@example.test", "User", []int{-7, -8}
	return one
}

// samples returns every page, in each state that looks different.
func samples() []sample {
	return append(append(append(otherSamples(), deskSamples()...), peopleSamples()...),
		sample{"login", login(templates.LoginPage{})},
		sample{"login-to-app", login(templates.LoginPage{ClientName: "Site Planner", Username: "user@example.test"})},
		sample{"login-error", login(templates.LoginPage{
			ClientName: "Site Planner", Username: "user@example.test",
			Error: texts.Own("That e-mail address or user name and password do not belong together. Check both and try again."),
		})},
		sample{"code", code(templates.CodePage{ClientName: "Site Planner", App: true})},
		sample{"code-error", code(templates.CodePage{App: true, Error: texts.Own("The code is not right.")})},
		sample{"enrol", enrol(templates.EnrolPage{ClientName: "Site Planner", ByApp: true})},
		sample{"enrol-error", enrol(templates.EnrolPage{Error: texts.Own("The code is not right.")})},
		sample{"enrol-passkey", enrol(templates.EnrolPage{Ask: newPasskey(), Form: templates.Form{ID: "passkey-form",
			Action: "/login/enrol?request=r1", Submit: texts.Say("security.passkey-add")}})},
		sample{"code-passkey", code(templates.CodePage{Passkey: templates.PasskeyForm{Ask: ask(),
			Action: "/login/code?request=r1", First: true}})},
		sample{"login-passkey", login(templates.LoginPage{Passkey: templates.PasskeyForm{
			Ask:    templates.PasskeyAsk{Challenge: "AAAA", Party: "id.example.test"},
			Action: "/login/passkey?request=r1", Autofill: true,
		}})},
		sample{"login-notice", login(templates.LoginPage{Notice: texts.Own("You are signed out.")})},
		sample{"consent", consent(templates.ScopeLines([]string{"openid", "user-profile:read", "data:read", "data:create"}),
			templates.ScopeLines([]string{"data:search"}), time.Time{})},
		sample{"barred", barred},
		sample{"device", device(templates.DevicePage{Code: "BCDF-GHJK"})},
		sample{"device-error", device(templates.DevicePage{Code: "B", Error: texts.Own("No device waits with this code.")})},
		sample{"consent-device", func(p *templates.Pages, w io.Writer, f templates.Frame) error {
			return p.Consent(w, templates.ConsentPage{
				Frame: f, ClientName: "portico", Account: "user@example.test", Action: "/device/confirm?request=r1",
				Scopes: templates.ScopeLines([]string{"data:read"}),
				Device: &templates.DeviceAsk{Code: "BCDF-GHJK", Address: "192.0.2.7",
					At: time.Date(2026, 3, 1, 9, 30, 0, 0, time.UTC)},
			})
		}},
		sample{"consent-grave", func(p *templates.Pages, w io.Writer, f templates.Frame) error {
			optional := templates.ScopeLines([]string{"profile", "email"})
			optional[1].Optional, optional[1].Chosen = true, true
			return p.Consent(w, templates.ConsentPage{
				Frame: f, ClientName: "Site Planner", OwnerName: "Example Builders", Account: "user@example.test", Unvouched: true,
				Action: "/consent?request=r1",
				Scopes: optional, Grave: templates.ScopeLines([]string{"data:write"}),
				Administrates: templates.ScopeLines([]string{"account:write"}),
			})
		}},
		sample{"consent-itself", func(p *templates.Pages, w io.Writer, f templates.Frame) error {
			return p.Consent(w, templates.ConsentPage{
				Frame: f, ClientName: "Assistant", Account: "user@example.test", Itself: true, ClientHost: "localhost:49152",
				Document: "agent.example.test", OnlyHere: true,
				Action: "/consent?request=r1", Scopes: templates.ScopeLines([]string{"data:read"}),
			})
		}},
		sample{"consent-nothing-new", consent(nil, templates.ScopeLines([]string{"openid", "email"}),
			time.Date(2026, 3, 1, 9, 30, 0, 0, time.UTC))},
		sample{"consent-first-time", consent(templates.ScopeLines([]string{"openid", "data:read:urn:portico:item:1",
			"custom.scope"}), nil, time.Time{})},
	)
}

func device(page templates.DevicePage) func(*templates.Pages, io.Writer, templates.Frame) error {
	return func(p *templates.Pages, w io.Writer, f templates.Frame) error {
		page := page
		page.Frame, page.Action = f, "/device"
		return p.Device(w, page)
	}
}

func barred(p *templates.Pages, w io.Writer, f templates.Frame) error {
	return p.Barred(w, templates.BarredPage{
		Frame: f, ClientName: "Site Planner", Account: "user@example.test", SwitchURL: "/login?request=r1",
		Action: "/consent?request=r1",
	})
}

func consent(scopes, already []templates.ScopeLine, until time.Time) func(*templates.Pages, io.Writer,
	templates.Frame) error {
	return func(p *templates.Pages, w io.Writer, f templates.Frame) error {
		return p.Consent(w, templates.ConsentPage{
			Frame: f, ClientName: "Site Planner", LogoURL: templates.LogoPath("0a1b"), OwnerName: "Example Builders",
			ClientHost: "planner.example.test",
			Account:    "user@example.test", SwitchURL: "/login?request=r1&switch=1",
			PolicyURL: "https://planner.example.test/privacy", TermsURL: "https://planner.example.test/terms",
			Scopes: scopes, Already: already, Until: until, Action: "/consent?request=r1",
		})
	}
}

func otherSamples() []sample {
	return []sample{
		{"error", func(p *templates.Pages, w io.Writer, f templates.Frame) error {
			return p.Error(w, templates.ErrorPage{
				Desk: templates.Desk{Frame: f}, Heading: texts.Own("This sign-in link does not work"),
				What: texts.Own("The app sent you here with a return address that is not registered for it, so you were not sent on."),
				Turn: templates.TurnAppDeveloper, NextStep: texts.Own("Tell the people who make the app, with the request id below. They can compare the return address with the registered ones."),
				Code: "invalid_request",
			})
		}},
		{"error-plain", func(p *templates.Pages, w io.Writer, f templates.Frame) error {
			f.RequestID = ""
			return p.Error(w, templates.ErrorPage{Desk: templates.Desk{Frame: f}, Heading: texts.Own("Page not found"),
				What: texts.Own("There is nothing at this address.")})
		}},
		{"form-post", func(p *templates.Pages, w io.Writer, f templates.Frame) error {
			return p.FormPost(w, templates.FormPostPage{
				Frame: f, Action: "https://planner.example.test/callback?tenant=(a)",
				Fields: []templates.Field{{Name: "code", Value: "c-1"}, {Name: "state", Value: `"<>#&%`},
					{Name: "iss", Value: "https://id.example.test"}},
			})
		}},
		{"sign-out", func(p *templates.Pages, w io.Writer, f templates.Frame) error {
			return p.SignOut(w, templates.SignOutPage{
				Frame: f, Account: "user@example.test", Action: "/logout",
				Fields: []templates.Field{{Name: "state", Value: "s-1"}},
			})
		}},
		{"signed-out", func(p *templates.Pages, w io.Writer, f templates.Frame) error {
			return p.SignedOut(w, templates.SignedOutPage{Frame: f, Upstream: "Works",
				LeaveURL: "https://works.example.test/end?client_id=c",
				StayURL:  "/login/upstream/works/signed-out?state=s"})
		}},
		{"message", func(p *templates.Pages, w io.Writer, f templates.Frame) error {
			return p.Message(w, templates.MessagePage{Frame: f, Heading: texts.Own("This server has no people yet"),
				Text: texts.Own("Whoever started it becomes its first administrator.")})
		}},
		{"home", func(p *templates.Pages, w io.Writer, f templates.Frame) error {
			return p.Home(w, templates.HomePage{Frame: f, Name: "Demo User", Email: "user@example.test",
				SignOutAction: "/signout"})
		}},
		{"home-demo", func(p *templates.Pages, w io.Writer, f templates.Frame) error {
			return p.Home(w, templates.HomePage{
				Frame: f, Name: "Demo User", Email: "user@example.test", SignOutAction: "/signout",
				Demo: &templates.DemoContent{
					Hub: "Example Works", Project: "Riverside Tower", HubID: "b.hub",
					Path: "/project/v1/hubs/b.hub/projects/b.project/topFolders",
				},
			})
		}},
		{"home-admin", func(p *templates.Pages, w io.Writer, f templates.Frame) error {
			return p.Home(w, templates.HomePage{
				Frame: f, Email: "admin@example.test", Admin: true, SignOutAction: "/signout", InviteURL: "/account/invite",
				DiscoveryURL: "https://id.example.test/.well-known/openid-configuration",
			})
		}},
	}
}

func newPages(t *testing.T) *templates.Pages {
	t.Helper()
	pages, err := templates.New(func() string { return "TOKEN" })
	if err != nil {
		t.Fatal(err)
	}
	return pages
}

// rendered returns the page's HTML.
func rendered(t *testing.T, pages *templates.Pages, s sample, frame templates.Frame) string {
	t.Helper()
	var out bytes.Buffer
	if err := s.write(pages, &out, frame); err != nil {
		t.Fatalf("%s: %v", s.name, err)
	}
	return out.String()
}
