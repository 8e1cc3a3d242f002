package app

import (
	"github.com/portico-id/portico/provider"
	"github.com/portico-id/portico/provider/upstreams"
)

// wireUpstreams makes the visits to upstreams, which end in the provider.
func (p *parts) wireUpstreams() {
	p.desks.upstreams = upstreams.NewPages(upstreams.PagesOptions{
		Upstreams: p.upstreams, Sessions: p.desks.sessions, Pages: p.pages, Web: p.desks.web,
		Arrive: provider.Arriving(p.provider), WantsFresh: provider.WantsFresh(p.provider), Claimed: p.factors.Claimed,
		Connected:   p.factors.Connected,
		LogoutError: provider.ClientErrors(p.provider), ResumePath: provider.ResumePath,
	})
}
