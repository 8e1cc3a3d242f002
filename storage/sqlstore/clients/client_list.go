package clients

import (
	"context"

	"github.com/portico-id/portico/internal/textkey"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
	"github.com/portico-id/portico/storage/sqlstore/identity"
)

// FitSearchKeys implements storage.UpkeepStore for clients.
func (s *Clients) FitSearchKeys(ctx context.Context, limit int) (int, error) {
	return engine.FitKeys(ctx, s.db, "clients", "id, name", limit,
		func(c storage.Client) (string, string) { return c.ID, newClientRow(c).SearchKey })
}

// managedBy is the condition that somebody registered a client or was added to it.
func managedBy(user string) string {
	return "(owner_user_id = " + user + " OR id IN (SELECT client_id FROM client_members WHERE user_id = " + user + "))"
}

// openableBy is the condition of ClientFilter.Opener.
func openableBy(user string) string {
	return `id IN (SELECT c.id FROM clients c, users u
WHERE u.id = ` + user + ` AND NOT c.disabled AND (c.home_uri <> '' OR c.initiate_login_uri <> '')
	AND (c.first_party OR c.vouched
		OR EXISTS (SELECT 1 FROM consents s WHERE s.client_id = c.id AND s.user_id = u.id))
	AND ` + identity.MayUse + `)`
}

// ListClients implements storage.ClientStore.
func (s *Clients) ListClients(ctx context.Context, filter storage.ClientFilter,
	page storage.PageRequest) (storage.Listing[storage.Client], error) {
	f := engine.NewFilter()
	if textkey.Search(filter.Query) != "" {
		found := f.Finds(filter.Query)
		f.Add("(" + found + " OR owner_user_id IN (SELECT id FROM users WHERE " + found + "))")
	}
	if filter.Owner != "" {
		f.Add("owner_user_id = " + f.Bind(filter.Owner))
	}
	if filter.Manager != "" {
		f.Add(managedBy(f.Bind(filter.Manager)))
	}
	if filter.Opener != "" {
		f.Add(openableBy(f.Bind(filter.Opener)))
	}
	f.In("id", filter.IDs)
	f.Is("disabled", filter.Disabled)
	ids, err := engine.ListByName(ctx, s.db, "clients", f, page)
	if err != nil {
		return storage.Listing[storage.Client]{}, err
	}
	those := engine.NewFilter()
	those.In("c.id", ids.Rows)
	clients, err := s.list(ctx, clientsWithSecrets+those.Clause()+bySecret, those.Args)
	return engine.Listed(ids, clients, func(c storage.Client) string { return c.ID }), err
}
