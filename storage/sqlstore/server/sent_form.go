package server

import (
	"context"
	"time"

	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
)

const (
	takeForm = `
INSERT INTO sent_forms (key, at, to_path, page, page_until, shown) VALUES (:key, :at, '', NULL, NULL, false)
ON CONFLICT (key) DO UPDATE SET at = excluded.at, to_path = '', page = NULL, page_until = NULL, shown = false
WHERE sent_forms.at <= :before`

	selectForm = `
SELECT key, at, to_path AS "to", page, page_until, shown FROM sent_forms WHERE key = :key`

	keepForm = `
UPDATE sent_forms SET at = :at, to_path = :to, page = :page, page_until = :page_until, shown = :shown
WHERE key = :key`

	setFormShown = `
UPDATE sent_forms SET shown = :shown WHERE key = :key AND shown != :shown`

	dropForm = `
DELETE FROM sent_forms WHERE key = :key`

	sweepShownPages = `
UPDATE sent_forms SET page = NULL WHERE key IN (
	SELECT key FROM sent_forms WHERE page IS NOT NULL AND page_until <= :before LIMIT :limit) AND page_until <= :before`
)

var sweepForms = engine.Sweeping("sent_forms", "key", "at <= :before")

// TakeForm implements storage.FormStore. Of two at once the second waits for
// the first, and finds its row.
func (s *Server) TakeForm(ctx context.Context, key []byte,
	now time.Time) (form storage.SentForm, mine bool, err error) {
	err = s.db.Write(ctx, func(tx engine.Tx) error {
		n, err := tx.Exec(ctx, takeForm, engine.Args{"key": key, "at": now, "before": now.Add(-storage.KeepSentForms)})
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
	var form storage.SentForm
	if err := t.Get(ctx, &form, selectForm, engine.Args{"key": key}); err != nil {
		return storage.SentForm{}, engine.OrAbsent(err, "form")
	}
	form.Shown = form.Shown != (changed > 0)
	if !now.Before(form.PageUntil) {
		form.Page = nil
	}
	return form, nil
}

// KeepForm implements storage.FormStore.
func (s *Server) KeepForm(ctx context.Context, form storage.SentForm) error {
	return s.db.Write(ctx, func(tx engine.Tx) error {
		return tx.ExecOne(ctx, engine.Absent("form"), keepForm, form)
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
