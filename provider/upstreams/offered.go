package upstreams

import (
	"context"
	"slices"

	"github.com/portico-id/portico/provider/said"
	"github.com/portico-id/portico/storage"
)

func (u *Upstreams) list(ctx context.Context) (listing, error) {
	all, err := u.with.Store.ListUpstreams(ctx)
	return listing{all, true}, err
}

// Offered implements provider.Elsewhere. Where they can't be read it offers what it knew
// last, for whoever signs in another way.
func (u *Upstreams) Offered(context.Context) ([]storage.Upstream, error) {
	return offered(u.all.Get().all), nil
}

func offered(all []storage.Upstream) (some []storage.Upstream) {
	for _, one := range all {
		if !one.Disabled && one.Kind != storage.UpstreamLDAP {
			some = append(some, one)
		}
	}
	return some
}

// Leads implements provider.Elsewhere. It goes by the address alone, so that nobody
// learns who has an account. An upstream that is switched off opens no other way in.
func (u *Upstreams) Leads(_ context.Context, address string) (string, error) {
	if domainOf(address) == "" {
		return "", nil
	}
	known := u.all.Get()
	if !known.read {
		return "", errUnreachable.Because(causef("upstreams could not be read yet"))
	}
	for _, one := range known.all {
		if one.Exclusive && one.Kind != storage.UpstreamLDAP && said.Within(address, one.Domains) {
			return one.ID, nil
		}
	}
	return "", nil
}

// Accounts implements provider.Elsewhere.
func (u *Upstreams) Accounts(ctx context.Context, userID string) (all []storage.LinkedAccount, _ error) {
	mine, err := u.with.Store.ListIdentities(ctx, userID)
	known := u.all.Get().all
	for _, one := range mine {
		at := slices.IndexFunc(known, func(by storage.Upstream) bool { return by.ID == one.UpstreamID })
		if at >= 0 && known[at].Kind != storage.UpstreamLDAP && one.EndedAt.IsZero() {
			all = append(all, storage.LinkedAccount{Subject: one.Subject, UpstreamID: one.UpstreamID, Name: known[at].Name})
		}
	}
	return all, err
}
