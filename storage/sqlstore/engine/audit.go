package engine

import (
	"context"
	"encoding/json"

	"github.com/portico-id/portico/storage"
)

// auditRow is an event whose act has no column names of its own.
type auditRow struct {
	storage.AuditEvent
	storage.Act
}

const auditColumns = `at, actor_kind, actor_id, request_id, address, kind, subject, detail`

const selectAuditEvents = `
SELECT id, ` + auditColumns + `
FROM audit_events`

var insertAuditEvent = Insert("audit_events", auditColumns)

func newAuditRow(e storage.AuditEvent) auditRow { return auditRow{e, e.Act} }

func (r auditRow) record() storage.AuditEvent {
	r.AuditEvent.Act = r.Act
	return r.AuditEvent
}

// Detail is what an event says beyond who, when and what: it becomes a JSON
// object, and never holds a secret.
type Detail map[string]any

func (d Detail) text() (string, error) {
	if d == nil {
		return "", nil
	}
	text, err := json.Marshal(d)
	return string(text), err
}

// Audit writes an event as part of the transaction, and keeps the mails of the
// act with it. A nil detail says nothing more.
func (t Tx) Audit(ctx context.Context, act storage.Act, kind, subject string, more Detail) error {
	detail, err := more.text()
	if err != nil {
		return err
	}
	row := newAuditRow(storage.AuditEvent{Act: act, Kind: kind, Subject: subject, Detail: detail})
	if _, err := t.Exec(ctx, insertAuditEvent, row); err != nil {
		return err
	}
	return t.post(ctx, act)
}

// AuditAll is Audit for the same happening to many.
func (t Tx) AuditAll(ctx context.Context, act storage.Act, kind string, subjects []string) error {
	rows := make([]auditRow, len(subjects))
	for i, subject := range subjects {
		rows[i] = newAuditRow(storage.AuditEvent{Act: act, Kind: kind, Subject: subject})
	}
	table, err := TableOf(t, "audit_events", auditColumns, rows)
	if err != nil {
		return err
	}
	if err := t.InsertAll(ctx, table); err != nil {
		return err
	}
	return t.post(ctx, act)
}

// RecordAudit implements storage.AuditStore.
func (s Journal) RecordAudit(ctx context.Context, event storage.AuditEvent) error {
	_, err := s.db.WriteOne(ctx, insertAuditEvent, newAuditRow(event))
	return err
}

// FindAudit implements storage.AuditStore.
func (s Journal) FindAudit(ctx context.Context, id int64) (storage.AuditEvent, error) {
	row, err := Find[auditRow](ctx, s.db, "event", selectAuditEvents+"\nWHERE id = :id", Args{"id": id})
	return row.record(), err
}

// ListAudit implements storage.AuditStore. The cursor is the id of the last
// event of the page before.
func (s Journal) ListAudit(ctx context.Context, filter storage.AuditFilter,
	page storage.PageRequest) ([]storage.AuditEvent, string, error) {
	f := NewFilter()
	for _, is := range []struct{ column, value string }{{"kind", filter.Kind}, {"subject", filter.Subject},
		{"actor_id", filter.ActorID}} {
		if is.value != "" {
			f.Add(is.column + " = " + f.Bind(is.value))
		}
	}
	f.In("kind", filter.Kinds)
	if !filter.Since.IsZero() {
		f.Add("at >= " + f.Bind(filter.Since))
	}
	if !filter.Until.IsZero() {
		f.Add("at < " + f.Bind(filter.Until))
	}
	f.Add("id < :before")
	query := selectAuditEvents + f.Clause() + "\nORDER BY id DESC LIMIT :limit"
	rows, next, err := PageBack(ctx, s.db, page, query, f.Args, func(r auditRow) int64 { return r.ID })
	return Records(rows, auditRow.record), next, err
}
