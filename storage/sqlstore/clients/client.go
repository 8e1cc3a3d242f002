package clients

import (
	"context"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
	"github.com/portico-id/portico/storage/sqlstore/identity"
)

type clientRow struct {
	ID                     string         `db:"id"`
	Name                   string         `db:"name"`
	Type                   string         `db:"type"`
	Profile                string         `db:"profile"`
	OwnerUserID            string         `db:"owner_user_id"`
	RedirectURIs           engine.List    `db:"redirect_uris"`
	PostLogoutRedirectURIs engine.List    `db:"post_logout_redirect_uris"`
	Origins                engine.List    `db:"origins"`
	Scopes                 engine.List    `db:"scopes"`
	BackchannelLogoutURI   string         `db:"backchannel_logout_uri"`
	LogoURI                string         `db:"logo_uri"`
	PolicyURI              string         `db:"policy_uri"`
	TermsURI               string         `db:"terms_uri"`
	RequirePKCE            bool           `db:"require_pkce"`
	FirstParty             bool           `db:"first_party"`
	Internal               bool           `db:"internal"`
	Disabled               bool           `db:"disabled"`
	CreatedAt              engine.Instant `db:"created_at"`
	UpdatedAt              engine.Instant `db:"updated_at"`
	LeanIDToken            bool           `db:"lean_id_token"`
	PlainJWT               bool           `db:"plain_jwt"`
	clientSecurityRow
}

// clientSecurityRow is storage.ClientSecurity, field by field.
type clientSecurityRow struct {
	IDTokenAlg     string `db:"id_token_alg"`
	AccessTokenAlg string `db:"access_token_alg"`
}

const (
	clientColumns = `c.id, c.name, c.type, c.profile, c.owner_user_id, c.redirect_uris, c.post_logout_redirect_uris,
	c.origins, c.scopes, c.backchannel_logout_uri, c.logo_uri, c.policy_uri, c.terms_uri, c.require_pkce, c.first_party, c.internal, c.disabled,
	c.created_at, c.updated_at, c.lean_id_token, c.plain_jwt, c.id_token_alg, c.access_token_alg`

	clientNames = `id, name, type, profile, owner_user_id, redirect_uris, post_logout_redirect_uris,
	origins, scopes, backchannel_logout_uri, logo_uri, policy_uri, terms_uri, require_pkce, first_party, internal,
	disabled, created_at, updated_at, lean_id_token, plain_jwt, id_token_alg, access_token_alg`

	insertClient = `
INSERT INTO clients (` + clientNames + `)
VALUES (:id, :name, :type, :profile, :owner_user_id, :redirect_uris, :post_logout_redirect_uris,
	:origins, :scopes, :backchannel_logout_uri, :logo_uri, :policy_uri, :terms_uri, :require_pkce, :first_party, :internal,
	:disabled, :created_at, :updated_at, :lean_id_token, :plain_jwt, :id_token_alg, :access_token_alg)
ON CONFLICT DO NOTHING`

	// One row for each secret, or one without a secret.
	selectClient = `
SELECT ` + clientColumns + `, ` + joinedSecretColumns + `
FROM clients c LEFT JOIN client_secrets s ON s.client_id = c.id
WHERE c.id = :id
ORDER BY s.ordinal DESC`

	selectClients = `
SELECT ` + clientColumns + `, ` + joinedSecretColumns + `
FROM (SELECT ` + clientNames + `
	FROM clients WHERE id > :after ORDER BY id LIMIT :limit) c
LEFT JOIN client_secrets s ON s.client_id = c.id
ORDER BY c.id, s.ordinal DESC`

	selectClientsOfOwner = `
SELECT ` + clientColumns + `, ` + joinedSecretColumns + `
FROM (SELECT ` + clientNames + `
	FROM clients WHERE owner_user_id = :owner AND id > :after ORDER BY id LIMIT :limit) c
LEFT JOIN client_secrets s ON s.client_id = c.id
ORDER BY c.id, s.ordinal DESC`

	updateClient = `
UPDATE clients SET name = :name, profile = :profile, redirect_uris = :redirect_uris,
	post_logout_redirect_uris = :post_logout_redirect_uris, origins = :origins, scopes = :scopes,
	backchannel_logout_uri = :backchannel_logout_uri, logo_uri = :logo_uri, policy_uri = :policy_uri,
	terms_uri = :terms_uri, require_pkce = :require_pkce,
	first_party = :first_party, internal = :internal, lean_id_token = :lean_id_token, plain_jwt = :plain_jwt,
	id_token_alg = :id_token_alg, access_token_alg = :access_token_alg, updated_at = :updated_at
WHERE id = :id`

	updateClientDisabled = `
UPDATE clients SET disabled = :disabled, tokens_from = :tokens_from WHERE id = :id AND disabled <> :disabled`

	deleteClient = `
DELETE FROM clients WHERE id = :id`

	selectClientID = `
SELECT id FROM clients WHERE id = :id`
)

func newClientRow(c storage.Client) clientRow {
	return clientRow{
		ID: c.ID, Name: c.Name, Type: string(c.Type), Profile: c.Profile, OwnerUserID: c.OwnerUserID,
		RedirectURIs: c.RedirectURIs, PostLogoutRedirectURIs: c.PostLogoutRedirectURIs,
		Origins: c.Origins, Scopes: c.Scopes, BackchannelLogoutURI: c.BackchannelLogoutURI,
		LogoURI: c.LogoURI, PolicyURI: c.PolicyURI, TermsURI: c.TermsURI,
		RequirePKCE: c.RequirePKCE, FirstParty: c.FirstParty, Internal: c.Internal, Disabled: c.Disabled,
		CreatedAt: engine.At(c.CreatedAt), UpdatedAt: engine.At(c.UpdatedAt), LeanIDToken: c.LeanIDToken, PlainJWT: c.PlainJWT,
		clientSecurityRow: clientSecurityRow(c.ClientSecurity),
	}
}

