package identity

import (
	"context"
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
)

const (
	insertLink = `
INSERT INTO one_time_links (hash, purpose, user_id, expires_at) VALUES (:hash, :purpose, nullif(:user_id, ''), :expires_at)`

	deleteEarlierLinks = `
DELETE FROM one_time_links WHERE purpose = :purpose AND coalesce(user_id, '') = :user_id`

	selectLink = `
SELECT hash, purpose, coalesce(user_id, '') AS user_id, expires_at
FROM one_time_links WHERE hash = :hash AND purpose = :purpose AND expires_at > :now`

	spendLink = `
DELETE FROM one_time_links WHERE hash = :hash AND purpose = :purpose AND expires_at > :now`

	setPasswordOfEnabled = `
UPDATE users SET password_hash = :hash WHERE id = :id AND NOT disabled`
)

func spentLink() *fault.Error {
	return fault.New(fault.Gone, storage.ReasonSpent, "The link was used already, or its time is over.")
}

// CreateOneTimeLink implements storage.OneTimeLinkStore.
func (s *Identity) CreateOneTimeLink(ctx context.Context, act storage.Act, link storage.OneTimeLink) error {
	return s.write(ctx, func(tx Tx) error {
		if link.UserID != "" {
			if err := tx.MustExist(ctx, "user", lockUser, link.UserID); err != nil {
				return err
			}
		}
		if _, err := tx.Exec(ctx, deleteEarlierLinks, link); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, insertLink, link); err != nil {
			return err
		}
		return tx.Audit(ctx, act, "link.created", link.UserID, engine.Detail{"purpose": link.Purpose})
	})
}

// FindOneTimeLink implements storage.OneTimeLinkStore.
func (s *Identity) FindOneTimeLink(ctx context.Context, hash []byte, purpose storage.LinkPurpose, now time.Time) (storage.OneTimeLink, error) {
	return engine.Find[storage.OneTimeLink](ctx, s.db, "link", selectLink,
		engine.Args{"hash": hash, "purpose": purpose, "now": now})
}

// useLink removes the link, or returns the fault for one that is over.
func (t Tx) useLink(ctx context.Context, act storage.Act, hash []byte, purpose storage.LinkPurpose) error {
	return t.ExecOne(ctx, spentLink(), spendLink, engine.Args{"hash": hash, "purpose": purpose, "now": act.At})
}

// SetPasswordByLink implements storage.OneTimeLinkStore.
func (s *Identity) SetPasswordByLink(ctx context.Context, act storage.Act, hash []byte, passwordHash string) (string, error) {
	link, err := s.FindOneTimeLink(ctx, hash, storage.LinkPassword, act.At)
	if fault.Is(err, fault.NotFound) {
		return "", spentLink()
	}
	if err != nil {
		return "", err
	}
	return link.UserID, s.write(ctx, func(tx Tx) error {
		if _, err := tx.Lock(ctx, lockUser, link.UserID); err != nil {
			return err
		}
		if err := tx.useLink(ctx, act, hash, storage.LinkPassword); err != nil {
			return err
		}
		err := tx.ExecOne(ctx, spentLink(), setPasswordOfEnabled, engine.Args{"id": link.UserID, "hash": passwordHash})
		if err != nil {
			return err
		}
		more, err := tx.signOutUser(ctx, act, link.UserID, "")
		if err != nil {
			return err
		}
		return tx.Audit(ctx, act, "user.password_set", link.UserID, more)
	})
}

// SetUp implements storage.OneTimeLinkStore. Whoever deletes the link's row is
// the only one that goes on.
func (s *Identity) SetUp(ctx context.Context, act storage.Act, hash []byte, user storage.User, passwordHash string) error {
	row := newUserRow(user)
	row.PasswordHash = passwordHash
	return s.write(ctx, func(tx Tx) error {
		if err := tx.useLink(ctx, act, hash, storage.LinkSetUp); err != nil {
			return err
		}
		var admins int
		if err := tx.Get(ctx, &admins, countAdmins, engine.Args{}); err != nil {
			return err
		}
		if admins > 0 {
			return spentLink()
		}
		n, err := tx.Exec(ctx, insertUser, row)
		if err != nil {
			return err
		}
		if n == 0 {
			return tx.takenName(ctx, row)
		}
		return tx.Audit(ctx, act, "server.set_up", user.ID, nil)
	})
}
