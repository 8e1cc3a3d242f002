package house

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/portico-id/portico/provider/people"
)

// auditedKind finds kinds where they are written, whichever helper they go through, on its line
// or the next; of some their beginning, which ends in an underscore.
var auditedKind = regexp.MustCompile(
	`(?:[Aa]udit|Audited|AuditAll|leave|changedFactor|PostMails|\.ask)\((?:ctx|act), .*?\n?.*?"([a-z_]+\.[a-z_]+)"|` +
		`\bKind: +"([a-z_]+\.[a-z_]+)"`)

// eventConst is a kind of the events of projects, of which one is in the trail, too.
var eventConst = regexp.MustCompile(`\b(Event\w+) += ("[a-z_.]+")`)

// Rule: ADMIN-33
func TestEveryKindOfEventIsInTheListOfThePage(t *testing.T) {
	kinds := people.AuditKinds()
	events, err := os.ReadFile(filepath.Join(root, "storage/event.go"))
	if err != nil {
		t.Fatal(err)
	}
	var said []string
	for _, match := range eventConst.FindAllStringSubmatch(string(events), -1) {
		said = append(said, "storage."+match[1]+",", match[2]+",")
	}
	spelled := strings.NewReplacer(said...)
	if !slices.IsSorted(kinds) {
		t.Error("the kinds are not in order")
	}
	for _, room := range []string{"storage/sqlstore", "provider", "serviceaccounts", "cmd/portico/internal"} {
		err := filepath.WalkDir(filepath.Join(root, room), func(path string, _ os.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			source, err := os.ReadFile(path)
			for _, match := range auditedKind.FindAllStringSubmatch(spelled.Replace(string(source)), -1) {
				kind := match[1] + match[2]
				begins := func(known string) bool {
					return known == kind || strings.HasSuffix(kind, "_") && strings.HasPrefix(known, kind)
				}
				if !slices.ContainsFunc(kinds, begins) {
					t.Errorf("%s: %s is not in people.AuditKinds", path, kind)
				}
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
