package sqlstore

import (
	"context"

	"github.com/portico-id/portico/storage"
)

const (
	selectPasswordHash = `
SELECT password_hash FROM users WHERE id = :id`

	updatePasswordHash = `
UPDATE users SET password_hash = :hash WHERE id = :id`

	replacePasswordHash = `
UPDATE users SET password_hash = :fresh WHERE id = :id AND password_hash = :old`
)

// FindPasswordHash implements storage.UserStore.
func (s *Store) FindPasswordHash(ctx context.Context, userID string) (string, error) {
	var hash string
	err := s.reader.get(ctx, &hash, selectPasswordHash, args{"id": userID})
	return hash, orAbsent(err, "user")
}

// SetPassword implements storage.UserStore.
func (s *Store) SetPassword(ctx context.Context, act storage.Act, userID, passwordHash, keepSession string) error {
	return s.write(ctx, func(tx tx) error {
		err := tx.execOne(ctx, absent("user"), updatePasswordHash, args{"id": userID, "hash": passwordHash})
		if err != nil {
			return err
		}
		more, err := tx.signOutUser(ctx, act, userID, keepSession)
		if err != nil {
			return err
		}
		return tx.audit(ctx, act, "user.password_set", userID, more)
	})
}

// RehashPassword implements storage.UserStore.
func (s *Store) RehashPassword(ctx context.Context, userID, old, fresh string) error {
	_, err := s.writeOne(ctx, replacePasswordHash, args{"id": userID, "old": old, "fresh": fresh})
	return err
}
