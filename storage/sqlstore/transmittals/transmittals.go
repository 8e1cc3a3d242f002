// Package transmittals is the room of the store for what was sent to people of a
// project, and who has fetched it.
//
// The versions themselves are of the room tree. Start at Transmittals.
package transmittals

import (
	"context"
	"encoding/hex"
	"strconv"

	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
	"github.com/portico-id/portico/storage/sqlstore/hubs"
)

// Transmittals keeps what was sent.
type Transmittals struct{ db *engine.DB }

// New returns the room in a database.
func New(db *engine.DB) *Transmittals { return &Transmittals{db} }

// sentRow is a transmittal with the keys of the tables.
type sentRow struct {
	ID         int64
	ProjectKey int64
	storage.Transmittal
}

// versionRow is a version that is sent.
type versionRow struct {
	ExtensionData string
	Sum           []byte
	Path          string // of the folder
	Shown         bool   // neither the item nor its folder is hidden
	storage.SentVersion
}

const (
	columns = `number, title, message, sent_at, sent_by, versions, sent_to=to, size`

	versionColumns = `item_uid=item_id, number, name, size, sha256, state, suitability, revision`

	// Who sends waits here, so that numbers have no gap and no repetition; and only then looks at
	// rights, so that what they rest on is as it is when it is sent.
	lockProject = `
SELECT uid FROM projects WHERE id = :id
FOR NO KEY UPDATE`

	selectLast = `
SELECT coalesce(max(number), 0) FROM transmittals WHERE project_id = :project_id`

	insertVersions = `
INSERT INTO transmittal_versions (transmittal_id, place, item_uid, number, name, size, sha256, state, suitability, revision) %s`

	insertPeople = `
INSERT INTO transmittal_people (transmittal_id, user_id, through) %s`

	// What is sent, in the order in which it was named.
	selectVersions = `
WITH n (place, item_uid, number, project_id) AS (%s)
SELECT n.item_uid AS item_id, v.number, v.name, v.size, o.sha256 AS sum, v.extension_data, fp.path,
	fp.visible AND NOT i.hidden AS shown
FROM n JOIN items i ON i.uid = n.item_uid AND i.project_id = n.project_id
	JOIN folder_paths fp ON fp.folder_id = i.folder_id
	JOIN versions v ON v.item_id = i.id AND v.number = n.number
	LEFT JOIN objects o ON o.id = v.object_id
ORDER BY n.place`
)

var insertSent = engine.Insert("transmittals", "project_id=project_key, "+columns) + `
RETURNING id`

// SendTransmittal implements storage.TransmittalStore.
func (s *Transmittals) SendTransmittal(ctx context.Context, change storage.Change, projectID string,
	sent storage.NewTransmittal, letters func(number int) []storage.Mail) (storage.Transmittal, error) {
	var done storage.Transmittal
	err := hubs.InOpenProject(ctx, s.db, projectID, hubs.Together, func(t hubs.Tx, project hubs.ProjectRow) error {
		row := sentRow{ProjectKey: project.ID, Transmittal: storage.Transmittal{Title: sent.Title, Message: sent.Message,
			SentAt: change.At, SentBy: change.Caller.UserID, Versions: len(sent.Versions), To: len(sent.To)}}
		if err := waitIn(ctx, t, project.ID); err != nil {
			return err
		}
		versions, err := look(ctx, t, project, sent.Versions)
		if err == nil {
			err = stillMay(ctx, t, project, change.Caller, sent, versions)
		}
		if err != nil {
			return err
		}
		for _, v := range versions {
			row.Size += v.Size
		}
		if err := number(ctx, t, &row); err != nil {
			return err
		}
		if err := fill(ctx, t, row.ID, versions, sent.To); err != nil {
			return err
		}
		done = row.Transmittal
		told := change
		told.Mails = append(told.Mails[:len(told.Mails):len(told.Mails)], letters(row.Number)...)
		to := make([]string, len(sent.To))
		for i, person := range sent.To {
			to[i] = person.UserID
		}
		return t.Tell(ctx, told, storage.EventTransmittalSent, project.About(strconv.Itoa(row.Number), ""),
			engine.Detail{"title": row.Title, "versions": row.Versions, "to": to})
	})
	return done, err
}

func waitIn(ctx context.Context, t hubs.Tx, projectKey int64) error {
	var uid string
	return engine.OrAbsentRow(t.Get(ctx, &uid, lockProject, engine.Args{"id": projectKey}), "project")
}

// number adds the transmittal under the next number.
func number(ctx context.Context, t hubs.Tx, row *sentRow) error {
	if err := t.Get(ctx, &row.Number, selectLast, engine.Args{"project_id": row.ProjectKey}); err != nil {
		return err
	}
	row.Number++
	return t.Get(ctx, &row.ID, insertSent, row)
}

// look returns the versions as they are at the moment.
func look(ctx context.Context, t hubs.Tx, project hubs.ProjectRow, refs []storage.VersionRef) ([]versionRow, error) {
	rows := make([][]any, len(refs))
	for i, ref := range refs {
		rows[i] = []any{int64(i), ref.ItemID, int64(ref.Number), project.ID}
	}
	var found []versionRow
	err := engine.ListRows(ctx, t, &found, selectVersions, rows)
	if err == nil && len(found) != len(refs) {
		err = engine.Absent("version")
	}
	for i := range found {
		found[i].SHA256 = hex.EncodeToString(found[i].Sum)
		found[i].VersionState = storage.StateOf(storage.Extension{Data: found[i].ExtensionData})
	}
	return found, err
}

// fill adds what is in it, and for whom it is.
func fill(ctx context.Context, t hubs.Tx, id int64, versions []versionRow, to []storage.SentTo) error {
	rows := make([][]any, len(versions))
	for i, v := range versions {
		rows[i] = []any{id, int64(i), v.ItemID, int64(v.VersionRef.Number), v.Name, v.Size, v.SHA256,
			v.State, v.Suitability, v.Revision}
	}
	if err := t.ExecRows(ctx, insertVersions, rows); err != nil {
		return err
	}
	people := make([][]any, len(to))
	for i, person := range to {
		people[i] = []any{id, person.UserID, person.Group}
	}
	return t.ExecRows(ctx, insertPeople, people)
}
