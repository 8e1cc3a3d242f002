package app

import (
	"github.com/portico-id/portico/cmd/portico/internal/config"
	"github.com/portico-id/portico/dataapi/urn"
	"github.com/portico-id/portico/dataapi/webhooks"
	"github.com/portico-id/portico/internal/sealing"
)

// wireWebhooks makes what tells others of changes.
func (p *parts) wireWebhooks(c config.Config, ring *sealing.Ring) {
	p.webhooks = webhooks.New(webhooks.Options{Store: p.store, Ambient: p.ambient, Ring: ring, Outbound: p.outbound})
	p.courier = webhooks.NewCourier(webhooks.CourierOptions{
		Store: p.store, Ambient: p.ambient, Ring: ring, Outbound: p.outbound, Log: p.log, Space: urn.Space(c.URNNamespace),
	})
}
