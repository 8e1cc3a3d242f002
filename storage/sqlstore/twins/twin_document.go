package twins

import (
	"cmp"
	"context"
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
)

type documentRow struct {
	ID, FacilityID   int64
	UID, FacilityUID string
	storage.TwinDocument
}

const (
	documentColumns = `uid, facility_id, created_at, source_item=source_item_id, ` + ownDocumentColumns

	// What is other when a document is changed.
	ownDocumentColumns = `name, label, content_type, size, sha256, blob, revision, updated_at, source_hub=source_hub_id,
	source_project=source_project_id, source_version, newest, policy, state, reason, by_client=by_client_id, by_user=by_user_id,
	by_on_behalf, due_at`

	deleteDocument = `
DELETE FROM twin_documents WHERE id = :id`

	insertBlob = `
INSERT INTO twin_blobs (blob, noted_at) VALUES (:blob, :at) ON CONFLICT DO NOTHING`

	deleteBlob = `
DELETE FROM twin_blobs WHERE blob = :blob`
)

var (
	insertDocument = engine.Insert("twin_documents", documentColumns)

	updateDocument = `
UPDATE twin_documents SET ` + engine.Assign(ownDocumentColumns) + `
WHERE id = :id`

	selectDocuments = `
SELECT d.id, t.uid AS facility_uid, ` + engine.InTable("d", documentColumns) + `
FROM twin_documents d JOIN facilities t ON t.id = d.facility_id`

	selectDocument = selectDocuments + `
WHERE t.uid = :facility_uid AND d.uid = :uid`

	// What makes documents due does so without the facility's lock.
	lockDocument = selectDocument + `
FOR UPDATE OF d`

	selectDocumentOf = selectDocuments + `
WHERE t.uid = :facility_uid AND d.source_item = :source_item
FOR UPDATE OF d`
)

func newDocumentRow(d storage.TwinDocument) documentRow {
	return documentRow{UID: d.ID, TwinDocument: d}
}

func (r documentRow) record() storage.TwinDocument {
	r.TwinDocument.ID, r.TwinDocument.FacilityID = r.UID, r.FacilityUID
	return r.TwinDocument
}

// ImportDocument implements storage.DocumentStore.
func (s *Twins) ImportDocument(ctx context.Context, change storage.Change,
	document storage.TwinDocument) (storage.TwinDocument, storage.Imported, error) {
	var done storage.TwinDocument
	var what storage.Imported
	err := s.inFacility(ctx, document.FacilityID, func(tx tx, facility facilityRow) error {
		var was documentRow
		err := tx.Get(ctx, &was, selectDocumentOf,
			engine.Args{"facility_uid": facility.UID, "source_item": document.Source.ItemID})
		row := newDocumentRow(document)
		row.FacilityID, row.FacilityUID, row.DueAt = facility.ID, facility.UID, change.At
		switch {
		case engine.IsNoRow(err):
			what = storage.ImportedNew
			err = tx.addDocument(ctx, change, facility, row)
		case err != nil:
		case was.Source.Version > row.Source.Version:
			err = fault.Newf(fault.Conflict, storage.ReasonOlderVersion,
				"The facility has version %d of this file already.", was.Source.Version)
		case was.Source.Version == row.Source.Version:
			what = storage.ImportedAlready
			row, err = tx.adoptDocument(ctx, change, was, document.By)
		default:
			what = storage.ImportedNewer
			row, err = tx.replaceDocument(ctx, change, facility, was, row)
		}
		done = row.record()
		return err
	})
	return done, what, err
}

// adoptDocument lets a document whose original is closed to who imported it
// follow it for somebody to whom it is open.
func (t tx) adoptDocument(ctx context.Context, change storage.Change, row documentRow,
	by storage.Caller) (documentRow, error) {
	if row.State != storage.DocumentOrphaned {
		return row, nil
	}
	row.By, row.DueAt = by, change.At
	_, err := t.Exec(ctx, updateDocument, row)
	return row, err
}

