package identity

import (
	"context"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/textkey"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
)

const (
	// Whoever reads the mail of a former address must not get in by it.
	deleteLinksToFormerAddress = `
DELETE FROM one_time_links WHERE user_id = :id
	AND NOT EXISTS (SELECT 1 FROM users WHERE id = :id AND email_key = :email_key)`

	deleteLinks = `
DELETE FROM one_time_links WHERE user_id = :user_id`

	selectUser = `
SELECT ` + userColumns + `
FROM users WHERE id = :id`

	selectUserByLogin = `
SELECT password_hash, ` + userColumns + `
FROM users WHERE email_key = :login OR username_key = :login`

	countAdmins = `
SELECT count(*) FROM users WHERE admin AND NOT disabled`

	// Which of the two names another user has: the address counts first.
	selectTaken = `
SELECT email_key = :email_key FROM users
WHERE id <> :id AND (email_key = :email_key OR username_key = :username_key)
ORDER BY CASE WHEN email_key = :email_key THEN 0 ELSE 1 END LIMIT 1`

	updateUserAdmin = `
UPDATE users SET admin = :admin WHERE id = :id AND admin <> :admin`

	// Whom an administrator has disabled their company does not enable.
	barUser = `
UPDATE scim_users SET barred = :disabled WHERE user_id = :id`

	updateUserDisabled = `
UPDATE users SET disabled = :disabled WHERE id = :id AND disabled <> :disabled`

	// To whoever manages the client for longest; without anybody it stays that of
	// somebody who is gone.
	handOverClients = `
UPDATE clients SET owner_user_id = (
	SELECT m.user_id FROM client_members m WHERE m.client_id = clients.id ORDER BY m.added_at, m.user_id LIMIT 1)
WHERE owner_user_id = :id AND EXISTS (SELECT 1 FROM client_members m WHERE m.client_id = clients.id)
RETURNING id`

	// Owners are no members.
	deleteOwnersMembership = `
DELETE FROM client_members WHERE client_id = :id AND user_id = (SELECT owner_user_id FROM clients WHERE id = :id)`

	// Without them they would seem to be the operator's.
	deleteInvitationsBy = `
DELETE FROM client_invitations WHERE invited_by = :id`

	deleteUser = `
DELETE FROM users WHERE id = :id`

	// SelectUserID finds a user by the id.
	SelectUserID = `
SELECT id FROM users WHERE id = :id`

	// LockUser has others wait who lock the user.
	LockUser = `
SELECT id FROM users WHERE id = :id
FOR NO KEY UPDATE`

	lockIfNoAdmin = `
SELECT id FROM users WHERE id = :id AND (disabled OR NOT admin)
FOR NO KEY UPDATE`

	// In one order, so that two who take each other away do not wait for each
	// other.
	lockAdmins = `
SELECT id FROM users WHERE admin AND NOT disabled ORDER BY id
FOR NO KEY UPDATE`
)

var (
	insertUser = engine.Insert("users", userColumns+", "+userKeyColumns+", password_hash") + `
ON CONFLICT DO NOTHING`

	// The look for others is in the statement that changes; two at the same
	// moment are told apart by the unique index, and the loser looks again.
	updateUser = `
UPDATE users SET ` + engine.Assign(ownUserColumns+", "+userKeyColumns) + `, ` + engine.Moved + `
WHERE id = :id AND ` + engine.Unmoved + ` AND NOT EXISTS (
	SELECT 1 FROM users o WHERE o.id <> :id AND (o.email_key = :email_key OR o.username_key = :username_key))`
)

// CreateUser implements storage.UserStore.
func (s *Identity) CreateUser(ctx context.Context, act storage.Act, user storage.User, passwordHash string) error {
	return s.write(ctx, func(tx Tx) error { return tx.InsertUser(ctx, act, user, passwordHash) })
}

// takenName finds out what was in the way of a user: another's name, or what else says.
func (t Tx) takenName(ctx context.Context, row userRow, or *fault.Error) error {
	var email []bool
	if err := t.List(ctx, &email, selectTaken, row); err != nil {
		return err
	}
	switch {
	case len(email) == 0:
		return or
	case email[0]:
		return emailTaken()
	}
	return usernameTaken()
}

func thereAlready() *fault.Error {
	return fault.New(fault.Conflict, "", "There is a user with this id already.")
}

func emailTaken() error {
	return fault.New(fault.Conflict, storage.ReasonEmailTaken, "Another user has this e-mail address.")
}

func usernameTaken() error {
	return fault.New(fault.Conflict, storage.ReasonUsernameTaken, "Another user has this user name.")
}

