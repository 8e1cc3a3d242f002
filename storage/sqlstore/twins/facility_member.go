package twins

import (
	"context"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
)

const (
	upsertTwinMember = `
INSERT INTO facility_members (facility_id, user_id, access, added_at) VALUES (:facility_id, :user_id, :access, :at)
ON CONFLICT (facility_id, user_id) DO UPDATE SET access = excluded.access WHERE facility_members.access <> excluded.access`

	deleteTwinMember = `
DELETE FROM facility_members WHERE facility_id = :facility_id AND user_id = :user_id`

	selectTwinMembers = `
SELECT user_id, access, added_at FROM facility_members
WHERE facility_id = (SELECT id FROM facilities WHERE uid = :id) AND user_id > :after
ORDER BY user_id LIMIT :limit`
)

// SetTwinMember implements storage.FacilityStore.
func (s *Twins) SetTwinMember(ctx context.Context, change storage.Change, facilityID, userID string,
	access storage.TwinAccess) error {
	if access < storage.TwinRead || access > storage.TwinOwner {
		return fault.Newf(fault.Invalid, "", "There is no access %d.", int(access))
	}
	return s.inFacility(ctx, facilityID, func(tx tx, facility facilityRow) error {
		if err := tx.JoinHub(ctx, change, facility.HubID, userID); err != nil {
			return err
		}
		n, err := tx.Exec(ctx, upsertTwinMember, engine.Args{
			"facility_id": facility.ID, "user_id": userID, "access": int64(access), "at": change.At,
		})
		if err != nil || n == 0 {
			return err
		}
		return tx.Tell(ctx, change, storage.EventTwinMemberSet, facility.event(),
			engine.Detail{"user": userID, "access": int(access)})
	})
}

// RemoveTwinMember implements storage.FacilityStore.
func (s *Twins) RemoveTwinMember(ctx context.Context, change storage.Change, facilityID, userID string) error {
	return s.inFacility(ctx, facilityID, func(tx tx, facility facilityRow) error {
		member := engine.Args{"facility_id": facility.ID, "user_id": userID}
		if err := tx.ExecOne(ctx, engine.Absent("member"), deleteTwinMember, member); err != nil {
			return err
		}
		return tx.Tell(ctx, change, storage.EventTwinMemberRemoved, facility.event(), engine.Detail{"user": userID})
	})
}

// ListTwinMembers implements storage.FacilityStore.
func (s *Twins) ListTwinMembers(ctx context.Context, facilityID string,
	page storage.PageRequest) ([]storage.TwinMember, string, error) {
	return engine.Page(ctx, s.db, page, selectTwinMembers, engine.Args{"id": facilityID},
		func(m storage.TwinMember) string { return m.UserID })
}
