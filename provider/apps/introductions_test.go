package apps

import (
	"testing"

	"github.com/portico-id/portico/storage"
)

// Rule: IDJAG-8
func TestWhoMayIntroducePeople(t *testing.T) {
	there := []string{"https://chat.example.test app-there read"}
	for _, one := range []struct {
		kind    storage.ClientType
		profile string
		lines   []string
		good    bool
	}{
		{storage.ClientWeb, storage.ProfileStandard, there, true}, {storage.ClientWeb, storage.ProfileFAPI, there, true},
		{storage.ClientWeb, storage.ProfilePlatform, there, false}, {storage.ClientWeb, storage.ProfilePlatform, nil, true},
		{storage.ClientSPA, storage.ProfileStandard, there, false},
		{storage.ClientService, storage.ProfileStandard, there, false},
		{storage.ClientWeb, storage.ProfileStandard, append(there, "https://chat.example.test other"), false},
		{storage.ClientWeb, storage.ProfileStandard, []string{"chat"}, false},
		{storage.ClientWeb, storage.ProfileStandard, make([]string, 51), false},
	} {
		c := storage.Client{Type: one.kind, Profile: one.profile}
		c.IntroducesTo = one.lines
		if err := checkIntroductions(c); (err == nil) != one.good {
			t.Errorf("%s, %s, %q: %v", one.kind, one.profile, one.lines, err)
		}
		if err := checkElevation(storage.Client{}, c); (err == nil) != (len(one.lines) == 0) {
			t.Errorf("%q of somebody who is no administrator: %v", one.lines, err)
		}
	}
}
