package tree

import (
	"time"

	"github.com/portico-id/portico/internal/textkey"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
	"github.com/portico-id/portico/storage/sqlstore/hubs"
)

// itemRow is an item with the keys of the tables.
type itemRow struct {
	Key, ProjectKey, FolderKey int64
	NameKey                    string
	storage.Item
}

// versionRow is a version with the keys of the tables.
type versionRow struct {
	ItemKey, ProjectKey int64
	ObjectID            *int64
	NameKey             string
	storage.Version
}

const (
	itemColumns = `uid=id, hidden, extension_type, extension_version, revision, created_at, created_by, modified_at, modified_by,
	reserved_by, reserved_at, reserved_until, ` + ownItemColumns

	// What is other when an item is changed.
	ownItemColumns = `name, name_key, extension_data, tip`

	newItemColumns = `project_id=project_key, folder_id=folder_key, ` + itemColumns

	versionColumns = `number, name, mime_type, file_type, size, object_id, extension_type, extension_version,
	extension_data, revision, created_at, created_by, modified_at, modified_by`

	newVersionColumns = `item_id=item_key, project_id=project_key, name_key, ` + versionColumns

	// The newest version v of item i, with its object.
	joinTip = joinVersion + joinObject

	joinVersion = `
JOIN versions v ON v.item_id = i.id AND v.number = i.tip`

	joinObject = `
LEFT JOIN objects o ON o.id = v.object_id`
)

// wholeItem are the columns of item i in folder f of the project that the caller names.
func wholeItem(projectUID string) string {
	return itemAlone() + `, ` + projectUID + ` AS "item.project_id", f.uid AS "item.folder_id"`
}

// itemAlone are those that do not say where it lies.
func itemAlone() string { return engine.Prefixed("i", "item", "id=key, "+itemColumns) }

// wholeVersion are those of a version of item i with its object, read into
// the field of a row with the name.
func wholeVersion(version, object, name string) string {
	return versionAlone(version, object, name) + `, i.uid AS "` + name + `.item_id"`
}

// versionAlone are those that do not say whose it is.
func versionAlone(version, object, name string) string {
	return engine.Prefixed(version, name, versionColumns) +
		`, coalesce(` + object + `.bucket, '') AS "` + name + `.bucket"` +
		`, coalesce(` + object + `.object_key, '') AS "` + name + `.object_key"`
}

// newItem is an item as it is in its folder when it is new.
func newItem(stamp storage.Stamp, project hubs.ProjectRow, folder spot, item storage.Item) itemRow {
	item.ProjectID, item.FolderID, item.Stamp = project.UID, folder.UID, stamp
	item.Hidden, item.Tip, item.Revision = false, 1, 1
	item.ReservedBy, item.ReservedAt, item.ReservedUntil = "", time.Time{}, time.Time{}
	return itemRow{ProjectKey: project.ID, FolderKey: folder.ID, NameKey: textkey.Fold(item.Name), Item: item}
}

// itemWithTip is an item and its newest version.
type itemWithTip struct {
	Item itemRow    `db:"item"`
	Tip  versionRow `db:"tip"`
}

func (r itemWithTip) record() storage.ItemWithTip {
	return storage.ItemWithTip{Item: r.Item.Item, Tip: r.Tip.Version}
}

// onlyVersion is a row with nothing but a version.
type onlyVersion struct {
	Version versionRow `db:"version"`
}

func (r onlyVersion) record() storage.Version { return r.Version.Version }
