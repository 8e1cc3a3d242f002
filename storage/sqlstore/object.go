package sqlstore

import (
	"bytes"
	"context"
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

type objectRow struct {
	ID           int64   `db:"id"`
	Bucket       string  `db:"bucket"`
	ObjectKey    string  `db:"object_key"`
	ProjectID    int64   `db:"project_id"`
	ProjectUID   string  `db:"project_uid"`
	HubID        string  `db:"hub_id"`
	Name         string  `db:"name"`
	TargetFolder string  `db:"target_folder"`
	TargetItem   string  `db:"target_item"`
	State        string  `db:"state"`
	Blob         string  `db:"blob"`
	Size         int64   `db:"size"`
	SHA256       []byte  `db:"sha256"`
	SHA1         []byte  `db:"sha1"`
	MimeType     string  `db:"mime_type"`
	CreatedAt    instant `db:"created_at"`
	CreatedBy    string  `db:"created_by"`
	StoredAt     instant `db:"stored_at"`
	Scan         string  `db:"scan"`
	Finding      string  `db:"finding"`
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
func (r objectRow) place() where {
	return where{subject: r.Bucket + "/" + r.ObjectKey, hub: r.HubID, project: r.ProjectUID}
}

// ReserveObject implements storage.ObjectStore.
func (s *Store) ReserveObject(ctx context.Context, change storage.Change, object storage.Object) error {
	return s.inOpenProject(ctx, object.ProjectID, together, func(tx tx, project projectRow) error {
		if err := tx.once(ctx, change, object.Bucket+"/"+object.Key); err != nil {
			return err
		}
		taken := fault.New(fault.Conflict, "", "There is an object with this key already.")
		err := tx.execOne(ctx, taken, insertObject, objectRow{
			Bucket: object.Bucket, ObjectKey: object.Key, ProjectID: project.ID, Name: object.Name,
			TargetFolder: object.Target.FolderID, TargetItem: object.Target.ItemID,
			State: string(storage.ObjectReserved), CreatedAt: at(change.At), CreatedBy: change.Caller.UserID,
		})
		if err != nil {
			return err
		}
		return tx.tell(ctx, change, storage.EventObjectMade, project.about(object.Bucket+"/"+object.Key, ""), nil)
	})
}

// StoreObject implements storage.ObjectStore.
func (s *Store) StoreObject(ctx context.Context, change storage.Change, bucket, key string, size int64, sha256 []byte) error {
	_, err := s.StoreBytes(ctx, change, bucket, key, storage.Bytes{Size: size, SHA256: sha256})
	return err
}

// StoreBytes implements storage.ObjectStore.
func (s *Store) StoreBytes(ctx context.Context, change storage.Change, bucket, key string, bytes storage.Bytes) (storage.Object, error) {
	var done objectRow
	err := s.withObject(ctx, bucket, key, func(tx tx, object objectRow) error {
		n, err := tx.exec(ctx, storeObject, args{
			"id": object.ID, "blob": bytes.Blob, "size": bytes.Size, "sha256": bytes.SHA256, "sha1": bytes.SHA1,
			"mime_type": bytes.MimeType, "at": at(change.At), "scan": string(bytes.Scan), "scan_due": scanDue(bytes.Scan, change.At),
		})
		if err != nil {
			return err
		}
		if err := tx.get(ctx, &done, selectObject, args{"bucket": bucket, "object_key": key}); err != nil {
			return orAbsentRow(err, "object")
		}
		if n == 0 {
			return sameBytes(done, bytes)
		}
		if err := tx.use(ctx, object.ProjectID, bytes.Size); err != nil {
			return err
		}
		if _, err := tx.exec(ctx, deleteUploads, args{"id": object.ID}); err != nil {
			return err
		}
		return tx.tell(ctx, change, storage.EventObjectStored, object.place(), detail{"size": bytes.Size})
	})
	return done.record(), err
}

// scanDue is when the bytes are to be looked at: at once, or never.
func scanDue(scan storage.ScanState, now time.Time) instant {
	if scan != storage.ScanPending {
		return instant{}
	}
	return at(now)
}

// withObject runs an act on an object in its project, which must be open.
func (s *Store) withObject(ctx context.Context, bucket, key string, act func(tx, objectRow) error) error {
	var object objectRow
	err := s.reader.get(ctx, &object, selectObject, args{"bucket": bucket, "object_key": key})
	if err != nil {
		return orAbsent(err, "object")
	}
	return s.inOpenProject(ctx, object.ProjectUID, together, func(tx tx, _ projectRow) error { return act(tx, object) })
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
func (s *Store) FindObject(ctx context.Context, bucket, key string) (storage.Object, error) {
	var row objectRow
	err := s.reader.get(ctx, &row, selectObject, args{"bucket": bucket, "object_key": key})
	return row.record(), orAbsent(err, "object")
}

// ListObjectItems implements storage.ObjectStore.
func (s *Store) ListObjectItems(ctx context.Context, bucket, key string, limit int) ([]string, error) {
	var uids []string
	err := s.reader.list(ctx, &uids, selectObjectItems, args{"bucket": bucket, "object_key": key, "limit": limit})
	return uids, err
}
