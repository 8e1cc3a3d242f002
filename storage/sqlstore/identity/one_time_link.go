package identity

import (
	"context"
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/textkey"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
)

const (
	insertLink = `
INSERT INTO one_time_links (hash, purpose, user_id, expires_at, email)
VALUES (:hash, :purpose, nullif(:user_id, ''), :expires_at, :email)`

	// A change of address that needs one link voids both of the one before: else the other
	// of that would be the last of this, and the address that of before, which nobody proved.
	deleteEarlierLinks = `
DELETE FROM one_time_links WHERE coalesce(user_id, '') = :user_id AND (purpose = :purpose
	OR purpose IN ('address_new', 'address_old') AND cast(:purpose AS text) IN ('address_new', 'address_old'))`

	selectLink = `
SELECT hash, purpose, coalesce(user_id, '') AS user_id, expires_at, email
FROM one_time_links WHERE hash = :hash AND purpose = :purpose AND expires_at > :now`

	spendLink = `
DELETE FROM one_time_links WHERE hash = :hash AND purpose = :purpose AND expires_at > :now`

	setPasswordOfEnabled = `
UPDATE users SET password_hash = :hash, ends_at = NULL, email_verified = email_verified OR email_key = :email_key,
	updated_at = :at
WHERE id = :id AND NOT disabled`

	// Whoever made the account may not be the one who reads what is mailed to its address,
	// and has ways in beside the password, which is replaced.
	selectUnproven = `
SELECT id FROM users WHERE id = :id AND NOT admin AND NOT disabled AND NOT email_verified AND email_key = :email_key
	AND NOT EXISTS (SELECT 1 FROM scim_users WHERE user_id = :id)
	AND (EXISTS (SELECT 1 FROM upstream_identities WHERE user_id = :id)
	OR EXISTS (SELECT 1 FROM passkeys WHERE user_id = :id) OR EXISTS (SELECT 1 FROM authenticators WHERE user_id = :id))`

	selectAddressLink = `
SELECT hash, purpose, user_id, expires_at, email
FROM one_time_links WHERE hash = :hash AND purpose IN ('address_new', 'address_old') AND expires_at > :now`

	selectOtherAddressLink = `
SELECT user_id FROM one_time_links WHERE user_id = :id AND purpose IN ('address_new', 'address_old') AND expires_at > :now`

	setAddressOfEnabled = `
UPDATE users SET email = :email, email_key = :email_key, search_key = :search_key, email_verified = true, updated_at = :at
WHERE id = :id AND NOT disabled AND NOT EXISTS (SELECT 1 FROM users o WHERE o.id <> :id AND o.email_key = :email_key)`
)

func spentLink() *fault.Error {
	return fault.New(fault.Gone, storage.ReasonSpent, "The link was used already, or its time is over.")
}

// CreateOneTimeLink implements storage.OneTimeLinkStore.
func (s *Identity) CreateOneTimeLink(ctx context.Context, act storage.Act, link storage.OneTimeLink,
	others ...storage.OneTimeLink) error {
	return s.write(ctx, func(tx Tx) error {
		if link.UserID != "" {
			if err := tx.MustExist(ctx, "user", LockUser, link.UserID); err != nil {
				return err
			}
		}
		if _, err := tx.Exec(ctx, deleteEarlierLinks, link); err != nil {
			return err
		}
		for _, l := range append([]storage.OneTimeLink{link}, others...) {
			if _, err := tx.Exec(ctx, insertLink, l); err != nil {
				return err
			}
		}
		return tx.Audit(ctx, act, "link.created", link.UserID, engine.Detail{"purpose": link.Purpose})
	})
}

// FindOneTimeLink implements storage.OneTimeLinkStore.
func (s *Identity) FindOneTimeLink(ctx context.Context, hash []byte, purpose storage.LinkPurpose,
	now time.Time) (storage.OneTimeLink, error) {
	return engine.Find[storage.OneTimeLink](ctx, s.db, "link", selectLink,
		engine.Args{"hash": hash, "purpose": purpose, "now": now})
}

// useLink removes the link, or returns the fault for one that is over.
func (t Tx) useLink(ctx context.Context, act storage.Act, hash []byte, purpose storage.LinkPurpose) error {
	return t.ExecOne(ctx, spentLink(), spendLink, engine.Args{"hash": hash, "purpose": purpose, "now": act.At})
}

