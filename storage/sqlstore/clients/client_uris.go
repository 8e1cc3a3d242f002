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
FROM clients WHERE NOT disabled AND (type = 'spa' OR origins <> '[]')`

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
func (s *Clients) ListBrowserOrigins(ctx context.Context) (origins, spaRedirectURIs []string, err error) {
	rows, err := engine.All[storage.Client](ctx, s.db, selectBrowserOrigins, engine.Args{})
	if err != nil {
		return nil, nil, err
	}
	seen := map[string]bool{}
	for _, row := range rows {
		origins = appendNew(origins, seen, row.Origins)
	}
	clear(seen)
	for _, row := range rows {
		if row.Type == storage.ClientSPA {
			spaRedirectURIs = appendNew(spaRedirectURIs, seen, row.RedirectURIs)
		}
	}
	return origins, spaRedirectURIs, nil
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
