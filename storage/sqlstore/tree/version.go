package tree

import (
	"cmp"
	"context"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/textkey"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
	"github.com/portico-id/portico/storage/sqlstore/hubs"
)

const (
	updateVersionName = `
UPDATE versions SET name = :name, name_key = :name_key, revision = revision + 1, modified_at = :at, modified_by = :by
WHERE item_id = :item_id AND number = :number`

	selectObjectState = `
SELECT id, state, size, mime_type, scan, finding FROM objects
WHERE bucket = :bucket AND object_key = :object_key AND project_id = :project_id
FOR UPDATE` // an upkeep that drops it at this moment comes before or after

	// The first item whose version has the object owns it.
	claimObject = `
UPDATE objects SET item_id = :item_id, orphan_since = NULL
WHERE id = :id AND state = 'stored' AND (item_id IS NULL OR item_id = :item_id)`
)

var insertVersion = engine.Insert("versions", newVersionColumns)

var selectWholeVersion = `
SELECT ` + wholeVersion("v", "o", "version") + `
FROM items i JOIN versions v ON v.item_id = i.id` + joinObject + `
WHERE i.uid = :item_uid AND i.project_id = :project_id AND v.number = :number`

// addVersion adds the version that is the item's tip, and returns it.
func (t tx) addVersion(ctx context.Context, change storage.Change, item itemRow,
	version storage.NewVersion) (storage.Version, error) {
	row := versionRow{ItemKey: item.Key, ProjectKey: item.ProjectKey, Version: storage.Version{
		ItemID: item.ID, Number: item.Tip, Name: version.Name, MimeType: version.MimeType, FileType: version.FileType,
		Extension: version.Extension, Revision: 1, Stamp: stampOf(change),
	}}
	var err error
	switch {
	case version.CopyFrom != nil:
		err = t.copyInto(ctx, &row, *version.CopyFrom)
	case version.Bucket != "":
		err = t.claimInto(ctx, &row, version)
	}
	if err != nil {
		return storage.Version{}, err
	}
	row.NameKey = textkey.Fold(row.Name)
	_, err = t.Exec(ctx, insertVersion, row)
	return row.Version, err
}

// copyInto fills the row with what a version of the project has.
func (t tx) copyInto(ctx context.Context, row *versionRow, from storage.VersionRef) error {
	var found onlyVersion
	err := t.Get(ctx, &found, selectWholeVersion, engine.Args{
		"item_uid": from.ItemID, "project_id": row.ProjectKey, "number": from.Number,
	})
	if engine.IsNoRow(err) {
		return fault.New(fault.NotFound, storage.ReasonSourceAbsent, "There is no such version in the project to copy from.")
	}
	if err != nil {
		return err
	}
	source := found.Version
	row.MimeType, row.FileType, row.Size, row.ObjectID = source.MimeType, source.FileType, source.Size, source.ObjectID
	row.Bucket, row.ObjectKey = source.Bucket, source.ObjectKey
	row.Name = cmp.Or(row.Name, source.Name)
	if row.Extension.Type == "" {
		row.Extension = source.Extension
		row.Extension.Data, err = storage.WithState(source.Extension.Data, storage.VersionState{}) // a copy begins anew
	}
	return err
}

// claimInto gives the row a stored object that no other item has.
func (t tx) claimInto(ctx context.Context, row *versionRow, version storage.NewVersion) error {
	var object struct {
		ID    int64
		State storage.ObjectState
		storage.Bytes
	}
	err := t.Get(ctx, &object, selectObjectState, engine.Args{
		"bucket": version.Bucket, "object_key": version.ObjectKey, "project_id": row.ProjectKey,
	})
	switch {
	case engine.IsNoRow(err):
		return fault.New(fault.NotFound, storage.ReasonObjectAbsent, "There is no such object in the project.")
	case err != nil:
		return err
	case object.State != storage.ObjectStored:
		return fault.New(fault.Invalid, storage.ReasonObjectPending, "The object has no bytes yet: upload them first.")
	case object.Scan == storage.ScanInfected:
		return fault.Newf(fault.Forbidden, storage.ReasonInfected,
			"The virus scanner has found %s in these bytes.", object.Finding)
	}
	used := fault.New(fault.Conflict, storage.ReasonObjectUsed,
		"Another item has the object: upload the bytes anew, or copy the version.")
	row.ObjectID, row.Size = &object.ID, object.Size
	if !storage.UnknownType(object.MimeType) {
		row.MimeType = object.MimeType
	}
	row.Bucket, row.ObjectKey = version.Bucket, version.ObjectKey
	return t.ExecOne(ctx, used, claimObject, engine.Args{"id": object.ID, "item_id": row.ItemKey})
}

