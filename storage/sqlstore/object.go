package sqlstore

import (
	"bytes"
	"context"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

type objectRow struct {
	Bucket     string  `db:"bucket"`
	ObjectKey  string  `db:"object_key"`
	ProjectID  int64   `db:"project_id"`
	ProjectUID string  `db:"project_uid"`
	HubID      string  `db:"hub_id"`
	Name       string  `db:"name"`
	State      string  `db:"state"`
	Size       int64   `db:"size"`
	SHA256     []byte  `db:"sha256"`
	CreatedAt  instant `db:"created_at"`
	CreatedBy  string  `db:"created_by"`
	StoredAt   instant `db:"stored_at"`
}

const (
	insertObject = `
INSERT INTO objects (bucket, object_key, project_id, name, state, size, created_at, created_by)
VALUES (:bucket, :object_key, :project_id, :name, :state, 0, :created_at, :created_by)
ON CONFLICT DO NOTHING`

	selectObject = `
SELECT o.bucket, o.object_key, o.project_id, p.uid AS project_uid, p.hub_id, o.name, o.state, o.size, o.sha256,
	o.created_at, o.created_by, o.stored_at
FROM objects o JOIN projects p ON p.id = o.project_id
WHERE o.bucket = :bucket AND o.object_key = :object_key`

	storeObject = `
UPDATE objects SET state = 'stored', size = :size, sha256 = :sha256, stored_at = :at
WHERE bucket = :bucket AND object_key = :object_key AND state = 'reserved'`
)

func (r objectRow) record() storage.Object {
	return storage.Object{
		Bucket: r.Bucket, Key: r.ObjectKey, ProjectID: r.ProjectUID, Name: r.Name, State: storage.ObjectState(r.State),
		Size: r.Size, SHA256: r.SHA256, CreatedAt: r.CreatedAt.Time, CreatedBy: r.CreatedBy, StoredAt: r.StoredAt.Time,
	}
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
	arg := args{"bucket": bucket, "object_key": key, "size": size, "sha256": sha256, "at": at(change.At)}
	return s.write(ctx, func(tx tx) error {
		n, err := tx.exec(ctx, storeObject, arg)
		if err != nil {
			return err
		}
		var object objectRow
		if err := tx.get(ctx, &object, selectObject, arg); err != nil {
			return orAbsentRow(err, "object")
		}
		if n == 0 {
			return sameBytes(object, size, sha256)
		}
		place := where{subject: bucket + "/" + key, hub: object.HubID, project: object.ProjectUID}
		return tx.tell(ctx, change, storage.EventObjectStored, place, detail{"size": size})
	})
}

func sameBytes(object objectRow, size int64, sha256 []byte) error {
	if object.Size == size && bytes.Equal(object.SHA256, sha256) {
		return nil
	}
	return fault.New(fault.Conflict, "", "Other bytes are stored under this key already.")
}

// FindObject implements storage.ObjectStore.
func (s *Store) FindObject(ctx context.Context, bucket, key string) (storage.Object, error) {
	var row objectRow
	err := s.reader.get(ctx, &row, selectObject, args{"bucket": bucket, "object_key": key})
	return row.record(), orAbsent(err, "object")
}
