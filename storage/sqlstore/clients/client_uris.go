package clients

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
)

const (
	// The pattern narrows; whether the URI is among them is seen in Go.
	selectPostLogoutClients = `
SELECT ` + clientColumns + `, ` + joinedSecretColumns + `
FROM clients c LEFT JOIN client_secrets s ON s.client_id = c.id
WHERE NOT c.disabled AND c.post_logout_redirect_uris LIKE :pattern ESCAPE '!'
ORDER BY c.id, s.ordinal DESC`

	selectBrowserOrigins = `
SELECT type, redirect_uris, origins
FROM clients WHERE NOT disabled AND (type = 'spa' OR origins <> '[]')`
)

// FindPostLogoutClients implements storage.ClientStore.
func (s *Clients) FindPostLogoutClients(ctx context.Context, uri string) ([]storage.Client, error) {
	member, err := json.Marshal(uri)
	if err != nil {
		return nil, engine.AsFault(err)
	}
	var rows []clientWithSecret
	err = s.db.List(ctx, &rows, selectPostLogoutClients, engine.Args{"pattern": engine.Containing(string(member))})
	if err != nil {
		return nil, engine.AsFault(err)
	}
	return slices.DeleteFunc(gatherClients(rows), func(c storage.Client) bool {
		return !slices.Contains(c.PostLogoutRedirectURIs, uri)
	}), nil
}

// ListBrowserOrigins implements storage.ClientStore.
func (s *Clients) ListBrowserOrigins(ctx context.Context) (origins, spaRedirectURIs []string, err error) {
	var rows []clientRow
	if err := s.db.List(ctx, &rows, selectBrowserOrigins, engine.Args{}); err != nil {
		return nil, nil, engine.AsFault(err)
	}
	seen := map[string]bool{}
	for _, row := range rows {
		origins = appendNew(origins, seen, row.Origins)
	}
	clear(seen)
	for _, row := range rows {
		if storage.ClientType(row.Type) == storage.ClientSPA {
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
