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
SELECT ` + authenticatorColumns + `
FROM authenticators WHERE user_id = :user_id`

	countRecoveryCodes = `
SELECT count(*) FROM recovery_codes WHERE user_id = :user_id`

	selectHasFactor = `
SELECT EXISTS (SELECT 1 FROM authenticators WHERE user_id = :user_id)
	OR EXISTS (SELECT 1 FROM passkeys WHERE user_id = :user_id)`

	selectFactorUser = `
SELECT id FROM users WHERE id = :id AND two_factor`

	updateTwoFactor = `
UPDATE users SET two_factor = :two_factor WHERE id = :user_id`

	strengthenSession = `
UPDATE login_sessions SET auth_time = :auth_time, acr = :acr, amr = :amr WHERE id = :id AND user_id = :user_id`

	spendStep = `
UPDATE authenticators SET last_step = :step WHERE user_id = :user_id AND last_step < :step`

	deleteAuthenticator = `
DELETE FROM authenticators WHERE user_id = :user_id`

	insertRecoveryCode = `
INSERT INTO recovery_codes (user_id, hash) VALUES (:user_id, :hash)`

	deleteRecoveryCodes = `
DELETE FROM recovery_codes WHERE user_id = :user_id`
)

var insertAuthenticator = engine.Insert("authenticators", authenticatorColumns) + `
ON CONFLICT DO NOTHING`

// What audits call the factors.
const (
	factorAuthenticator = "authenticator"
	factorAll           = "all"
)

// AddAuthenticator implements storage.FactorStore.
func (s *Identity) AddAuthenticator(ctx context.Context, act storage.Act, a storage.Authenticator, codes [][]byte,
	keep storage.LoginSession, proof storage.Proof) (first bool, err error) {
	err = s.write(ctx, func(tx Tx) error {
		if err := tx.onTheWayIn(ctx, a.UserID, keep, proof); err != nil {
			return err
		}
		first, err = tx.addFactor(ctx, act, a.UserID, factorAuthenticator, codes, keep, func() error {
			taken := fault.New(fault.Conflict, storage.ReasonHasFactor, "There is an authenticator app already.")
			return tx.ExecOne(ctx, taken, insertAuthenticator, a)
		})
		return err
	})
	return first, err
}

// addFactor adds a factor of the user, whom it locks, and what comes with the
// first. Neither who is on the way in nor who was signed out meanwhile gets around a
// factor that is there.
func (t Tx) addFactor(ctx context.Context, act storage.Act, userID, factor string, codes [][]byte,
	keep storage.LoginSession, add func() error) (first bool, err error) {
	if err := t.MustExist(ctx, "user", LockUser, userID); err != nil {
		return false, err
	}
	has, err := t.hasFactor(ctx, userID)
	if err != nil {
		return false, err
	}
	late := fault.New(fault.Conflict, storage.ReasonHasFactor, "There is a second factor by now. Sign in with it.")
	if has && keep.ID == "" {
		return false, late
	}
	if err := add(); err != nil {
		return false, err
	}
	if !has {
		if err := t.replaceRecoveryCodes(ctx, userID, codes); err != nil {
			return false, err
		}
	}
	if keep.ID != "" {
		if err := t.ExecOne(ctx, late, strengthenSession, keep); err != nil {
			return false, err
		}
	}
	return !has, t.changedFactor(ctx, act, "user.factor_added", userID, factor, keep.ID)
}

// onTheWayIn is nil for who adds a factor in a session, and for who adds or shows one on the
// way in as long as what they have shown counts. It locks the upstream before the user.
func (t Tx) onTheWayIn(ctx context.Context, userID string, keep storage.LoginSession, proof storage.Proof) error {
	if keep.ID != "" {
		return nil
	}
	if err := t.ShareUpstream(ctx, proof.Upstream.UpstreamID); err != nil {
		return err
	}
	if err := t.MustExist(ctx, "user", LockUser, userID); err != nil {
		return err
	}
	hash := ""
	if err := t.Get(ctx, &hash, selectHashOfEnabled, engine.Args{"id": userID}); err != nil {
		return engine.OrAbsent(err, "user who can sign in")
	}
	return t.stands(ctx, userID, proof, hash)
}

func (t Tx) hasFactor(ctx context.Context, userID string) (has bool, err error) {
	err = t.Get(ctx, &has, selectHasFactor, engine.Args{"user_id": userID})
	return has, err
}

// changedFactor notes whether the user has a second factor now, and ends what was
// begun before that.
func (t Tx) changedFactor(ctx context.Context, act storage.Act, kind, userID, factor, keepSession string) error {
	has, err := t.hasFactor(ctx, userID)
	if err != nil {
		return err
	}
	if _, err := t.Exec(ctx, updateTwoFactor, engine.Args{"user_id": userID, "two_factor": has}); err != nil {
		return err
	}
	if !has {
		if err := t.replaceRecoveryCodes(ctx, userID, nil); err != nil {
			return err
		}
	}
	more, err := t.signOutUser(ctx, act, userID, keepSession)
	if err != nil {
		return err
	}
	more["factor"] = factor
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

// FindFactors implements storage.FactorStore.
func (s *Identity) FindFactors(ctx context.Context, userID string) (f storage.Factors, err error) {
	arg := engine.Args{"user_id": userID}
	f.Authenticator, err = engine.Find[storage.Authenticator](ctx, s.db, "authenticator", selectAuthenticator, arg)
	if err != nil && !fault.Is(err, fault.NotFound) {
		return f, err
	}
	if f.Passkeys, err = engine.All[storage.Passkey](ctx, s.db, selectPasskeys, arg); err != nil {
		return f, err
	}
	return f, s.db.Get(ctx, &f.Codes, countRecoveryCodes, arg)
}

// SpendStep implements storage.FactorStore.
func (s *Identity) SpendStep(ctx context.Context, userID string, step int64) error {
	n, err := s.db.WriteOne(ctx, spendStep, engine.Args{"user_id": userID, "step": step})
	if err == nil && n == 0 {
		return spentCode()
	}
	return err
}

// ReplaceRecoveryCodes implements storage.FactorStore.
func (s *Identity) ReplaceRecoveryCodes(ctx context.Context, act storage.Act, userID string, codes [][]byte,
	keepSession string) error {
	return s.write(ctx, func(tx Tx) error {
		if _, err := tx.Lock(ctx, LockUser, userID); err != nil {
			return err
		}
		if err := tx.MustExist(ctx, "second factor", selectFactorUser, userID); err != nil {
			return err
		}
		if err := tx.replaceRecoveryCodes(ctx, userID, codes); err != nil {
			return err
		}
		more, err := tx.signOutUser(ctx, act, userID, keepSession)
		if err != nil {
			return err
		}
		return tx.Audit(ctx, act, "user.recovery_codes_made", userID, more)
	})
}

// RemoveAuthenticator implements storage.FactorStore.
func (s *Identity) RemoveAuthenticator(ctx context.Context, act storage.Act, userID, keepSession string) error {
	return s.removeFactor(ctx, act, userID, factorAuthenticator, keepSession, deleteAuthenticator,
		engine.Args{"user_id": userID}, func(context.Context, Tx) error { return nil })
}

// removeFactor removes what the statement finds, or is NotFound, where what is left allows it.
func (s *Identity) removeFactor(ctx context.Context, act storage.Act, userID, factor, keepSession,
	statement string, arg any, allow func(context.Context, Tx) error) error {
	return end(ctx, s, func(ctx context.Context, tx Tx) error {
		if _, err := tx.Lock(ctx, LockUser, userID); err != nil {
			return err
		}
		if err := tx.ExecOne(ctx, engine.Absent(factor), statement, arg); err != nil {
			return err
		}
		if err := allow(ctx, tx); err != nil {
			return err
		}
		return tx.changedFactor(ctx, act, "user.factor_removed", userID, factor, keepSession)
	})
}

// RemoveFactors implements storage.FactorStore.
func (s *Identity) RemoveFactors(ctx context.Context, act storage.Act, userID string) error {
	return end(ctx, s, func(ctx context.Context, tx Tx) error {
		if _, err := tx.Lock(ctx, LockUser, userID); err != nil {
			return err
		}
		if err := tx.MustExist(ctx, "second factor", selectFactorUser, userID); err != nil {
			return err
		}
		if err := tx.ExecEach(ctx, engine.Args{"user_id": userID}, deleteAuthenticator, deletePasskeys); err != nil {
			return err
		}
		return tx.changedFactor(ctx, act, "user.factor_removed", userID, factorAll, "")
	})
}
