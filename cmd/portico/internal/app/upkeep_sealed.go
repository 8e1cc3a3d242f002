package app

import (
	"context"
	"maps"

	"github.com/portico-id/portico/dataapi/webhooks"
	"github.com/portico-id/portico/internal/gate/resealing"
	"github.com/portico-id/portico/internal/gate/signing"
	"github.com/portico-id/portico/internal/gate/websession"
	"github.com/portico-id/portico/provider/factors"
	"github.com/portico-id/portico/provider/outbox"
	"github.com/portico-id/portico/provider/upstreams"
)

// Sealed are the labels of all that is kept under the server's secret.
func Sealed() resealing.Labels {
	all := resealing.Labels{}
	for _, some := range []resealing.Labels{signing.Sealed(), websession.Sealed(), factors.Sealed(), outbox.Sealed(),
		upstreams.Sealed(), webhooks.Sealed()} {
		maps.Copy(all, some)
	}
	return all
}

// reseal seals anew what the secret before the server's has sealed.
func (u *upkeep) reseal(ctx context.Context) error {
	n, err := resealing.All(ctx, u.ring, u.sealed, Sealed())
	if n > 0 {
		u.log.InfoContext(ctx, "what the secret before had sealed is sealed anew", "boxes", n)
	}
	return err
}
