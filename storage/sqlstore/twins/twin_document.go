package twins

import (
	"context"
	"strconv"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
)

type documentRow struct {
	ID            int64          `db:"id"`
	UID           string         `db:"uid"`
	FacilityID    int64          `db:"facility_id"`
	FacilityUID   string         `db:"facility_uid"`
	Name          string         `db:"name"`
	Label         string         `db:"label"`
	ContentType   string         `db:"content_type"`
	Size          int64          `db:"size"`
	SHA256        []byte         `db:"sha256"`
	Blob          string         `db:"blob"`
	Revision      int            `db:"revision"`
	CreatedAt     engine.Instant `db:"created_at"`
	UpdatedAt     engine.Instant `db:"updated_at"`
	SourceHub     string         `db:"source_hub"`
	SourceProject string         `db:"source_project"`
	SourceItem    string         `db:"source_item"`
	SourceVersion int            `db:"source_version"`
	Newest        int            `db:"newest"`
	Policy        string         `db:"policy"`
	State         string         `db:"state"`
	Reason        string         `db:"reason"`
	ByClient      string         `db:"by_client"`
	ByUser        string         `db:"by_user"`
	ByOnBehalf    bool           `db:"by_on_behalf"`
	DueAt         engine.Instant `db:"due_at"`
}

const (
	selectDocuments = `
SELECT d.id, d.uid, d.facility_id, t.uid AS facility_uid, d.name, d.label, d.content_type, d.size, d.sha256, d.blob, d.revision,
	d.created_at, d.updated_at, d.source_hub, d.source_project, d.source_item, d.source_version, d.newest, d.policy, d.state, d.reason,
	d.by_client, d.by_user, d.by_on_behalf, d.due_at
FROM twin_documents d JOIN facilities t ON t.id = d.facility_id`

	selectDocument = selectDocuments + `
WHERE t.uid = :facility_uid AND d.uid = :uid`

	// What makes documents due does so without the facility's lock.
	lockDocument = selectDocument + `
FOR UPDATE OF d`

	selectDocumentOf = selectDocuments + `
WHERE t.uid = :facility_uid AND d.source_item = :source_item
FOR UPDATE OF d`

	insertDocument = `
INSERT INTO twin_documents (uid, facility_id, name, label, content_type, size, sha256, blob, revision, created_at, updated_at,
	source_hub, source_project, source_item, source_version, newest, policy, state, reason, by_client, by_user, by_on_behalf, due_at)
VALUES (:uid, :facility_id, :name, :label, :content_type, :size, :sha256, :blob, :revision, :created_at, :updated_at,
	:source_hub, :source_project, :source_item, :source_version, :newest, :policy, :state, :reason, :by_client, :by_user, :by_on_behalf, :due_at)`

	updateDocument = `
UPDATE twin_documents SET name = :name, label = :label, content_type = :content_type, size = :size, sha256 = :sha256, blob = :blob,
	revision = :revision, updated_at = :updated_at, source_hub = :source_hub, source_project = :source_project,
	source_version = :source_version, newest = :newest, policy = :policy, state = :state, reason = :reason,
	by_client = :by_client, by_user = :by_user, by_on_behalf = :by_on_behalf, due_at = :due_at
WHERE id = :id`

	deleteDocument = `
DELETE FROM twin_documents WHERE id = :id`

	insertBlob = `
INSERT INTO twin_blobs (blob, noted_at) VALUES (:blob, :at) ON CONFLICT DO NOTHING`

	deleteBlob = `
DELETE FROM twin_blobs WHERE blob = :blob`
)

func newDocumentRow(d storage.TwinDocument) documentRow {
	return documentRow{
		UID: d.ID, Name: d.Name, Label: d.Label, ContentType: d.ContentType, Size: d.Size, SHA256: d.SHA256, Blob: d.Blob,
		Revision: d.Revision, CreatedAt: engine.At(d.CreatedAt), UpdatedAt: engine.At(d.UpdatedAt),
		SourceHub: d.Source.HubID, SourceProject: d.Source.ProjectID, SourceItem: d.Source.ItemID, SourceVersion: d.Source.Version,
		Newest: d.Newest, Policy: string(d.Policy), State: string(d.State), Reason: d.Reason,
		ByClient: d.By.ClientID, ByUser: d.By.UserID, ByOnBehalf: d.By.OnBehalf,
	}
}

