package storagetest

import (
	"time"

	"github.com/portico-id/portico/storage"
)

func tryChecks() []check {
	return []check{
		{"CountTry has room for so many at once, and for one more every so often", countTries},
		{"ReturnTry takes one try back, ForgetTries all", returnTries},
		{"of 50 tries at once as many are counted as there is room for", raceTries},
		{"a sweep takes what is forgiven, and nothing else", sweepForgiven},
	}
}

const (
	tryBurst = 5
	tryEvery = 30 * time.Second
)

// tries makes some, and returns how many had room.
func (w *World) tries(key string, n int) (counted int) {
	w.Helper()
	for range n {
		ok, err := w.Store.CountTry(w.Ctx(), []byte(key), w.Now(), tryBurst, tryEvery)
		w.Must(err)
		if ok {
			counted++
		}
	}
	return counted
}

func countTries(w *World) {
	w.Equal(tryBurst, w.tries("a", 20))
	w.Equal(tryBurst, w.tries("b", 20))
	w.Clock.Advance(tryEvery - time.Microsecond)
	w.Equal(0, w.tries("a", 20))
	w.Clock.Advance(time.Microsecond)
	w.Equal(1, w.tries("a", 20))
	w.Clock.Advance(time.Hour)
	w.Equal(tryBurst, w.tries("a", 20))
}

func returnTries(w *World) {
	w.Equal(tryBurst, w.tries("a", 20))
	w.Must(w.Store.ReturnTry(w.Ctx(), []byte("a"), tryEvery))
	w.Must(w.Store.ReturnTry(w.Ctx(), []byte("never tried"), tryEvery))
	w.Equal(1, w.tries("a", 20))
	w.Equal(tryBurst, w.tries("b", 20))
	w.Must(w.Store.ForgetTries(w.Ctx(), []byte("a"), []byte("c")))
	w.Equal(tryBurst, w.tries("a", 20))
	w.Equal(0, w.tries("b", 20))
}

func raceTries(w *World) {
	now, counted := w.Now(), make([]bool, racers)
	for _, err := range w.race(racers, func(store storage.Identity, i int) (err error) {
		counted[i], err = store.CountTry(w.Ctx(), []byte("a"), now, tryBurst, tryEvery)
		return err
	}) {
		w.Must(err)
	}
	n := 0
	for _, one := range counted {
		if one {
			n++
		}
	}
	w.Equal(tryBurst, n)
}

func sweepForgiven(w *World) {
	w.tries("a", 1)
	w.Clock.Advance(tryEvery - time.Microsecond)
	w.tries("b", 1)
	w.Equal(0, w.sweep(100))
	w.Clock.Advance(time.Microsecond)
	w.Equal(1, w.sweep(100))
	w.Equal(tryBurst-1, w.tries("b", 20))
}
