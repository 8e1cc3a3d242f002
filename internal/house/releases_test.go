package house

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

var (
	releaseRow    = regexp.MustCompile(`(?m)^\| (\d+\.\d+\.\d+) \| (.+) \|$`)
	releasedAt    = regexp.MustCompile(`^[0-9a-f]{40}$`)
	changeHeading = regexp.MustCompile(`(?m)^## (\d+\.\d+\.\d+)$`)
)

// Rule: RELEASE-2
func TestEveryReleaseIsListedWithItsCommit(t *testing.T) {
	version := strings.TrimSpace(read(t, "cmd/portico/internal/version/VERSION"))
	rows := releaseRow.FindAllStringSubmatch(read(t, "docs/releases.md"), -1)
	changes := changeHeading.FindAllStringSubmatch(read(t, "CHANGELOG.md"), -1)
	if len(rows) < 2 || len(rows) != len(changes) || rows[0][1] != version {
		t.Fatalf("version %s, releases %q, changes %q", version, rows, changes)
	}
	for i, row := range rows {
		if changes[i][1] != row[1] {
			t.Errorf("release %s stands where the change log has %s", row[1], changes[i][1])
		}
		if i > 0 && !releasedAt.MatchString(row[2]) {
			t.Errorf("release %s has the commit %q", row[1], row[2])
		}
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(root + "/" + path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
