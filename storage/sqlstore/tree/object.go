package tree

import (
	"bytes"
	"context"
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
	"github.com/portico-id/portico/storage/sqlstore/hubs"
)

// objectRow is an object with the keys of the tables.
type objectRow struct {
	RowKey, ProjectKey int64
	HubID              string
	storage.Object
}

const (
	newObjectColumns = `bucket, object_key=key, project_id=project_key, name, target_folder=target_folder_id,
	target_item=target_item_id, state, size, created_at, created_by`

	objectColumns = newObjectColumns + `, blob, sha256, sha1, crc32, mime_type, stored_at, scan, finding`

	storeObject = `
UPDATE objects SET state = 'stored', blob = :blob, size = :size, sha256 = :sha256, sha1 = :sha1, crc32 = :crc32,
	mime_type = :mime_type, stored_at = :at, orphan_since = NULL, scan = :scan, scan_due = cast(:scan_due AS BIGINT)
WHERE id = :id AND state = 'reserved'`

	deleteUploads = `
DELETE FROM uploads WHERE object_id = :id AND (id = :blob OR held = 0) RETURNING id, reference`

	// What came for others of the object lies there still, for as long as it counts.
	endOthers = `
UPDATE uploads SET reference = '' WHERE object_id = :id`
)

var (
	insertObject = engine.Insert("objects", newObjectColumns) + `
ON CONFLICT DO NOTHING`

	selectObjects = `
SELECT o.id AS row_key, p.uid AS project_id, p.hub_id, ` + engine.InTable("o", objectColumns) + `
FROM objects o JOIN projects p ON p.id = o.project_id`

	selectObject = selectObjects + `
WHERE o.bucket = :bucket AND o.object_key = :object_key`

	// One for each standing that the user can have in its folder: with the same rights no
	// other says anything else, however many folders have the bytes.
	selectObjectItems = `
WITH granted AS MATERIALIZED (` + selectGranted + `),
held AS MATERIALIZED (
	SELECT fp.path, i.hidden OR NOT fp.visible AS away, min(i.uid) AS uid
	FROM objects o JOIN versions v ON v.object_id = o.id JOIN items i ON i.id = v.item_id
	JOIN folder_paths fp ON fp.folder_id = i.folder_id
	WHERE o.bucket = :bucket AND o.object_key = :object_key
	GROUP BY fp.path, i.hidden OR NOT fp.visible)
SELECT min(l.uid) FROM (
	SELECT held.uid, held.away, coalesce((
		SELECT max(g.level) FROM granted g WHERE substr(held.path, 1, length(g.path)) = g.path), 0) AS level
	FROM held) l
GROUP BY l.away, l.level ORDER BY l.away, l.level DESC`
)

func (r objectRow) record() storage.Object { return r.Object }

// place is where events of the object happen.
func (r objectRow) place() engine.Where {
	return engine.Where{Subject: r.Bucket + "/" + r.Key, Hub: r.HubID, Project: r.ProjectID}
}

// ReserveObject implements storage.ObjectStore.
func (s *Tree) ReserveObject(ctx context.Context, change storage.Change, object storage.Object) error {
	return s.inOpenProject(ctx, object.ProjectID, hubs.Together, func(tx tx, project hubs.ProjectRow) error {
		if err := tx.once(ctx, change, object.Bucket+"/"+object.Key); err != nil {
			return err
		}
		taken := fault.New(fault.Conflict, "", "There is an object with this key already.")
		object.State, object.CreatedAt, object.CreatedBy = storage.ObjectReserved, change.At, change.Caller.UserID
		object.Size = 0
		if err := tx.ExecOne(ctx, taken, insertObject, objectRow{ProjectKey: project.ID, Object: object}); err != nil {
			return err
		}
		return tx.Tell(ctx, change, storage.EventObjectMade, project.About(object.Bucket+"/"+object.Key, ""), nil)
	})
}

// StoreBytes implements storage.ObjectStore.
func (s *Tree) StoreBytes(ctx context.Context, change storage.Change, bucket, key string,
	bytes storage.Bytes) (storage.Object, error) {
	var done objectRow
	err := s.withObject(ctx, bucket, key, func(tx tx, object objectRow) error {
		n, err := tx.Exec(ctx, storeObject, engine.Args{
			"id": object.RowKey, "blob": bytes.Blob, "size": bytes.Size, "sha256": bytes.SHA256, "sha1": bytes.SHA1,
			"crc32":     bytes.CRC32,
			"mime_type": bytes.MimeType, "at": change.At, "scan": string(bytes.Scan), "scan_due": scanDue(bytes.Scan, change.At),
		})
		if err != nil {
			return err
		}
		if err := tx.Get(ctx, &done, selectObject, engine.Args{"bucket": bucket, "object_key": key}); err != nil {
			return engine.OrAbsentRow(err, "object")
		}
		if n == 0 {
			return sameBytes(done, bytes)
		}
		if err := tx.use(ctx, object.ProjectKey, bytes.Size); err != nil {
			return err
		}
		if err := tx.dropUploads(ctx, object.RowKey, bytes.Blob); err != nil {
			return err
		}
		return tx.Tell(ctx, change, storage.EventObjectStored, object.place(), engine.Detail{"size": bytes.Size})
	})
	return done.Object, err
}

// scanDue is when the bytes are to be looked at: at once, or never.
func scanDue(scan storage.ScanState, now time.Time) time.Time {
	if scan != storage.ScanPending {
		return time.Time{}
	}
	return now
}

// withObject runs an act on an object in its project, which must be open.
func (s *Tree) withObject(ctx context.Context, bucket, key string, act func(tx, objectRow) error) error {
	object, err := s.object(ctx, bucket, key)
	if err != nil {
		return err
	}
	return s.inOpenProject(ctx, object.ProjectID, hubs.Together,
		func(tx tx, _ hubs.ProjectRow) error { return act(tx, object) })
}

func sameBytes(object objectRow, other storage.Bytes) error {
	if object.Size == other.Size && bytes.Equal(object.SHA256, other.SHA256) {
		return nil
	}
	return objectStored()
}

func objectStored() *fault.Error {
	return fault.New(fault.Conflict, storage.ReasonObjectStored, "Other bytes are stored under this key already.")
}

// FindObject implements storage.ObjectStore.
func (s *Tree) FindObject(ctx context.Context, bucket, key string) (storage.Object, error) {
	row, err := s.object(ctx, bucket, key)
	return row.Object, err
}

func (s *Tree) object(ctx context.Context, bucket, key string) (objectRow, error) {
	return engine.Find[objectRow](ctx, s.db, "object", selectObject, engine.Args{"bucket": bucket, "object_key": key})
}

// ListObjectItems implements storage.ObjectStore.
func (s *Tree) ListObjectItems(ctx context.Context, userID string, object storage.Object) ([]string, error) {
	return engine.All[string](ctx, s.db, selectObjectItems, engine.Args{
		"bucket": object.Bucket, "object_key": object.Key, "user_id": userID, "project_uid": object.ProjectID,
	})
}