// FindUser implements storage.UserStore.
func (s *Identity) FindUser(ctx context.Context, id string) (storage.User, error) {
	row, err := engine.Find[userRow](ctx, s.db, "user", selectUser, engine.Args{"id": id})
	return row.Record(), err
}

// FindUserByLogin implements storage.UserStore. An address has an "@" and a
// user name has none, so at most one user fits.
func (s *Identity) FindUserByLogin(ctx context.Context, login string) (storage.User, string, error) {
	row, err := engine.Find[userRow](ctx, s.db, "user", selectUserByLogin, engine.Args{"login": textkey.Fold(login)})
	return row.Record(), row.PasswordHash, err
}

// CountAdmins implements storage.UserStore.
func (s *Identity) CountAdmins(ctx context.Context) (int, error) {
	var n int
	err := s.db.Get(ctx, &n, countAdmins, engine.Args{})
	return n, engine.AsFault(err)
}

// sparesAnAdmin is a Conflict when the user is the only one who can administrate
// the server. It is called before the transaction locks anything else: the rows
// that it has read stay as they are until the end of it.
func (t Tx) sparesAnAdmin(ctx context.Context, act storage.Act, userID string) error {
	if act.Force {
		return nil
	}
	if none, err := t.Lock(ctx, lockIfNoAdmin, userID); err != nil || none {
		return err
	}
	var admins []string
	if err := t.List(ctx, &admins, lockAdmins, engine.Args{}); err != nil {
		return err
	}
	if len(admins) == 1 && admins[0] == userID {
		return fault.New(fault.Conflict, storage.ReasonLastAdmin, "Nobody would be left to administrate the server.")
	}
	return nil
}

// UpdateUser implements storage.UserStore.
func (s *Identity) UpdateUser(ctx context.Context, act storage.Act, user storage.User, admin *bool) error {
	return s.PatchUser(ctx, act, user, admin, nil)
}

// PatchUser implements storage.UserStore.
func (s *Identity) PatchUser(ctx context.Context, act storage.Act, user storage.User, admin, disabled *bool) error {
	patch := func(ctx context.Context, tx Tx) error {
		if disabled != nil {
			if err := tx.mayBar(ctx, act, user.ID, *disabled); err != nil {
				return err
			}
		}
		if err := tx.setAdmin(ctx, act, user.ID, admin); err != nil {
			return err
		}
		if err := tx.leavesOwned(ctx, user); err != nil {
			return err
		}
		if err := tx.UpdateUser(ctx, act, user); err != nil || disabled == nil {
			return err
		}
		return tx.bar(ctx, act, user.ID, *disabled)
	}
	if disabled == nil {
		return s.write(ctx, func(tx Tx) error { return patch(ctx, tx) })
	}
	return end(ctx, s, patch)
}

// UpdateUser is that of storage.UserStore, for whoever the user belongs to.
func (t Tx) UpdateUser(ctx context.Context, act storage.Act, user storage.User) error {
	row := newUserRow(user)
	row.ChangedAt = act.At
	if _, err := t.Exec(ctx, deleteLinksToFormerAddress, row); err != nil {
		return err
	}
	n, err := t.Exec(ctx, updateUser, row)
	if err != nil {
		return err
	}
	if n > 0 {
		return t.Audit(ctx, act, "user.updated", user.ID, nil)
	}
	if err := t.MustExist(ctx, "user", SelectUserID, user.ID); err != nil {
		return err
	}
	return t.takenName(ctx, row, engine.Changed())
}

// setAdmin gives or takes the right to administrate the server; nil: neither.
func (t Tx) setAdmin(ctx context.Context, act storage.Act, userID string, admin *bool) error {
	if admin == nil {
		return nil
	}
	kind := "user.promoted"
	if !*admin {
		kind = "user.demoted"
		if err := t.sparesAnAdmin(ctx, act, userID); err != nil {
			return err
		}
	}
	n, err := t.Exec(ctx, updateUserAdmin, engine.Args{"id": userID, "admin": *admin})
	if err != nil || n == 0 {
		return err
	}
	return t.Audit(ctx, act, kind, userID, nil)
}

// SetUserDisabled implements storage.UserStore.
func (s *Identity) SetUserDisabled(ctx context.Context, act storage.Act, userID string, disabled bool) error {
	return end(ctx, s, func(ctx context.Context, tx Tx) error {
		if err := tx.mayBar(ctx, act, userID, disabled); err != nil {
			return err
		}
		return tx.bar(ctx, act, userID, disabled)
	})
}

