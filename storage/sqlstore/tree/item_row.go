package tree

import (
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
	"github.com/portico-id/portico/storage/sqlstore/hubs"
)

type itemRow struct {
	ID         int64  `db:"id"`
	UID        string `db:"uid"`
	ProjectUID string `db:"project_uid"`
	FolderUID  string `db:"folder_uid"`
	Name       string `db:"name"`
	NameKey    string `db:"name_key"`
	Hidden     bool   `db:"hidden"`
	Tip        int    `db:"tip"`
	hubs.ExtensionRow
	Revision int64 `db:"revision"`
	hubs.StampRow
	ReservedBy    string         `db:"reserved_by"`
	ReservedAt    engine.Instant `db:"reserved_at"`
	ReservedUntil engine.Instant `db:"reserved_until"`
}

type versionRow struct {
	ItemUID  string `db:"item_uid"`
	ObjectID *int64 `db:"object_id"`
	Number   int    `db:"number"`
	Name     string `db:"name"`
	MimeType string `db:"mime_type"`
	FileType string `db:"file_type"`
	Size     int64  `db:"size"`
	hubs.ExtensionRow
	Revision int64 `db:"revision"`
	hubs.StampRow
	Bucket    string `db:"bucket"`
	ObjectKey string `db:"object_key"`
}

const (
	ownItemColumns = `id, uid, name, name_key, hidden, tip, extension_type, extension_version, extension_data,
	revision, created_at, created_by, modified_at, modified_by, reserved_by, reserved_at, reserved_until`

	ownVersionColumns = `number, name, mime_type, file_type, size, object_id, extension_type, extension_version,
	extension_data, revision, created_at, created_by, modified_at, modified_by`

	// The newest version v of item i, with its object.
	joinTip = `
JOIN versions v ON v.item_id = i.id AND v.number = i.tip` + joinObject

	joinObject = `
LEFT JOIN objects o ON o.id = v.object_id`
)

// itemColumns are those of item i; where it lies is named by the caller.
func itemColumns(projectUID, folderUID string) string {
	return engine.Prefixed("i", "item", ownItemColumns) +
		`, ` + projectUID + ` AS "item.project_uid", ` + folderUID + ` AS "item.folder_uid"`
}

// versionColumns are those of a version of item i with its object, read into
// the field of a row with the name.
func versionColumns(version, object, name string) string {
	return engine.Prefixed(version, name, ownVersionColumns) + `, i.uid AS "` + name + `.item_uid"` +
		`, coalesce(` + object + `.bucket, '') AS "` + name + `.bucket"` +
		`, coalesce(` + object + `.object_key, '') AS "` + name + `.object_key"`
}

func (r itemRow) record() storage.Item {
	return storage.Item{
		ID: r.UID, ProjectID: r.ProjectUID, FolderID: r.FolderUID, Name: r.Name, Hidden: r.Hidden, Tip: r.Tip,
		Extension: r.ExtensionRow.Record(), Revision: r.Revision, Stamp: r.StampRow.Record(),
		ReservedBy: r.ReservedBy, ReservedAt: r.ReservedAt.Time, ReservedUntil: r.ReservedUntil.Time,
	}
}

func (r versionRow) record() storage.Version {
	return storage.Version{
		ItemID: r.ItemUID, Number: r.Number, Name: r.Name, MimeType: r.MimeType, FileType: r.FileType, Size: r.Size,
		Bucket: r.Bucket, ObjectKey: r.ObjectKey,
		Extension: r.ExtensionRow.Record(), Revision: r.Revision, Stamp: r.StampRow.Record(),
	}
}

// itemWithTip is an item and its newest version.
type itemWithTip struct {
	Item itemRow    `db:"item"`
	Tip  versionRow `db:"tip"`
}

func (r itemWithTip) record() storage.ItemWithTip {
	return storage.ItemWithTip{Item: r.Item.record(), Tip: r.Tip.record()}
}

// onlyVersion is a row with nothing but a version.
type onlyVersion struct {
	Version versionRow `db:"version"`
}

func (r onlyVersion) record() storage.Version { return r.Version.record() }
