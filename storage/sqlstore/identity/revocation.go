package identity

import (
	"context"
	"time"

	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
)

// MayUse is the condition that the client c is for the user u.
const MayUse = `(NOT c.restricted
	OR EXISTS (SELECT 1 FROM client_users p WHERE p.client_id = c.id AND p.user_id = u.id)
	OR EXISTS (SELECT 1 FROM client_groups p JOIN user_group_members m ON m.group_id = p.group_id
		WHERE p.client_id = c.id AND m.user_id = u.id))`

const (
	insertRevocation = `
INSERT INTO revocations (jti, expires_at) VALUES (:jti, :until)
ON CONFLICT DO NOTHING`

	// The ids are named once and looked up by their indexes; an empty one asks
	// nothing. What was enabled again counts for the tokens from then on.
	selectTokenState = `
SELECT coalesce(c.scopes, '[]') AS scopes, coalesce(c.profile, '') AS profile, coalesce(c.origin, '') AS origin,
	coalesce(c.exchange_for, '[]') AS exchange_for, c.impersonates IS NOT NULL AND c.impersonates
		AND NOT EXISTS (SELECT 1 FROM users a WHERE a.id = q.user_id AND a.admin) AS impersonates,
	coalesce(g.acr, '') AS acr, g.auth_time, NOT EXISTS (SELECT 1 FROM revocations r WHERE r.jti = q.jti)
	AND (q.client_id = '' OR c.id IS NOT NULL AND NOT c.disabled AND c.tokens_from <= q.issued_at)
	AND (q.grant_id = '' OR g.id IS NOT NULL AND g.revoked_at IS NULL)
	AND (q.user_id = '' OR EXISTS (SELECT 1 FROM users u WHERE u.id = q.user_id AND NOT u.disabled
			AND (c.id IS NULL OR ` + MayUse + `))
		OR EXISTS (SELECT 1 FROM service_accounts a JOIN clients o ON o.id = a.client_id
			WHERE a.id = q.user_id AND a.status = 'ENABLED' AND a.tokens_from <= q.issued_at AND NOT o.disabled))
	AND (q.key_id = '' OR EXISTS (SELECT 1 FROM service_account_keys k
		WHERE k.kid = q.key_id AND k.account_id = q.user_id AND k.status = 'ENABLED' AND k.tokens_from <= q.issued_at)) AS active
FROM (SELECT cast(:jti AS text) AS jti, cast(:client_id AS text) AS client_id,
	cast(:grant_id AS text) AS grant_id, cast(:user_id AS text) AS user_id, cast(:key_id AS text) AS key_id,
	coalesce(cast(:issued_at AS bigint), 9223372036854775807) AS issued_at) q
LEFT JOIN clients c ON c.id = q.client_id
LEFT JOIN grants g ON g.id = q.grant_id`
)

// RevokeToken implements storage.GrantStore.
func (s *Identity) RevokeToken(ctx context.Context, act storage.Act, jti string, until time.Time) error {
	return s.write(ctx, func(tx Tx) error {
		n, err := tx.Exec(ctx, insertRevocation, engine.Args{"jti": jti, "until": until})
		if err != nil || n == 0 {
			return err
		}
		return tx.Audit(ctx, act, "token.revoked", jti, nil)
	})
}

// SetTokensFrom has what was enabled again within the second in which it was disabled
// count from the next on.
const SetTokensFrom = `tokens_from = CASE WHEN tokens_from > :tokens_from THEN tokens_from ELSE :tokens_from END`

// TokensFrom is the time from which on the tokens of what was changed by the
// act count. Tokens tell no more than the second of their issue: where the act ends
// something, one of the same second may be of before.
func TokensFrom(act storage.Act, ends bool) time.Time {
	from := act.At.Truncate(time.Second)
	if ends {
		return from.Add(time.Second)
	}
	return from
}

// TokenState implements storage.GrantStore.
func (s *Identity) TokenState(ctx context.Context, query storage.TokenQuery) (storage.TokenState, error) {
	var state storage.TokenState
	err := s.db.Get(ctx, &state, selectTokenState, query)
	return state, engine.AsFault(err)
}
