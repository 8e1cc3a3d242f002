package identity

import (
	"context"
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
)

type linkRow struct {
	Hash      []byte          `db:"hash"`
	Purpose   string          `db:"purpose"`
	UserID    engine.Optional `db:"user_id"` // NULL: none yet
	ExpiresAt engine.Instant  `db:"expires_at"`
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

	// Whoever reads the mail of a former address must not get in by it.
	deleteLinksToFormerAddress = `
DELETE FROM one_time_links WHERE user_id = :id AND purpose = 'password'
	AND NOT EXISTS (SELECT 1 FROM users WHERE id = :id AND email_key = :email_key)`

	setPasswordOfEnabled = `
UPDATE users SET password_hash = :hash WHERE id = :id AND NOT disabled`
)

func newLinkRow(l storage.OneTimeLink) linkRow {
	return linkRow{
		Hash: l.Hash, Purpose: string(l.Purpose), ExpiresAt: engine.At(l.ExpiresAt),
		UserID: engine.Optional(l.UserID),
	}
}

func (r linkRow) record() storage.OneTimeLink {
	return storage.OneTimeLink{
		Hash: r.Hash, Purpose: storage.LinkPurpose(r.Purpose), UserID: string(r.UserID), ExpiresAt: r.ExpiresAt.Time,
	}
}

func spentLink() error {
	return fault.New(fault.Gone, storage.ReasonSpent, "The link was used already, or its time is over.")
}

// CreateOneTimeLink implements storage.OneTimeLinkStore.
func (s *Identity) CreateOneTimeLink(ctx context.Context, act storage.Act, link storage.OneTimeLink) error {
	row := newLinkRow(link)
	return s.write(ctx, func(tx Tx) error {
		if link.UserID != "" {
			if err := tx.MustExist(ctx, "user", lockUser, link.UserID); err != nil {
				return err
			}
		}
		if _, err := tx.Exec(ctx, deleteEarlierLinks, row); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, insertLink, row); err != nil {
			return err
		}
		return tx.Audit(ctx, act, "link.created", link.UserID, engine.Detail{"purpose": link.Purpose})
	})
}

// FindOneTimeLink implements storage.OneTimeLinkStore.
func (s *Identity) FindOneTimeLink(ctx context.Context, hash []byte, purpose storage.LinkPurpose, now time.Time) (storage.OneTimeLink, error) {
	var row linkRow
	err := s.db.Get(ctx, &row, selectLink, engine.Args{"hash": hash, "purpose": string(purpose), "now": engine.At(now)})
	return row.record(), engine.OrAbsent(err, "link")
}

// useLink removes the link, or returns the fault for one that is over.
func (t Tx) useLink(ctx context.Context, act storage.Act, hash []byte, purpose storage.LinkPurpose) error {
	arg := engine.Args{"hash": hash, "purpose": string(purpose), "now": engine.At(act.At)}
	n, err := t.Exec(ctx, spendLink, arg)
	if err == nil && n == 0 {
		return spentLink()
	}
	return err
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
		n, err := tx.Exec(ctx, setPasswordOfEnabled, engine.Args{"id": link.UserID, "hash": passwordHash})
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
