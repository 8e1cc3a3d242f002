package federation

import (
	"context"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/textkey"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
)

const (
	identityColumns = `upstream_id, issuer, subject, user_id, email, linked_at, last_at, ended_at`

	ofKey = `upstream_id = :upstream_id AND issuer = :issuer AND subject = :subject`

	selectIdentity = `
SELECT ` + identityColumns + `
FROM upstream_identities WHERE ` + ofKey

	selectIdentities = `
SELECT ` + identityColumns + `
FROM upstream_identities WHERE user_id = :user_id ORDER BY upstream_id, subject`

	noteIdentity = `
UPDATE upstream_identities SET email = :email, last_at = :last_at, ended_at = NULL WHERE ` + ofKey

	endIdentity = `
UPDATE upstream_identities SET ended_at = :at WHERE ` + ofKey + ` AND user_id = :user_id`

	deleteIdentity = `
DELETE FROM upstream_identities WHERE ` + ofKey + ` AND user_id = :user_id`

	selectWhoCan = `
SELECT id FROM users WHERE id = :id AND NOT disabled`

	selectUserWhoCan = selectWhoCan + `
FOR NO KEY UPDATE`

	// Who has proven the address themselves.
	selectUserOfAddress = selectWhoCan + ` AND NOT admin AND email_key = :email_key AND email_verified
FOR NO KEY UPDATE`

	// Of whom nobody has.
	selectUserOfUnproven = selectWhoCan + ` AND NOT admin AND email_key = :email_key AND NOT email_verified
	AND NOT EXISTS (SELECT 1 FROM scim_users WHERE user_id = :id)
FOR NO KEY UPDATE`

	proveAddress = `
UPDATE users SET email_verified = TRUE, updated_at = :at WHERE id = :id`

	selectOtherThere = `
SELECT EXISTS (SELECT 1 FROM upstream_identities
	WHERE upstream_id = :upstream_id AND user_id = :user_id AND ended_at IS NULL)`
)

var insertIdentity = engine.Insert("upstream_identities", identityColumns) + `
ON CONFLICT DO NOTHING`

func keyOf(i storage.UpstreamIdentity) engine.Args {
	return engine.Args{"upstream_id": i.UpstreamID, "issuer": i.Issuer, "subject": i.Subject, "user_id": i.UserID}
}

// FindIdentity implements storage.UpstreamStore.
func (s *Federation) FindIdentity(ctx context.Context, upstreamID, issuer,
	subject string) (storage.UpstreamIdentity, error) {
	return engine.Find[storage.UpstreamIdentity](ctx, s.db, "identity", selectIdentity,
		engine.Args{"upstream_id": upstreamID, "issuer": issuer, "subject": subject})
}

// ListIdentities implements storage.UpstreamStore.
func (s *Federation) ListIdentities(ctx context.Context, userID string) ([]storage.UpstreamIdentity, error) {
	return engine.All[storage.UpstreamIdentity](ctx, s.db, selectIdentities, engine.Args{"user_id": userID})
}

// LinkIdentity implements storage.UpstreamStore.
func (s *Federation) LinkIdentity(ctx context.Context, act storage.Act, identity storage.UpstreamIdentity) error {
	return s.write(ctx, func(t tx) error {
		if err := t.ShareUpstream(ctx, identity.UpstreamID); err != nil {
			return err
		}
		if err := t.MustExist(ctx, "user", selectUserWhoCan, identity.UserID); err != nil {
			return err
		}
		return t.link(ctx, act, identity)
	})
}

// LinkByAddress implements storage.UpstreamStore.
func (s *Federation) LinkByAddress(ctx context.Context, act storage.Act, identity storage.UpstreamIdentity) error {
	return s.byAddress(ctx, act, identity, selectUserOfAddress,
		func(context.Context, tx) error { return nil })
}

// ClaimByAddress implements storage.UpstreamStore.
func (s *Federation) ClaimByAddress(ctx context.Context, act storage.Act, identity storage.UpstreamIdentity) error {
	return s.byAddress(ctx, act, identity, selectUserOfUnproven, func(ctx context.Context, t tx) error {
		if err := t.Audit(ctx, act, "user.claimed", identity.UserID, nil); err != nil {
			return err
		}
		act.Mails = nil
		if err := t.ForgetCredentials(ctx, act, identity.UserID); err != nil {
			return err
		}
		_, err := t.Exec(ctx, proveAddress, engine.Args{"id": identity.UserID, "at": act.At})
		return err
	})
}

