package provider

import (
	"context"

	"github.com/portico-id/portico/storage"
)

// Elsewhere knows where people may sign in beside here: at upstreams.
type Elsewhere interface {
	// Offered returns the upstreams that stand on the sign-in page, in their order.
	Offered(ctx context.Context) ([]storage.Upstream, error)

	// Leads returns the id of the upstream at which alone people sign in who have
	// such an address; empty: they sign in here.
	Leads(ctx context.Context, address string) (string, error)
}

// nowhere offers nothing.
type nowhere struct{}

func (nowhere) Offered(context.Context) ([]storage.Upstream, error) { return nil, nil }

func (nowhere) Leads(context.Context, string) (string, error) { return "", nil }
