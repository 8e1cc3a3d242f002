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

type objectRow struct {
	ID           int64          `db:"id"`
	Bucket       string         `db:"bucket"`
	ObjectKey    string         `db:"object_key"`
	ProjectID    int64          `db:"project_id"`
	ProjectUID   string         `db:"project_uid"`
	HubID        string         `db:"hub_id"`
	Name         string         `db:"name"`
	TargetFolder string         `db:"target_folder"`
	TargetItem   string         `db:"target_item"`
	State        string         `db:"state"`
	Blob         string         `db:"blob"`
	Size         int64          `db:"size"`
	SHA256       []byte         `db:"sha256"`
	SHA1         []byte         `db:"sha1"`
	MimeType     string         `db:"mime_type"`
	CreatedAt    engine.Instant `db:"created_at"`
	CreatedBy    string         `db:"created_by"`
	StoredAt     engine.Instant `db:"stored_at"`
	Scan         string         `db:"scan"`
	Finding      string         `db:"finding"`
}

const (
	insertObject = `
INSERT INTO objects (bucket, object_key, project_id, name, target_folder, target_item, state, size, created_at, created_by)
VALUES (:bucket, :object_key, :project_id, :name, :target_folder, :target_item, :state, 0, :created_at, :created_by)
ON CONFLICT DO NOTHING`

	objectColumns = `
SELECT o.id, o.bucket, o.object_key, o.project_id, p.uid AS project_uid, p.hub_id, o.name, o.target_folder, o.target_item,
	o.state, o.blob, o.size, o.sha256, o.sha1, o.mime_type, o.created_at, o.created_by, o.stored_at, o.scan, o.finding
FROM objects o JOIN projects p ON p.id = o.project_id`

	selectObject = objectColumns + `
WHERE o.bucket = :bucket AND o.object_key = :object_key`

	storeObject = `
UPDATE objects SET state = 'stored', blob = :blob, size = :size, sha256 = :sha256, sha1 = :sha1, mime_type = :mime_type,
	stored_at = :at, orphan_since = NULL, scan = :scan, scan_due = cast(:scan_due AS BIGINT)
WHERE id = :id AND state = 'reserved'`

	deleteUploads = `
DELETE FROM uploads WHERE object_id = :id`

	selectObjectItems = `
SELECT i.uid FROM objects o JOIN versions v ON v.object_id = o.id JOIN items i ON i.id = v.item_id
	JOIN folder_paths fp ON fp.folder_id = i.folder_id
WHERE o.bucket = :bucket AND o.object_key = :object_key
GROUP BY i.id, i.uid, i.hidden, fp.visible
ORDER BY i.hidden, fp.visible DESC, i.id LIMIT :limit`
)

func (r objectRow) record() storage.Object {
	return storage.Object{
		Bucket: r.Bucket, Key: r.ObjectKey, ProjectID: r.ProjectUID, Name: r.Name,
		Target: storage.ObjectTarget{FolderID: r.TargetFolder, ItemID: r.TargetItem},
		State:  storage.ObjectState(r.State), CreatedAt: r.CreatedAt.Time, CreatedBy: r.CreatedBy,
		Bytes:    storage.Bytes{Blob: r.Blob, Size: r.Size, SHA256: r.SHA256, SHA1: r.SHA1, MimeType: r.MimeType, Scan: storage.ScanState(r.Scan), Finding: r.Finding},
		StoredAt: r.StoredAt.Time,
	}
}

// place is where events of the object happen.
func (r objectRow) place() engine.Where {
	return engine.Where{Subject: r.Bucket + "/" + r.ObjectKey, Hub: r.HubID, Project: r.ProjectUID}
}

