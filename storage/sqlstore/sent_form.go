package sqlstore

import (
	"context"
	"time"

	"github.com/portico-id/portico/storage"
)

type sentFormRow struct {
	Key       []byte  `db:"key"`
	At        instant `db:"at"`
	To        string  `db:"to_path"`
	Page      []byte  `db:"page"`
	PageUntil instant `db:"page_until"`
	Shown     bool    `db:"shown"`
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
func (s *Store) TakeForm(ctx context.Context, key []byte, now time.Time) (form storage.SentForm, mine bool, err error) {
	err = s.write(ctx, func(tx tx) error {
		n, err := tx.exec(ctx, takeForm, args{"key": key, "at": at(now), "before": at(now.Add(-storage.KeepSentForms))})
		if mine = n > 0; err != nil || mine {
			form = storage.SentForm{Key: key, At: now}
			return err
		}
		form, err = tx.showForm(ctx, key, now, false)
		return err
	})
	return form, mine, err
}

// showForm sets whether the page was shown, and returns the form as it was.
func (t tx) showForm(ctx context.Context, key []byte, now time.Time, shown bool) (storage.SentForm, error) {
	changed, err := t.exec(ctx, setFormShown, args{"key": key, "shown": shown})
	if err != nil {
		return storage.SentForm{}, err
	}
	var row sentFormRow
	if err := t.get(ctx, &row, selectForm, args{"key": key}); err != nil {
		return storage.SentForm{}, orAbsent(err, "form")
	}
	row.Shown = row.Shown != (changed > 0)
	return row.record(now), nil
}

// KeepForm implements storage.FormStore.
func (s *Store) KeepForm(ctx context.Context, form storage.SentForm) error {
	return s.write(ctx, func(tx tx) error {
		return tx.execOne(ctx, absent("form"), keepForm, args{
			"key": form.Key, "to_path": form.To, "page": form.Page, "page_until": at(form.PageUntil), "shown": form.Shown,
		})
	})
}

// DropForm implements storage.FormStore.
func (s *Store) DropForm(ctx context.Context, key []byte) error {
	_, err := s.writeOne(ctx, dropForm, args{"key": key})
	return err
}

// ShowForm implements storage.FormStore.
func (s *Store) ShowForm(ctx context.Context, key []byte, now time.Time) (form storage.SentForm, err error) {
	err = s.write(ctx, func(tx tx) error {
		form, err = tx.showForm(ctx, key, now, true)
		return err
	})
	return form, err
}
