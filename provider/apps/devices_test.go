package apps

import (
	"testing"

	"github.com/portico-id/portico/storage"
)

// Rule: DEVICE-1
func TestDevicesAreForNativeAndWebClients(t *testing.T) {
	for _, one := range []struct {
		kind    storage.ClientType
		profile string
		good    bool
	}{
		{storage.ClientNative, storage.ProfileStandard, true}, {storage.ClientWeb, storage.ProfileStandard, true},
		{storage.ClientSPA, storage.ProfileStandard, false}, {storage.ClientService, storage.ProfileStandard, false},
		{storage.ClientWeb, storage.ProfilePlatform, false}, {storage.ClientWeb, storage.ProfileFAPI, false},
	} {
		c := storage.Client{Type: one.kind, Profile: one.profile, Devices: true}
		if one.kind == storage.ClientSPA {
			c.RedirectURIs = []string{"https://app.example.test/"}
		}
		if err := checkUse(c); (err == nil) != one.good {
			t.Errorf("%s, %s: %v", one.kind, one.profile, err)
		}
	}
}
