package identity

import (
	"context"
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/textkey"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
)

const (
	// LockClient locks a client whose keys or secrets change.
	LockClient = `
SELECT id FROM clients WHERE id = :id
FOR NO KEY UPDATE`

	// What stands in the way of a new account, while its client is locked.
	selectAccountObstacles = `
SELECT (SELECT count(*) FROM service_accounts WHERE client_id = :client_id) AS accounts,
	EXISTS (SELECT 1 FROM service_accounts WHERE client_id = :client_id AND name_key = :name_key) AS name_taken,
	EXISTS (SELECT 1 FROM users WHERE id = :id) AS id_taken`

	serviceAccountColumns = `id, client_id, created_by, name, email, status, created_at, accessed_at, expires_at`

	selectServiceAccount = `
SELECT ` + serviceAccountColumns + `
FROM service_accounts WHERE id = :id`

	selectServiceAccounts = `
SELECT ` + serviceAccountColumns + `
FROM service_accounts WHERE client_id = :client_id OR created_by = :created_by
ORDER BY created_at, id`

	// It changes what the caller has seen, or nothing.
	moveServiceAccount = `
UPDATE service_accounts SET status = :status, expires_at = :expires_at, tokens_from = :tokens_from
WHERE id = :id AND status = :seen_status AND expires_at = :seen_expires_at`

	deleteServiceAccount = `
DELETE FROM service_accounts WHERE id = :id`

	selectServiceAccountID = `
SELECT id FROM service_accounts WHERE id = :id`

	selectExpiredServiceAccounts = `
SELECT id FROM service_accounts WHERE status = 'ENABLED' AND expires_at < :before ORDER BY id LIMIT :limit`

	deactivateServiceAccount = `
UPDATE service_accounts SET status = 'DEACTIVATED'
WHERE id = :id AND status = 'ENABLED' AND expires_at < :before`
)

var insertServiceAccount = engine.Insert("service_accounts", serviceAccountColumns+", name_key") + `
ON CONFLICT DO NOTHING`

// namedAccount is an account with what it is found by.
type namedAccount struct {
	storage.ServiceAccount
	NameKey string
}

// CreateServiceAccount implements storage.ServiceAccountStore. The client is
// locked, so that several creations count one after the other.
func (s *Identity) CreateServiceAccount(ctx context.Context, act storage.Act, account storage.ServiceAccount) error {
	row := namedAccount{account, textkey.Fold(account.Name)}
	return s.write(ctx, func(tx Tx) error {
		if err := tx.MustExist(ctx, "client", LockClient, account.ClientID); err != nil {
			return err
		}
		if err := tx.roomForAccount(ctx, row); err != nil {
			return err
		}
		taken := fault.New(fault.Conflict, "", "There is a service account with this id already.")
		if err := tx.ExecOne(ctx, taken, insertServiceAccount, row); err != nil {
			return err
		}
		return tx.Audit(ctx, act, "service_account.created", account.ID, engine.Detail{"client_id": account.ClientID})
	})
}

func (t Tx) roomForAccount(ctx context.Context, row namedAccount) error {
	var obstacles struct {
		Accounts           int
		NameTaken, IDTaken bool
	}
	if err := t.Get(ctx, &obstacles, selectAccountObstacles, row); err != nil {
		return err
	}
	switch {
	case obstacles.NameTaken:
		return fault.New(fault.Conflict, storage.ReasonNameTaken, "A service account of the client has this name.")
	case obstacles.Accounts >= storage.MaxServiceAccounts:
		return fault.Newf(fault.TooMany, storage.ReasonLimitExceeded,
			"A client has at most %d service accounts.", storage.MaxServiceAccounts)
	case obstacles.IDTaken:
		return fault.New(fault.Conflict, "", "There is a user with this id already.")
	}
	return nil
}

// FindServiceAccount implements storage.ServiceAccountStore.
func (s *Identity) FindServiceAccount(ctx context.Context, id string) (storage.ServiceAccount, error) {
	return engine.Find[storage.ServiceAccount](ctx, s.db, "service account", selectServiceAccount, engine.Args{"id": id})
}

// ListServiceAccounts implements storage.ServiceAccountStore.
func (s *Identity) ListServiceAccounts(ctx context.Context,
	filter storage.ServiceAccountFilter) ([]storage.ServiceAccount, error) {
	return engine.All[storage.ServiceAccount](ctx, s.db, selectServiceAccounts, filter)
}

// SetServiceAccountStatus implements storage.ServiceAccountStore.
func (s *Identity) SetServiceAccountStatus(ctx context.Context, act storage.Act, seen storage.ServiceAccount,
	status storage.ServiceAccountStatus, expiresAt time.Time) error {
	return s.write(ctx, func(tx Tx) error {
		n, err := tx.Exec(ctx, moveServiceAccount, engine.Args{
			"id": seen.ID, "status": string(status), "expires_at": expiresAt,
			"seen_status": string(seen.Status), "seen_expires_at": seen.ExpiresAt, "tokens_from": TokensFrom(act, false),
		})
		if err != nil {
			return err
		}
		if n > 0 {
			if err := tx.FollowersOf(ctx, act, seen.ID); err != nil {
				return err
			}
			return tx.Audit(ctx, act, "service_account."+eventOf(string(status)), seen.ID, nil)
		}
		if err := tx.MustExist(ctx, "service account", selectServiceAccountID, seen.ID); err != nil {
			return err
		}
		return fault.New(fault.Conflict, storage.ReasonStatusMoved, "The service account was changed meanwhile.")
	})
}

// eventOf returns the last word of an audit event for a state.
func eventOf(status string) string {
	switch status {
	case string(storage.ServiceAccountEnabled):
		return "enabled"
	case string(storage.ServiceAccountDisabled):
		return "disabled"
	}
	return "deactivated"
}

// DeleteServiceAccount implements storage.ServiceAccountStore. Its keys go by a
// foreign key.
func (s *Identity) DeleteServiceAccount(ctx context.Context, act storage.Act, id string) error {
	return s.write(ctx, func(tx Tx) error {
		if err := tx.ExecOne(ctx, engine.Absent("service account"), deleteServiceAccount, engine.Args{"id": id}); err != nil {
			return err
		}
		if err := tx.FollowersOf(ctx, act, id); err != nil {
			return err
		}
		return tx.Audit(ctx, act, "service_account.deleted", id, nil)
	})
}

// DeactivateServiceAccounts implements storage.ServiceAccountStore. Each
// account is judged again as it is changed: it may have been used meanwhile.
func (s *Identity) DeactivateServiceAccounts(ctx context.Context, act storage.Act, before time.Time,
	limit int) (int, error) {
	total := 0
	err := s.write(ctx, func(tx Tx) error {
		total = 0
		var ids []string
		if err := tx.List(ctx, &ids, selectExpiredServiceAccounts,
			engine.Args{"before": before, "limit": limit}); err != nil {
			return err
		}
		for _, id := range ids {
			n, err := tx.Exec(ctx, deactivateServiceAccount, engine.Args{"id": id, "before": before})
			if err != nil {
				return err
			}
			if n == 0 {
				continue
			}
			total++
			if err := tx.FollowersOf(ctx, act, id); err != nil {
				return err
			}
			if err := tx.Audit(ctx, act, "service_account.deactivated", id, nil); err != nil {
				return err
			}
		}
		return nil
	})
	return total, err
}
