package server

import (
	"context"
	"strconv"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
)

type signingKeyRow struct {
	Generation int            `db:"generation"`
	KID        string         `db:"kid"`
	Sealed     []byte         `db:"sealed"`
	Public     []byte         `db:"public"`
	CreatedAt  engine.Instant `db:"created_at"`
	ActiveFrom engine.Instant `db:"active_from"`
}

const (
	selectSigningKeys = `
SELECT generation, kid, sealed, public, created_at, active_from
FROM signing_keys ORDER BY generation DESC`

	insertSigningKey = `
INSERT INTO signing_keys (generation, kid, sealed, public, created_at, active_from)
VALUES (:generation, :kid, :sealed, :public, :created_at, :active_from)
ON CONFLICT DO NOTHING`

	promoteSigningKey = `
UPDATE signing_keys SET active_from = :at WHERE generation = :generation AND active_from > :at`

	countSigningKeys = `
SELECT count(*) FROM signing_keys WHERE generation = :generation`

	resealSigningKey = `
UPDATE signing_keys SET sealed = :sealed WHERE generation = :generation`

	deleteSigningKeys = `
DELETE FROM signing_keys WHERE generation < :below`
)

func (r signingKeyRow) record() storage.SigningKey {
	return storage.SigningKey{
		Generation: r.Generation, KID: r.KID, Sealed: r.Sealed, Public: r.Public,
		CreatedAt: r.CreatedAt.Time, ActiveFrom: r.ActiveFrom.Time,
	}
}

// ListSigningKeys implements storage.SigningKeyStore.
func (s *Server) ListSigningKeys(ctx context.Context) ([]storage.SigningKey, error) {
	var rows []signingKeyRow
	err := s.db.List(ctx, &rows, selectSigningKeys, engine.Args{})
	return engine.Records(rows, signingKeyRow.record), engine.AsFault(err)
}

// AddSigningKey implements storage.SigningKeyStore.
func (s *Server) AddSigningKey(ctx context.Context, act storage.Act, key storage.SigningKey) error {
	taken := fault.New(fault.Conflict, "", "There is a signing key of this generation already.")
	return s.db.Write(ctx, func(tx engine.Tx) error {
		err := tx.ExecOne(ctx, taken, insertSigningKey, signingKeyRow{
			Generation: key.Generation, KID: key.KID, Sealed: key.Sealed, Public: key.Public,
			CreatedAt: engine.At(key.CreatedAt), ActiveFrom: engine.At(key.ActiveFrom),
		})
		if err != nil {
			return err
		}
		return tx.Audit(ctx, act, "signing_key.added", key.KID, engine.Detail{"generation": key.Generation})
	})
}

// PromoteSigningKey implements storage.SigningKeyStore.
func (s *Server) PromoteSigningKey(ctx context.Context, act storage.Act, generation int) error {
	which := engine.Args{"generation": generation, "at": engine.At(act.At)}
	return s.db.Write(ctx, func(tx engine.Tx) error {
		n, err := tx.Exec(ctx, promoteSigningKey, which)
		if err != nil {
			return err
		}
		if n > 0 {
			return tx.Audit(ctx, act, "signing_key.promoted", strconv.Itoa(generation), nil)
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
func (s *Server) ResealSigningKey(ctx context.Context, generation int, sealed []byte) error {
	n, err := s.db.WriteOne(ctx, resealSigningKey, engine.Args{"generation": generation, "sealed": sealed})
	if err == nil && n == 0 {
		return engine.Absent("signing key")
	}
	return err
}

// DeleteSigningKeys implements storage.SigningKeyStore.
func (s *Server) DeleteSigningKeys(ctx context.Context, act storage.Act, below int) error {
	return s.db.Write(ctx, func(tx engine.Tx) error {
		n, err := tx.Exec(ctx, deleteSigningKeys, engine.Args{"below": below})
		if err != nil || n == 0 {
			return err
		}
		return tx.Audit(ctx, act, "signing_key.deleted", "", engine.Detail{"below": below, "count": n})
	})
}
