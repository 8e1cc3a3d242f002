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

// A try is forgiven after an hour, in tests that no time passes in, or so soon
// that it has been when some has: the store may go by a clock of its own.
const (
	tryBurst = 5
	tryEvery = time.Hour
	trySoon  = 20 * time.Millisecond
)

// tries makes some, and returns how many had room.
func (w *World) tries(key string, n int) int { return w.triesEvery(tryEvery, key, n) }

func (w *World) triesEvery(every time.Duration, key string, n int) (counted int) {
	w.Helper()
	for range n {
		ok, err := w.Store.CountTry(w.Ctx(), []byte(key), w.Now(), tryBurst, every)
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
	w.triesEvery(trySoon, "c", 20)
	w.pass()
	w.Equal(2, w.triesEvery(trySoon, "c", 2))
	w.Equal(0, w.tries("a", 20))
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
	w.triesEvery(trySoon, "a", 1)
	w.tries("b", 1)
	w.pass()
	w.Equal(1, w.sweep(100))
	w.Equal(tryBurst-1, w.tries("b", 20))
}
