package hubs

import (
	"context"
	"fmt"
	"slices"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
)

const (
	lockClientKey = `
SELECT id FROM clients WHERE id = :id
FOR KEY SHARE`

	selectAppAccess = `
SELECT hub_id, client_id, level, users, created_at FROM app_access
WHERE hub_id = :hub_id AND client_id = :client_id
FOR UPDATE`

	upsertAppAccess = `
INSERT INTO app_access (hub_id, client_id, level, users, created_at)
VALUES (:hub_id, :client_id, :level, :users, :created_at)
ON CONFLICT (hub_id, client_id) DO UPDATE SET level = excluded.level, users = excluded.users`

	deleteAppAccess = `
DELETE FROM app_access WHERE hub_id = :hub_id AND client_id = :client_id`

	selectAppUsers = `
SELECT user_id FROM app_access_users WHERE hub_id = :hub_id AND client_id = :client_id ORDER BY user_id`

	insertAppUser = `
INSERT INTO app_access_users (hub_id, client_id, user_id) VALUES (:hub_id, :client_id, :user_id)
ON CONFLICT DO NOTHING`

	deleteAppUsers = `
DELETE FROM app_access_users WHERE hub_id = :hub_id AND client_id = :client_id`

	selectAppAccesses = `
SELECT a.hub_id, a.client_id, c.name AS client_name, a.level, a.users, a.created_at
FROM app_access a JOIN clients c ON c.id = a.client_id
WHERE a.hub_id = :hub_id ORDER BY a.client_id`

	selectHubAppUsers = `
SELECT client_id, user_id FROM app_access_users WHERE hub_id = :hub_id ORDER BY client_id, user_id`
)

// selectAppHubs has a mark where the condition on the client belongs.
const selectAppHubs = `
SELECT a.client_id, a.hub_id, h.name AS hub_name, h.active AS hub_active, a.level, a.users,
	(SELECT count(*) FROM app_access_users u WHERE u.hub_id = a.hub_id AND u.client_id = a.client_id) AS listed
FROM app_access a JOIN hubs h ON h.id = a.hub_id
WHERE %s
ORDER BY a.client_id, h.name, a.hub_id`

// ListHubsOfApps implements storage.AppAccessStore.
func (s *Hubs) ListHubsOfApps(ctx context.Context, clientIDs []string) ([]storage.AppHub, error) {
	if len(clientIDs) > storage.MaxPage {
		return nil, fault.Newf(fault.Invalid, "", "At most %d clients at once.", storage.MaxPage)
	}
	if len(clientIDs) == 0 {
		return nil, nil
	}
	f := engine.NewFilter()
	return engine.All[storage.AppHub](ctx, s.db, fmt.Sprintf(selectAppHubs, f.Among("a.client_id", clientIDs)), f.Args)
}

// ProvisionApp implements storage.AppAccessStore.
func (s *Hubs) ProvisionApp(ctx context.Context, change storage.Change, access storage.AppAccess) error {
	if err := checkAppAccess(access); err != nil {
		return err
	}
	users := slices.Compact(slices.Sorted(slices.Values(access.UserIDs)))
	return s.write(ctx, func(tx Tx) error {
		if err := tx.provisionParties(ctx, access.HubID, access.ClientID, users); err != nil {
			return err
		}
		same, err := tx.hasAppAccess(ctx, access, users)
		if err != nil || same {
			return err
		}
		if err := tx.setAppAccess(ctx, change, access, users); err != nil {
			return err
		}
		return tx.Tell(ctx, change, storage.EventAppSet, inHub(access.HubID, access.ClientID),
			engine.Detail{"level": access.Level, "users": access.Users})
	})
}

func checkAppAccess(access storage.AppAccess) error {
	if err := CheckLevel(access.Level); err != nil {
		return err
	}
	switch access.Users {
	case storage.AppForMembers, storage.AppForNobody, storage.AppForListed:
	default:
		return fault.Newf(fault.Invalid, "",
			"An app acts for all-members, none or listed users, not %q.", string(access.Users))
	}
	if len(access.UserIDs) > 0 && access.Users != storage.AppForListed {
		return fault.New(fault.Invalid, "", "Only an app that acts for listed users has a list of them.")
	}
	return nil
}

// CheckLevel refuses a level that there is none of.
func CheckLevel(level storage.Level) error {
	if level < storage.LevelView || level > storage.LevelControl {
		return fault.Newf(fault.Invalid, "", "There is no level %d.", int(level))
	}
	return nil
}

func (t Tx) provisionParties(ctx context.Context, hubID, clientID string, users []string) error {
	if err := t.HubMustExist(ctx, hubID); err != nil {
		return err
	}
	found, err := t.Lock(ctx, lockClientKey, clientID)
	if err != nil {
		return err
	}
	if !found {
		return fault.New(fault.NotFound, storage.ReasonClientAbsent, "There is no such client.")
	}
	for _, user := range users {
		if err := t.person(ctx, user); err != nil {
			return err
		}
	}
	return nil
}

// hasAppAccess reports whether the access is as it should be already.
func (t Tx) hasAppAccess(ctx context.Context, access storage.AppAccess, users []string) (bool, error) {
	var rows []storage.AppAccess
	var listed []string
	key := engine.Args{"hub_id": access.HubID, "client_id": access.ClientID}
	if err := t.List(ctx, &rows, selectAppAccess, key); err != nil {
		return false, err
	}
	if err := t.List(ctx, &listed, selectAppUsers, key); err != nil {
		return false, err
	}
	return len(rows) == 1 && rows[0].Level == access.Level && rows[0].Users == access.Users &&
		slices.Equal(listed, users), nil
}

func (t Tx) setAppAccess(ctx context.Context, change storage.Change, access storage.AppAccess, users []string) error {
	access.CreatedAt = change.At
	if _, err := t.Exec(ctx, upsertAppAccess, access); err != nil {
		return err
	}
	if _, err := t.Exec(ctx, deleteAppUsers, access); err != nil {
		return err
	}
	for _, user := range users {
		_, err := t.Exec(ctx, insertAppUser,
			engine.Args{"hub_id": access.HubID, "client_id": access.ClientID, "user_id": user})
		if err != nil {
			return err
		}
	}
	return nil
}

// WithdrawApp implements storage.AppAccessStore.
func (s *Hubs) WithdrawApp(ctx context.Context, change storage.Change, hubID, clientID string) error {
	key := engine.Args{"hub_id": hubID, "client_id": clientID}
	return s.write(ctx, func(tx Tx) error {
		if err := tx.ExecOne(ctx, engine.Absent("provisioned app"), deleteAppAccess, key); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, deleteAppUsers, key); err != nil {
			return err
		}
		return tx.Tell(ctx, change, storage.EventAppWithdrawn, inHub(hubID, clientID), nil)
	})
}

// ListAppAccess implements storage.AppAccessStore.
func (s *Hubs) ListAppAccess(ctx context.Context, hubID string) ([]storage.AppAccess, error) {
	all, err := engine.All[storage.AppAccess](ctx, s.db, selectAppAccesses, engine.Args{"hub_id": hubID})
	if err != nil {
		return nil, err
	}
	users, err := engine.All[struct{ ClientID, UserID string }](ctx, s.db, selectHubAppUsers, engine.Args{"hub_id": hubID})
	if err != nil {
		return nil, err
	}
	for i := range all {
		for _, u := range users {
			if u.ClientID == all[i].ClientID {
				all[i].UserIDs = append(all[i].UserIDs, u.UserID)
			}
		}
	}
	return all, nil
}
