package identity

import (
	"context"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
)

const (
	authenticatorColumns = `user_id, secret, last_step, created_at`

	selectAuthenticator = `
SELECT ` + authenticatorColumns + `, (SELECT count(*) FROM recovery_codes c WHERE c.user_id = a.user_id) AS codes
FROM authenticators a WHERE user_id = :user_id`

	selectAuthenticators = `
SELECT ` + authenticatorColumns + `
FROM authenticators WHERE user_id > :after
ORDER BY user_id LIMIT :limit`

	selectAuthenticatorID = `
SELECT user_id AS id FROM authenticators WHERE user_id = :id`

	updateTwoFactor = `
UPDATE users SET two_factor = :two_factor WHERE id = :user_id`

	strengthenSession = `
UPDATE login_sessions SET auth_time = :auth_time, acr = :acr, amr = :amr WHERE id = :id AND user_id = :user_id`

	spendStep = `
UPDATE authenticators SET last_step = :step WHERE user_id = :user_id AND last_step < :step`

	resealAuthenticator = `
UPDATE authenticators SET secret = :fresh WHERE user_id = :user_id AND secret = :old`

	deleteAuthenticator = `
DELETE FROM authenticators WHERE user_id = :user_id`

	insertRecoveryCode = `
INSERT INTO recovery_codes (user_id, hash) VALUES (:user_id, :hash)`

	deleteRecoveryCode = `
DELETE FROM recovery_codes WHERE user_id = :user_id AND hash = :hash`

	deleteRecoveryCodes = `
DELETE FROM recovery_codes WHERE user_id = :user_id`
)

var insertAuthenticator = engine.Insert("authenticators", authenticatorColumns) + `
ON CONFLICT DO NOTHING`

// AddAuthenticator implements storage.FactorStore.
func (s *Identity) AddAuthenticator(ctx context.Context, act storage.Act, a storage.Authenticator, codes [][]byte, keep storage.LoginSession) error {
	return s.write(ctx, func(tx Tx) error {
		if err := tx.MustExist(ctx, "user", lockUser, a.UserID); err != nil {
			return err
		}
		taken := fault.New(fault.Conflict, storage.ReasonHasFactor, "There is an authenticator app already.")
		if err := tx.ExecOne(ctx, taken, insertAuthenticator, a); err != nil {
			return err
		}
		if err := tx.replaceRecoveryCodes(ctx, a.UserID, codes); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, strengthenSession, keep); err != nil {
			return err
		}
		return tx.changedFactor(ctx, act, "user.factor_added", a.UserID, true, keep.ID)
	})
}

// changedFactor notes whether the user has a second factor now, and ends what was
// begun before that.
func (t Tx) changedFactor(ctx context.Context, act storage.Act, kind, userID string, has bool, keepSession string) error {
	if _, err := t.Exec(ctx, updateTwoFactor, engine.Args{"user_id": userID, "two_factor": has}); err != nil {
		return err
	}
	more, err := t.signOutUser(ctx, act, userID, keepSession)
	if err != nil {
		return err
	}
	more["factor"] = "authenticator"
	return t.Audit(ctx, act, kind, userID, more)
}

func (t Tx) replaceRecoveryCodes(ctx context.Context, userID string, codes [][]byte) error {
	if _, err := t.Exec(ctx, deleteRecoveryCodes, engine.Args{"user_id": userID}); err != nil {
		return err
	}
	for _, hash := range codes {
		if _, err := t.Exec(ctx, insertRecoveryCode, engine.Args{"user_id": userID, "hash": hash}); err != nil {
			return err
		}
	}
	return nil
}

// FindAuthenticator implements storage.FactorStore.
func (s *Identity) FindAuthenticator(ctx context.Context, userID string) (storage.Authenticator, error) {
	return engine.Find[storage.Authenticator](ctx, s.db, "authenticator", selectAuthenticator, engine.Args{"user_id": userID})
}

func spentCode() *fault.Error {
	return fault.New(fault.Gone, storage.ReasonSpent, "There is no such code, or it was used before.")
}

// SpendStep implements storage.FactorStore.
func (s *Identity) SpendStep(ctx context.Context, userID string, step int64) error {
	n, err := s.db.WriteOne(ctx, spendStep, engine.Args{"user_id": userID, "step": step})
	if err == nil && n == 0 {
		return spentCode()
	}
	return err
}

// SpendRecoveryCode implements storage.FactorStore.
func (s *Identity) SpendRecoveryCode(ctx context.Context, act storage.Act, userID string, code []byte) error {
	return s.write(ctx, func(tx Tx) error {
		if err := tx.ExecOne(ctx, spentCode(), deleteRecoveryCode, engine.Args{"user_id": userID, "hash": code}); err != nil {
			return err
		}
		return tx.Audit(ctx, act, "user.recovery_code_used", userID, nil)
	})
}

// ReplaceRecoveryCodes implements storage.FactorStore.
func (s *Identity) ReplaceRecoveryCodes(ctx context.Context, act storage.Act, userID string, codes [][]byte) error {
	return s.write(ctx, func(tx Tx) error {
		if _, err := tx.Lock(ctx, lockUser, userID); err != nil {
			return err
		}
		if err := tx.MustExist(ctx, "authenticator", selectAuthenticatorID, userID); err != nil {
			return err
		}
		if err := tx.replaceRecoveryCodes(ctx, userID, codes); err != nil {
			return err
		}
		return tx.Audit(ctx, act, "user.recovery_codes_made", userID, nil)
	})
}

// RemoveAuthenticator implements storage.FactorStore.
func (s *Identity) RemoveAuthenticator(ctx context.Context, act storage.Act, userID, keepSession string) error {
	return s.write(ctx, func(tx Tx) error {
		if _, err := tx.Lock(ctx, lockUser, userID); err != nil {
			return err
		}
		if err := tx.ExecOne(ctx, engine.Absent("authenticator"), deleteAuthenticator, engine.Args{"user_id": userID}); err != nil {
			return err
		}
		if err := tx.replaceRecoveryCodes(ctx, userID, nil); err != nil {
			return err
		}
		return tx.changedFactor(ctx, act, "user.factor_removed", userID, false, keepSession)
	})
}

// ListSealedAuthenticators implements storage.FactorStore.
func (s *Identity) ListSealedAuthenticators(ctx context.Context, after string, limit int) ([]storage.Authenticator, error) {
	return engine.All[storage.Authenticator](ctx, s.db, selectAuthenticators, engine.Args{"after": after, "limit": limit})
}

// ResealAuthenticator implements storage.FactorStore.
func (s *Identity) ResealAuthenticator(ctx context.Context, userID string, old, fresh []byte) error {
	_, err := s.db.WriteOne(ctx, resealAuthenticator, engine.Args{"user_id": userID, "old": old, "fresh": fresh})
	return err
}
