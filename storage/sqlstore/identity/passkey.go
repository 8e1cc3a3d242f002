package identity

import (
	"context"
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
)

const (
	passkeyColumns = `id, user_id, credential, public_key, counter, label, created_at, last_used_at`

	selectPasskeys = `
SELECT ` + passkeyColumns + `
FROM passkeys WHERE user_id = :user_id
ORDER BY created_at, id`

	selectPasskey = `
SELECT ` + passkeyColumns + `
FROM passkeys WHERE credential = :credential`

	selectPasskeyOf = `
SELECT EXISTS (SELECT 1 FROM passkeys WHERE id = :id AND user_id = :user_id)`

	countPasskeys = `
SELECT count(*) FROM passkeys WHERE user_id = :user_id`

	// Devices that copy their keys count nothing: they say 0 for ever.
	usePasskey = `
UPDATE passkeys SET counter = :counter, last_used_at = :at
WHERE id = :id AND (counter < :counter OR counter = 0 AND counter = :counter)`

	deletePasskey = `
DELETE FROM passkeys WHERE id = :id AND user_id = :user_id`

	deletePasskeys = `
DELETE FROM passkeys WHERE user_id = :user_id`
)

const factorPasskey = "passkey" // as audits call it

var insertPasskey = engine.Insert("passkeys", passkeyColumns) + `
ON CONFLICT DO NOTHING`

// AddPasskey implements storage.FactorStore.
func (s *Identity) AddPasskey(ctx context.Context, act storage.Act, passkey storage.Passkey, codes [][]byte,
	keep storage.LoginSession, proof storage.Proof) (first bool, err error) {
	err = s.write(ctx, func(tx Tx) error {
		if err := tx.onTheWayIn(ctx, passkey.UserID, keep, proof); err != nil {
			return err
		}
		first, err = tx.addFactor(ctx, act, passkey.UserID, factorPasskey, codes, keep, func() error {
			var count int
			if err := tx.Get(ctx, &count, countPasskeys, engine.Args{"user_id": passkey.UserID}); err != nil {
				return err
			}
			if count >= storage.MaxPasskeys {
				return fault.Newf(fault.Conflict, storage.ReasonPasskeyFull, "There are %d passkeys already. Remove one first.",
					count)
			}
			taken := fault.New(fault.Conflict, storage.ReasonHasFactor, "This passkey is there already.")
			return tx.ExecOne(ctx, taken, insertPasskey, passkey)
		})
		return err
	})
	return first, err
}

// FindPasskey implements storage.FactorStore.
func (s *Identity) FindPasskey(ctx context.Context, credential []byte) (storage.Passkey, error) {
	return engine.Find[storage.Passkey](ctx, s.db, "passkey", selectPasskey, engine.Args{"credential": credential})
}

// UsePasskey implements storage.FactorStore.
func (s *Identity) UsePasskey(ctx context.Context, id string, counter int64, at time.Time) error {
	n, err := s.db.WriteOne(ctx, usePasskey, engine.Args{"id": id, "counter": counter, "at": at})
	if err == nil && n == 0 {
		return fault.New(fault.Gone, storage.ReasonSpent, "The passkey is gone, or its counter did not go forward.")
	}
	return err
}

// RemovePasskey implements storage.FactorStore.
func (s *Identity) RemovePasskey(ctx context.Context, act storage.Act, userID, id, keepSession string) error {
	return s.removeFactor(ctx, act, userID, factorPasskey, keepSession, deletePasskey,
		engine.Args{"user_id": userID, "id": id},
		func(ctx context.Context, tx Tx) error { return tx.KeepsAWayIn(ctx, userID, "") })
}

// passkeyGone reports whether the user has the passkey no more; of none that is
// not said.
func (t Tx) passkeyGone(ctx context.Context, userID, id string) (bool, error) {
	if id == "" {
		return false, nil
	}
	there := false
	err := t.Get(ctx, &there, selectPasskeyOf, engine.Args{"user_id": userID, "id": id})
	return !there, err
}