// ReserveObject implements storage.ObjectStore.
func (s *Tree) ReserveObject(ctx context.Context, change storage.Change, object storage.Object) error {
	return s.inOpenProject(ctx, object.ProjectID, hubs.Together, func(tx tx, project hubs.ProjectRow) error {
		if err := tx.once(ctx, change, object.Bucket+"/"+object.Key); err != nil {
			return err
		}
		taken := fault.New(fault.Conflict, "", "There is an object with this key already.")
		err := tx.ExecOne(ctx, taken, insertObject, objectRow{
			Bucket: object.Bucket, ObjectKey: object.Key, ProjectID: project.ID, Name: object.Name,
			TargetFolder: object.Target.FolderID, TargetItem: object.Target.ItemID,
			State: string(storage.ObjectReserved), CreatedAt: engine.At(change.At), CreatedBy: change.Caller.UserID,
		})
		if err != nil {
			return err
		}
		return tx.Tell(ctx, change, storage.EventObjectMade, project.About(object.Bucket+"/"+object.Key, ""), nil)
	})
}

// StoreObject implements storage.ObjectStore.
func (s *Tree) StoreObject(ctx context.Context, change storage.Change, bucket, key string, size int64, sha256 []byte) error {
	_, err := s.StoreBytes(ctx, change, bucket, key, storage.Bytes{Size: size, SHA256: sha256})
	return err
}

// StoreBytes implements storage.ObjectStore.
func (s *Tree) StoreBytes(ctx context.Context, change storage.Change, bucket, key string, bytes storage.Bytes) (storage.Object, error) {
	var done objectRow
	err := s.withObject(ctx, bucket, key, func(tx tx, object objectRow) error {
		n, err := tx.Exec(ctx, storeObject, engine.Args{
			"id": object.ID, "blob": bytes.Blob, "size": bytes.Size, "sha256": bytes.SHA256, "sha1": bytes.SHA1,
			"mime_type": bytes.MimeType, "at": engine.At(change.At), "scan": string(bytes.Scan), "scan_due": scanDue(bytes.Scan, change.At),
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
		if err := tx.use(ctx, object.ProjectID, bytes.Size); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, deleteUploads, engine.Args{"id": object.ID}); err != nil {
			return err
		}
		return tx.Tell(ctx, change, storage.EventObjectStored, object.place(), engine.Detail{"size": bytes.Size})
	})
	return done.record(), err
}

// scanDue is when the bytes are to be looked at: at once, or never.
func scanDue(scan storage.ScanState, now time.Time) engine.Instant {
	if scan != storage.ScanPending {
		return engine.Instant{}
	}
	return engine.At(now)
}

// withObject runs an act on an object in its project, which must be open.
func (s *Tree) withObject(ctx context.Context, bucket, key string, act func(tx, objectRow) error) error {
	var object objectRow
	err := s.db.Get(ctx, &object, selectObject, engine.Args{"bucket": bucket, "object_key": key})
	if err != nil {
		return engine.OrAbsent(err, "object")
	}
	return s.inOpenProject(ctx, object.ProjectUID, hubs.Together, func(tx tx, _ hubs.ProjectRow) error { return act(tx, object) })
}

func sameBytes(object objectRow, other storage.Bytes) error {
	if object.Size == other.Size && bytes.Equal(object.SHA256, other.SHA256) {
		return nil
	}
	return objectStored()
}

func objectStored() error {
	return fault.New(fault.Conflict, storage.ReasonObjectStored, "Other bytes are stored under this key already.")
}

// FindObject implements storage.ObjectStore.
func (s *Tree) FindObject(ctx context.Context, bucket, key string) (storage.Object, error) {
	var row objectRow
	err := s.db.Get(ctx, &row, selectObject, engine.Args{"bucket": bucket, "object_key": key})
	return row.record(), engine.OrAbsent(err, "object")
}

// ListObjectItems implements storage.ObjectStore.
func (s *Tree) ListObjectItems(ctx context.Context, bucket, key string, limit int) ([]string, error) {
	var uids []string
	err := s.db.List(ctx, &uids, selectObjectItems, engine.Args{"bucket": bucket, "object_key": key, "limit": limit})
	return uids, err
}
