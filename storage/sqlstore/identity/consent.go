package identity

import (
	"context"
	"slices"

	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
)

const (
	consentColumns = `user_id, client_id, scopes, left_out, created_at, updated_at`

	selectConsent = `
SELECT ` + consentColumns + `
FROM consents WHERE user_id = :user_id AND client_id = :client_id`

	lockConsent = selectConsent + `
FOR UPDATE`

	selectConsents = `
SELECT ` + consentColumns + `
FROM consents WHERE user_id = :user_id ORDER BY client_id`

	// What is allowed now is allowed to the client as it is now, whatever clock it was changed by.
	updateConsent = `
UPDATE consents SET scopes = :scopes, left_out = :left_out, updated_at = (
	SELECT CASE WHEN c.updated_at > :updated_at THEN c.updated_at ELSE cast(:updated_at AS bigint) END
	FROM clients c WHERE c.id = consents.client_id)
WHERE user_id = :user_id AND client_id = :client_id`

	deleteConsent = `
DELETE FROM consents WHERE user_id = :user_id AND client_id = :client_id`
)

var insertConsent = engine.Insert("consents", consentColumns) + `
ON CONFLICT DO NOTHING`

// remember adds scopes to what the user has allowed the client, and others to what
// they left out: the last word about each counts. Where nothing
// was yet, an empty consent comes first, so that there is a row to lock and
// two answers at once add up.
func (t Tx) remember(ctx context.Context, act storage.Act, userID, clientID string, scopes, leftOut []string) error {
	row := storage.Consent{UserID: userID, ClientID: clientID, CreatedAt: act.At, UpdatedAt: act.At}
	for there := false; !there; { // it may be withdrawn between the two
		if _, err := t.Exec(ctx, insertConsent, row); err != nil {
			return err
		}
		err := t.Get(ctx, &row, lockConsent, row)
		if err != nil && !engine.IsNoRow(err) {
			return err
		}
		there = err == nil
	}
	row.Scopes = joined(row.Scopes, scopes, leftOut)
	row.LeftOut = joined(row.LeftOut, leftOut, scopes)
	row.UpdatedAt = act.At
	_, err := t.Exec(ctx, updateConsent, row)
	return err
}

// joined returns the members of a and b, sorted and each once, without those of
// out.
func joined(a, b, out []string) []string {
	all := slices.Concat(a, b)
	slices.Sort(all)
	return slices.DeleteFunc(slices.Compact(all), func(s string) bool { return slices.Contains(out, s) })
}

// FindConsent implements storage.LoginStore.
func (s *Identity) FindConsent(ctx context.Context, userID, clientID string) (storage.Consent, error) {
	return engine.Find[storage.Consent](ctx, s.db, "consent", selectConsent,
		engine.Args{"user_id": userID, "client_id": clientID})
}

// ListConsents implements storage.LoginStore.
func (s *Identity) ListConsents(ctx context.Context, userID string) ([]storage.Consent, error) {
	return engine.All[storage.Consent](ctx, s.db, selectConsents, engine.Args{"user_id": userID})
}

// WithdrawConsent implements storage.LoginStore. The user's row is locked, so
// that no grant comes up between.
func (s *Identity) WithdrawConsent(ctx context.Context, act storage.Act, userID, clientID string) error {
	pair := engine.Args{"user_id": userID, "client_id": clientID, "at": act.At}
	return end(ctx, s, func(ctx context.Context, tx Tx) error {
		if found, err := tx.Lock(ctx, LockUser, userID); err != nil || !found {
			return err
		}
		n, err := tx.Exec(ctx, deleteConsent, pair)
		if err != nil {
			return err
		}
		more, err := tx.revokeGrants(ctx, revokePairGrants, revokePairCodes, pair)
		if err != nil || n == 0 && more[grantsRevoked] == int64(0) {
			return err
		}
		more["client_id"] = clientID
		return tx.Audit(ctx, act, "consent.withdrawn", userID, more)
	})
}
