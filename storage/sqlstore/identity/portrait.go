package identity

import (
	"context"

	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
)

const (
	selectPortraitHash = `
SELECT portrait FROM users WHERE id = :user_id`

	updatePortrait = `
UPDATE users SET portrait = :hash, updated_at = :at WHERE id = :user_id`

	deletePortrait = `
DELETE FROM user_portraits WHERE user_id = :user_id`

	selectPortrait = `
SELECT picture FROM user_portraits WHERE hash = :hash AND side = :side LIMIT 1`
)

var insertPortrait = engine.Insert("user_portraits", "user_id, side, hash, picture")

// SetPortrait implements storage.PortraitStore.
func (s *Identity) SetPortrait(ctx context.Context, act storage.Act, userID string, portrait storage.Portrait) error {
	return s.write(ctx, func(tx Tx) error {
		if same, err := tx.hasPortrait(ctx, userID, portrait.Hash); err != nil || same {
			return err
		}
		if err := tx.replacePortrait(ctx, act, userID, portrait); err != nil {
			return err
		}
		return tx.Audit(ctx, act, "user.portrait_set", userID, engine.Detail{"hash": portrait.Hash})
	})
}

// hasPortrait locks the user.
func (t Tx) hasPortrait(ctx context.Context, userID, hash string) (bool, error) {
	if err := t.MustExist(ctx, "user", LockUser, userID); err != nil {
		return false, err
	}
	var hashes []string
	err := t.List(ctx, &hashes, selectPortraitHash, engine.Args{"user_id": userID})
	return len(hashes) == 1 && hashes[0] == hash, err
}

func (t Tx) replacePortrait(ctx context.Context, act storage.Act, userID string, portrait storage.Portrait) error {
	arg := engine.Args{"user_id": userID, "hash": portrait.Hash, "at": act.At}
	if err := t.ExecEach(ctx, arg, deletePortrait, updatePortrait); err != nil {
		return err
	}
	for _, size := range portrait.Sizes {
		row := engine.Args{"user_id": userID, "side": size.Side, "hash": portrait.Hash, "picture": size.Picture}
		if _, err := t.Exec(ctx, insertPortrait, row); err != nil {
			return err
		}
	}
	return nil
}

// DeletePortrait implements storage.PortraitStore.
func (s *Identity) DeletePortrait(ctx context.Context, act storage.Act, userID string) error {
	return s.write(ctx, func(tx Tx) error {
		none, err := tx.hasPortrait(ctx, userID, "")
		if err != nil {
			return err
		}
		if none {
			return engine.Absent("portrait")
		}
		if err := tx.replacePortrait(ctx, act, userID, storage.Portrait{}); err != nil {
			return err
		}
		return tx.Audit(ctx, act, "user.portrait_deleted", userID, nil)
	})
}

// FindPortrait implements storage.PortraitStore.
func (s *Identity) FindPortrait(ctx context.Context, hash string, side int) ([]byte, error) {
	var picture []byte
	err := s.db.Get(ctx, &picture, selectPortrait, engine.Args{"hash": hash, "side": side})
	return picture, engine.OrAbsent(err, "portrait")
}
