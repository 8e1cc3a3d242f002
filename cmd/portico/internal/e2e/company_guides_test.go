package e2e

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// guided are the commands in the tables of a guide.
var guided = regexp.MustCompile("`portico ((?:upstream|directory) create [^`]+)`")

// What the guides of upstreams and directories say is typed as it stands there; what a
// provider would give is made up.
//
// Rules: FED-22, LDAP-17
func TestWhatTheGuidesOfCompaniesSayIsTaken(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		s := start(t, database)
		secret := filepath.Join(t.TempDir(), "secret")
		s.must(os.WriteFile(secret, []byte("secret"), 0o600))
		for path, most := range map[string]int{"upstreams.md": 9, "directories.md": 2} {
			text := must(os.ReadFile("../../../../docs/" + path))
			all := guided.FindAllStringSubmatch(string(text), -1)
			if len(all) < most {
				t.Errorf("%s has %d commands", path, len(all))
			}
			for i, one := range all {
				args := strings.Fields(strings.NewReplacer("…", "given", "--secret-file AuthKey.p8", "--secret-file "+secret,
					"--secret-file secret", "--secret-file "+secret).Replace(one[1]))
				args[2] += strconv.Itoa(i) // several have one id
				s.command("", args...)
			}
		}
		var made struct{ ID string }
		s.commandJSON(&made, "", "scim", "create", "--name", "Works", "--domain", "works.example")
		s.command("", "scim", "token", made.ID, "--label", "entra")
	})
}
