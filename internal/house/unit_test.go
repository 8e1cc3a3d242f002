package house

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// What a command needs to be the service's: a database may ask for its user, and nobody else may
// enter its folder.
var ofTheService = []string{"DynamicUser", "User", "UMask", "StateDirectory", "StateDirectoryMode", "EnvironmentFile",
	"Environment"}

// unitSettings are the settings of a unit of systemd, or of systemd-run, that say who runs it.
func unitSettings(text string) map[string]string {
	said := map[string]string{}
	for _, found := range regexp.MustCompile(`(?m)(?:^|-p )(\w+)=('[^']*'|\S+(?: portico-backup)?(?: PORTICO_\S+)*)`).
		FindAllStringSubmatch(text, -1) {
		if slices.Contains(ofTheService, found[1]) {
			said[found[1]] = strings.TrimSpace(said[found[1]] + " " + strings.Trim(found[2], "'"))
		}
	}
	return said
}

// The manual's ways to run a command beside the Debian package's service: by hand, and by a timer.
//
// Rule: RELEASE-3
func TestCommandsOfTheManualRunAsTheServiceDoes(t *testing.T) {
	manual, err := os.ReadFile(filepath.Join(root, "docs/operations.md"))
	if err != nil {
		t.Fatal(err)
	}
	unit, err := os.ReadFile(filepath.Join(root, "docker/debian/portico.service"))
	if err != nil {
		t.Fatal(err)
	}
	service := unitSettings(string(unit))
	service["User"] = "portico" // the name of the unit
	_, byHand, _ := strings.Cut(string(manual), "sudo systemd-run ")
	_, timer, _ := strings.Cut(string(manual), "portico-backup.service\n")
	for name, text := range map[string]string{"by hand": byHand, "by a timer": timer} {
		text, _, _ = strings.Cut(text, "```")
		said := unitSettings(text)
		for setting, want := range service {
			if got := strings.TrimSuffix(said[setting], " portico-backup"); got != want {
				t.Errorf("%s: %s is %q, that of the service %q", name, setting, got, want)
			}
		}
	}
}
