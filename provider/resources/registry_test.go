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
