package identity

import (
	"context"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
)

const (
	// The user as they are, and the company whose they are.
	selectOwnedUser = `
SELECT c.name AS owner, u.email, u.username, u.profile
FROM scim_users s JOIN scim_connections c ON c.id = s.connection_id JOIN users u ON u.id = s.user_id
WHERE s.user_id = :id`

	selectOwnerOfUser = `
SELECT c.name FROM scim_users s JOIN scim_connections c ON c.id = s.connection_id
WHERE s.user_id = :id`

	selectUnwantedBy = selectOwnerOfUser + ` AND NOT s.active`

	selectOwnerOfGroup = `
SELECT c.name FROM scim_groups s JOIN scim_connections c ON c.id = s.connection_id
WHERE s.group_id = :id`

	forgetPassword = `
UPDATE users SET password_hash = '', ends_at = NULL WHERE id = :user_id`

	takeUp = `
UPDATE users SET ends_at = NULL WHERE id = :user_id AND ends_at IS NOT NULL`

	forgetIdentities = `
DELETE FROM upstream_identities WHERE user_id = :user_id`

	// Those that upstreams have put the user into: none knows them any more.
	forgetGroups = `
DELETE FROM user_group_members WHERE user_id = :user_id AND source <> '' RETURNING group_id, source`
)

func managed(by string) error {
	return fault.Newf(fault.Conflict, storage.ReasonManaged, "This comes from %s and is changed there.", by)
}

// leavesOwned is a Conflict when the user is a company's and is to become other in
// what is the company's alone.
func (t Tx) leavesOwned(ctx context.Context, after storage.User) error {
	var rows []struct {
		userRow
		Owner string
	}
	if err := t.List(ctx, &rows, selectOwnedUser, engine.Args{"id": after.ID}); err != nil || len(rows) == 0 {
		return err
	}
	before := rows[0].Record()
	now := after.Owned()
	for i, was := range before.Owned() {
		if *was != *now[i] {
			return managed(rows[0].Owner)
		}
	}
	return nil
}

// wantedByOwner is a Conflict when the user's company does not want them to sign in.
func (t Tx) wantedByOwner(ctx context.Context, userID string) error {
	return t.owned(ctx, selectUnwantedBy, userID)
}

func (t Tx) owned(ctx context.Context, query, id string) error {
	var owners []string
	if err := t.List(ctx, &owners, query, engine.Args{"id": id}); err != nil || len(owners) == 0 {
		return err
	}
	return managed(owners[0])
}

// writeGroup is write for what nobody but its company changes of a group.
func (s *Identity) writeGroup(ctx context.Context, groupID string, act func(Tx) error) error {
	return s.write(ctx, func(tx Tx) error {
		if err := tx.IsOwnGroup(ctx, groupID); err != nil {
			return err
		}
		return act(tx)
	})
}

// IsOwnGroup is a Conflict when the group is a company's.
func (t Tx) IsOwnGroup(ctx context.Context, id string) error {
	return t.owned(ctx, selectOwnerOfGroup, id)
}

// TakeUp keeps a user who signed up from ending, into whose account somebody gets now.
func (t Tx) TakeUp(ctx context.Context, userID string) error {
	_, err := t.Exec(ctx, takeUp, engine.Args{"user_id": userID})
	return err
}

// ForgetCredentials takes from the user everything that they sign in with, and ends
// what they are signed in to.
func (t Tx) ForgetCredentials(ctx context.Context, act storage.Act, userID string) error {
	err := t.ExecEach(ctx, engine.Args{"user_id": userID}, forgetPassword, deleteAuthenticator, deletePasskeys,
		forgetIdentities, deleteLinks)
	if err != nil {
		return err
	}
	if err := t.forgetGroups(ctx, act, userID); err != nil {
		return err
	}
	return t.changedFactor(ctx, act, "user.factor_removed", userID, factorAll, "")
}

func (t Tx) forgetGroups(ctx context.Context, act storage.Act, userID string) error {
	var left []struct{ GroupID, Source string }
	if err := t.List(ctx, &left, forgetGroups, engine.Args{"user_id": userID}); err != nil {
		return err
	}
	for _, one := range left {
		err := t.Audit(ctx, act, "user_group.member_removed", one.GroupID,
			engine.Detail{"user_id": userID, "upstream_id": one.Source})
		if err != nil {
			return err
		}
	}
	return nil
}
