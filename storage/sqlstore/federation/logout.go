package federation

import (
	"context"

	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
)

const (
	selectLoggedOut = `
SELECT user_id FROM upstream_identities
WHERE upstream_id = :upstream_id AND issuer = :issuer AND subject = :subject`

	// Of a session that the upstream names without its person.
	selectLoggedOutOfSession = `
SELECT DISTINCT user_id FROM login_sessions
WHERE upstream_id = :upstream_id AND upstream_sid = :sid AND upstream_sid <> '' ORDER BY user_id`

	endIdentities = `
UPDATE upstream_identities SET ended_at = :at
WHERE upstream_id = :upstream_id AND user_id = :user_id AND (:subject = '' OR issuer = :issuer AND subject = :subject)`
)

// HearLogout implements storage.UpstreamStore.
func (s *Federation) HearLogout(ctx context.Context, act storage.Act, word storage.UpstreamLogout) error {
	return s.end(ctx, func(ctx context.Context, t tx) error {
		if err := t.SpendID(ctx, "upstream:"+word.UpstreamID, word.ID, word.Until); err != nil {
			return err
		}
		query := selectLoggedOut
		if word.Subject == "" {
			query = selectLoggedOutOfSession
		}
		var people []string
		if err := t.List(ctx, &people, query, word); err != nil {
			return err
		}
		for _, id := range people {
			if err := t.loggedOut(ctx, act, word, id); err != nil {
				return err
			}
		}
		return nil
	})
}

// EndUpstreamSessions implements storage.UpstreamStore.
func (s *Federation) EndUpstreamSessions(ctx context.Context, act storage.Act, upstreamID, userID string) error {
	return s.write(ctx, func(t tx) error {
		return t.loggedOut(ctx, act, storage.UpstreamLogout{UpstreamID: upstreamID}, userID)
	})
}

// loggedOut ends what the word is about of one person's.
func (t tx) loggedOut(ctx context.Context, act storage.Act, word storage.UpstreamLogout, userID string) error {
	if word.EndGrants {
		return t.loggedOutOfAll(ctx, act, word, userID)
	}
	n, err := t.EndUpstreamSessions(ctx, act, word.UpstreamID, userID, word.SID)
	if err != nil || n == 0 {
		return err
	}
	return t.Audit(ctx, act, "user.signed_out_upstream", userID,
		engine.Detail{"upstream_id": word.UpstreamID, "sessions_ended": n})
}

func (t tx) loggedOutOfAll(ctx context.Context, act storage.Act, word storage.UpstreamLogout, userID string) error {
	if err := t.LockUser(ctx, userID); err != nil {
		return err
	}
	more, err := t.SignOutUpstream(ctx, act, word.UpstreamID, userID)
	if err != nil {
		return err
	}
	args := engine.Args{"upstream_id": word.UpstreamID, "user_id": userID, "issuer": word.Issuer,
		"subject": word.Subject, "at": act.At}
	if err := t.ExecEach(ctx, args, endIdentities, deleteRechecks); err != nil {
		return err
	}
	more["upstream_id"] = word.UpstreamID
	return t.Audit(ctx, act, "user.identity_ended", userID, more)
}
