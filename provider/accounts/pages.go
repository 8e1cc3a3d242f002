package accounts

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

// PagesOptions are what Pages are made of. Every field is needed.
type PagesOptions struct {
	Accounts *Accounts
	Sessions *websession.Manager
	Pages    *templates.Pages
	Web      *webpage.Writer
}

// Pages are a person's own. Nothing in an address says whose: it is whoever is
// signed in.
type Pages struct {
	with PagesOptions
	gate *websession.Gate
}

// NewPages returns the pages.
func NewPages(o PagesOptions) *Pages {
	return &Pages{with: o, gate: o.Sessions.Gate(o.Web.Error)}
}

// Routes are the pages.
func (p *Pages) Routes() []httpio.Route {
	return []httpio.Route{
		httpio.At(appsPath).Get(p.gate.Show(p.apps)).Post(p.gate.Form(p.endDevice)),
		httpio.At("/account/open").Get(p.gate.Show(p.openPage)),
		p.gate.Grave(httpio.At(appsPath+"/{connectedId}/withdraw"), p.ask, p.withdraw),
	}
}

const (
	appsPath    = "/account/apps"
	appVariable = "connectedId"
)

func withdrawPath(c storage.Client) string { return appsPath + "/" + c.ID + "/withdraw" }

// done says what a form did, when the next page is asked with its key.
var done = map[string]texts.Text{"withdrawn": texts.Say("accounts.withdrawn"),
	"device": texts.Say("accounts.device-ended")}

func desk(r *http.Request) templates.Desk {
	return webpage.Desk(r, "", done)
}

// apps serves the apps that may act for the visitor.
func (p *Pages) apps(w http.ResponseWriter, r *http.Request, v websession.Visit) error {
	all, err := p.with.Accounts.List(r.Context(), v.UserID)
	if err != nil {
		return err
	}
	page := templates.ConnectedPage{Desk: desk(r), Back: home(), EndAction: appsPath}
	for _, c := range all {
		page.Apps = append(page.Apps, templates.ConnectedRow{
			Name: c.Client.Name, Owner: c.Owner, OwnerGone: c.Gone, Itself: c.Client.Origin != "", Disabled: c.Client.Disabled,
			Scopes: templates.ScopeLines(c.Scopes),
			Since:  c.Since, LastSeen: c.LastSeen, EndsAt: c.EndsAt, WithdrawURL: withdrawPath(c.Client),
			ID: c.Client.ID, Devices: deviceRows(c),
		})
	}
	return p.with.Web.Send(w, http.StatusOK, func(out io.Writer) error { return p.with.Pages.Connected(out, page) })
}

func home() templates.Link { return templates.Link{URL: "/", Text: texts.Say("parts.your-account")} }

func (p *Pages) ask(w http.ResponseWriter, r *http.Request, v websession.Visit) error {
	id, err := httpio.PathID(r, appVariable)
	if err != nil {
		return err
	}
	c, err := p.with.Accounts.Find(r.Context(), v.UserID, id)
	if err != nil {
		return err
	}
	page := templates.ConfirmPage{
		Desk: desk(r), Back: templates.Link{URL: appsPath, Text: texts.Say("parts.apps-with-access")},
		Heading: texts.Say("accounts.withdraw-ask", "App", c.Client.Name),
		Stops:   stops(c), Action: withdrawPath(c.Client), Submit: texts.Say("accounts.withdraw"), CancelURL: appsPath,
	}
	return p.with.Web.Send(w, http.StatusOK, func(out io.Writer) error { return p.with.Pages.Confirm(out, page) })
}

func stops(c Connection) []texts.Text {
	again := texts.Say("accounts.stops.asks")
	if c.Client.FirstParty {
		again = texts.Say("accounts.stops.first-party")
	}
	return []texts.Text{
		texts.Say("accounts.stops.at-once"),
		texts.Say("accounts.stops.keeps"), again,
	}
}

// withdraw answers a second press of the button like the first: what was wanted
// is so.
func (p *Pages) withdraw(w http.ResponseWriter, r *http.Request, v websession.Visit) error {
	id, err := httpio.PathID(r, appVariable)
	if err == nil {
		err = p.with.Accounts.Withdraw(r.Context(), v.Act, v.UserID, id)
	}
	if err != nil && !fault.HasReason(err, ReasonNotConnected) {
		return err
	}
	return webpage.See(w, r, appsPath+"?done=withdrawn")
}
