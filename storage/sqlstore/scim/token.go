package scim

import (
	"context"
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
)

const (
	tokenColumns = `id, connection_id, label, hash, created_at, ends_at, last_used_at`

	selectTokens = `
SELECT ` + tokenColumns + `
FROM scim_tokens WHERE connection_id = :connection_id ORDER BY created_at, id`

	deleteEndedTokens = `
DELETE FROM scim_tokens WHERE connection_id = :connection_id AND ends_at <= :now`

	countTokens = `
SELECT count(*) FROM scim_tokens WHERE connection_id = :connection_id`

	deleteToken = `
DELETE FROM scim_tokens WHERE connection_id = :connection_id AND id = :id`

	selectCaller = `
SELECT t.id AS token_id, ` + connectionColumns + `
FROM scim_tokens t JOIN scim_connections c ON c.id = t.connection_id
WHERE t.hash = :hash AND (t.ends_at IS NULL OR t.ends_at > :now) AND NOT c.disabled`
)

var insertToken = engine.Insert("scim_tokens", tokenColumns)

// AddSCIMToken implements storage.SCIMStore. The lock keeps a third one out that is
// added at the same moment.
func (s *SCIM) AddSCIMToken(ctx context.Context, act storage.Act, token storage.SCIMToken) error {
	arg := engine.Args{"connection_id": token.ConnectionID, "now": act.At}
	return s.write(ctx, func(tx tx) error {
		if err := tx.MustExist(ctx, "connection", lockConnection, token.ConnectionID); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, deleteEndedTokens, arg); err != nil {
			return err
		}
		var n int
		if err := tx.Get(ctx, &n, countTokens, arg); err != nil {
			return err
		}
		if n >= storage.MaxSCIMTokens {
			return fault.Newf(fault.Conflict, storage.ReasonTokensFull, "There are %d tokens already. End one first.", n)
		}
		if _, err := tx.Exec(ctx, insertToken, token); err != nil {
			return err
		}
		return tx.Audit(ctx, act, "scim.token_created", token.ConnectionID,
			engine.Detail{"token_id": token.ID, "label": token.Label})
	})
}

// DeleteSCIMToken implements storage.SCIMStore.
func (s *SCIM) DeleteSCIMToken(ctx context.Context, act storage.Act, connectionID, id string) error {
	return s.write(ctx, func(tx tx) error {
		err := tx.ExecOne(ctx, engine.Absent("token"), deleteToken, engine.Args{"connection_id": connectionID, "id": id})
		if err != nil {
			return err
		}
		return tx.Audit(ctx, act, "scim.token_ended", connectionID, engine.Detail{"token_id": id})
	})
}

// ListSCIMTokens implements storage.SCIMStore.
func (s *SCIM) ListSCIMTokens(ctx context.Context, connectionID string) ([]storage.SCIMToken, error) {
	return engine.All[storage.SCIMToken](ctx, s.db, selectTokens, engine.Args{"connection_id": connectionID})
}

// FindSCIMCaller implements storage.SCIMStore.
func (s *SCIM) FindSCIMCaller(ctx context.Context, hash []byte, now time.Time) (storage.SCIMConnection, string, error) {
	type callerRow struct {
		storage.SCIMConnection
		TokenID string
	}
	row, err := engine.Find[callerRow](ctx, s.db, "connection", selectCaller, engine.Args{"hash": hash, "now": now})
	return row.SCIMConnection, row.TokenID, err
}
