package clients

import (
	"context"
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
	"github.com/portico-id/portico/storage/sqlstore/identity"
)

const lockVouchedParties = `
SELECT u.id FROM upstream_identities i
JOIN upstreams p ON p.id = i.upstream_id
JOIN users u ON u.id = i.user_id
JOIN clients c ON c.id = :client_id
WHERE i.upstream_id = :upstream_id AND i.user_id = :user_id AND i.ended_at IS NULL
	AND p.updated_at = :judged_by AND NOT p.disabled AND NOT u.disabled AND NOT c.disabled AND ` + identity.MayUse + `
	AND (:strong OR NOT u.two_factor)
FOR SHARE OF i, p, u, c`

// OpenGrant implements storage.GrantStore.
func (s *Clients) OpenGrant(ctx context.Context, act storage.Act, grant storage.Grant, judgedBy time.Time) error {
	return s.write(ctx, func(tx tx) error {
		var enabled []string
		of := engine.Args{"upstream_id": grant.UpstreamID, "user_id": grant.UserID, "client_id": grant.ClientID,
			"judged_by": judgedBy, "strong": grant.ACR == storage.ACRTwoFactors}
		if err := tx.List(ctx, &enabled, lockVouchedParties, of); err != nil {
			return err
		}
		if len(enabled) == 0 {
			return fault.New(fault.Gone, storage.ReasonRevoked, "User, client or upstream is not as it was.")
		}
		if err := tx.InsertGrant(ctx, grant); err != nil {
			return err
		}
		return tx.Audit(ctx, act, "token.exchanged", grant.UserID, engine.Detail{"upstream": grant.UpstreamID,
			"resources": grant.Resources, "scopes": grant.Scopes})
	})
}
