package clients

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
)

const selectBrowserOrigins = `
SELECT type, redirect_uris, origins
FROM clients WHERE NOT disabled AND (type IN ('spa', 'native') OR origins <> '[]')`

// The pattern narrows; whether the URI is among them is seen in Go.
var selectPostLogoutClients = clientsWithSecrets + `
WHERE NOT c.disabled AND c.post_logout_redirect_uris LIKE :pattern ESCAPE '!'` + bySecret

// FindPostLogoutClients implements storage.ClientStore.
func (s *Clients) FindPostLogoutClients(ctx context.Context, uri string) ([]storage.Client, error) {
	member, err := json.Marshal(uri)
	if err != nil {
		return nil, engine.AsFault(err)
	}
	found, err := s.list(ctx, selectPostLogoutClients, engine.Args{"pattern": engine.Containing(string(member))})
	return slices.DeleteFunc(found, func(c storage.Client) bool {
		return !slices.Contains(c.PostLogoutRedirectURIs, uri)
	}), err
}

// ListBrowserOrigins implements storage.ClientStore.
func (s *Clients) ListBrowserOrigins(ctx context.Context) (all storage.BrowserOrigins, err error) {
	rows, err := engine.All[storage.Client](ctx, s.db, selectBrowserOrigins, engine.Args{})
	if err != nil {
		return all, err
	}
	redirects := map[storage.ClientType]*[]string{storage.ClientSPA: &all.SPA, storage.ClientNative: &all.Native}
	seen := map[storage.ClientType]map[string]bool{"": {}, storage.ClientSPA: {}, storage.ClientNative: {}}
	for _, row := range rows {
		all.Origins = appendNew(all.Origins, seen[""], row.Origins)
		if list := redirects[row.Type]; list != nil {
			*list = appendNew(*list, seen[row.Type], row.RedirectURIs)
		}
	}
	return all, nil
}

// appendNew appends the members of more that have not been seen.
func appendNew(all []string, seen map[string]bool, more []string) []string {
	for _, s := range more {
		if !seen[s] {
			seen[s] = true
			all = append(all, s)
		}
	}
	return all
}
