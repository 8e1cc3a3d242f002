package identity

import (
	"context"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
)

const (
	selectRecoveryCode = `
SELECT user_id FROM recovery_codes WHERE user_id = :user_id AND hash = :hash`

	deleteRecoveryCode = `
DELETE FROM recovery_codes WHERE user_id = :user_id AND hash = :hash`
)

func spentCode() *fault.Error {
	return fault.New(fault.Gone, storage.ReasonSpent, "There is no such code, or it was used before.")
}

// HasRecoveryCode implements storage.FactorStore.
func (s *Identity) HasRecoveryCode(ctx context.Context, userID string, code []byte) (bool, error) {
	found, err := engine.All[string](ctx, s.db, selectRecoveryCode, engine.Args{"user_id": userID, "hash": code})
	return len(found) > 0, err
}

// spendRecoveryCode takes a code, of those who use it at once from one.
func (t Tx) spendRecoveryCode(ctx context.Context, act storage.Act, userID string, code []byte) error {
	if code == nil {
		return nil
	}
	if err := t.ExecOne(ctx, spentCode(), deleteRecoveryCode, engine.Args{"user_id": userID, "hash": code}); err != nil {
		return err
	}
	return t.Audit(ctx, act, "user.recovery_code_used", userID, nil)
}