func (r clientRow) record() storage.Client {
	return storage.Client{
		ID: r.ID, Name: r.Name, Type: storage.ClientType(r.Type), Profile: r.Profile, OwnerUserID: r.OwnerUserID,
		RedirectURIs: r.RedirectURIs, PostLogoutRedirectURIs: r.PostLogoutRedirectURIs,
		Origins: r.Origins, Scopes: r.Scopes, BackchannelLogoutURI: r.BackchannelLogoutURI,
		LogoURI: r.LogoURI, PolicyURI: r.PolicyURI, TermsURI: r.TermsURI,
		RequirePKCE: r.RequirePKCE, FirstParty: r.FirstParty, Internal: r.Internal, Disabled: r.Disabled,
		CreatedAt: r.CreatedAt.Time, UpdatedAt: r.UpdatedAt.Time, LeanIDToken: r.LeanIDToken, PlainJWT: r.PlainJWT,
		ClientSecurity: storage.ClientSecurity(r.clientSecurityRow),
	}
}

// clientWithSecret is a row of the joins above.
type clientWithSecret struct {
	clientRow
	joinedSecret
}

// gatherClients puts the rows of each client together.
func gatherClients(rows []clientWithSecret) []storage.Client {
	var clients []storage.Client
	for _, row := range rows {
		if len(clients) == 0 || clients[len(clients)-1].ID != row.clientRow.ID {
			clients = append(clients, row.clientRow.record())
		}
		if secret, ok := row.joinedSecret.record(); ok {
			last := &clients[len(clients)-1]
			last.Secrets = append(last.Secrets, secret)
		}
	}
	return clients
}

// Hot is what every request at the token endpoint reads.
func Hot() engine.Hot { return engine.Hot{Read: []string{selectClient}} }

// CreateClient implements storage.ClientStore.
func (s *Clients) CreateClient(ctx context.Context, act storage.Act, client storage.Client) error {
	return s.write(ctx, func(tx tx) error {
		n, err := tx.Exec(ctx, insertClient, newClientRow(client))
		if err != nil {
			return err
		}
		if n == 0 {
			return fault.New(fault.Conflict, "", "There is a client with this id already.")
		}
		for i := len(client.Secrets) - 1; i >= 0; i-- { // they come newest first
			if err := tx.insertSecret(ctx, client.ID, client.Secrets[i]); err != nil {
				return err
			}
		}
		return tx.Audit(ctx, act, "client.created", client.ID, nil)
	})
}

// FindClient implements storage.ClientStore.
func (s *Clients) FindClient(ctx context.Context, id string) (storage.Client, error) {
	var rows []clientWithSecret
	if err := s.db.List(ctx, &rows, selectClient, engine.Args{"id": id}); err != nil {
		return storage.Client{}, engine.AsFault(err)
	}
	if len(rows) == 0 {
		return storage.Client{}, engine.Absent("client")
	}
	return gatherClients(rows)[0], nil
}

// ListClients implements storage.ClientStore.
func (s *Clients) ListClients(ctx context.Context, owner string, page storage.PageRequest) ([]storage.Client, string, error) {
	limit, err := engine.PageLimit(page)
	if err != nil {
		return nil, "", err
	}
	query, arg := selectClients, engine.Args{"after": page.After, "limit": limit + 1}
	if owner != "" {
		query, arg["owner"] = selectClientsOfOwner, owner
	}
	var rows []clientWithSecret
	if err := s.db.List(ctx, &rows, query, arg); err != nil {
		return nil, "", engine.AsFault(err)
	}
	clients, next := engine.CutPage(gatherClients(rows), limit, func(c storage.Client) string { return c.ID })
	return clients, next, nil
}

// UpdateClient implements storage.ClientStore.
func (s *Clients) UpdateClient(ctx context.Context, act storage.Act, client storage.Client) error {
	row := newClientRow(client)
	row.UpdatedAt = engine.At(act.At)
	return s.write(ctx, func(tx tx) error {
		if err := tx.ExecOne(ctx, engine.Absent("client"), updateClient, row); err != nil {
			return err
		}
		return tx.Audit(ctx, act, "client.updated", client.ID, nil)
	})
}

// SetClientDisabled implements storage.ClientStore.
func (s *Clients) SetClientDisabled(ctx context.Context, act storage.Act, clientID string, disabled bool) error {
	return s.write(ctx, func(tx tx) error {
		n, err := tx.Exec(ctx, updateClientDisabled, engine.Args{"id": clientID, "disabled": disabled, "tokens_from": identity.TokensFrom(act)})
		if err != nil {
			return err
		}
		if n == 0 {
			return tx.MustExist(ctx, "client", selectClientID, clientID)
		}
		if !disabled {
			return tx.Audit(ctx, act, "client.enabled", clientID, nil)
		}
		more, err := tx.RevokeClientGrants(ctx, act, clientID)
		if err != nil {
			return err
		}
		return tx.Audit(ctx, act, "client.disabled", clientID, more)
	})
}

// DeleteClient implements storage.ClientStore. What belongs to the client goes
// by foreign keys.
func (s *Clients) DeleteClient(ctx context.Context, act storage.Act, clientID string) error {
	return s.write(ctx, func(tx tx) error {
		if err := tx.ExecOne(ctx, engine.Absent("client"), deleteClient, engine.Args{"id": clientID}); err != nil {
			return err
		}
		if err := tx.FollowersOf(ctx, act, clientID); err != nil {
			return err
		}
		return tx.Audit(ctx, act, "client.deleted", clientID, nil)
	})
}
