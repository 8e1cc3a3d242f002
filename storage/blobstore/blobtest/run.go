package blobtest

import (
	"testing"

	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/storage/blobstore"
)

// Run runs the suite. open returns an empty store for one check.
func Run(t *testing.T, open func(t *testing.T) blobstore.Store) {
	t.Helper()
	for _, checks := range [][]check{uploadChecks(), storedChecks(), raceChecks()} {
		for _, c := range checks {
			t.Run(c.name, func(t *testing.T) {
				c.run(&W{T: t, Store: open(t), Ambient: ambient.System()})
			})
		}
	}
}
