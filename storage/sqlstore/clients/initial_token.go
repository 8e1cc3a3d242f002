package clients

import (
	"context"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
)

const (
	initialTokenColumns = `id, label, hash, uses_left, created_at, ends_at`

	selectInitialTokens = `
SELECT ` + initialTokenColumns + ` FROM initial_tokens ORDER BY created_at, id`

	countInitialTokens = `
SELECT count(*) FROM initial_tokens`

	deleteEndedInitialTokens = `
DELETE FROM initial_tokens WHERE ends_at <= :now OR uses_left <= 0`

	deleteInitialToken = `
DELETE FROM initial_tokens WHERE id = :id`
)

var insertInitialToken = engine.Insert("initial_tokens", initialTokenColumns)

// AddInitialToken implements storage.EnrolmentStore.
func (s *Clients) AddInitialToken(ctx context.Context, act storage.Act, token storage.InitialToken) error {
	return s.write(ctx, func(tx tx) error {
		if _, err := tx.Exec(ctx, lockRegistrations, engine.Args{}); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, deleteEndedInitialTokens, engine.Args{"now": act.At}); err != nil {
			return err
		}
		var n int
		if err := tx.Get(ctx, &n, countInitialTokens, engine.Args{}); err != nil {
			return err
		}
		if n >= storage.MaxInitialTokens {
			return fault.Newf(fault.Conflict, storage.ReasonTokensFull, "There are %d tokens already. End one first.", n)
		}
		if _, err := tx.Exec(ctx, insertInitialToken, token); err != nil {
			return err
		}
		return tx.Audit(ctx, act, "initial_token.created", token.ID, engine.Detail{"label": token.Label})
	})
}

// ListInitialTokens implements storage.EnrolmentStore.
func (s *Clients) ListInitialTokens(ctx context.Context) ([]storage.InitialToken, error) {
	return engine.All[storage.InitialToken](ctx, s.db, selectInitialTokens, engine.Args{})
}

// DeleteInitialToken implements storage.EnrolmentStore.
func (s *Clients) DeleteInitialToken(ctx context.Context, act storage.Act, id string) error {
	return s.write(ctx, func(tx tx) error {
		if err := tx.ExecOne(ctx, engine.Absent("token"), deleteInitialToken, engine.Args{"id": id}); err != nil {
			return err
		}
		return tx.Audit(ctx, act, "initial_token.ended", id, nil)
	})
}