// mayBar is a Conflict when the user is not to be disabled, or enabled. It locks as
// sparesAnAdmin does.
func (t Tx) mayBar(ctx context.Context, act storage.Act, userID string, disabled bool) error {
	if disabled {
		return t.sparesAnAdmin(ctx, act, userID)
	}
	return t.wantedByOwner(ctx, userID)
}

// bar disables or enables the user for an administrator.
func (t Tx) bar(ctx context.Context, act storage.Act, userID string, disabled bool) error {
	if _, err := t.Exec(ctx, barUser, engine.Args{"id": userID, "disabled": disabled}); err != nil {
		return err
	}
	return t.SetUserDisabled(ctx, act, userID, disabled)
}

// SetUserDisabled is that of storage.UserStore, for whoever the user belongs to.
func (t Tx) SetUserDisabled(ctx context.Context, act storage.Act, userID string, disabled bool) error {
	n, err := t.Exec(ctx, updateUserDisabled, engine.Args{"id": userID, "disabled": disabled})
	if err != nil {
		return err
	}
	if n == 0 {
		return t.MustExist(ctx, "user", SelectUserID, userID)
	}
	if err := t.FollowersOf(ctx, act, userID); err != nil {
		return err
	}
	if !disabled {
		return t.Audit(ctx, act, "user.enabled", userID, nil)
	}
	more, err := t.signOutUser(ctx, act, userID, "")
	if err != nil {
		return err
	}
	return t.Audit(ctx, act, "user.disabled", userID, more)
}

// DeleteUser implements storage.UserStore. What belongs to the user goes by
// foreign keys, but nobody would be told of sessions that end so.
func (s *Identity) DeleteUser(ctx context.Context, act storage.Act, userID string) error {
	return end(ctx, s, func(ctx context.Context, tx Tx) error {
		if err := tx.sparesAnAdmin(ctx, act, userID); err != nil {
			return err
		}
		return tx.DeleteUser(ctx, act, userID)
	})
}

// DeleteUser is that of storage.UserStore, for who is no administrator.
func (t Tx) DeleteUser(ctx context.Context, act storage.Act, userID string) error {
	if err := t.MustExist(ctx, "user", LockUser, userID); err != nil {
		return err
	}
	if _, err := t.endSessions(ctx, act, userID, ""); err != nil {
		return err
	}
	if err := t.handOver(ctx, act, userID); err != nil {
		return err
	}
	if err := t.ExecEach(ctx, engine.Args{"id": userID}, deleteInvitationsBy, deleteUser); err != nil {
		return err
	}
	if err := t.FollowersOf(ctx, act, userID); err != nil {
		return err
	}
	return t.Audit(ctx, act, "user.deleted", userID, nil)
}

// handOver gives the clients of the user to those who manage them already.
func (t Tx) handOver(ctx context.Context, act storage.Act, userID string) error {
	var clients []string
	if err := t.List(ctx, &clients, handOverClients, engine.Args{"id": userID}); err != nil {
		return err
	}
	for _, id := range clients {
		if _, err := t.Exec(ctx, deleteOwnersMembership, engine.Args{"id": id}); err != nil {
			return err
		}
		if err := t.Audit(ctx, storage.Act{At: act.At, Actor: act.Actor, RequestID: act.RequestID, Address: act.Address},
			"client.handed_over", id, nil); err != nil {
			return err
		}
	}
	return nil
}

// signOutUser revokes every grant of the user, and codes that would become
// one, ends every session but one, and voids their links. It
// returns what is worth auditing. The caller has locked the user's row, so no grant
// can come up meanwhile.
func (t Tx) signOutUser(ctx context.Context, act storage.Act, userID, keepSession string) (engine.Detail, error) {
	ended, err := t.endSessions(ctx, act, userID, keepSession)
	if err != nil {
		return nil, err
	}
	more, err := t.revokeGrants(ctx, revokeUserGrants, revokeUserCodes, engine.Args{"user_id": userID, "at": act.At})
	if err != nil {
		return nil, err
	}
	if _, err := t.Exec(ctx, deleteLinks, engine.Args{"user_id": userID}); err != nil {
		return nil, err
	}
	more["sessions_ended"] = ended
	return more, nil
}

// Those that are due already are so anew: somebody may be looking at them.
const dueOfBearer = `
UPDATE twin_documents SET due_at = :now WHERE by_user = :id OR by_client = :id`

// FollowersOf makes the documents due that follow their originals in the name of
// a user, service account or client, whose rights begin or end.
func (t Tx) FollowersOf(ctx context.Context, act storage.Act, id string) error {
	_, err := t.Exec(ctx, dueOfBearer, engine.Args{"id": id, "now": act.At})
	return err
}
