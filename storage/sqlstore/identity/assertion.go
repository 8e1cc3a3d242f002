package identity

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
)

const (
	insertAssertionID = `
INSERT INTO assertion_ids (client_id, jti, expires_at) VALUES (:client_id, :jti, :until)
ON CONFLICT DO NOTHING`

	markServiceAccountUsed = `
UPDATE service_accounts SET accessed_at = :at,
	expires_at = CASE WHEN expires_at < :expires_at THEN cast(:expires_at AS bigint) ELSE expires_at END
WHERE id = :account_id AND (accessed_at IS NULL OR accessed_at < :at)`

	markServiceAccountKeyUsed = `
UPDATE service_account_keys SET accessed_at = :at
WHERE kid = :kid AND (accessed_at IS NULL OR accessed_at < :at)`
)

var sweepAssertionIDs = engine.Sweeping("assertion_ids", "(client_id, jti)", "expires_at <= :before")

// SpendAssertionID implements storage.ServiceAccountStore. The one insert
// decides who was first.
//
// It does not wait for the disk, which would be a third of what it costs: an
// exchange is followed within a second by the writing of its use, which does.
// What a power cut takes back is therefore a second at most, of assertions that
// live for minutes, and only the client itself could present them again.
func (s *Identity) SpendAssertionID(ctx context.Context, clientID, jti string, until time.Time) error {
	n, err := s.db.WriteUnsynced(ctx, insertAssertionID, engine.Args{"client_id": clientID, "jti": jti, "until": until})
	if err == nil && n == 0 {
		return errSpent
	}
	return err
}

// SpendProofID implements storage.ServiceAccountStore. It waits for the disk: nothing
// else is written when a client that proves itself so gets a token.
func (s *Identity) SpendProofID(ctx context.Context, clientID, jti string, until time.Time) error {
	return s.db.WriteMust(ctx, errSpent, insertAssertionID, engine.Args{"client_id": clientID, "jti": jti, "until": until})
}

// SpendID is SpendProofID as part of a transaction.
func (t Tx) SpendID(ctx context.Context, owner, id string, until time.Time) error {
	return t.ExecOne(ctx, errSpent, insertAssertionID, engine.Args{"client_id": owner, "jti": id, "until": until})
}

var errSpent = fault.New(fault.Gone, storage.ReasonSpent, "The assertion was used before.")

// SweepAssertionIDs implements storage.ServiceAccountStore.
func (s *Identity) SweepAssertionIDs(ctx context.Context, now time.Time, limit int) (int, error) {
	return s.db.Sweep(ctx, sweepAssertionIDs, engine.Args{"before": now.Add(-storage.KeepSpent), "limit": limit})
}

// MarkServiceAccountsUsed implements storage.ServiceAccountStore. The rows are
// taken in the order of their ids, accounts first, so that two of these can't
// lock each other out.
func (s *Identity) MarkServiceAccountsUsed(ctx context.Context, uses []storage.ServiceAccountUse) error {
	byAccount := func(a, b storage.ServiceAccountUse) int { return cmp.Compare(a.AccountID, b.AccountID) }
	byKey := func(a, b storage.ServiceAccountUse) int { return cmp.Compare(a.KID, b.KID) }
	return s.write(ctx, func(tx Tx) error {
		for _, use := range slices.SortedStableFunc(slices.Values(uses), byAccount) {
			_, err := tx.Exec(ctx, markServiceAccountUsed, engine.Args{
				"account_id": use.AccountID, "at": use.At, "expires_at": use.ExpiresAt,
			})
			if err != nil {
				return err
			}
		}
		for _, use := range slices.SortedStableFunc(slices.Values(uses), byKey) {
			if _, err := tx.Exec(ctx, markServiceAccountKeyUsed, engine.Args{"kid": use.KID, "at": use.At}); err != nil {
				return err
			}
		}
		return nil
	})
}