func (r documentRow) record() storage.TwinDocument {
	return storage.TwinDocument{
		ID: r.UID, FacilityID: r.FacilityUID, Name: r.Name, Label: r.Label, ContentType: r.ContentType,
		Blob: r.Blob, Size: r.Size, SHA256: r.SHA256, Revision: r.Revision, CreatedAt: r.CreatedAt.Time, UpdatedAt: r.UpdatedAt.Time,
		Source: storage.TwinSource{HubID: r.SourceHub, ProjectID: r.SourceProject, ItemID: r.SourceItem, Version: r.SourceVersion},
		Newest: r.Newest, Policy: storage.DocumentPolicy(r.Policy), State: storage.DocumentState(r.State), Reason: r.Reason,
		By: storage.Caller{ClientID: r.ByClient, UserID: r.ByUser, OnBehalf: r.ByOnBehalf}, DueAt: r.DueAt.Time,
	}
}

// ImportDocument implements storage.DocumentStore.
func (s *Twins) ImportDocument(ctx context.Context, change storage.Change, document storage.TwinDocument) (storage.TwinDocument, storage.Imported, error) {
	var done storage.TwinDocument
	var what storage.Imported
	err := s.inFacility(ctx, document.FacilityID, func(tx tx, facility facilityRow) error {
		var was documentRow
		err := tx.Get(ctx, &was, selectDocumentOf, engine.Args{"facility_uid": facility.UID, "source_item": document.Source.ItemID})
		row := newDocumentRow(document)
		row.FacilityID, row.FacilityUID, row.DueAt = facility.ID, facility.UID, engine.At(change.At)
		switch {
		case engine.IsNoRow(err):
			what = storage.ImportedNew
			err = tx.addDocument(ctx, change, facility, row)
		case err != nil:
		case was.SourceVersion > row.SourceVersion:
			err = fault.Newf(fault.Conflict, storage.ReasonOlderVersion, "The facility has version %d of this file already.", was.SourceVersion)
		case was.SourceVersion == row.SourceVersion:
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
func (t tx) adoptDocument(ctx context.Context, change storage.Change, row documentRow, by storage.Caller) (documentRow, error) {
	if row.State != string(storage.DocumentOrphaned) {
		return row, nil
	}
	row.ByClient, row.ByUser, row.ByOnBehalf, row.DueAt = by.ClientID, by.UserID, by.OnBehalf, engine.At(change.At)
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
		engine.Detail{"document": row.UID, "name": row.Name, "version": row.SourceVersion})
}

// replaceDocument gives a document the bytes and the rest of another, except its
// identity. Its own bytes are noted: somebody may be reading them.
func (t tx) replaceDocument(ctx context.Context, change storage.Change, facility facilityRow, was, row documentRow) (documentRow, error) {
	row.ID, row.UID, row.CreatedAt, row.Revision, row.DueAt = was.ID, was.UID, was.CreatedAt, was.Revision+1, engine.At(change.At)
	if row.Label == "" {
		row.Label = was.Label
	}
	if _, err := t.Exec(ctx, updateDocument, row); err != nil {
		return row, err
	}
	if _, err := t.Exec(ctx, deleteBlob, engine.Args{"blob": row.Blob}); err != nil {
		return row, err
	}
	if _, err := t.Exec(ctx, insertBlob, engine.Args{"blob": was.Blob, "at": engine.At(change.At)}); err != nil {
		return row, err
	}
	return row, t.Tell(ctx, change, storage.EventDocumentUpdated, facility.event(), engine.Detail{"document": row.UID, "version": row.SourceVersion})
}

// inDocument runs an act on a document of a facility.
func (s *Twins) inDocument(ctx context.Context, facilityUID, uid string, act func(tx, facilityRow, documentRow) error) error {
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
		if was.Revision != document.Revision {
			return fault.New(fault.Conflict, storage.ReasonDocumentMoved, "The document has other bytes by now.")
		}
		row := newDocumentRow(document)
		row.Name, row.Label, row.Policy, row.State, row.Reason = was.Name, was.Label, was.Policy, string(storage.DocumentReady), ""
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
		same := row.State == string(document.State) && row.Newest == document.Newest && row.Reason == document.Reason
		asSeen := row.DueAt.Equal(document.DueAt)
		if same && (row.DueAt.IsZero() || !asSeen) {
			return nil
		}
		row.State, row.Newest, row.Reason = string(document.State), document.Newest, document.Reason
		if asSeen {
			row.DueAt = engine.Instant{}
		}
		if _, err := tx.Exec(ctx, updateDocument, row); err != nil || same {
			return err
		}
		return tx.Tell(ctx, change, storage.EventDocumentState, facility.event(),
			engine.Detail{"document": row.UID, "state": row.State, "newest": row.Newest})
	})
}

// UpdateDocument implements storage.DocumentStore.
func (s *Twins) UpdateDocument(ctx context.Context, change storage.Change, facilityID, documentID string, patch storage.DocumentPatch) (storage.TwinDocument, error) {
	var done storage.TwinDocument
	err := s.inDocument(ctx, facilityID, documentID, func(tx tx, facility facilityRow, row documentRow) error {
		was := row
		if patch.Name != nil {
			row.Name = *patch.Name
		}
		if patch.Label != nil {
			row.Label = *patch.Label
		}
		if patch.Policy != nil && row.Policy != string(*patch.Policy) {
			row.Policy, row.DueAt = string(*patch.Policy), engine.At(change.At)
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
func (s *Twins) DeleteDocument(ctx context.Context, change storage.Change, facilityID, documentID string) ([]storage.DocumentUse, error) {
	var uses []storage.DocumentUse
	err := s.inDocument(ctx, facilityID, documentID, func(tx tx, facility facilityRow, row documentRow) error {
		var found []useRow
		if err := tx.List(ctx, &found, selectUsesOf, engine.Args{"facility_uid": facilityID, "uid": documentID, "limit": storage.MaxPage}); err != nil {
			return err
		}
		uses = engine.Records(found, useRow.record)
		if _, err := tx.Exec(ctx, deleteDocument, engine.Args{"id": row.ID}); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, insertBlob, engine.Args{"blob": row.Blob, "at": engine.At(change.At)}); err != nil {
			return err
		}
		return tx.Tell(ctx, change, storage.EventDocumentDeleted, facility.event(), engine.Detail{"document": row.UID, "name": row.Name})
	})
	return uses, err
}

// FindDocument implements storage.DocumentStore.
func (s *Twins) FindDocument(ctx context.Context, facilityID, documentID string) (storage.TwinDocument, error) {
	var row documentRow
	err := s.db.Get(ctx, &row, selectDocument, engine.Args{"facility_uid": facilityID, "uid": documentID})
	return row.record(), engine.OrAbsent(err, "document")
}

// ListDocuments implements storage.DocumentStore. The cursor is the id of the
// last one.
func (s *Twins) ListDocuments(ctx context.Context, facilityID string, query storage.DocumentQuery, page storage.PageRequest) ([]storage.TwinDocument, string, error) {
	limit, err := engine.PageLimit(page)
	if err != nil {
		return nil, "", err
	}
	f := engine.NewFilter()
	narrowDocuments(f, facilityID, query)
	if page.After != "" {
		after, err := engine.ParseNumber(page.After)
		if err != nil {
			return nil, "", err
		}
		f.Add("d.id > " + f.Bind(after))
	}
	var rows []documentRow
	text := selectDocuments + f.Clause() + "\nORDER BY d.id LIMIT " + f.Bind(limit+1)
	if err := s.db.List(ctx, &rows, text, f.Args); err != nil {
		return nil, "", engine.AsFault(err)
	}
	rows, next := engine.CutPage(rows, limit, func(r documentRow) string { return strconv.FormatInt(r.ID, 10) })
	return engine.Records(rows, documentRow.record), next, nil
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
