package house

import (
	"os"
	"strings"
	"testing"
)

func TestEveryMigrationHasANumberOfItsOwn(t *testing.T) {
	for _, engine := range []string{"sqlite", "postgres"} {
		files, err := os.ReadDir(root + "/migrations/" + engine)
		if err != nil || len(files) == 0 {
			t.Fatalf("%d files, %v", len(files), err)
		}
		names := map[string]string{}
		for _, file := range files {
			number, rest, _ := strings.Cut(file.Name(), "_")
			name, _, _ := strings.Cut(rest, ".")
			if other := names[number]; other != "" && other != name {
				t.Errorf("%s: %s is the number of %s and of %s", engine, number, other, name)
			}
			names[number] = name
		}
	}
}