// AddVersion implements storage.VersionStore. The item's row counts its
// versions and is locked, so numbers have no gap.
func (s *Tree) AddVersion(ctx context.Context, change storage.Change, projectID, itemID string,
	version storage.NewVersion) (storage.ItemWithTip, error) {
	var done storage.ItemWithTip
	err := s.inOpenProject(ctx, projectID, hubs.Together, func(tx tx, project hubs.ProjectRow) error {
		if err := tx.once(ctx, change, itemID); err != nil {
			return err
		}
		was, err := tx.freeItem(ctx, change, project, itemID)
		if err != nil {
			return err
		}
		if err := checkSeen(change, was.Revision); err != nil {
			return err
		}
		if was.Hidden && version.CopyFrom == nil {
			return fault.New(fault.Conflict, storage.ReasonItemHidden,
				"The item is deleted: restore it by copying an older version.")
		}
		now := was
		now.Tip++
		if err := tx.numbered(ctx, change, now.Tip); err != nil {
			return err
		}
		if done.Tip, err = tx.addVersion(ctx, change, now.itemRow, version); err != nil {
			return err
		}
		patch := storage.ItemPatch{Hidden: &version.Delete}
		if version.RenameItem {
			patch.Name = &done.Tip.Name
		}
		changed := tx.Patch(&now, patch)
		if done.Item, err = tx.changeItem(ctx, change, project, was, now, changed); err != nil {
			return err
		}
		more := engine.Detail{"number": now.Tip, "name": done.Tip.Name}
		if version.Delete {
			more["deletes"] = true
		}
		return tx.Tell(ctx, change, storage.EventVersionAdded, project.About(itemID, was.FolderID), more)
	})
	return done, err
}

// RenameVersion implements storage.VersionStore.
func (s *Tree) RenameVersion(ctx context.Context, change storage.Change, projectID string, ref storage.VersionRef,
	name string) (storage.Version, error) {
	var done storage.Version
	err := s.inOpenProject(ctx, projectID, hubs.Together, func(tx tx, project hubs.ProjectRow) error {
		item, err := tx.freeItem(ctx, change, project, ref.ItemID)
		if fault.Is(err, fault.NotFound) {
			return engine.Absent("version")
		}
		if err != nil {
			return err
		}
		var row onlyVersion
		arg := engine.Args{"item_uid": ref.ItemID, "project_id": project.ID, "number": ref.Number}
		if err := tx.Get(ctx, &row, selectWholeVersion, arg); err != nil {
			return engine.OrAbsentRow(err, "version")
		}
		if err := checkSeen(change, row.Version.Revision); err != nil {
			return err
		}
		if row.Version.Name != name {
			if err := tx.nameVersion(ctx, change, project, item, row.Version, name); err != nil {
				return err
			}
			if err := tx.Get(ctx, &row, selectWholeVersion, arg); err != nil {
				return err
			}
		}
		done = row.record()
		return nil
	})
	return done, err
}

func (t tx) nameVersion(ctx context.Context, change storage.Change, project hubs.ProjectRow, item itemState,
	was versionRow, name string) error {
	_, err := t.Exec(ctx, updateVersionName, engine.Args{
		"item_id": item.Key, "number": was.Number, "name": name, "name_key": textkey.Fold(name), "at": change.At,
		"by": change.Caller.UserID,
	})
	if err != nil {
		return err
	}
	if err := t.note(ctx, change, item.spot(), 0); err != nil {
		return err
	}
	return t.Tell(ctx, change, storage.EventVersionNamed, project.About(item.ID, item.FolderID),
		engine.Detail{"number": was.Number, "from": was.Name, "to": name})
}
