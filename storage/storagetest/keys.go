package storagetest

import (
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

func keyChecks() []check {
	return []check{
		{"AddSigningKey adds keys that ListSigningKeys returns by algorithm, highest generation first", addKeys},
		{"AddSigningKey refuses a generation of the algorithm that exists", addKeyTwice},
		{"PromoteSigningKey moves ActiveFrom forward to the act, and never later", promoteKey},
		{"an absent generation is NotFound", absentKey},
		{"DeleteSigningKeys removes every generation of the algorithm below", deleteKeys},
	}
}

func (w *World) key(generation int) storage.SigningKey { return w.keyOf("RS256", generation) }

func (w *World) keyOf(algorithm string, generation int) storage.SigningKey {
	w.Helper()
	key := storage.SigningKey{
		Algorithm: algorithm, Generation: generation, KID: w.Source.UID(), Sealed: w.Source.Bytes(100),
		Public:    w.Source.Bytes(50),
		CreatedAt: w.Now(), ActiveFrom: w.Now().Add(time.Hour),
	}
	w.Must(w.Store.AddSigningKey(w.Ctx(), w.Act(), key))
	return key
}

func (w *World) keys() []storage.SigningKey {
	w.Helper()
	keys, err := w.Store.ListSigningKeys(w.Ctx())
	w.Must(err)
	return keys
}

func addKeys(w *World) {
	w.Equal([]storage.SigningKey(nil), w.keys())
	nine, ten, one := w.key(9), w.key(10), w.key(1)
	curve := w.keyOf("ES256", 9)
	w.Equal([]storage.SigningKey{curve, ten, nine, one}, w.keys())
	w.Audited(nine.KID, "signing_key.added")
}

func addKeyTwice(w *World) {
	first := w.key(1)
	second := first
	second.KID = "other"
	w.Refused(w.Store.AddSigningKey(w.Ctx(), w.Act(), second), fault.Conflict, "")
	w.Equal([]storage.SigningKey{first}, w.keys())
}

func promoteKey(w *World) {
	other, key := w.keyOf("ES256", 1), w.key(1)
	w.Clock.Advance(time.Minute)
	key.ActiveFrom = w.Now()
	w.Must(w.Store.PromoteSigningKey(w.Ctx(), w.Act(), "RS256", 1))
	w.Clock.Advance(time.Minute)
	w.Must(w.Store.PromoteSigningKey(w.Ctx(), w.Act(), "RS256", 1))
	w.Equal([]storage.SigningKey{other, key}, w.keys())
}

func absentKey(w *World) {
	w.key(1)
	w.Refused(w.Store.PromoteSigningKey(w.Ctx(), w.Act(), "RS256", 2), fault.NotFound, "")
	w.Refused(w.Store.PromoteSigningKey(w.Ctx(), w.Act(), "ES256", 1), fault.NotFound, "")
}

func deleteKeys(w *World) {
	w.key(1)
	w.key(2)
	three, other := w.key(3), w.keyOf("ES256", 1)
	for range 2 {
		w.Must(w.Store.DeleteSigningKeys(w.Ctx(), w.Act(), "RS256", 3))
		w.Equal([]storage.SigningKey{other, three}, w.keys())
	}
}
