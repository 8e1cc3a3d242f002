package resources_test

import (
	"context"
	"testing"
	"time"

	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/provider/resources"
	"github.com/portico-id/portico/storage"
)

const issuer = "https://id.example.test"

// registered are the resources of a test.
type registered []storage.Resource

func (r registered) ListResources(context.Context) ([]storage.Resource, error) { return r, nil }

func (r registered) ResourceEnds(context.Context) (map[string]time.Time, error) { return nil, nil }

// ended is where a resource had the address of one that the server has by itself.
type ended map[string]time.Time

func (ended) ListResources(context.Context) ([]storage.Resource, error) { return nil, nil }

func (e ended) ResourceEnds(context.Context) (map[string]time.Time, error) { return e, nil }

// Rule: RES-17
func TestWhatTheServerHasBesideBeginsAnewWhenItsResourceIsRemoved(t *testing.T) {
	const beside = issuer + "/beside"
	at := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	known := resources.NewRegistry(resources.Options{Store: ended{beside: at, issuer: at}, Ambient: ambient.System(),
		Issuer: issuer, Audience: issuer, BuiltIn: []storage.Resource{{Identifier: beside, Everyone: true}}})
	for of, counts := range map[string]bool{beside: false, issuer: true} { // our own APIs are always there
		for when, want := range map[time.Time]bool{at: true, at.Add(-time.Second): counts} {
			_, stands, err := known.Held(t.Context(), []string{of}, "app", when, nil, nil)
			if err != nil || stands != want {
				t.Errorf("%s, issued at %v: %v, %v", of, when, stands, err)
			}
			_, err = known.Granted(t.Context(), "app", nil, []string{of}, when)
			if (err == nil) != want {
				t.Errorf("%s, granted at %v: %v", of, when, err)
			}
		}
	}
}

// Rule: RES-16
func TestWhatOurOwnAddressDemandsHoldsForWhatTheServerHasBeside(t *testing.T) {
	const other = "https://other.example.test"
	ours := storage.Resource{Identifier: issuer, ACR: storage.ACRTwoFactors, MaxAge: time.Hour, Lifetime: time.Minute,
		ProofNeeded: true, Algorithm: "ES256"}
	for name, c := range map[string]struct {
		rows    registered
		acr     string
		age     time.Duration
		demands bool
	}{
		"nothing is registered": {nil, "", 0, false},
		"our own address is":    {registered{ours}, storage.ACRTwoFactors, time.Hour, true},
		"so is what is beside": {registered{ours, {Identifier: issuer + "/beside", Everyone: true, MaxAge: time.Minute}},
			storage.ACRTwoFactors, time.Minute, true},
	} {
		known := resources.NewRegistry(resources.Options{Store: c.rows, Ambient: ambient.System(), Issuer: issuer,
			Audience: issuer, BuiltIn: []storage.Resource{{Identifier: issuer + "/beside", Everyone: true}}})
		acr, age, since, err := known.Demanded(t.Context(), issuer+"/beside")
		if err != nil || acr != c.acr || age != c.age || since.IsZero() != (c.age == 0) {
			t.Errorf("%s: %q, %v, %v, %v", name, acr, age, since, err)
		}
		target, err := known.Resolve(t.Context(), "app", []string{issuer + "/beside"})
		if err != nil || target.ProofNeeded() != c.demands || (target.Algorithm("") != "") != c.demands ||
			(target.Lifetime(time.Hour) != time.Hour) != c.demands {
			t.Errorf("%s: %+v, %v", name, target, err)
		}
		if acr, _, _, err := known.Demanded(t.Context(), other); acr != "" || err != nil {
			t.Errorf("%s: another service demands %q, %v", name, acr, err)
		}
	}
}
