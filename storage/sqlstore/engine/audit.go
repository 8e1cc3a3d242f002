package engine

import (
	"context"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

type auditRow struct {
	ID        int64   `db:"id"`
	At        Instant `db:"at"`
	ActorKind string  `db:"actor_kind"`
	ActorID   string  `db:"actor_id"`
	RequestID string  `db:"request_id"`
	Address   string  `db:"address"`
	Kind      string  `db:"kind"`
	Subject   string  `db:"subject"`
	Detail    string  `db:"detail"`
}

const (
	insertAuditEvent = `
INSERT INTO audit_events (at, actor_kind, actor_id, request_id, address, kind, subject, detail)
VALUES (:at, :actor_kind, :actor_id, :request_id, :address, :kind, :subject, :detail)`

	selectAuditEvents = `
SELECT id, at, actor_kind, actor_id, request_id, address, kind, subject, detail
FROM audit_events`
)

func newAuditRow(e storage.AuditEvent) auditRow {
	return auditRow{
		At: At(e.Act.At), ActorKind: string(e.Act.Actor.Kind), ActorID: e.Act.Actor.ID,
		RequestID: e.Act.RequestID, Address: e.Act.Address,
		Kind: e.Kind, Subject: e.Subject, Detail: e.Detail,
	}
}

func (r auditRow) record() storage.AuditEvent {
	return storage.AuditEvent{
		ID: r.ID,
		Act: storage.Act{
			At: r.At.Time, Actor: storage.Actor{Kind: storage.ActorKind(r.ActorKind), ID: r.ActorID},
			RequestID: r.RequestID, Address: r.Address,
		},
		Kind: r.Kind, Subject: r.Subject, Detail: r.Detail,
	}
}

// Detail is what an event says beyond who, when and what: it becomes a JSON
// object, and never holds a secret.
type Detail map[string]any

// Audit writes an event as part of the transaction, and keeps the mails of the
// act with it. A nil detail says nothing more.
func (t Tx) Audit(ctx context.Context, act storage.Act, kind, subject string, more Detail) error {
	event := storage.AuditEvent{Act: act, Kind: kind, Subject: subject}
	if more != nil {
		text, err := json.Marshal(more)
		if err != nil {
			return err
		}
		event.Detail = string(text)
	}
	if _, err := t.Exec(ctx, insertAuditEvent, newAuditRow(event)); err != nil {
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
	var row auditRow
	err := s.db.Get(ctx, &row, selectAuditEvents+"\nWHERE id = :id", Args{"id": id})
	return row.record(), OrAbsent(err, "event")
}

// ListAudit implements storage.AuditStore. The cursor is the id of the last
// event of the page before.
func (s Journal) ListAudit(ctx context.Context, filter storage.AuditFilter, page storage.PageRequest) ([]storage.AuditEvent, string, error) {
	limit, err := PageLimit(page)
	if err != nil {
		return nil, "", err
	}
	query, arg, err := auditQuery(filter, page.After)
	if err != nil {
		return nil, "", err
	}
	arg["limit"] = limit + 1
	var rows []auditRow
	if err := s.db.List(ctx, &rows, query, arg); err != nil {
		return nil, "", AsFault(err)
	}
	rows, next := CutPage(rows, limit, func(r auditRow) string { return strconv.FormatInt(r.ID, 10) })
	return Records(rows, auditRow.record), next, nil
}

// auditQuery adds a condition for each field that narrows, so that each of them
// can use its index.
func auditQuery(filter storage.AuditFilter, after string) (string, Args, error) {
	var where []string
	arg := Args{}
	add := func(wanted bool, condition, name string, value any) {
		if wanted {
			where = append(where, condition)
			arg[name] = value
		}
	}
	add(filter.Kind != "", `kind = :kind`, "kind", filter.Kind)
	add(filter.Subject != "", `subject = :subject`, "subject", filter.Subject)
	add(filter.ActorID != "", `actor_id = :actor_id`, "actor_id", filter.ActorID)
	add(!filter.Since.IsZero(), `at >= :since`, "since", At(filter.Since))
	add(!filter.Until.IsZero(), `at < :until`, "until", At(filter.Until))
	if after != "" {
		id, err := strconv.ParseInt(after, 10, 64)
		if err != nil {
			return "", nil, fault.New(fault.Invalid, "", "The cursor is none that a page of audit events ends with.")
		}
		add(true, `id < :after`, "after", id)
	}
	query := selectAuditEvents
	if len(where) > 0 {
		query += "\nWHERE " + strings.Join(where, " AND ")
	}
	return query + "\nORDER BY id DESC LIMIT :limit", arg, nil
}
