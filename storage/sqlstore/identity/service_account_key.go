package identity

import (
	"context"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
)

const (
	lockServiceAccount = `
SELECT ` + serviceAccountColumns + `
FROM service_accounts WHERE id = :id
FOR NO KEY UPDATE`

	countServiceAccountKeys = `
SELECT count(*) FROM service_account_keys WHERE account_id = :account_id`

	serviceAccountKeyColumns = `kid, account_id, public, status, created_at, accessed_at, label, ends_at`

	selectServiceAccountKeys = `
SELECT ` + serviceAccountKeyColumns + `
FROM service_account_keys WHERE `

	moveServiceAccountKey = `
UPDATE service_account_keys SET status = :status, tokens_from = :tokens_from
WHERE kid = :kid AND account_id = :account_id AND status = :seen_status`

	deleteServiceAccountKey = `
DELETE FROM service_account_keys WHERE kid = :kid AND account_id = :account_id`

	selectServiceAccountKeyID = `
SELECT kid FROM service_account_keys WHERE kid = :id`
)

var (
	insertServiceAccountKey = engine.Insert("service_account_keys", serviceAccountKeyColumns) + `
ON CONFLICT DO NOTHING`

	selectServiceAccountKey = `
SELECT ` + engine.InTable("k", serviceAccountKeyColumns) + `, ` + engine.Prefixed("a", "account",
		serviceAccountColumns) + `
FROM service_account_keys k JOIN service_accounts a ON a.id = k.account_id
WHERE k.kid = :kid`
)

// lockEnabledAccount locks the account, so that its keys change one after the
// other and only while it is enabled.
func (t Tx) lockEnabledAccount(ctx context.Context, act storage.Act, id string) error {
	var account storage.ServiceAccount
	err := t.Get(ctx, &account, lockServiceAccount, engine.Args{"id": id})
	if err != nil {
		return engine.OrAbsentRow(err, "service account")
	}
	if account.StatusAt(act.At) != storage.ServiceAccountEnabled {
		return fault.New(fault.Conflict, storage.ReasonAccountDisabled, "The service account is not enabled.")
	}
	return nil
}

// AddServiceAccountKey implements storage.ServiceAccountStore.
func (s *Identity) AddServiceAccountKey(ctx context.Context, act storage.Act, key storage.ServiceAccountKey) error {
	return s.write(ctx, func(tx Tx) error {
		if err := tx.lockEnabledAccount(ctx, act, key.AccountID); err != nil {
			return err
		}
		var keys int
		if err := tx.Get(ctx, &keys, countServiceAccountKeys, key); err != nil {
			return err
		}
		if keys >= storage.MaxServiceAccountKeys {
			return fault.Newf(fault.TooMany, storage.ReasonLimitExceeded,
				"A service account has at most %d keys.", storage.MaxServiceAccountKeys)
		}
		taken := fault.New(fault.Conflict, "", "There is a key with this kid already.")
		if err := tx.ExecOne(ctx, taken, insertServiceAccountKey, key); err != nil {
			return err
		}
		return tx.Audit(ctx, act, "service_account.key_created", key.AccountID, engine.Detail{"kid": key.KID})
	})
}

// FindServiceAccountKey implements storage.ServiceAccountStore.
func (s *Identity) FindServiceAccountKey(ctx context.Context,
	kid string) (storage.ServiceAccountKey, storage.ServiceAccount, error) {
	var row struct {
		storage.ServiceAccountKey
		Account storage.ServiceAccount `db:"account"`
	}
	err := s.db.Get(ctx, &row, selectServiceAccountKey, engine.Args{"kid": kid})
	return row.ServiceAccountKey, row.Account, engine.OrAbsent(err, "key")
}

// ListServiceAccountKeys implements storage.ServiceAccountStore.
func (s *Identity) ListServiceAccountKeys(ctx context.Context,
	accountIDs ...string) ([]storage.ServiceAccountKey, error) {
	f := engine.NewFilter()
	query := selectServiceAccountKeys + f.Among("account_id", accountIDs) + "\nORDER BY created_at, kid"
	return engine.All[storage.ServiceAccountKey](ctx, s.db, query, f.Args)
}

// SetServiceAccountKeyStatus implements storage.ServiceAccountStore.
func (s *Identity) SetServiceAccountKeyStatus(ctx context.Context, act storage.Act, seen storage.ServiceAccountKey,
	status storage.KeyStatus) error {
	return s.write(ctx, func(tx Tx) error {
		if err := tx.lockEnabledAccount(ctx, act, seen.AccountID); err != nil {
			return err
		}
		n, err := tx.Exec(ctx, moveServiceAccountKey, engine.Args{
			"kid": seen.KID, "account_id": seen.AccountID, "status": string(status), "seen_status": string(seen.Status),
			"tokens_from": TokensFrom(act, false),
		})
		if err != nil {
			return err
		}
		if n > 0 {
			return tx.Audit(ctx, act, "service_account.key_"+eventOf(string(status)), seen.AccountID,
				engine.Detail{"kid": seen.KID})
		}
		if err := tx.MustExist(ctx, "key", selectServiceAccountKeyID, seen.KID); err != nil {
			return err
		}
		return fault.New(fault.Conflict, storage.ReasonStatusMoved, "The key was changed meanwhile.")
	})
}

// DeleteServiceAccountKey implements storage.ServiceAccountStore.
func (s *Identity) DeleteServiceAccountKey(ctx context.Context, act storage.Act, accountID, kid string) error {
	return s.write(ctx, func(tx Tx) error {
		if err := tx.lockEnabledAccount(ctx, act, accountID); err != nil {
			return err
		}
		err := tx.ExecOne(ctx, engine.Absent("key"), deleteServiceAccountKey,
			engine.Args{"kid": kid, "account_id": accountID})
		if err != nil {
			return err
		}
		return tx.Audit(ctx, act, "service_account.key_deleted", accountID, engine.Detail{"kid": kid})
	})
}
