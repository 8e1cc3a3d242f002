package sqlstore

import (
	"context"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

type twinMemberRow struct {
	UserID  string  `db:"user_id"`
	Access  int64   `db:"access"`
	AddedAt instant `db:"added_at"`
}

const (
	upsertTwinMember = `
INSERT INTO facility_members (facility_id, user_id, access, added_at) VALUES (:facility_id, :user_id, :access, :at)
ON CONFLICT (facility_id, user_id) DO UPDATE SET access = excluded.access WHERE facility_members.access <> excluded.access`

	deleteTwinMember = `
DELETE FROM facility_members WHERE facility_id = :facility_id AND user_id = :user_id`

	// When somebody leaves the hub.
	deleteTwinMembers = `
DELETE FROM facility_members WHERE user_id = :user_id AND facility_id IN (SELECT id FROM facilities WHERE hub_id = :hub_id)`

	selectTwinMembers = `
SELECT user_id, access, added_at FROM facility_members
WHERE facility_id = (SELECT id FROM facilities WHERE uid = :id) AND user_id > :after
ORDER BY user_id LIMIT :limit`
)

func (r twinMemberRow) record() storage.TwinMember {
	return storage.TwinMember{UserID: r.UserID, Access: storage.TwinAccess(r.Access), AddedAt: r.AddedAt.Time}
}

// SetTwinMember implements storage.FacilityStore.
func (s *Store) SetTwinMember(ctx context.Context, change storage.Change, facilityID, userID string, access storage.TwinAccess) error {
	if access < storage.TwinRead || access > storage.TwinOwner {
		return fault.Newf(fault.Invalid, "", "There is no access %d.", int(access))
	}
	return s.inFacility(ctx, facilityID, func(tx tx, facility facilityRow) error {
		if err := tx.joinHub(ctx, change, facility.HubID, userID); err != nil {
			return err
		}
		n, err := tx.exec(ctx, upsertTwinMember, args{
			"facility_id": facility.ID, "user_id": userID, "access": int64(access), "at": at(change.At),
		})
		if err != nil || n == 0 {
			return err
		}
		return tx.tell(ctx, change, storage.EventTwinMemberSet, facility.event(), detail{"user": userID, "access": int(access)})
	})
}

// RemoveTwinMember implements storage.FacilityStore.
func (s *Store) RemoveTwinMember(ctx context.Context, change storage.Change, facilityID, userID string) error {
	return s.inFacility(ctx, facilityID, func(tx tx, facility facilityRow) error {
		member := args{"facility_id": facility.ID, "user_id": userID}
		if err := tx.execOne(ctx, absent("member"), deleteTwinMember, member); err != nil {
			return err
		}
		return tx.tell(ctx, change, storage.EventTwinMemberRemoved, facility.event(), detail{"user": userID})
	})
}

// ListTwinMembers implements storage.FacilityStore.
func (s *Store) ListTwinMembers(ctx context.Context, facilityID string, page storage.PageRequest) ([]storage.TwinMember, string, error) {
	limit, err := pageLimit(page)
	if err != nil {
		return nil, "", err
	}
	var rows []twinMemberRow
	err = s.reader.list(ctx, &rows, selectTwinMembers, args{"id": facilityID, "after": page.After, "limit": limit + 1})
	if err != nil {
		return nil, "", asFault(err)
	}
	rows, next := cutPage(rows, limit, func(r twinMemberRow) string { return r.UserID })
	return records(rows, twinMemberRow.record), next, nil
}
