package wiring

import (
	"github.com/portico-id/portico/provider"
	"github.com/portico-id/portico/provider/apps"
	"github.com/portico-id/portico/provider/clientprofile"
	"github.com/portico-id/portico/provider/policy"
	"github.com/portico-id/portico/provider/registration"
)

func (p *Parts) newRegistrar() *registration.Registrar {
	return registration.New(registration.Options{
		Store: p.Store, Apps: p.Apps(), Ambient: p.Ambient, BaseURL: p.Config.BaseURL,
		Mode:    func() string { return p.Policy().Current()[policy.DynamicRegistration] },
		Grants:  provider.GrantTypes,
		Answers: clientprofile.ResponseTypes,

		DefaultScopes: apps.DefaultScopes,
	})
}
