package server

import (
	"context"
	"strconv"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
)

const (
	signingKeyColumns = `algorithm, generation, kid, sealed, public, created_at, active_from`

	selectSigningKeys = `
SELECT ` + signingKeyColumns + `
FROM signing_keys ORDER BY algorithm, generation DESC`

	promoteSigningKey = `
UPDATE signing_keys SET active_from = :at
WHERE algorithm = :algorithm AND generation = :generation AND active_from > :at`

	countSigningKeys = `
SELECT count(*) FROM signing_keys WHERE algorithm = :algorithm AND generation = :generation`

	resealSigningKey = `
UPDATE signing_keys SET sealed = :sealed WHERE kid = :kid`

	deleteSigningKeys = `
DELETE FROM signing_keys WHERE algorithm = :algorithm AND generation < :below`
)

var insertSigningKey = engine.Insert("signing_keys", signingKeyColumns) + `
ON CONFLICT DO NOTHING`

// ListSigningKeys implements storage.SigningKeyStore.
func (s *Server) ListSigningKeys(ctx context.Context) ([]storage.SigningKey, error) {
	return engine.All[storage.SigningKey](ctx, s.db, selectSigningKeys, engine.Args{})
}

// AddSigningKey implements storage.SigningKeyStore.
func (s *Server) AddSigningKey(ctx context.Context, act storage.Act, key storage.SigningKey) error {
	taken := fault.New(fault.Conflict, "", "There is a signing key of this generation already.")
	return s.db.Write(ctx, func(tx engine.Tx) error {
		if err := tx.ExecOne(ctx, taken, insertSigningKey, key); err != nil {
			return err
		}
		return tx.Audit(ctx, act, "signing_key.added", key.KID,
			engine.Detail{"algorithm": key.Algorithm, "generation": key.Generation})
	})
}

// PromoteSigningKey implements storage.SigningKeyStore.
func (s *Server) PromoteSigningKey(ctx context.Context, act storage.Act, algorithm string, generation int) error {
	which := engine.Args{"algorithm": algorithm, "generation": generation, "at": act.At}
	return s.db.Write(ctx, func(tx engine.Tx) error {
		n, err := tx.Exec(ctx, promoteSigningKey, which)
		if err != nil {
			return err
		}
		if n > 0 {
			return tx.Audit(ctx, act, "signing_key.promoted", strconv.Itoa(generation), engine.Detail{"algorithm": algorithm})
		}
		var found int
		if err := tx.Get(ctx, &found, countSigningKeys, which); err != nil {
			return err
		}
		if found == 0 {
			return engine.Absent("signing key")
		}
		return nil
	})
}

// ResealSigningKey implements storage.SigningKeyStore.
func (s *Server) ResealSigningKey(ctx context.Context, kid string, sealed []byte) error {
	return s.db.WriteMust(ctx, engine.Absent("signing key"), resealSigningKey, engine.Args{"kid": kid, "sealed": sealed})
}

// DeleteSigningKeys implements storage.SigningKeyStore.
func (s *Server) DeleteSigningKeys(ctx context.Context, act storage.Act, algorithm string, below int) error {
	return s.db.Write(ctx, func(tx engine.Tx) error {
		n, err := tx.Exec(ctx, deleteSigningKeys, engine.Args{"algorithm": algorithm, "below": below})
		if err != nil || n == 0 {
			return err
		}
		return tx.Audit(ctx, act, "signing_key.deleted", "",
			engine.Detail{"algorithm": algorithm, "below": below, "count": n})
	})
}
