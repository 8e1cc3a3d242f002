package clients

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
	"github.com/portico-id/portico/storage/sqlstore/identity"
)

const (
	// Beside those of a client: without an id for one that has no secret.
	joinedSecretColumns = `coalesce(s.id, '') AS "secret.id", s.hash AS "secret.hash",
	s.created_at AS "secret.created_at", s.last_used_at AS "secret.last_used_at",
	coalesce(s.label, '') AS "secret.label", s.ends_at AS "secret.ends_at"`

	insertClientSecret = `
INSERT INTO client_secrets (id, client_id, ordinal, hash, created_at, last_used_at, label, ends_at)
SELECT cast(:id AS text), cast(:client_id AS text), coalesce(max(ordinal), 0) + 1,
	:hash, cast(:created_at AS bigint), cast(:last_used_at AS bigint), cast(:label AS text), cast(:ends_at AS bigint)
FROM client_secrets WHERE client_id = :client_id
ON CONFLICT (id) DO NOTHING`

	countClientSecrets = `
SELECT count(*) FROM client_secrets WHERE client_id = :client_id`

	deleteClientSecret = `
DELETE FROM client_secrets WHERE client_id = :client_id AND id = :id`

	deleteEndedSecrets = `
DELETE FROM client_secrets WHERE client_id = :client_id AND ends_at <= :at`

	markSecretUsed = `
UPDATE client_secrets SET last_used_at = :at
WHERE id = :id AND (last_used_at IS NULL OR last_used_at < :at)`

	adoptClientSecret = `
UPDATE client_secrets SET hash = :own WHERE id = :id AND hash = :foreign`
)

// insertSecret adds a secret as the client's newest.
func (t tx) insertSecret(ctx context.Context, clientID string, secret storage.ClientSecret) error {
	taken := fault.New(fault.Conflict, "", "There is a client secret with this id already.")
	return t.ExecOne(ctx, taken, insertClientSecret, engine.Args{
		"id": secret.ID, "client_id": clientID, "hash": secret.Hash,
		"created_at": secret.CreatedAt, "last_used_at": secret.LastUsedAt,
		"label": secret.Label, "ends_at": secret.EndsAt,
	})
}

// AddClientSecret implements storage.ClientStore. The client is locked, so that
// several additions count one after the other.
func (s *Clients) AddClientSecret(ctx context.Context, act storage.Act, clientID string, secret storage.ClientSecret,
	ends ...string) error {
	return s.write(ctx, func(tx tx) error {
		if err := tx.MustExist(ctx, "client", identity.LockClient, clientID); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, deleteEndedSecrets, engine.Args{"client_id": clientID, "at": act.At}); err != nil {
			return err
		}
		for _, id := range ends {
			if err := tx.endSecret(ctx, act, clientID, id); err != nil && !fault.Is(err, fault.NotFound) {
				return err
			}
		}
		if err := tx.roomForSecret(ctx, clientID); err != nil {
			return err
		}
		if err := tx.insertSecret(ctx, clientID, secret); err != nil {
			return err
		}
		return tx.Audit(ctx, act, "client.secret_added", clientID, engine.Detail{"secret_id": secret.ID})
	})
}

// roomForSecret is Conflict when no further secret of the client may live.
func (t tx) roomForSecret(ctx context.Context, clientID string) error {
	var live int
	if err := t.Get(ctx, &live, countClientSecrets, engine.Args{"client_id": clientID}); err != nil {
		return err
	}
	if live >= storage.MaxClientSecrets {
		return fault.Newf(fault.Conflict, storage.ReasonSecretsFull,
			"The app has %d secrets that work, and may have no more: say which of them ends.", live)
	}
	return nil
}

// endSecret ends a secret of the client. NotFound.
func (t tx) endSecret(ctx context.Context, act storage.Act, clientID, secretID string) error {
	err := t.ExecOne(ctx, engine.Absent("client secret"), deleteClientSecret,
		engine.Args{"client_id": clientID, "id": secretID})
	if err != nil {
		return err
	}
	return t.Audit(ctx, act, "client.secret_deleted", clientID, engine.Detail{"secret_id": secretID})
}

// DeleteClientSecret implements storage.ClientStore.
func (s *Clients) DeleteClientSecret(ctx context.Context, act storage.Act, clientID, secretID string) error {
	return s.write(ctx, func(tx tx) error { return tx.endSecret(ctx, act, clientID, secretID) })
}

// MarkSecretsUsed implements storage.ClientStore. The rows are taken in the
// order of their ids, so that two of these can't lock each other out.
func (s *Clients) MarkSecretsUsed(ctx context.Context, used map[string]time.Time) error {
	return s.write(ctx, func(tx tx) error {
		for _, id := range slices.Sorted(maps.Keys(used)) {
			if _, err := tx.Exec(ctx, markSecretUsed, engine.Args{"id": id, "at": used[id]}); err != nil {
				return err
			}
		}
		return nil
	})
}

// AdoptClientSecret implements storage.ClientStore.
func (s *Clients) AdoptClientSecret(ctx context.Context, secretID string, foreign, own []byte) error {
	_, err := s.db.WriteOne(ctx, adoptClientSecret, engine.Args{"id": secretID, "foreign": foreign, "own": own})
	return err
}
