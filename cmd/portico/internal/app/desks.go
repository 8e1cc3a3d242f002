package app

import (
	"context"

	"github.com/portico-id/portico/cmd/portico/internal/version"
	"github.com/portico-id/portico/dataapi/administration"
	"github.com/portico-id/portico/dataapi/facilities"
	"github.com/portico-id/portico/internal/gate/adminapi"
	"github.com/portico-id/portico/internal/gate/websession"
	"github.com/portico-id/portico/internal/webpage"
	"github.com/portico-id/portico/provider/accounts"
	"github.com/portico-id/portico/provider/apps"
	"github.com/portico-id/portico/provider/assistants"
	"github.com/portico-id/portico/provider/branding"
	"github.com/portico-id/portico/provider/catalogue"
	"github.com/portico-id/portico/provider/connections"
	"github.com/portico-id/portico/provider/directory"
	"github.com/portico-id/portico/provider/factors"
	"github.com/portico-id/portico/provider/outbox"
	"github.com/portico-id/portico/provider/people"
	"github.com/portico-id/portico/provider/policy"
	"github.com/portico-id/portico/provider/registration"
	"github.com/portico-id/portico/provider/system"
	"github.com/portico-id/portico/provider/upstreams"
	"github.com/portico-id/portico/serviceaccounts"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/templates/texts"
)

// desks are the pages of signed-in people, in every area, and what they share.
type desks struct {
	sessions  *websession.Manager
	web       *webpage.Writer
	recorder  *apps.Recorder
	tickets   *apps.Tickets
	portal    *apps.Portal
	apps      *apps.Admin
	people    *people.Desk
	accounts  *accounts.Pages
	mail      *outbox.Desk
	door      *adminapi.Door
	appsAPI   *apps.API
	peopleAPI *people.API
	consents  *accounts.API
	factors   *factors.Pages
	factorAPI *factors.API
	dataAPI   *administration.API
	twinsAPI  *facilities.API
	system    *system.Desk
	machines  *serviceaccounts.Pages
	brand     *branding.Desk
	brandAPI  *branding.API
	upstreams *upstreams.Pages

	connections     *connections.Desk
	connectionsAPI  *connections.API
	upstreamsAPI    *upstreams.API
	registrationAPI *registration.API
	registrations   *registration.Desk
	assistants      *assistants.Pages

	resources *catalogue.Desk

	directories    *directory.Desk
	directoriesAPI *directory.API

	files files

	policy    *policy.Desk
	policyAPI *policy.API
}

// newDesks makes what the provider needs of them; open makes the pages, which
// need the provider.
func newDesks(p *parts) *desks {
	sessions := websession.New(websession.Options{
		Store: p.Store, Ring: p.ring, Ambient: p.Ambient, Secure: https(p.Config), Limit: p.Config.RequestLimit,
		Idle: p.Config.Lifetimes.SessionIdle, Absolute: p.Config.Lifetimes.SessionAbsolute,
		Demand: p.Policy().Demands,
	})
	return &desks{
		sessions: sessions,
		web:      webpage.New(p.pages, p.Log, sessions.Greet),
		recorder: apps.NewRecorder(p.Store, p.Log),
		tickets:  apps.NewTickets(p.ring, p.Ambient, p.Config.BaseURL),
	}
}

