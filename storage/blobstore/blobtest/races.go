package blobtest

import (
	"bytes"
	"slices"
	"sync"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage/blobstore"
)

const racers = 50

func raceChecks() []check {
	return []check{
		{"of 50 that complete an upload at once all succeed", raceComplete},
		{"parts may come at once", raceParts},
		{"a part that comes while the upload is completed is in it whole or not at all", racePartComplete},
	}
}

// all runs n at once and returns what came of each.
func all(n int, act func(i int) error) []error {
	results := make([]error, n)
	var work sync.WaitGroup
	for i := range n {
		work.Go(func() { results[i] = act(i) })
	}
	work.Wait()
	return results
}

func raceComplete(w *W) {
	key, upload := w.Begin()
	body := Bytes(1000, 1)
	part := w.Put(key, upload, 1, body)
	for _, err := range all(racers, func(int) error {
		return w.Store.Complete(w.Ctx(), key, upload, []blobstore.Part{part})
	}) {
		w.Must(err)
	}
	w.Equal(body, w.Read(key, 0, -1))
}

func raceParts(w *W) {
	key, upload := w.Begin()
	var want []byte
	pieces := make([][]byte, 4)
	for i := range pieces {
		pieces[i] = Bytes(blobstore.MinPart, byte(i))
		want = append(want, pieces[i]...)
	}
	for _, err := range all(2*len(pieces), func(i int) error { // each twice
		piece := pieces[i%len(pieces)]
		_, err := w.Store.PutPart(w.Ctx(), key, upload, i%len(pieces)+1, bytes.NewReader(piece), int64(len(piece)))
		return err
	}) {
		w.Must(err)
	}
	w.Complete(key, upload)
	if !slices.Equal(want, w.Read(key, 0, -1)) {
		w.Error("other bytes came back")
	}
}

func racePartComplete(w *W) {
	for range 10 {
		key, upload := w.Begin()
		old, young := bytes.Repeat([]byte("o"), 3000), bytes.Repeat([]byte("y"), 2000)
		part := w.Put(key, upload, 1, old)
		results := all(2, func(i int) error {
			if i == 0 {
				return w.Store.Complete(w.Ctx(), key, upload, []blobstore.Part{part})
			}
			_, err := w.Store.PutPart(w.Ctx(), key, upload, 1, bytes.NewReader(young), int64(len(young)))
			return err
		})
		if results[0] != nil {
			w.Refused(results[0], fault.Conflict, blobstore.ReasonPartsChanged)
			w.Complete(key, upload)
		}
		if fault.Is(results[1], fault.Unavailable) { // a service may be puzzled for a moment: come again
			_, results[1] = w.Store.PutPart(w.Ctx(), key, upload, 1, bytes.NewReader(young), int64(len(young)))
		}
		if results[1] != nil {
			w.Refused(results[1], fault.Gone, blobstore.ReasonUploadEnded)
		}
		if got := w.Read(key, 0, -1); !bytes.Equal(got, old) && !bytes.Equal(got, young) {
			w.Errorf("the bytes are neither those before nor those after: %d", len(got))
		}
	}
}