// byAddress gives the identity to its user if the query finds them, once something is done.
func (s *Federation) byAddress(ctx context.Context, act storage.Act, identity storage.UpstreamIdentity, query string,
	before func(context.Context, tx) error) error {
	return s.end(ctx, func(ctx context.Context, t tx) error {
		if err := t.ShareUpstream(ctx, identity.UpstreamID); err != nil {
			return err
		}
		id := ""
		err := t.Get(ctx, &id, query, engine.Args{"id": identity.UserID, "email_key": textkey.Fold(identity.Email)})
		if engine.IsNoRow(err) {
			return fault.New(fault.Conflict, storage.ReasonNotByAddress,
				"The address does not say whose identity it is.")
		}
		if err != nil {
			return err
		}
		if err := before(ctx, t); err != nil {
			return err
		}
		return t.link(ctx, act, identity)
	})
}

// link adds the identity of a user whom the transaction has locked.
func (t tx) link(ctx context.Context, act storage.Act, identity storage.UpstreamIdentity) error {
	n, err := t.Exec(ctx, insertIdentity, identity)
	if err != nil {
		return err
	}
	if n > 0 {
		if err := t.TakeUp(ctx, identity.UserID); err != nil {
			return err
		}
		return t.Audit(ctx, act, "user.identity_linked", identity.UserID, engine.Detail{"upstream_id": identity.UpstreamID})
	}
	var there storage.UpstreamIdentity
	if err := t.Get(ctx, &there, selectIdentity, keyOf(identity)); err != nil {
		return err
	}
	if there.UserID != identity.UserID {
		return fault.New(fault.Conflict, storage.ReasonIdentityTaken, "This identity is connected to another account.")
	}
	return nil
}

// JoinByIdentity implements storage.UpstreamStore.
func (s *Federation) JoinByIdentity(ctx context.Context, act storage.Act, user storage.User,
	identity storage.UpstreamIdentity) error {
	user.Admin, identity.UserID = false, user.ID
	return s.write(ctx, func(t tx) error {
		if err := t.ShareUpstream(ctx, identity.UpstreamID); err != nil {
			return err
		}
		if err := t.InsertUser(ctx, act, user, ""); err != nil {
			return err
		}
		return t.link(ctx, act, identity)
	})
}

// NoteIdentity implements storage.UpstreamStore.
func (s *Federation) NoteIdentity(ctx context.Context, identity storage.UpstreamIdentity) error {
	_, err := s.db.WriteOne(ctx, noteIdentity, identity)
	return err
}

// UnlinkIdentity implements storage.UpstreamStore.
func (s *Federation) UnlinkIdentity(ctx context.Context, act storage.Act, identity storage.UpstreamIdentity) error {
	return s.leave(ctx, act, "user.identity_unlinked", deleteIdentity, identity, func(ctx context.Context, t tx) error {
		if act.Force {
			return nil
		}
		return t.KeepsAWayIn(ctx, identity.UserID, identity.UpstreamID)
	})
}

// EndIdentity implements storage.UpstreamStore.
func (s *Federation) EndIdentity(ctx context.Context, act storage.Act, identity storage.UpstreamIdentity) error {
	return s.leave(ctx, act, "user.identity_ended", endIdentity, identity, func(ctx context.Context, t tx) error {
		_, err := t.Exec(ctx, deleteRechecks, keyOf(identity))
		return err
	})
}

// leave ends what of the user's rests on the upstream, once the identity is changed
// by the query.
func (s *Federation) leave(ctx context.Context, act storage.Act, kind, query string, identity storage.UpstreamIdentity,
	allow func(context.Context, tx) error) error {
	return s.end(ctx, func(ctx context.Context, t tx) error {
		if err := t.LockUser(ctx, identity.UserID); err != nil {
			return err
		}
		more, err := t.SignOutUpstream(ctx, act, identity.UpstreamID, identity.UserID)
		if err != nil {
			return err
		}
		args := keyOf(identity)
		args["at"] = act.At
		if err := t.ExecOne(ctx, engine.Absent("identity"), query, args); err != nil {
			return err
		}
		if err := allow(ctx, t); err != nil {
			return err
		}
		if err := t.leaveGroups(ctx, act, args); err != nil {
			return err
		}
		more["upstream_id"] = identity.UpstreamID
		return t.Audit(ctx, act, kind, identity.UserID, more)
	})
}
