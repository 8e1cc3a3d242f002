package wiring

import (
	"github.com/portico-id/portico/provider"
	"github.com/portico-id/portico/provider/apps"
	"github.com/portico-id/portico/provider/clientprofile"
	"github.com/portico-id/portico/provider/metadoc"
	"github.com/portico-id/portico/provider/policy"
	"github.com/portico-id/portico/provider/registration"
	"github.com/portico-id/portico/storage"
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

// DocumentHosts says whose documents describe clients, by the policy of the moment.
func (p *Parts) DocumentHosts() string { return p.Policy().Current()[policy.MetadataDocuments] }

// NewDocuments returns the clients that documents describe. Whoever keeps clients in
// memory is told when one is other than it was.
func (p *Parts) NewDocuments(changed func()) *metadoc.Documents {
	return metadoc.New(metadoc.Options{
		Clients: p.Apps(), Store: p.Store, Ambient: p.Ambient, Get: p.Outbound().Get, Changed: changed,
		Hosts: p.DocumentHosts,
		Read: func(document []byte, was storage.Client) (storage.Client, error) {
			return registration.Read(document, was, apps.DefaultScopes)
		},
	})
}