// SetPasswordByLink implements storage.OneTimeLinkStore.
func (s *Identity) SetPasswordByLink(ctx context.Context, act storage.Act, hash []byte,
	passwordHash string) (string, error) {
	link, err := s.FindOneTimeLink(ctx, hash, storage.LinkPassword, act.At)
	if fault.Is(err, fault.NotFound) {
		return "", spentLink()
	}
	if err != nil {
		return "", err
	}
	return link.UserID, end(ctx, s, func(ctx context.Context, tx Tx) error {
		if _, err := tx.Lock(ctx, LockUser, link.UserID); err != nil {
			return err
		}
		if err := tx.useLink(ctx, act, hash, storage.LinkPassword); err != nil {
			return err
		}
		arg := engine.Args{"id": link.UserID, "hash": passwordHash, "email_key": textkey.Fold(link.Email), "at": act.At}
		if err := tx.forgetUnproven(ctx, act, link.UserID, arg); err != nil {
			return err
		}
		if err := tx.ExecOne(ctx, spentLink(), setPasswordOfEnabled, arg); err != nil {
			return err
		}
		more, err := tx.signOutUser(ctx, act, link.UserID, "")
		if err != nil {
			return err
		}
		return tx.Audit(ctx, act, "user.password_set", link.UserID, more)
	})
}

// forgetUnproven takes away whatever opened an account to whoever has not proven its
// address, which a link proves that was mailed there.
func (t Tx) forgetUnproven(ctx context.Context, act storage.Act, userID string, arg engine.Args) error {
	var unproven []string
	if err := t.List(ctx, &unproven, selectUnproven, arg); err != nil || len(unproven) == 0 {
		return err
	}
	act.Mails = nil // they say what the link is for
	return t.ForgetCredentials(ctx, act, userID)
}

// ConfirmAddress implements storage.OneTimeLinkStore. Links of one change are made
// together, end together and are voided together: one that is not there any more
// was used.
func (s *Identity) ConfirmAddress(ctx context.Context, act storage.Act, hash []byte) (done bool, err error) {
	var link storage.OneTimeLink
	err = s.db.Get(ctx, &link, selectAddressLink, engine.Args{"hash": hash, "now": act.At})
	if fault.Is(engine.OrAbsent(err, "link"), fault.NotFound) {
		return false, spentLink()
	}
	if err != nil {
		return false, engine.AsFault(err)
	}
	err = s.write(ctx, func(tx Tx) error {
		id := link.UserID
		if _, err := tx.Lock(ctx, LockUser, id); err != nil {
			return err
		}
		if err := tx.useLink(ctx, act, hash, link.Purpose); err != nil {
			return err
		}
		var others []string // those of a change before may have ended
		err := tx.List(ctx, &others, selectOtherAddressLink, engine.Args{"id": id, "now": act.At})
		if done = len(others) == 0; err != nil || !done {
			return err
		}
		return tx.setAddress(ctx, act, id, link.Email)
	})
	return done, err
}

func (t Tx) setAddress(ctx context.Context, act storage.Act, userID, email string) error {
	if err := t.owned(ctx, selectOwnerOfUser, userID); err != nil {
		return err
	}
	var row userRow
	if err := t.Get(ctx, &row, selectUser, engine.Args{"id": userID}); err != nil {
		return err
	}
	row.Email = email
	arg := engine.Args{"id": userID, "email": email, "email_key": textkey.Fold(email), "search_key": row.searchKey(),
		"at": act.At}
	if _, err := t.Exec(ctx, deleteLinksToFormerAddress, arg); err != nil {
		return err
	}
	n, err := t.Exec(ctx, setAddressOfEnabled, arg)
	if err != nil {
		return err
	}
	if n == 0 {
		return fault.New(fault.Conflict, storage.ReasonEmailTaken, "Another user has this e-mail address.")
	}
	return t.Audit(ctx, act, "user.address_changed", userID, nil)
}

// SetUp implements storage.OneTimeLinkStore. Whoever deletes the link's row is
// the only one that goes on.
func (s *Identity) SetUp(ctx context.Context, act storage.Act, hash []byte, user storage.User,
	passwordHash string) error {
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
			return tx.takenName(ctx, row, thereAlready())
		}
		return tx.Audit(ctx, act, "server.set_up", user.ID, nil)
	})
}
