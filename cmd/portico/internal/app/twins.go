package app

import (
	"github.com/portico-id/portico/cmd/portico/internal/config"
	"github.com/portico-id/portico/dataapi/twins"
	"github.com/portico-id/portico/internal/sealing"
)

func newTwins(p *parts, c config.Config, ring *sealing.Ring) *twins.Handler {
	return twins.New(twins.Options{
		Store: p.store, Blobs: p.blobs, Originals: p.finder, Ambient: p.ambient, Bearer: p.bearer, Signer: ring,
		BaseURL: c.BaseURL, Namespace: c.URNNamespace,
	})
}
