package scim

import (
	"bytes"
	"context"
	"reflect"
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/textkey"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
	"github.com/portico-id/portico/storage/sqlstore/identity"
)

var (
	lockUserOfAddress = `
SELECT ` + identity.UserColumns + `
FROM users WHERE email_key = :email_key OR id = :id
FOR NO KEY UPDATE`

	selectOwnerOfUser = `
SELECT connection_id FROM scim_users WHERE user_id = :id`

	selectBarred = selectOwnerOfUser + ` AND barred`

	barUser = `
UPDATE scim_users SET barred = TRUE WHERE user_id = :id`

	selectHidden = `
SELECT s.user_id FROM scim_users s JOIN users u ON u.id = s.user_id
WHERE s.hidden_at <= :before AND NOT u.admin ORDER BY s.hidden_at LIMIT :limit`
)

// CreateSCIMUser implements storage.SCIMUserStore.
func (s *SCIM) CreateSCIMUser(ctx context.Context, act storage.Act, user storage.SCIMUser,
	takeOver bool) (storage.SCIMUser, error) {
	var made storage.SCIMUser
	err := s.end(ctx, func(ctx context.Context, tx tx) error {
		var same []userRow
		if err := tx.List(ctx, &same, lockSame, newUserRow(user)); err != nil {
			return err
		}
		if len(same) > 1 || len(same) == 1 && !same[0].Hidden && same[0].Active {
			return taken()
		}
		if len(same) == 1 && another(same[0].ExternalID, user.ExternalID) {
			return recycled()
		}
		var err error
		if len(same) == 0 {
			made, err = tx.newUser(ctx, act, user, takeOver)
			return err
		}
		made, err = tx.revive(ctx, act, same[0], user)
		return err
	})
	if err != nil { // it may be going on
		return storage.SCIMUser{}, err
	}
	return made, nil
}

// another reports whether the company itself says that they are two people: a name may
// be given to somebody else once its owner has left, with all that was the owner's.
func another(id, said string) bool { return id != "" && said != "" && id != said }

func (t tx) revive(ctx context.Context, act storage.Act, row userRow, user storage.SCIMUser) (storage.SCIMUser, error) {
	before := row.record()
	user.ID, user.Version, user.CreatedAt = before.ID, before.Version, before.CreatedAt
	user.User = merged(before.User, user.User)
	if row.Hidden { // nothing else need be different
		return t.put(ctx, act, before, user)
	}
	return t.change(ctx, act, before, user)
}

// merged is the user with what the company says of them.
func merged(user, said storage.User) storage.User {
	user.EmailVerified = said.EmailVerified ||
		user.EmailVerified && textkey.SameMailbox(user.Email, said.Email)
	to := user.Owned()
	for i, from := range said.Owned() {
		*to[i] = *from
	}
	return user
}

// newUser adds the user, or takes over who has their address or id.
func (t tx) newUser(ctx context.Context, act storage.Act, user storage.SCIMUser,
	takeOver bool) (storage.SCIMUser, error) {
	var there []identity.UserRow
	if err := t.List(ctx, &there, lockUserOfAddress,
		engine.Args{"email_key": textkey.Fold(user.User.Email), "id": user.User.ID}); err != nil {
		return user, err
	}
	switch {
	case len(there) > 1:
		return user, taken()
	case len(there) == 0:
		user.User.Disabled = !user.Active
		if err := t.InsertUser(ctx, act, user.User, ""); err != nil {
			return user, err
		}
	default:
		if err := t.takeOver(ctx, act, &user, there[0].Record(), takeOver); err != nil {
			return user, err
		}
	}
	user.ID, user.Version = user.User.ID, 1
	_, err := t.Exec(ctx, insertUser, newUserRow(user))
	if err == nil && user.Active && user.User.Disabled { // by an administrator, before they were the company's
		_, err = t.Exec(ctx, barUser, engine.Args{"id": user.ID})
	}
	return user, err
}

func (t tx) takeOver(ctx context.Context, act storage.Act, user *storage.SCIMUser, there storage.User, may bool) error {
	owned, err := t.Lock(ctx, selectOwnerOfUser, there.ID)
	if err != nil {
		return err
	}
	may = may || user.User.EmailVerified && !there.EndsAt.IsZero() // nobody has got into it yet
	neighbour := there.ID != user.User.ID && !textkey.SameMailbox(there.Email, user.User.Email)
	if owned || there.Admin || !may || neighbour {
		return taken()
	}
	if !there.EmailVerified {
		if err := t.ForgetCredentials(ctx, act, there.ID); err != nil {
			return err
		}
	}
	if err := t.TakeUp(ctx, there.ID); err != nil {
		return err
	}
	there.EndsAt = time.Time{}
	user.User = merged(there, user.User)
	if err := t.UpdateUser(ctx, act, user.User); err != nil {
		return err
	}
	if !user.Active {
		user.User.Disabled = true
		if err := t.SetUserDisabled(ctx, act, there.ID, true); err != nil {
			return err
		}
	}
	return t.Audit(ctx, act, "scim.user_taken_over", there.ID, engine.Detail{"connection_id": user.ConnectionID})
}

