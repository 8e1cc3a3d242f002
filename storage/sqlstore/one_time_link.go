package sqlstore

import (
	"context"
	"database/sql"
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

type linkRow struct {
	Hash      []byte         `db:"hash"`
	Purpose   string         `db:"purpose"`
	UserID    sql.NullString `db:"user_id"` // NULL: none yet
	ExpiresAt instant        `db:"expires_at"`
}

const (
	insertLink = `
INSERT INTO one_time_links (hash, purpose, user_id, expires_at) VALUES (:hash, :purpose, :user_id, :expires_at)`

	deleteEarlierLinks = `
DELETE FROM one_time_links WHERE purpose = :purpose AND (user_id = :user_id
	OR user_id IS NULL AND cast(:user_id AS text) IS NULL)`

	selectLink = `
SELECT hash, purpose, user_id, expires_at
FROM one_time_links WHERE hash = :hash AND purpose = :purpose AND expires_at > :now`

	spendLink = `
DELETE FROM one_time_links WHERE hash = :hash AND purpose = :purpose AND expires_at > :now`

	deletePasswordLinks = `
DELETE FROM one_time_links WHERE user_id = :user_id AND purpose = 'password'`

	// Whoever reads the mail of a former address must not get in by it.
	deleteLinksToFormerAddress = `
DELETE FROM one_time_links WHERE user_id = :id AND purpose = 'password'
	AND NOT EXISTS (SELECT 1 FROM users WHERE id = :id AND email_key = :email_key)`

	setPasswordOfEnabled = `
UPDATE users SET password_hash = :hash WHERE id = :id AND NOT disabled`
)

func newLinkRow(l storage.OneTimeLink) linkRow {
	return linkRow{
		Hash: l.Hash, Purpose: string(l.Purpose), ExpiresAt: at(l.ExpiresAt),
		UserID: sql.NullString{String: l.UserID, Valid: l.UserID != ""},
	}
}

func (r linkRow) record() storage.OneTimeLink {
	return storage.OneTimeLink{
		Hash: r.Hash, Purpose: storage.LinkPurpose(r.Purpose), UserID: r.UserID.String, ExpiresAt: r.ExpiresAt.Time,
	}
}

func spentLink() error {
	return fault.New(fault.Gone, storage.ReasonSpent, "The link was used already, or its time is over.")
}

// CreateOneTimeLink implements storage.OneTimeLinkStore.
func (s *Store) CreateOneTimeLink(ctx context.Context, act storage.Act, link storage.OneTimeLink) error {
	row := newLinkRow(link)
	return s.write(ctx, func(tx tx) error {
		if link.UserID != "" {
			if err := tx.mustExist(ctx, "user", lockUser, link.UserID); err != nil {
				return err
			}
		}
		if _, err := tx.exec(ctx, deleteEarlierLinks, row); err != nil {
			return err
		}
		if _, err := tx.exec(ctx, insertLink, row); err != nil {
			return err
		}
		return tx.audit(ctx, act, "link.created", link.UserID, detail{"purpose": link.Purpose})
	})
}

// FindOneTimeLink implements storage.OneTimeLinkStore.
func (s *Store) FindOneTimeLink(ctx context.Context, hash []byte, purpose storage.LinkPurpose, now time.Time) (storage.OneTimeLink, error) {
	var row linkRow
	err := s.reader.get(ctx, &row, selectLink, args{"hash": hash, "purpose": string(purpose), "now": at(now)})
	return row.record(), orAbsent(err, "link")
}

// useLink removes the link, or returns the fault for one that is over.
func (t tx) useLink(ctx context.Context, act storage.Act, hash []byte, purpose storage.LinkPurpose) error {
	arg := args{"hash": hash, "purpose": string(purpose), "now": at(act.At)}
	n, err := t.exec(ctx, spendLink, arg)
	if err == nil && n == 0 {
		return spentLink()
	}
	return err
}

// SetPasswordByLink implements storage.OneTimeLinkStore.
func (s *Store) SetPasswordByLink(ctx context.Context, act storage.Act, hash []byte, passwordHash string) (string, error) {
	link, err := s.FindOneTimeLink(ctx, hash, storage.LinkPassword, act.At)
	if fault.Is(err, fault.NotFound) {
		return "", spentLink()
	}
	if err != nil {
		return "", err
	}
	return link.UserID, s.write(ctx, func(tx tx) error {
		if _, err := tx.lock(ctx, lockUser, link.UserID); err != nil {
			return err
		}
		if err := tx.useLink(ctx, act, hash, storage.LinkPassword); err != nil {
			return err
		}
		n, err := tx.exec(ctx, setPasswordOfEnabled, args{"id": link.UserID, "hash": passwordHash})
		if err != nil {
			return err
		}
		if n == 0 {
			return spentLink()
		}
		more, err := tx.signOutUser(ctx, act, link.UserID, "")
		if err != nil {
			return err
		}
		return tx.audit(ctx, act, "user.password_set", link.UserID, more)
	})
}

// SetUp implements storage.OneTimeLinkStore. Whoever deletes the link's row is
// the only one that goes on.
func (s *Store) SetUp(ctx context.Context, act storage.Act, hash []byte, user storage.User, passwordHash string) error {
	row := newUserRow(user)
	row.PasswordHash = passwordHash
	return s.write(ctx, func(tx tx) error {
		if err := tx.useLink(ctx, act, hash, storage.LinkSetUp); err != nil {
			return err
		}
		var admins int
		if err := tx.get(ctx, &admins, countAdmins, args{}); err != nil {
			return err
		}
		if admins > 0 {
			return spentLink()
		}
		n, err := tx.exec(ctx, insertUser, row)
		if err != nil {
			return err
		}
		if n == 0 {
			return tx.takenName(ctx, row)
		}
		return tx.audit(ctx, act, "server.set_up", user.ID, nil)
	})
}
