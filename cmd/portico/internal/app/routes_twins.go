package app

import (
	"github.com/portico-id/portico/cmd/portico/internal/config"
	"github.com/portico-id/portico/dataapi/twins"
	"github.com/portico-id/portico/internal/gate/middleware"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/internal/sealing"
	"github.com/portico-id/portico/provider/scope"
)

func newTwins(p *parts, c config.Config, ring *sealing.Ring) *twins.Handler {
	return twins.New(twins.Options{
		Store: p.store, Blobs: p.blobs, Originals: p.finder, Ambient: p.ambient, Bearer: p.bearer, Signer: ring,
		BaseURL: c.BaseURL, Namespace: c.URNNamespace,
	})
}

// twins are the operations of S2 4.5 and what belongs to them. They are there at
// the bare paths and under /tandem/v1 (decision W1).
func (a *App) twins() []route {
	t := a.parts.twins
	reads := func(operation httpio.Handler) httpio.Endpoint {
		return t.Guard(scope.DataRead, operation)
	}
	writes := func(operation httpio.Handler) httpio.Endpoint {
		return t.Guard(scope.DataWrite, operation)
	}
	const twin = "/twins/{twinID}"
	const document = twin + "/documents/{documentID}"
	routes := []route{
		{template: twin, methods: methods{"GET": reads(t.GetFacility)}},
		{template: twin + "/mutate", methods: methods{"POST": writes(t.MutateTwin)}},
		{template: twin + "/elements", methods: methods{"GET": reads(t.ListElements)}},
		{template: twin + "/elements/documents", methods: methods{"GET": reads(t.GetTable), "PUT": writes(t.PutTable)}},
		{template: twin + "/mutations", methods: methods{"GET": reads(t.ListMutations)}},
		{template: twin + "/mutations/{mutation}", methods: methods{"GET": reads(t.GetMutation)}},
		{template: twin + "/mutations/{mutation}/undo", methods: methods{"POST": writes(t.Undo)}},
		{template: twin + "/documents", methods: methods{"GET": reads(t.ListDocuments), "POST": writes(t.Import)}},
		{template: twin + "/documentsbulk", methods: methods{"POST": writes(t.Import)}},
		{template: document, methods: methods{"GET": reads(t.GetDocument), "PATCH": writes(t.PatchDocument), "DELETE": writes(t.DeleteDocument)}},
		{template: document + "/content", methods: methods{"GET": {Handler: t.Content(), Scope: scope.DataRead + ", or a signed link"}}},
		{template: document + "/elements", methods: methods{"GET": reads(t.ListUses)}},
		{template: "/documentsbulk", methods: methods{"POST": writes(t.ImportInto)}},
		{template: "/mutate", methods: methods{"POST": writes(t.Mutate)}},
		{template: "/modeldata/{modelID}/mutate", methods: methods{"POST": writes(t.MutateModel)}},
	}
	for i := range routes {
		routes[i].cors = middleware.RegisteredCORS
	}
	return routes
}