// UpdateSCIMUser implements storage.SCIMUserStore.
func (s *SCIM) UpdateSCIMUser(ctx context.Context, act storage.Act, connectionID, id string,
	change func(storage.SCIMUser) (storage.SCIMUser, error)) (storage.SCIMUser, error) {
	var after storage.SCIMUser
	err := s.end(ctx, func(ctx context.Context, tx tx) error {
		before, err := tx.findUser(ctx, connectionID, id)
		if err != nil {
			return err
		}
		if after, err = change(before); err != nil {
			return err
		}
		var same []userRow
		if err := tx.List(ctx, &same, lockSame, newUserRow(after)); err != nil {
			return err
		}
		if len(same) > 0 {
			return taken()
		}
		after, err = tx.change(ctx, act, before, after)
		return err
	})
	if err != nil { // it may be going on
		return storage.SCIMUser{}, err
	}
	return after, nil
}

func (t tx) findUser(ctx context.Context, connectionID, id string) (storage.SCIMUser, error) {
	var row userRow
	err := t.Get(ctx, &row, lockUser, engine.Args{"connection_id": connectionID, "id": id})
	return row.record(), engine.OrAbsentRow(err, "user")
}

// change makes the user other, or does nothing where they are not.
func (t tx) change(ctx context.Context, act storage.Act, before, after storage.SCIMUser) (storage.SCIMUser, error) {
	if reflect.DeepEqual(before, after) || alike(before, after) {
		return before, nil
	}
	return t.put(ctx, act, before, after)
}

// put makes the user other, and whoever was hidden seen.
func (t tx) put(ctx context.Context, act storage.Act, before, after storage.SCIMUser) (storage.SCIMUser, error) {
	if before.User.Admin {
		return before, untouchable()
	}
	if !reflect.DeepEqual(before.User, after.User) {
		if err := t.UpdateUser(ctx, act, after.User); err != nil {
			return before, err
		}
	}
	if before.Active != after.Active {
		barred, err := t.Lock(ctx, selectBarred, after.ID)
		if err != nil {
			return before, err
		}
		after.User.Disabled = !after.Active || barred
		if err := t.SetUserDisabled(ctx, act, after.ID, after.User.Disabled); err != nil {
			return before, err
		}
	}
	after.Version, after.UpdatedAt = before.Version+1, act.At
	_, err := t.Exec(ctx, updateUser, newUserRow(after))
	return after, err
}

// alike reports whether nothing of two is different that the company said.
func alike(a, b storage.SCIMUser) bool {
	return a.Active == b.Active && a.UserName == b.UserName && a.ExternalID == b.ExternalID &&
		bytes.Equal(a.Document, b.Document) && reflect.DeepEqual(a.User, b.User)
}

// DeleteSCIMUser implements storage.SCIMUserStore.
func (s *SCIM) DeleteSCIMUser(ctx context.Context, act storage.Act, connectionID, id string,
	check func(storage.SCIMUser) error) error {
	return s.end(ctx, func(ctx context.Context, tx tx) error {
		user, err := tx.findUser(ctx, connectionID, id)
		if err != nil {
			return err
		}
		if err := check(user); err != nil {
			return err
		}
		if user.User.Admin {
			return untouchable()
		}
		arg := engine.Args{"connection_id": connectionID, "id": id, "active": false, "at": act.At}
		if err := tx.ExecEach(ctx, arg, deleteMemberships, hideUser); err != nil {
			return err
		}
		if err := tx.SetUserDisabled(ctx, act, id, true); err != nil {
			return err
		}
		return tx.Audit(ctx, act, "scim.user_hidden", id, engine.Detail{"connection_id": connectionID})
	})
}

// SweepHiddenPeople implements storage.SCIMUserStore.
func (s *SCIM) SweepHiddenPeople(ctx context.Context, act storage.Act, before time.Time, limit int) (int, error) {
	ids, err := engine.All[string](ctx, s.db, selectHidden, engine.Args{"before": before, "limit": limit})
	if err != nil {
		return 0, err
	}
	for _, id := range ids {
		err := s.write(ctx, func(tx tx) error {
			still, err := tx.Lock(ctx, selectStillHidden, id)
			if err != nil || !still {
				return err
			}
			return tx.DeleteUser(ctx, act, id)
		})
		if err != nil && !fault.Is(err, fault.NotFound) {
			return 0, err
		}
	}
	return len(ids), nil
}

const selectStillHidden = `
SELECT user_id FROM scim_users WHERE user_id = :id AND hidden_at IS NOT NULL
FOR NO KEY UPDATE`
