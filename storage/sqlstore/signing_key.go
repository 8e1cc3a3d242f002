package sqlstore

import (
	"context"
	"strconv"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

type signingKeyRow struct {
	Generation int     `db:"generation"`
	KID        string  `db:"kid"`
	Sealed     []byte  `db:"sealed"`
	Public     []byte  `db:"public"`
	CreatedAt  instant `db:"created_at"`
	ActiveFrom instant `db:"active_from"`
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
func (s *Store) ListSigningKeys(ctx context.Context) ([]storage.SigningKey, error) {
	var rows []signingKeyRow
	err := s.reader.list(ctx, &rows, selectSigningKeys, args{})
	return records(rows, signingKeyRow.record), asFault(err)
}

// AddSigningKey implements storage.SigningKeyStore.
func (s *Store) AddSigningKey(ctx context.Context, act storage.Act, key storage.SigningKey) error {
	taken := fault.New(fault.Conflict, "", "There is a signing key of this generation already.")
	return s.write(ctx, func(tx tx) error {
		err := tx.execOne(ctx, taken, insertSigningKey, signingKeyRow{
			Generation: key.Generation, KID: key.KID, Sealed: key.Sealed, Public: key.Public,
			CreatedAt: at(key.CreatedAt), ActiveFrom: at(key.ActiveFrom),
		})
		if err != nil {
			return err
		}
		return tx.audit(ctx, act, "signing_key.added", key.KID, detail{"generation": key.Generation})
	})
}

// PromoteSigningKey implements storage.SigningKeyStore.
func (s *Store) PromoteSigningKey(ctx context.Context, act storage.Act, generation int) error {
	which := args{"generation": generation, "at": at(act.At)}
	return s.write(ctx, func(tx tx) error {
		n, err := tx.exec(ctx, promoteSigningKey, which)
		if err != nil {
			return err
		}
		if n > 0 {
			return tx.audit(ctx, act, "signing_key.promoted", strconv.Itoa(generation), nil)
		}
		var found int
		if err := tx.get(ctx, &found, countSigningKeys, which); err != nil {
			return err
		}
		if found == 0 {
			return absent("signing key")
		}
		return nil
	})
}

// ResealSigningKey implements storage.SigningKeyStore.
func (s *Store) ResealSigningKey(ctx context.Context, generation int, sealed []byte) error {
	n, err := s.writeOne(ctx, resealSigningKey, args{"generation": generation, "sealed": sealed})
	if err == nil && n == 0 {
		return absent("signing key")
	}
	return err
}

// DeleteSigningKeys implements storage.SigningKeyStore.
func (s *Store) DeleteSigningKeys(ctx context.Context, act storage.Act, below int) error {
	return s.write(ctx, func(tx tx) error {
		n, err := tx.exec(ctx, deleteSigningKeys, args{"below": below})
		if err != nil || n == 0 {
			return err
		}
		return tx.audit(ctx, act, "signing_key.deleted", "", detail{"below": below, "count": n})
	})
}
