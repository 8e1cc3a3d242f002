package clients

import (
	"context"
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
	"github.com/portico-id/portico/storage/sqlstore/identity"
)

const (
	clientColumns = `id, owner_user_id, origin, disabled, created_at, updated_at, ` + ownClientColumns

	// What is other when the client is changed.
	ownClientColumns = `name, type, profile, redirect_uris, post_logout_redirect_uris, origins, scopes,
	backchannel_logout_uri, logo_uri, policy_uri, terms_uri, home_uri, initiate_login_uri, second_factor,
	require_pkce, first_party, internal, restricted, vouched, optional_scopes, own_claims,
	lean_id_token, devices, plain_jwt, id_token_alg, access_token_alg,
	auth_method, jwks, keys_uri, assertion_alg, legacy_audience,
	proof_needed, certificate_needed, certificate_field, certificate_name, require_pushed, require_signed,
	default_scopes, exchange_for, impersonates, introduces_to`

	// As identity.SetTokensFrom, and where another server's clock is a little ahead from the
	// second on that it said. By one that was more than that ahead nothing would count for as
	// long; what people granted has ended for good all the same.
	updateClientDisabled = `
UPDATE clients SET disabled = :disabled,
	tokens_from = CASE WHEN tokens_from > :tokens_from AND tokens_from <= :ahead THEN tokens_from ELSE :tokens_from END
WHERE id = :id AND disabled <> :disabled`

	deleteClient = `
DELETE FROM clients WHERE id = :id`

	countOwnedClients = `
SELECT count(*) FROM clients WHERE owner_user_id = :id`

	selectClientID = `
SELECT id FROM clients WHERE id = :id`
)

var (
	insertClient = engine.Insert("clients", clientColumns+", search_key") + `
ON CONFLICT DO NOTHING`

	updateClient = `
UPDATE clients SET ` + engine.Assign(ownClientColumns+", search_key") + `, ` + engine.Moved + `
WHERE id = :id AND ` + engine.Unmoved

	// One row for each secret, or one without a secret.
	clientsWithSecrets = `
SELECT ` + engine.InTable("c", clientColumns) + `, ` + joinedSecretColumns + `
FROM clients c LEFT JOIN client_secrets s ON s.client_id = c.id`

	bySecret = `
ORDER BY c.id, s.ordinal DESC`

	selectClient = clientsWithSecrets + `
WHERE c.id = :id` + bySecret
)

// clientRow is a client with what it is found by.
type clientRow struct {
	storage.Client
	SearchKey string
}

func newClientRow(c storage.Client) clientRow { return clientRow{c, engine.SearchKey(c.Name)} }

// changedRow is a client with when it is changed; when it was last is what was read.
type changedRow struct {
	clientRow
	ChangedAt time.Time
}

// clientWithSecret is a row of the joins above.
type clientWithSecret struct {
	storage.Client
	Secret storage.ClientSecret `db:"secret"`
}

// gatherClients puts the rows of each client together.
func gatherClients(rows []clientWithSecret) []storage.Client {
	var clients []storage.Client
	for _, row := range rows {
		if len(clients) == 0 || clients[len(clients)-1].ID != row.Client.ID {
			clients = append(clients, row.Client)
		}
		if last := &clients[len(clients)-1]; row.Secret.ID != "" {
			last.Secrets = append(last.Secrets, row.Secret)
		}
	}
	return clients
}

// list returns the clients of a query.
func (s *Clients) list(ctx context.Context, query string, arg engine.Args) ([]storage.Client, error) {
	rows, err := engine.All[clientWithSecret](ctx, s.db, query, arg)
	return gatherClients(rows), err
}

// Hot is what every request at the token endpoint reads.
func Hot() engine.Hot { return engine.Hot{Read: []string{selectClient}} }

// CreateClient implements storage.ClientStore.
func (s *Clients) CreateClient(ctx context.Context, act storage.Act, client storage.Client) error {
	return s.write(ctx, func(tx tx) error { return tx.create(ctx, act, client) })
}

func (t tx) create(ctx context.Context, act storage.Act, client storage.Client) error {
	taken := fault.New(fault.Conflict, "", "There is a client with this id already.")
	if err := t.ExecOne(ctx, taken, insertClient, newClientRow(client)); err != nil {
		return err
	}
	for i := len(client.Secrets) - 1; i >= 0; i-- { // they come newest first
		if err := t.insertSecret(ctx, client.ID, client.Secrets[i]); err != nil {
			return err
		}
	}
	return t.Audit(ctx, act, "client.created", client.ID, nil)
}

