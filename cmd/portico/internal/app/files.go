package app

import (
	"slices"

	"github.com/portico-id/portico/dataapi/pages"
	"github.com/portico-id/portico/dataapi/pages/filing"
	"github.com/portico-id/portico/dataapi/pages/ground"
	"github.com/portico-id/portico/dataapi/pages/office"
	"github.com/portico-id/portico/dataapi/pages/sending"
	"github.com/portico-id/portico/dataapi/pages/showing"
	"github.com/portico-id/portico/dataapi/pages/twinned"
	"github.com/portico-id/portico/dataapi/tree"
	"github.com/portico-id/portico/dataapi/urn"
	"github.com/portico-id/portico/internal/httpio"
)

// files are the pages of files: what they list, what they do, and what they show of
// the bytes.
type files struct {
	shown  *pages.Desk
	filing *filing.Desk
	office *office.Desk
	looked *showing.Desk
	twins  *twinned.Desk
	sent   *sending.Desk
}

func (d *desks) openFiles(p *parts) {
	space := urn.Space(p.Config.URNNamespace)
	on := ground.New(ground.Options{Store: p.Store, Ambient: p.Ambient, URN: space, Sessions: d.sessions,
		Pages: p.pages, Web: d.web, Sealer: p.ring})
	d.files = files{
		shown: pages.New(pages.Options{Store: p.Store, Ground: on}),
		filing: filing.New(filing.Options{Ground: on, Store: p.Store, Rules: tree.New(p.Store, p.finder, p.Ambient),
			States: p.flowRules, Bytes: p.objects}),
		office: office.New(office.Options{Ground: on, Rules: p.Administration(), Names: p.flowRules,
			Invite: invites(p.People(), p.Config.BaseURL)}),
		twins:  twinned.New(twinned.Options{Ground: on, Twins: p.twins}),
		sent:   sending.New(on, p.sentRules),
		looked: showing.New(showing.Options{Ground: on, Store: p.Store, Bytes: p.objects, Archives: p.packer}),
	}
}

// Routes are the pages' routes.
func (f files) Routes() []httpio.Route {
	return slices.Concat(f.shown.Routes(), f.filing.Routes(), f.office.Routes(), f.looked.Routes(), f.twins.Routes(),
		f.sent.Routes())
}
