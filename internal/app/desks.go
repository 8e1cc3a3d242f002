package app

import (
	"github.com/portico-id/portico/internal/app/config"
	"github.com/portico-id/portico/internal/sealing"
	"github.com/portico-id/portico/internal/webpage"
	"github.com/portico-id/portico/internal/websession"
	"github.com/portico-id/portico/provider/apps"
	"github.com/portico-id/portico/serviceaccounts"
)

// desks are the pages of signed-in people, in every area, and what they share.
type desks struct {
	sessions *websession.Manager
	web      *webpage.Writer
	recorder *apps.Recorder
	tickets  *apps.Tickets
	portal   *apps.Portal
	machines *serviceaccounts.Pages
}

// newDesks makes what the provider needs of them; open makes the pages, which
// need the provider.
func newDesks(p *parts, c config.Config, ring *sealing.Ring) *desks {
	return &desks{
		sessions: websession.New(websession.Options{Store: p.store, Ambient: p.ambient, Secure: https(c)}),
		web:      webpage.New(p.pages, p.log),
		recorder: apps.NewRecorder(p.store, p.log),
		tickets:  apps.NewTickets(ring, p.ambient, c.BaseURL),
	}
}

func (d *desks) open(p *parts, c config.Config) {
	d.portal = apps.NewPortal(apps.PortalOptions{
		BaseURL: c.BaseURL, Apps: p.apps, Ambient: p.ambient, Sessions: d.sessions, Pages: p.pages, Web: d.web,
		Failures: p.store, Machines: p.machines, Tickets: d.tickets, Flows: p.provider,
	})
	d.machines = serviceaccounts.NewPages(serviceaccounts.PagesOptions{
		Accounts: p.machines, Owners: p.apps, Sessions: d.sessions, Pages: p.pages, Web: d.web,
	})
}

// close writes what is pending. Nil desks have nothing.
func (d *desks) close() error {
	if d == nil {
		return nil
	}
	return d.recorder.Close()
}