// RegisterClient implements storage.ClientStore. The owner is locked, so that several
// registrations count one after the other.
func (s *Clients) RegisterClient(ctx context.Context, act storage.Act, client storage.Client, atMost int) error {
	return s.write(ctx, func(tx tx) error {
		if err := tx.MustExist(ctx, "user", identity.LockUser, client.OwnerUserID); err != nil {
			return err
		}
		var count int
		if err := tx.Get(ctx, &count, countOwnedClients, engine.Args{"id": client.OwnerUserID}); err != nil {
			return err
		}
		if count >= atMost {
			return fault.Newf(fault.TooMany, storage.ReasonClientsFull,
				"You have registered %d apps, and may have no more: delete one first.", count)
		}
		return tx.create(ctx, act, client)
	})
}

// FindClient implements storage.ClientStore.
func (s *Clients) FindClient(ctx context.Context, id string) (storage.Client, error) {
	found, err := s.list(ctx, selectClient, engine.Args{"id": id})
	if err == nil && len(found) == 0 {
		err = engine.Absent("client")
	}
	if err != nil {
		return storage.Client{}, err
	}
	return found[0], nil
}

// UpdateClient implements storage.ClientStore.
func (s *Clients) UpdateClient(ctx context.Context, act storage.Act, client storage.Client) error {
	return s.PatchClient(ctx, act, client, nil)
}

// PatchClient implements storage.ClientStore.
func (s *Clients) PatchClient(ctx context.Context, act storage.Act, client storage.Client, disabled *bool) error {
	patch := func(ctx context.Context, tx tx) error {
		if err := tx.updateClient(ctx, act, client); err != nil || disabled == nil {
			return err
		}
		return tx.switchClient(ctx, act, client.ID, *disabled)
	}
	if disabled == nil {
		return s.write(ctx, func(tx tx) error { return patch(ctx, tx) })
	}
	return s.end(ctx, patch)
}

func (t tx) updateClient(ctx context.Context, act storage.Act, client storage.Client) error {
	if err := t.MustExist(ctx, "client", selectClientID, client.ID); err != nil {
		return err
	}
	changed := fault.New(fault.Conflict, storage.ReasonChanged, "Somebody else changed the app meanwhile: read it again.")
	row := changedRow{newClientRow(client), act.At}
	if err := t.ExecOne(ctx, changed, updateClient, row); err != nil {
		return err
	}
	return t.Audit(ctx, act, "client.updated", client.ID, nil)
}

// SetClientDisabled implements storage.ClientStore.
func (s *Clients) SetClientDisabled(ctx context.Context, act storage.Act, clientID string, disabled bool) error {
	return s.end(ctx, func(ctx context.Context, tx tx) error { return tx.switchClient(ctx, act, clientID, disabled) })
}

func (t tx) switchClient(ctx context.Context, act storage.Act, clientID string, disabled bool) error {
	n, err := t.Exec(ctx, updateClientDisabled, engine.Args{"id": clientID, "disabled": disabled,
		"tokens_from": identity.TokensFrom(act, disabled), "ahead": act.At.Add(storage.SeenAhead)})
	if err != nil {
		return err
	}
	if n == 0 {
		return t.MustExist(ctx, "client", selectClientID, clientID)
	}
	if !disabled {
		return t.Audit(ctx, act, "client.enabled", clientID, nil)
	}
	more, err := t.RevokeClientGrants(ctx, act, clientID)
	if err != nil {
		return err
	}
	return t.Audit(ctx, act, "client.disabled", clientID, more)
}

// DeleteClient implements storage.ClientStore. What belongs to the client goes
// by foreign keys.
func (s *Clients) DeleteClient(ctx context.Context, act storage.Act, clientID string) error {
	return s.end(ctx, func(ctx context.Context, tx tx) error { return tx.delete(ctx, act, clientID) })
}

func (t tx) delete(ctx context.Context, act storage.Act, clientID string) error {
	if err := t.ExecOne(ctx, engine.Absent("client"), deleteClient, engine.Args{"id": clientID}); err != nil {
		return err
	}
	if err := t.FollowersOf(ctx, act, clientID); err != nil {
		return err
	}
	return t.Audit(ctx, act, "client.deleted", clientID, nil)
}