func (t tx) addDocument(ctx context.Context, change storage.Change, facility facilityRow, row documentRow) error {
	if _, err := t.Exec(ctx, insertDocument, row); err != nil {
		return err
	}
	if _, err := t.Exec(ctx, deleteBlob, engine.Args{"blob": row.Blob}); err != nil {
		return err
	}
	return t.Tell(ctx, change, storage.EventDocumentImported, facility.event(),
		engine.Detail{"document": row.UID, "name": row.Name, "version": row.Source.Version})
}

// replaceDocument gives a document the bytes and the rest of another, except its
// identity. Its own bytes are noted: somebody may be reading them.
func (t tx) replaceDocument(ctx context.Context, change storage.Change, facility facilityRow, was,
	row documentRow) (documentRow, error) {
	row.ID, row.UID, row.CreatedAt, row.Revision, row.DueAt = was.ID, was.UID, was.CreatedAt, was.Revision+1, change.At
	row.Label = cmp.Or(row.Label, was.Label)
	if _, err := t.Exec(ctx, updateDocument, row); err != nil {
		return row, err
	}
	if _, err := t.Exec(ctx, deleteBlob, engine.Args{"blob": row.Blob}); err != nil {
		return row, err
	}
	if _, err := t.Exec(ctx, insertBlob, engine.Args{"blob": was.Blob, "at": change.At}); err != nil {
		return row, err
	}
	return row, t.Tell(ctx, change, storage.EventDocumentUpdated, facility.event(),
		engine.Detail{"document": row.UID, "version": row.Source.Version})
}

// inDocument runs an act on a document of a facility.
func (s *Twins) inDocument(ctx context.Context, facilityUID, uid string,
	act func(tx, facilityRow, documentRow) error) error {
	return s.inFacility(ctx, facilityUID, func(tx tx, facility facilityRow) error {
		var row documentRow
		if err := tx.Get(ctx, &row, lockDocument, engine.Args{"facility_uid": facilityUID, "uid": uid}); err != nil {
			return engine.OrAbsentRow(err, "document")
		}
		return act(tx, facility, row)
	})
}

// RefreshDocument implements storage.DocumentStore.
func (s *Twins) RefreshDocument(ctx context.Context, change storage.Change, document storage.TwinDocument) error {
	return s.inDocument(ctx, document.FacilityID, document.ID, func(tx tx, facility facilityRow, was documentRow) error {
		if was.Revision != document.Revision || was.Policy != document.Policy {
			return fault.New(fault.Conflict, storage.ReasonDocumentMoved, "The document has other bytes by now, or another policy.")
		}
		row := newDocumentRow(document)
		row.Name, row.Label, row.State, row.Reason = was.Name, was.Label, storage.DocumentReady, ""
		_, err := tx.replaceDocument(ctx, change, facility, was, row)
		return err
	})
}

// SetDocumentState implements storage.DocumentStore.
func (s *Twins) SetDocumentState(ctx context.Context, change storage.Change, document storage.TwinDocument) error {
	return s.inDocument(ctx, document.FacilityID, document.ID, func(tx tx, facility facilityRow, row documentRow) error {
		if row.Revision != document.Revision {
			return nil
		}
		same := row.State == document.State && row.Newest == document.Newest && row.Reason == document.Reason
		asSeen := row.DueAt.Equal(document.DueAt)
		if same && (row.DueAt.IsZero() || !asSeen) {
			return nil
		}
		row.State, row.Newest, row.Reason = document.State, document.Newest, document.Reason
		if asSeen {
			row.DueAt = time.Time{}
		}
		if _, err := tx.Exec(ctx, updateDocument, row); err != nil || same {
			return err
		}
		return tx.Tell(ctx, change, storage.EventDocumentState, facility.event(),
			engine.Detail{"document": row.UID, "state": row.State, "newest": row.Newest})
	})
}

