package server

import (
	"context"
	"time"

	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
)

type sentFormRow struct {
	Key       []byte         `db:"key"`
	At        engine.Instant `db:"at"`
	To        string         `db:"to_path"`
	Page      []byte         `db:"page"`
	PageUntil engine.Instant `db:"page_until"`
	Shown     bool           `db:"shown"`
}

const (
	takeForm = `
INSERT INTO sent_forms (key, at, to_path, page, page_until, shown) VALUES (:key, :at, '', NULL, NULL, false)
ON CONFLICT (key) DO UPDATE SET at = excluded.at, to_path = '', page = NULL, page_until = NULL, shown = false
WHERE sent_forms.at <= :before`

	selectForm = `
SELECT key, at, to_path, page, page_until, shown FROM sent_forms WHERE key = :key`

	keepForm = `
UPDATE sent_forms SET to_path = :to_path, page = :page, page_until = :page_until, shown = :shown WHERE key = :key`

	setFormShown = `
UPDATE sent_forms SET shown = :shown WHERE key = :key AND shown != :shown`

	dropForm = `
DELETE FROM sent_forms WHERE key = :key`

	sweepForms = `
DELETE FROM sent_forms WHERE key IN (SELECT key FROM sent_forms WHERE at <= :before LIMIT :limit)`

	sweepShownPages = `
UPDATE sent_forms SET page = NULL WHERE key IN (
	SELECT key FROM sent_forms WHERE page IS NOT NULL AND page_until <= :before LIMIT :limit)`
)

// record is the form as it is at the moment.
func (r sentFormRow) record(now time.Time) storage.SentForm {
	if !now.Before(r.PageUntil.Time) {
		r.Page = nil
	}
	return storage.SentForm{
		Key: r.Key, At: r.At.Time, To: r.To, Page: r.Page, PageUntil: r.PageUntil.Time, Shown: r.Shown,
	}
}

// TakeForm implements storage.FormStore. Of two at once the second waits for
// the first, and finds its row.
func (s *Server) TakeForm(ctx context.Context, key []byte, now time.Time) (form storage.SentForm, mine bool, err error) {
	err = s.db.Write(ctx, func(tx engine.Tx) error {
		n, err := tx.Exec(ctx, takeForm, engine.Args{"key": key, "at": engine.At(now), "before": engine.At(now.Add(-storage.KeepSentForms))})
		if mine = n > 0; err != nil || mine {
			form = storage.SentForm{Key: key, At: now}
			return err
		}
		form, err = showForm(ctx, tx, key, now, false)
		return err
	})
	return form, mine, err
}

// showForm sets whether the page was shown, and returns the form as it was.
func showForm(ctx context.Context, t engine.Tx, key []byte, now time.Time, shown bool) (storage.SentForm, error) {
	changed, err := t.Exec(ctx, setFormShown, engine.Args{"key": key, "shown": shown})
	if err != nil {
		return storage.SentForm{}, err
	}
	var row sentFormRow
	if err := t.Get(ctx, &row, selectForm, engine.Args{"key": key}); err != nil {
		return storage.SentForm{}, engine.OrAbsent(err, "form")
	}
	row.Shown = row.Shown != (changed > 0)
	return row.record(now), nil
}

// KeepForm implements storage.FormStore.
func (s *Server) KeepForm(ctx context.Context, form storage.SentForm) error {
	return s.db.Write(ctx, func(tx engine.Tx) error {
		return tx.ExecOne(ctx, engine.Absent("form"), keepForm, engine.Args{
			"key": form.Key, "to_path": form.To, "page": form.Page, "page_until": engine.At(form.PageUntil), "shown": form.Shown,
		})
	})
}

// DropForm implements storage.FormStore.
func (s *Server) DropForm(ctx context.Context, key []byte) error {
	_, err := s.db.WriteOne(ctx, dropForm, engine.Args{"key": key})
	return err
}

// ShowForm implements storage.FormStore.
func (s *Server) ShowForm(ctx context.Context, key []byte, now time.Time) (form storage.SentForm, err error) {
	err = s.db.Write(ctx, func(tx engine.Tx) error {
		form, err = showForm(ctx, tx, key, now, true)
		return err
	})
	return form, err
}
