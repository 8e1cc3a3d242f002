package breakglass_test

import (
	"context"
	"testing"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/provider/breakglass"
	"github.com/portico-id/portico/storage"
)

// kept is upstreams and administrators.
type kept struct {
	upstreams []storage.Upstream
	admins    []storage.BreakGlass
}

func (k kept) ListUpstreams(context.Context) ([]storage.Upstream, error)    { return k.upstreams, nil }
func (k kept) ListBreakGlass(context.Context) ([]storage.BreakGlass, error) { return k.admins, nil }

// Rules: FED-11, LDAP-16
func TestBeforeADomainSignsInElsewhereAloneAnAdministratorMustGetIn(t *testing.T) {
	only := func(id, kind, domain string) storage.Upstream {
		return storage.Upstream{ID: id, Kind: kind, Exclusive: true, Domains: []string{domain}}
	}
	works, directory := only("works", storage.UpstreamOIDC, "works.test"), only("ad", storage.UpstreamLDAP, "works.test")
	offered, off := works, only("other", storage.UpstreamOIDC, "other.test")
	offered.Exclusive, off.Disabled = false, true
	inside := storage.BreakGlass{Email: "root@WORKS.test", Password: true}
	named, keyed, outside := inside, inside, inside
	named.Username, keyed.Passkey, keyed.Password, outside.Email = "root", true, false, "root@other.test"
	for name, one := range map[string]struct {
		upstream storage.Upstream
		beside   []storage.Upstream
		admin    storage.BreakGlass
		in       bool
	}{
		"their address leads there":          {works, nil, inside, false},
		"it leads there from now on":         {works, []storage.Upstream{offered}, inside, false},
		"it does not from now on":            {offered, []storage.Upstream{works}, inside, true},
		"they have a user name":              {works, nil, named, true},
		"a passkey knows no domain":          {works, nil, keyed, true},
		"their address is of another domain": {works, nil, outside, true},
		"which leads elsewhere":              {works, []storage.Upstream{off}, outside, false},
		"a directory is asked in place":      {directory, nil, inside, true},
		"where the address leads away":       {directory, []storage.Upstream{works}, inside, false},
		"they have nothing to show":          {works, nil, storage.BreakGlass{Email: "a@other.test", Username: "a"}, false},
	} {
		err := breakglass.Check(t.Context(), kept{one.beside, []storage.BreakGlass{one.admin}}, one.upstream)
		if one.in && err != nil || !one.in && !fault.HasReason(err, "no_way_in") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := breakglass.Check(t.Context(), kept{}, works); !fault.HasReason(err, "no_way_in") {
		t.Errorf("nobody administrates: %v", err)
	}
}
