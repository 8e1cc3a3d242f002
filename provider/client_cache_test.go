package provider_test

import (
	"testing"

	"github.com/portico-id/portico/provider"
	"github.com/portico-id/portico/provider/apps"
)

// Rule: METRIC-9
func TestAClientThatWasReadAMomentAgoIsCountedAsAHit(t *testing.T) {
	w := newWorld(t, settings{})
	a := w.app(apps.Registration{})
	w.granted(a, credentials("scope", "data:read"))
	hits, misses := provider.ClientLookups(w.Provider)
	w.granted(a, credentials("scope", "data:read"))
	if more, same := provider.ClientLookups(w.Provider); misses == 0 || more <= hits || same != misses {
		t.Errorf("%d hits and %d misses became %d and %d", hits, misses, more, same)
	}
}
