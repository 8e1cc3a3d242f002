// Package resealing seals anew what is kept under the server's secret, once that has
// changed, so that the secret before can be forgotten.
//
// What is kept so is storage.SealedColumn's list; the labels under which it is sealed are
// its areas', which hand them out (Sealed). Start at All.
package resealing

import (
	"context"

	"github.com/portico-id/portico/internal/sealing"
	"github.com/portico-id/portico/storage"
)

// Labels are those of each column. Most have one.
type Labels map[storage.SealedColumn][]string

// All seals anew what the ring opens with the secret before alone, and returns how many
// boxes that were. What nothing opens stays as it is. Any number of servers may.
func All(ctx context.Context, ring *sealing.Ring, store storage.SealedStore, labels Labels) (int, error) {
	if !ring.Replaces() {
		return 0, nil
	}
	done := 0
	for column, under := range labels {
		for after := []string(nil); ; {
			page, err := store.ListSealed(ctx, column, after, storage.MaxPage)
			if err != nil {
				return done, err
			}
			for _, box := range page {
				fresh := again(ring, under, box)
				if after = box.Key; fresh == nil {
					continue
				}
				if err := store.Reseal(ctx, column, box, fresh); err != nil {
					return done, err
				}
				done++
			}
			if len(page) < storage.MaxPage {
				break
			}
		}
	}
	return done, nil
}

// again is the box under the present secret; nil: it is already, or nothing opens it.
func again(ring *sealing.Ring, labels []string, box storage.SealedBox) []byte {
	for _, label := range labels {
		text, fresh, err := ring.Open(label, box.Box, box.Bound)
		if err == nil && fresh {
			return nil
		}
		if err == nil {
			return ring.Seal(label, text, box.Bound)
		}
	}
	return nil
}