func (d *desks) open(p *parts) {
	c := p.Config
	d.portal = apps.NewPortal(apps.PortalOptions{
		BaseURL: c.BaseURL, Apps: p.Apps(), Ambient: p.Ambient, Sessions: d.sessions, Pages: p.pages, Web: d.web,
		Failures: p.Store, Machines: p.Machines(), Tickets: d.tickets, Flows: p.provider, Limits: p.limits,
		Usage: p.records(),
	})
	d.apps = apps.NewAdmin(d.portal, newHubs(p))
	d.door = newDoor(p, d.sessions)
	d.appsAPI = apps.NewAPI(p.Apps(), d.door, p.limits, p.records())
	d.peopleAPI = people.NewAPI(p.People(), d.door, c.BaseURL, p.limits)
	d.consents = accounts.NewAPI(p.Accounts(), d.door)
	d.dataAPI = administration.NewAPI(administration.APIOptions{
		Rules: p.Administration(), Webhooks: p.webhooks, Door: d.door, Invite: invites(p.People(), c.BaseURL),
	})
	d.twinsAPI = newTwinsAPI(p, d)
	d.people = people.NewDesk(people.DeskOptions{
		BaseURL: c.BaseURL, People: p.People(), Sessions: d.sessions, Pages: p.pages, Web: d.web,
		Limits: p.limits,
	})
	d.accounts = accounts.NewPages(accounts.PagesOptions{Accounts: p.Accounts(), Sessions: d.sessions,
		Pages: p.pages, Web: d.web})
	d.factors = factors.NewPages(factors.PagesOptions{Factors: p.factors, Sessions: d.sessions,
		Pages: p.pages, Web: d.web})
	d.factorAPI = factors.NewAPI(p.factors, d.door)
	d.mail = outbox.NewDesk(outbox.DeskOptions{Outbox: p.Outbox(), Sessions: d.sessions, Pages: p.pages, Web: d.web})
	d.system = system.New(system.Options{
		Parts: systemParts(p), Ambient: p.Ambient, Sessions: d.sessions, Pages: p.pages, Web: d.web,
	})
	d.brand = branding.NewDesk(branding.DeskOptions{Branding: p.Branding(), Sessions: d.sessions,
		Pages: p.pages, Web: d.web})
	d.brandAPI = branding.NewAPI(p.Branding(), d.door)
	d.connections = connections.NewDesk(connections.DeskOptions{Connections: p.Connections(), Sessions: d.sessions,
		Pages: p.pages, Web: d.web})
	d.connectionsAPI = connections.NewAPI(p.Connections(), d.door)
	d.resources = catalogue.NewDesk(catalogue.DeskOptions{Catalogue: p.Catalogue(), Sessions: d.sessions,
		Pages: p.pages, Web: d.web})
	d.directories = directory.NewDesk(directory.DeskOptions{Directories: p.directories, Sessions: d.sessions,
		Pages: p.pages, Web: d.web})
	d.directoriesAPI = directory.NewAPI(p.directories, d.door)
	d.upstreamsAPI = upstreams.NewAPI(p.upstreams, d.door)
	d.policy = policy.NewDesk(policy.DeskOptions{Policy: p.Policy(), Sessions: d.sessions, Pages: p.pages, Web: d.web})
	d.registrationAPI = registration.NewAPI(p.Registrar(), d.door)
	d.registrations = registration.NewDesk(registration.DeskOptions{Registrar: p.Registrar(),
		Hosts: p.DocumentHosts, Sessions: d.sessions, Pages: p.pages, Web: d.web})
	d.assistants = assistants.New(assistants.Options{Address: assistantsAt(c), Mode: p.Registrar().Mode,
		Hosts: p.DocumentHosts, Sessions: d.sessions, Pages: p.pages, Web: d.web})
	d.policyAPI = policy.NewAPI(p.Policy(), d.door)
	d.openFiles(p)
	d.machines = serviceaccounts.NewPages(serviceaccounts.PagesOptions{
		Accounts: p.Machines(), Owners: p.Apps(), Sessions: d.sessions, Pages: p.pages, Web: d.web,
	})
}

// invites adds people to the server in the name of those who want them in hubs.
func invites(p *people.People, baseURL string) func(context.Context, storage.Act,
	string) (administration.Invitation, error) {
	return func(ctx context.Context, act storage.Act, email string) (administration.Invitation, error) {
		user, invitation, err := p.Invite(ctx, act, email, "An administrator")
		return administration.Invitation{UserID: user.ID, URL: invitation.URL(baseURL), Until: invitation.Until}, err
	}
}

// demandWords says of whom a second factor is demanded.
func demandWords(who string) texts.Text {
	return map[string]texts.Text{
		policy.Voluntary:      texts.Say("system.factor-voluntary"),
		policy.Administrators: texts.Say("system.factor-administrators"),
		policy.Everybody:      texts.Say("system.factor-everybody"),
	}[who]
}

// systemParts are what administrators see of the server's state.
func systemParts(p *parts) system.Parts {
	c := p.Config
	engine := "PostgreSQL"
	if c.SQLite() {
		engine = "SQLite"
	}
	return system.Parts{
		Keys: func(ctx context.Context) ([]system.Key, error) {
			infos, err := p.keys.List(ctx)
			keys := make([]system.Key, len(infos))
			for i, k := range infos {
				keys[i] = system.Key{ID: k.KID, Algorithm: k.Algorithm, State: string(k.State), Generation: k.Generation,
					CreatedAt: k.CreatedAt, KnownFrom: k.KnownFrom(), ActiveFrom: k.ActiveFrom}
			}
			return keys, err
		},
		Rotate: func(ctx context.Context, act storage.Act, algorithm string, atOnce bool) error {
			_, err := p.keys.Rotate(ctx, act, algorithm, atOnce)
			return err
		},
		Limits: p.limits, Rates: c.RateLimits, Counts: p.Store.CountRecords, Ping: p.Store.Ping,
		Backlog: p.backlog, Usage: p.records(),
		Version: version.Number, BaseURL: c.BaseURL, Engine: engine, Mail: mailWords(p.Outbox()),
		SecondFactor: func() texts.Text { return demandWords(p.Policy().Current()[policy.SecondFactor]) },
		StartedAt:    p.Ambient.Now(),
	}
}

// close writes what is pending. Nil desks have nothing.
func (d *desks) close() error {
	if d == nil {
		return nil
	}
	return d.recorder.Close()
}
