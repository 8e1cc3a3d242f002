package storagetest

import (
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

func formChecks() []check {
	return []check{
		{"a form is taken once a day, and the others learn what came of it", takeForm},
		{"a page is shown once, and again to who sends the form again, until its end", showForm},
		{"a form that came to nothing may be sent again", dropForm},
		{"SweepExpired forgets pages KeepSpent past their end and forms after a day", sweepForms},
		{"of fifty that send one form one carries it out", raceForm},
	}
}

// take is TakeForm, which must be mine or not.
func (w *World) take(key string, mine bool) storage.SentForm {
	w.Helper()
	form, got, err := w.Store.TakeForm(w.Ctx(), []byte(key), w.Now())
	w.Must(err)
	w.Equal(mine, got)
	return form
}

// kept is a form that was taken and came to something.
func (w *World) kept(key string) storage.SentForm {
	w.Helper()
	form := w.take(key, true)
	form.To, form.Page, form.PageUntil = "/apps", []byte("sealed"), w.Now().Add(time.Minute)
	w.Must(w.Store.KeepForm(w.Ctx(), form))
	return form
}

func takeForm(w *World) {
	w.Equal(storage.SentForm{Key: []byte("a"), At: w.Now()}, w.take("a", true))
	w.Equal("", w.take("a", false).To)
	w.Refused(w.Store.KeepForm(w.Ctx(), storage.SentForm{Key: []byte("b"), To: "/"}), fault.NotFound, "")
	form := w.kept("b")
	w.Equal(form, w.take("b", false))
	w.Clock.Advance(storage.KeepSentForms)
	w.Equal(storage.SentForm{Key: []byte("b"), At: w.Now()}, w.take("b", true))
}

// show is ShowForm of the form "a", which must be there.
func (w *World) show() storage.SentForm {
	w.Helper()
	form, err := w.Store.ShowForm(w.Ctx(), []byte("a"), w.Now())
	w.Must(err)
	return form
}

func showForm(w *World) {
	_, err := w.Store.ShowForm(w.Ctx(), []byte("a"), w.Now())
	w.Refused(err, fault.NotFound, "")
	form := w.kept("a")
	w.Equal(form, w.show())
	form.Shown = true
	w.Equal(form, w.show())
	w.Equal(form.To, w.take("a", false).To)
	form.Shown = false
	w.Equal(form, w.show())
	w.Clock.Advance(time.Minute)
	w.Equal([]byte(nil), w.show().Page)
}

func dropForm(w *World) {
	w.Must(w.Store.DropForm(w.Ctx(), []byte("a")))
	w.take("a", true)
	w.Must(w.Store.DropForm(w.Ctx(), []byte("a")))
	w.take("a", true)
}

func sweepForms(w *World) {
	w.kept("a")
	for _, want := range []struct {
		after time.Duration
		rows  int
	}{{time.Minute, 0}, {storage.KeepSpent, 1}, {0, 0}, {storage.KeepSentForms, 1}} {
		w.Clock.Advance(want.after)
		n, err := w.Store.SweepExpired(w.Ctx(), w.Now(), time.Hour, 10)
		w.Must(err)
		w.Equal(want.rows, n)
	}
}

func raceForm(w *World) {
	results := w.race(racers, func(store storage.Identity, _ int) error {
		_, mine, err := store.TakeForm(w.Ctx(), []byte("a"), w.Now())
		if err == nil && !mine {
			return fault.New(fault.Conflict, "", "taken")
		}
		return err
	})
	w.Equal(map[string]int{"ok": 1, "conflict ": racers - 1}, each(results))
}
