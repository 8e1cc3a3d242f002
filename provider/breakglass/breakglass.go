// Package breakglass is who still gets in when an upstream is broken.
package breakglass

import (
	"context"
	"slices"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/provider/said"
	"github.com/portico-id/portico/storage"
)

// Store is what the package reads.
type Store interface {
	ListUpstreams(ctx context.Context) ([]storage.Upstream, error)
	ListBreakGlass(ctx context.Context) ([]storage.BreakGlass, error)
}

const noWayIn = "No administrator would get in. Give one a passkey first, or a password and a name outside the domain."

// Check insists, before people of a domain get in by the upstream alone, on an
// administrator who gets in without any: Conflict, about exclusive.
func Check(ctx context.Context, store Store, upstream storage.Upstream) error {
	if !upstream.Exclusive {
		return nil
	}
	admins, err := store.ListBreakGlass(ctx)
	if err != nil {
		return err
	}
	all, err := store.ListUpstreams(ctx)
	if err != nil {
		return err
	}
	all = slices.DeleteFunc(all, func(u storage.Upstream) bool { return u.ID == upstream.ID })
	led := Led(append(all, upstream))
	if slices.ContainsFunc(admins, func(a storage.BreakGlass) bool { return GetsIn(a, led) }) {
		return nil
	}
	return fault.New(fault.Conflict, "no_way_in", noWayIn).At("exclusive")
}

// Led are the domains whose addresses the sign-in page sends elsewhere, unread the
// password that comes with them. It does so where an upstream is off, too; directories
// are asked in place, and not about administrators who have a password here.
func Led(all []storage.Upstream) (domains []string) {
	for _, one := range all {
		if one.Exclusive && one.Kind != storage.UpstreamLDAP {
			domains = append(domains, one.Domains...)
		}
	}
	return domains
}

// GetsIn reports whether the administrator proves here who they are, though whoever
// types an address of these domains is led elsewhere.
func GetsIn(admin storage.BreakGlass, led []string) bool {
	return admin.Passkey || admin.Password && (admin.Username != "" || !said.Within(admin.Email, led))
}
