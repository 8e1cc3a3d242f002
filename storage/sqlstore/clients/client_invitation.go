package clients

import (
	"context"
	"time"

	"github.com/portico-id/portico/internal/textkey"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
)

const (
	// The older one of the same invitee may have been for somebody who had the user
	// name then.
	upsertClientInvitation = `
INSERT INTO client_invitations (id, client_id, invitee, invitee_key, user_id, invited_by, created_at, expires_at)
VALUES (:id, :client_id, :invitee, :invitee_key, nullif(:user_id, ''), nullif(:invited_by, ''), :created_at, :expires_at)
ON CONFLICT (client_id, invitee_key) DO UPDATE SET id = excluded.id, invitee = excluded.invitee,
	user_id = excluded.user_id, invited_by = excluded.invited_by, created_at = excluded.created_at,
	expires_at = excluded.expires_at`

	selectInvitations = `
SELECT i.id, i.client_id, c.name AS app, i.invitee, coalesce(i.user_id, '') AS user_id,
	coalesce(i.invited_by, '') AS invited_by, coalesce(nullif({user_name}, ''), u.email, '') AS inviter,
	i.created_at, i.expires_at
FROM client_invitations i JOIN clients c ON c.id = i.client_id LEFT JOIN users u ON u.id = i.invited_by
WHERE i.expires_at > :now AND ` + standing

	// standing are invitations of the operator, and of who may still invite.
	standing = `
	(i.invited_by IS NULL OR EXISTS (SELECT 1 FROM users b JOIN clients bc ON bc.id = i.client_id
		WHERE b.id = i.invited_by AND NOT b.disabled AND (b.admin OR bc.owner_user_id = b.id
			OR EXISTS (SELECT 1 FROM client_members m WHERE m.client_id = bc.id AND m.user_id = b.id))))`

	selectClientInvitations = selectInvitations + ` AND i.client_id = :client_id ORDER BY i.created_at, i.id`

	// acceptable is what the user may accept: nobody else's user name or address.
	acceptable = `
	(i.user_id = :user_id
		OR i.invitee_key = (SELECT email_key FROM users WHERE id = :user_id AND email_verified AND NOT disabled))`

	selectInvitationsOf = selectInvitations + ` AND ` + acceptable + ` ORDER BY i.created_at, i.id`

	selectAcceptable = `
SELECT i.client_id FROM client_invitations i WHERE i.id = :id AND i.expires_at > :now AND ` + standing + ` AND ` + acceptable

	deleteClientInvitation = `
DELETE FROM client_invitations WHERE id = :id AND client_id = :client_id`
)

// InviteClientMember implements storage.ClientMemberStore.
func (s *Clients) InviteClientMember(ctx context.Context, act storage.Act, i storage.ClientInvitation) error {
	return s.write(ctx, func(tx tx) error {
		if err := tx.MustExist(ctx, "client", selectClientID, i.ClientID); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, upsertClientInvitation, engine.Args{
			"id": i.ID, "client_id": i.ClientID, "invitee": i.Invitee, "invitee_key": textkey.Fold(i.Invitee),
			"user_id": i.UserID, "invited_by": i.InvitedBy, "created_at": i.CreatedAt, "expires_at": i.ExpiresAt,
		})
		if err != nil {
			return err
		}
		return tx.Audit(ctx, act, "client.member_invited", i.ClientID, engine.Detail{"invitee": i.Invitee})
	})
}

// ListClientInvitations implements storage.ClientMemberStore.
func (s *Clients) ListClientInvitations(ctx context.Context, clientID string,
	now time.Time) ([]storage.ClientInvitation, error) {
	return engine.All[storage.ClientInvitation](ctx, s.db, selectClientInvitations,
		engine.Args{"client_id": clientID, "now": now})
}

// ListInvitationsOf implements storage.ClientMemberStore.
func (s *Clients) ListInvitationsOf(ctx context.Context, userID string,
	now time.Time) ([]storage.ClientInvitation, error) {
	return engine.All[storage.ClientInvitation](ctx, s.db, selectInvitationsOf,
		engine.Args{"user_id": userID, "now": now})
}

// AcceptClientInvitation implements storage.ClientMemberStore.
func (s *Clients) AcceptClientInvitation(ctx context.Context, act storage.Act, id, userID string) error {
	return s.answer(ctx, act, id, userID, func(tx tx, clientID string) error {
		n, err := tx.Exec(ctx, insertClientMember,
			engine.Args{"client_id": clientID, "user_id": userID, "added_at": act.At})
		if err != nil || n == 0 {
			return err
		}
		return tx.Audit(ctx, act, "client.member_added", clientID, engine.Detail{"user_id": userID})
	})
}

// DeclineClientInvitation implements storage.ClientMemberStore. What the trail says
// does not name who was asked: they did not want to be known.
func (s *Clients) DeclineClientInvitation(ctx context.Context, act storage.Act, id, userID string) error {
	return s.answer(ctx, act, id, userID, func(tx tx, clientID string) error {
		return tx.Audit(ctx, act, "client.invitation_declined", clientID, nil)
	})
}

// answer ends an invitation that the user can accept. Of two answers at once the
// second finds none.
func (s *Clients) answer(ctx context.Context, act storage.Act, id, userID string,
	do func(tx tx, clientID string) error) error {
	return s.write(ctx, func(tx tx) error {
		var clientID string
		arg := engine.Args{"id": id, "user_id": userID, "now": act.At}
		if err := tx.Get(ctx, &clientID, selectAcceptable, arg); err != nil {
			return engine.OrAbsent(err, "invitation")
		}
		if err := tx.ExecOne(ctx, engine.Absent("invitation"), deleteClientInvitation,
			engine.Args{"id": id, "client_id": clientID}); err != nil {
			return err
		}
		return do(tx, clientID)
	})
}

// DeleteClientInvitation implements storage.ClientMemberStore.
func (s *Clients) DeleteClientInvitation(ctx context.Context, act storage.Act, clientID, id string) error {
	return s.write(ctx, func(tx tx) error {
		if err := tx.ExecOne(ctx, engine.Absent("invitation"), deleteClientInvitation,
			engine.Args{"id": id, "client_id": clientID}); err != nil {
			return err
		}
		return tx.Audit(ctx, act, "client.invitation_withdrawn", clientID, nil)
	})
}
