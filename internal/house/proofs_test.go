package house

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

const proofsFile = root + "/docs/proofs.md"

// proofRow is a row of docs/proofs.md: its id, what it is about, and the tests.
var proofRow = regexp.MustCompile(`(?m)^\| ([A-Z]+[0-9]+) \| ([^|]+?) \| ([^|]+?) \|$`)

func TestEveryProofNamesTestsThatAreThere(t *testing.T) {
	content, err := os.ReadFile(proofsFile)
	if err != nil {
		t.Fatal(err)
	}
	known, rows := tests(t), proofRow.FindAllStringSubmatch(string(content), -1)
	seen := map[string]bool{}
	for _, row := range rows {
		id, names := row[1], testName.FindAllStringSubmatch(row[3], -1)
		if seen[id] {
			t.Errorf("%s stands twice in %s", id, proofsFile)
		}
		seen[id] = true
		if len(names) == 0 {
			t.Errorf("%s names no test", id)
		}
		for _, name := range names {
			function, subtest := named(name[1])
			test, ok := known[function]
			if !ok || subtest != "" && !test.literals[subtest] {
				t.Errorf("%s names %q, and there is no such test", id, name[1])
			}
		}
	}
	all := strings.Count(string(content), "\n| ") - strings.Count(string(content), "\n| Row ")
	if len(rows) == 0 || all != len(rows) {
		t.Errorf("%s has %d rows, of which %d can be read", proofsFile, all, len(rows))
	}
}
