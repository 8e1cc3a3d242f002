package directory_test

import (
	"strings"
	"testing"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/provider/directory"
)

// Rule: LDAP-17
func TestASlipInWhatIsSaidOfADirectoryIsRefused(t *testing.T) {
	for _, slip := range []string{"exclusive=yes", "start_tls=True", "active_directory=1", "own_groups=on", "unbraked=no",
		"position=first", "position=1.5", "colour=red"} {
		name, value, _ := strings.Cut(slip, "=")
		_, err := directory.Said(map[string]string{name: value})
		if all := fault.All(err); len(all) != 1 || all[0].Kind != fault.Invalid || all[0].Source != name {
			t.Errorf("%s: %v", slip, err)
		}
	}
	said, err := directory.Said(map[string]string{"exclusive": "true", "start_tls": "true", "unbraked": "false",
		"position": "2", "hosts": "ldaps://a.example,ldaps://b.example", "active_directory": ""})
	want := `{"active_directory":false,"hosts":["ldaps://a.example","ldaps://b.example"],"start_tls":true,"unbraked":false}`
	if err != nil || !*said.Exclusive || *said.Position != 2 || string(said.Config) != want {
		t.Errorf("%+v, %s, %v", said, said.Config, err)
	}
}
