package server

import (
	"context"
	"strconv"
	"strings"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
)

const rs256 = "RS256"

// Keys of RS256 lie by themselves: servers of before there were other algorithms
// read all that lies there, and nothing else.
const (
	keyColumns = `generation, kid, sealed, public, created_at, active_from`

	selectSigningKeys = `
SELECT cast('RS256' AS text) AS algorithm, ` + keyColumns + ` FROM signing_keys
UNION ALL SELECT algorithm, ` + keyColumns + ` FROM other_signing_keys
ORDER BY 1, 2 DESC`

	promoteSigningKey = `
UPDATE {keys} SET active_from = :at WHERE {of}generation = :generation AND active_from > :at`

	countSigningKeys = `
SELECT count(*) FROM {keys} WHERE {of}generation = :generation`

	deleteSigningKeys = `
DELETE FROM {keys} WHERE {of}generation < :below`
)

var (
	insertKey      = engine.Insert("signing_keys", keyColumns) + onceOnly
	insertOtherKey = engine.Insert("other_signing_keys", "algorithm, "+keyColumns) + onceOnly
)

const onceOnly = "\nON CONFLICT DO NOTHING"

// about returns a query about the keys of an algorithm.
func about(algorithm, query string) string {
	if algorithm == rs256 {
		return strings.NewReplacer("{keys}", "signing_keys", "{of}", "").Replace(query)
	}
	return strings.NewReplacer("{keys}", "other_signing_keys", "{of}", "algorithm = :algorithm AND ").Replace(query)
}

// ListSigningKeys implements storage.SigningKeyStore.
func (s *Server) ListSigningKeys(ctx context.Context) ([]storage.SigningKey, error) {
	return engine.All[storage.SigningKey](ctx, s.db, selectSigningKeys, engine.Args{})
}

// AddSigningKey implements storage.SigningKeyStore.
func (s *Server) AddSigningKey(ctx context.Context, act storage.Act, key storage.SigningKey) error {
	taken := fault.New(fault.Conflict, "", "There is a signing key of this generation already.")
	insert := insertOtherKey
	if key.Algorithm == rs256 {
		insert = insertKey
	}
	return s.db.Write(ctx, func(tx engine.Tx) error {
		if err := tx.ExecOne(ctx, taken, insert, key); err != nil {
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
		n, err := tx.Exec(ctx, about(algorithm, promoteSigningKey), which)
		if err != nil {
			return err
		}
		if n > 0 {
			return tx.Audit(ctx, act, "signing_key.promoted", strconv.Itoa(generation), engine.Detail{"algorithm": algorithm})
		}
		var found int
		if err := tx.Get(ctx, &found, about(algorithm, countSigningKeys), which); err != nil {
			return err
		}
		if found == 0 {
			return engine.Absent("signing key")
		}
		return nil
	})
}

// DeleteSigningKeys implements storage.SigningKeyStore.
func (s *Server) DeleteSigningKeys(ctx context.Context, act storage.Act, algorithm string, below int) error {
	return s.db.Write(ctx, func(tx engine.Tx) error {
		n, err := tx.Exec(ctx, about(algorithm, deleteSigningKeys), engine.Args{"algorithm": algorithm, "below": below})
		if err != nil || n == 0 {
			return err
		}
		return tx.Audit(ctx, act, "signing_key.deleted", "",
			engine.Detail{"algorithm": algorithm, "below": below, "count": n})
	})
}
