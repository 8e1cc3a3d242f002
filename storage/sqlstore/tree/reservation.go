package tree

import (
	"context"
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
	"github.com/portico-id/portico/storage/sqlstore/hubs"
)

const updateReservation = `
UPDATE items SET reserved_by = :by, reserved_at = :from, reserved_until = :until, revision = revision + 1
WHERE id = :id`

var selectReservations = `
SELECT ` + wholeItem("p.uid") + `
FROM items i JOIN folders f ON f.id = i.folder_id JOIN projects p ON p.id = i.project_id
WHERE i.project_id = (SELECT id FROM projects WHERE uid = :project_uid) AND i.reserved_until IS NOT NULL
	AND i.reserved_until > :now AND i.uid > :after
ORDER BY i.uid LIMIT :limit`

// reserve runs a change of who has reserved an item. Decide says who shall have
// it, "" for nobody, or why not.
func (s *Tree) reserve(ctx context.Context, change storage.Change, projectID, itemID string,
	decide func(itemState) (string, error)) (storage.ItemWithTip, error) {
	var done storage.ItemWithTip
	err := s.inOpenProject(ctx, projectID, hubs.Together, func(tx tx, project hubs.ProjectRow) error {
		item, err := tx.item(ctx, project, itemID)
		if err != nil {
			return err
		}
		if err := checkSeen(change, item.Revision); err != nil {
			return err
		}
		holder, err := decide(item)
		if err != nil {
			return err
		}
		if err := tx.setHolder(ctx, change, project, item, holder); err != nil {
			return err
		}
		done, err = tx.wholeItem(ctx, project, itemID)
		return err
	})
	return done, err
}

func (t tx) setHolder(ctx context.Context, change storage.Change, project hubs.ProjectRow,
	item itemState, holder string) error {
	kind, more := storage.EventItemReleased, engine.Detail{"user": item.ReservedBy}
	var from time.Time
	until := change.At // a release shows by when it was, as an end does that comes by itself
	if holder != "" {
		from, until = change.At, change.At.Add(storage.ReservationLifetime)
		if item.ReservedFor(change.At) == holder {
			from = item.ReservedAt
		}
		kind, more = storage.EventItemReserved, engine.Detail{"user": holder, "until": until}
	}
	_, err := t.Exec(ctx, updateReservation, engine.Args{"id": item.Key, "by": holder, "from": from, "until": until})
	if err != nil {
		return err
	}
	return t.Tell(ctx, change, kind, project.About(item.ID, item.FolderID), more)
}

func notReserved() error {
	return fault.New(fault.Conflict, storage.ReasonNotReserved, "The item is not reserved.")
}

// ReserveItem implements storage.ReservationStore.
func (s *Tree) ReserveItem(ctx context.Context, change storage.Change, projectID,
	itemID string) (storage.ItemWithTip, error) {
	if change.Caller.UserID == "" {
		return storage.ItemWithTip{}, fault.New(fault.Invalid, "", "Only a user can reserve an item.")
	}
	return s.reserve(ctx, change, projectID, itemID, func(item itemState) (string, error) {
		if item.Hidden {
			return "", fault.New(fault.Conflict, storage.ReasonItemHidden, "The item is deleted.")
		}
		return change.Caller.UserID, engine.CheckFree(item.Item, change)
	})
}

// ReleaseItem implements storage.ReservationStore.
func (s *Tree) ReleaseItem(ctx context.Context, change storage.Change, projectID,
	itemID string) (storage.ItemWithTip, error) {
	return s.reserve(ctx, change, projectID, itemID, func(item itemState) (string, error) {
		if item.ReservedFor(change.At) == "" {
			return "", notReserved()
		}
		return "", engine.CheckFree(item.Item, change)
	})
}

// BreakReservation implements storage.ReservationStore.
func (s *Tree) BreakReservation(ctx context.Context, change storage.Change, projectID,
	itemID string) (storage.ItemWithTip, error) {
	return s.reserve(ctx, change, projectID, itemID, func(item itemState) (string, error) {
		if item.ReservedFor(change.At) == "" {
			return "", notReserved()
		}
		return "", nil
	})
}

// ListReservations implements storage.ReservationStore.
func (s *Tree) ListReservations(ctx context.Context, projectID string, now time.Time,
	page storage.PageRequest) ([]storage.Item, string, error) {
	type onlyItem struct {
		Item itemRow `db:"item"`
	}
	rows, next, err := engine.Page(ctx, s.db, page, selectReservations, engine.Args{"project_uid": projectID, "now": now},
		func(r onlyItem) string { return r.Item.ID })
	return engine.Records(rows, func(r onlyItem) storage.Item { return r.Item.Item }), next, err
}
