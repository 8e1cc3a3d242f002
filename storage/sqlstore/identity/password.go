package identity

import (
	"context"

	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
)

const (
	selectPasswordHash = `
SELECT password_hash FROM users WHERE id = :id`

	updatePasswordHash = `
UPDATE users SET password_hash = :hash, ends_at = NULL WHERE id = :id`

	replacePasswordHash = `
UPDATE users SET password_hash = :fresh WHERE id = :id AND password_hash = :old`
)

// FindPasswordHash implements storage.UserStore.
func (s *Identity) FindPasswordHash(ctx context.Context, userID string) (string, error) {
	var hash string
	err := s.db.Get(ctx, &hash, selectPasswordHash, engine.Args{"id": userID})
	return hash, engine.OrAbsent(err, "user")
}

// SetPassword implements storage.UserStore.
func (s *Identity) SetPassword(ctx context.Context, act storage.Act, userID, passwordHash, keepSession string) error {
	return end(ctx, s, func(ctx context.Context, tx Tx) error {
		err := tx.ExecOne(ctx, engine.Absent("user"), updatePasswordHash, engine.Args{"id": userID, "hash": passwordHash})
		if err != nil {
			return err
		}
		more, err := tx.signOutUser(ctx, act, userID, keepSession)
		if err != nil {
			return err
		}
		return tx.Audit(ctx, act, "user.password_set", userID, more)
	})
}

// RehashPassword implements storage.UserStore.
func (s *Identity) RehashPassword(ctx context.Context, userID, old, fresh string) error {
	_, err := s.db.WriteOne(ctx, replacePasswordHash, engine.Args{"id": userID, "old": old, "fresh": fresh})
	return err
}
