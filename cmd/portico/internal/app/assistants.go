package app

import (
	"net/http"
	"slices"

	"github.com/portico-id/portico/cmd/portico/internal/config"
	"github.com/portico-id/portico/cmd/portico/internal/version"
	"github.com/portico-id/portico/dataapi"
	"github.com/portico-id/portico/dataapi/access"
	"github.com/portico-id/portico/dataapi/feed"
	"github.com/portico-id/portico/dataapi/jsonapi"
	"github.com/portico-id/portico/dataapi/mcp"
	"github.com/portico-id/portico/dataapi/objects"
	"github.com/portico-id/portico/internal/gate/bearer"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/provider/resources"
	"github.com/portico-id/portico/storage"
)

// builtIn are the resources that the server has beside its APIs.
func builtIn(c config.Config) []storage.Resource {
	if !c.MCP {
		return nil
	}
	return []storage.Resource{mcp.Resource(c.BaseURL)}
}

// assistantsAt is the address where they read; empty: nowhere.
func assistantsAt(c config.Config) string {
	if !c.MCP {
		return ""
	}
	return c.BaseURL + mcp.Path
}

// assistants is where they read, if the server has that.
func (p *parts) assistants() []httpio.Route {
	if !p.Config.MCP {
		return nil
	}
	base := p.Config.BaseURL
	return mcp.New(mcp.Options{
		BaseURL: base, Name: func() string { return p.Branding().Current().Name }, Version: version.Number,
		Bearer: p.bearer.For(base + mcp.Path), Metadata: base + resources.MetadataPath + mcp.Path,
		API: p.dataInside(p.bearer.Inside()),
	}).Routes()
}

// dataInside is the data API for callers who were let in before: what is asked of it here
// reads.
func (p *parts) dataInside(who *bearer.Authenticator) http.Handler {
	guard, pager := access.Guard{Bearer: who}, jsonapi.Pager{Sealer: p.ring}
	data := dataapi.New(dataapi.Options{Store: p.Store, Bearer: who, Sealer: p.ring, Tell: p.teller})
	bytes := objects.New(objects.Options{
		Store: p.Store, Blobs: p.blobs, Rights: p.finder, Ambient: p.Ambient, Bearer: who, Signer: p.ring,
		BaseURL: p.Config.BaseURL, Namespace: p.Config.URNNamespace, Scanner: p.scanner,
	})
	return httpio.Router{WriteError: jsonapi.WriteError, Around: func(_ httpio.Route, next http.Handler) http.Handler {
		return next
	}, Areas: []httpio.Area{
		data.Projects(),
		{Prefix: "/data/v1", WriteError: jsonapi.WriteError, Routes: slices.Concat(
			data.Routes(p.batch.NamedFolders(guard), p.batch.NamedItems(guard)), p.search.Routes(guard),
			feed.New(p.Store, p.finder, p.teller, pager, who, p.epoch).Routes(guard))},
		bytes.Area(),
	}}.Handler()
}
