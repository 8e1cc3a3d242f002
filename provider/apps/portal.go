package apps

import (
	"context"
	"net/http"
	"time"

	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/gate/websession"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/internal/ratelimit"
	"github.com/portico-id/portico/internal/webpage"
	"github.com/portico-id/portico/provider/usage"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/templates"
	"github.com/portico-id/portico/templates/texts"
)

// Machines tells of the service accounts of a client: package serviceaccounts.
type Machines interface {
	// PageSection returns the part of the client's page at path.
	PageSection(ctx context.Context, client storage.Client, path string) (templates.Machines, error)
}

// Failures are the requests in the name of clients that were refused.
type Failures interface {
	ListClientFailures(ctx context.Context, clientID string, since time.Time) ([]storage.ClientFailure, error)
}

// PortalOptions are what a Portal is made of. Every field but Limits is needed.
type PortalOptions struct {
	BaseURL  string
	Apps     *Apps
	Ambient  *ambient.Source
	Sessions *websession.Manager
	Pages    *templates.Pages
	Web      *webpage.Writer
	Failures Failures
	Machines Machines
	Tickets  *Tickets
	Flows    Flows
	Usage    usage.Records
	Limits   *ratelimit.Limits // of the apps that people register; nil: none
}

// Portal is the pages on which developers register their apps and see how they
// fare. Whoever may do what is decided by Apps.Managed, at the beginning of
// every handler.
type Portal struct {
	with PortalOptions
	apps *Apps
	gate *websession.Gate
}

// NewPortal returns a portal.
func NewPortal(o PortalOptions) *Portal {
	return &Portal{with: o, apps: o.Apps, gate: o.Sessions.Gate(o.Web.Error)}
}

// Routes are the pages.
func (p *Portal) Routes() []httpio.Route {
	const app = listPath + "/{clientId}"
	show := func(page managed) httpio.Endpoint { return p.gate.Show(p.ofApp(page)) }
	form := func(page managed) httpio.Endpoint { return p.gate.Form(p.ofApp(page)) }
	return []httpio.Route{
		httpio.At(listPath).Get(p.gate.Show(p.list)),
		httpio.At(newPath).Get(p.gate.Show(p.showCreate)).Post(p.gate.Form(p.create)),
		httpio.At(tryBackPath).Get(p.gate.Show(p.tryBack)),
		httpio.At(app).Get(show(p.show)),
		httpio.At(app + "/edit").Get(show(p.showEdit)).Post(form(p.edit)),
		p.grave(app+"/delete", p.askDelete, p.delete),
		httpio.At(app + "/logo").Get(show(p.showLogo)).Post(form(p.setLogo)),
		httpio.At(app + "/logo/delete").Post(form(p.deleteLogo)).On(app),
		httpio.At(app + "/secrets").Get(show(p.showAddSecret)).Post(form(p.addSecret)),
		p.grave(app+"/secrets/{secretId}/delete", p.askDeleteSecret, p.deleteSecret),
		httpio.At(app + "/members").Post(form(p.invite)).On(app),
		httpio.At(app + "/invitations/{invitationId}/delete").Post(form(p.withdraw)).On(app),
		httpio.At(invitationsPath + "/{invitationId}/accept").Post(p.gate.Form(p.accept)).On(listPath),
		httpio.At(invitationsPath + "/{invitationId}/decline").Post(p.gate.Form(p.decline)).On(listPath),
		p.grave(app+"/members/{userId}/remove", p.askRemoveMember, p.removeMember),
		httpio.At(app + "/guides/{guide}").Get(show(p.guide)),
		httpio.At(app + "/try").Get(show(p.showTry)).Post(form(p.try)),
	}
}

// PictureRoute is where the logos of apps are, for everybody.
func (p *Portal) PictureRoute() httpio.Route {
	return httpio.At("/logos/{logo}").Get(httpio.Open(p.with.Web.Error, p.picture))
}

// Paths of the portal below the base URL.
const (
	listPath    = "/apps"
	newPath     = "/apps/new"
	tryBackPath = "/apps/try/callback"
)

func appPath(id string) string { return listPath + "/" + id }

// appVariable names the variable of the routes, and the others what is of an
// app.
const (
	appVariable    = "clientId"
	secretVariable = "secretId"
	memberVariable = "userId"
	logoVariable   = "logo"
	guideVariable  = "guide"
)

// grave is a question and its answer about an app that the visitor manages.
func (p *Portal) grave(template string, ask, act managed) httpio.Route {
	return p.gate.Grave(httpio.At(template), p.ofApp(ask), p.ofApp(act))
}

// done says what a form did, when the next page is asked with its key.
var done = map[string]texts.Text{
	"edited":         texts.Say("app.done.edited"),
	"deleted":        texts.Say("app.done.deleted"),
	"secret-deleted": texts.Say("app.done.secret-deleted"),
	"logo-set":       texts.Say("app.done.logo-set"),
	"logo-deleted":   texts.Say("app.done.logo-deleted"),
	"member-removed": texts.Say("app.done.member-removed"),
	"invited":        texts.Say("app.done.invited"),

	"invitation-accepted":  texts.Say("app.done.invitation-accepted"),
	"invitation-declined":  texts.Say("app.done.invitation-declined"),
	"invitation-withdrawn": texts.Say("app.done.invitation-withdrawn"),

	"registered":       texts.Say("app.done.registered"),
	"left":             texts.Say("app.done.left"),
	"account-created":  texts.Say("app.done.account-created"),
	"account-enabled":  texts.Say("app.done.account-enabled"),
	"account-disabled": texts.Say("app.done.account-disabled"),
	"account-deleted":  texts.Say("app.done.account-deleted"),
	"key-enabled":      texts.Say("app.done.key-enabled"),
	"key-disabled":     texts.Say("app.done.key-disabled"),
	"key-deleted":      texts.Say("app.done.key-deleted"),
}

// desk is what is around each page of the portal.
func desk(r *http.Request) templates.Desk {
	return webpage.Desk(r, templates.SectionApps, done)
}

// managed is a handler for an app that the visitor manages. For every other app
// there is nothing here.
type managed func(w http.ResponseWriter, r *http.Request, v websession.Visit, client storage.Client) error

func (p *Portal) ofApp(page managed) websession.Page {
	return func(w http.ResponseWriter, r *http.Request, v websession.Visit) error {
		id, err := httpio.PathID(r, appVariable)
		if err != nil {
			return noClient()
		}
		client, err := p.apps.Managed(r.Context(), v.UserID, id)
		if err != nil {
			return err
		}
		return page(w, r, v, client)
	}
}

func backToApp(client storage.Client) templates.Link {
	return templates.Link{URL: appPath(client.ID), Text: texts.Own(client.Name)}
}

// typeWords are the client types as people call them.
var typeWords = map[storage.ClientType]texts.Text{
	storage.ClientWeb:     texts.Say("apps.type.web"),
	storage.ClientService: texts.Say("apps.type.service"),
	storage.ClientNative:  texts.Say("apps.type.native"),
	storage.ClientSPA:     texts.Say("apps.type.spa"),
}

// marks are a client's flags, in a word each.
func marks(c storage.Client) []texts.Text {
	var all []texts.Text
	if c.FirstParty {
		all = append(all, texts.Say("apps.mark.first-party"))
	}
	if c.Vouched {
		all = append(all, texts.Say("apps.mark.vouched"))
	}
	if c.Internal {
		all = append(all, texts.Say("apps.mark.internal"))
	}
	return all
}