// UpdateDocument implements storage.DocumentStore.
func (s *Twins) UpdateDocument(ctx context.Context, change storage.Change, facilityID, documentID string,
	patch storage.DocumentPatch) (storage.TwinDocument, error) {
	var done storage.TwinDocument
	err := s.inDocument(ctx, facilityID, documentID, func(tx tx, facility facilityRow, row documentRow) error {
		was := row
		if patch.Name != nil {
			row.Name = *patch.Name
		}
		if patch.Label != nil {
			row.Label = *patch.Label
		}
		if patch.Policy != nil && row.Policy != *patch.Policy {
			row.Policy, row.DueAt = *patch.Policy, change.At
		}
		done = row.record()
		if row.Name == was.Name && row.Label == was.Label && row.Policy == was.Policy {
			return nil
		}
		if _, err := tx.Exec(ctx, updateDocument, row); err != nil {
			return err
		}
		return tx.Tell(ctx, change, storage.EventDocumentChanged, facility.event(), engine.Detail{"document": row.UID})
	})
	return done, err
}

// DeleteDocument implements storage.DocumentStore.
func (s *Twins) DeleteDocument(ctx context.Context, change storage.Change, facilityID,
	documentID string) ([]storage.DocumentUse, error) {
	var uses []storage.DocumentUse
	err := s.inDocument(ctx, facilityID, documentID, func(tx tx, facility facilityRow, row documentRow) error {
		var found []useRow
		if err := tx.List(ctx, &found, selectUsesOf,
			engine.Args{"facility_uid": facilityID, "uid": documentID, "limit": storage.MaxPage}); err != nil {
			return err
		}
		uses = engine.Records(found, useRow.record)
		if _, err := tx.Exec(ctx, deleteDocument, engine.Args{"id": row.ID}); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, insertBlob, engine.Args{"blob": row.Blob, "at": change.At}); err != nil {
			return err
		}
		return tx.Tell(ctx, change, storage.EventDocumentDeleted, facility.event(),
			engine.Detail{"document": row.UID, "name": row.Name})
	})
	return uses, err
}

// FindDocument implements storage.DocumentStore.
func (s *Twins) FindDocument(ctx context.Context, facilityID, documentID string) (storage.TwinDocument, error) {
	row, err := engine.Find[documentRow](ctx, s.db, "document", selectDocument,
		engine.Args{"facility_uid": facilityID, "uid": documentID})
	return row.record(), err
}

// ListDocuments implements storage.DocumentStore. The cursor is the id of the
// last one.
func (s *Twins) ListDocuments(ctx context.Context, facilityID string, query storage.DocumentQuery,
	page storage.PageRequest) ([]storage.TwinDocument, string, error) {
	f := engine.NewFilter()
	narrowDocuments(f, facilityID, query)
	rows, next, err := engine.PageByNumber(ctx, s.db, page, selectDocuments, f, "d.id",
		func(r documentRow) int64 { return r.ID })
	return engine.Records(rows, documentRow.record), next, err
}

// ListAllDocuments implements storage.DocumentStore. The cursor is the id of the
// last one.
func (s *Twins) ListAllDocuments(ctx context.Context,
	page storage.PageRequest) ([]storage.TwinDocument, string, error) {
	rows, next, err := engine.PageByNumber(ctx, s.db, page, selectDocuments, engine.NewFilter(), "d.id",
		func(r documentRow) int64 { return r.ID })
	return engine.Records(rows, documentRow.record), next, err
}

// narrowDocuments keeps those that a query of documents d wants.
func narrowDocuments(f *engine.Filter, facilityID string, query storage.DocumentQuery) {
	f.Add("t.uid = " + f.Bind(facilityID))
	if query.States != nil {
		states := make([]string, len(query.States))
		for i, state := range query.States {
			states[i] = string(state)
		}
		f.In("d.state", states)
	}
	if query.SourceID != "" {
		f.Add("d.source_item = " + f.Bind(query.SourceID))
	}
	if query.Key == "" {
		return
	}
	model := ""
	if query.ModelID != "" {
		model = " AND m.uid = " + f.Bind(query.ModelID)
	}
	f.Add(`d.uid IN (SELECT v.document_uid FROM twin_models m JOIN elements e ON e.model_id = m.id AND e.present
	JOIN element_values v ON v.element_id = e.id
	WHERE m.facility_id = t.id AND e.element_key = ` + f.Bind(query.Key) + model + `)`)
}
