package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// The walk of PyPI's scim2-tester through all that the schemas say.
//
// Rules: SCIM-2, SCIM-8
func TestTheSCIMTesterFindsNothing(t *testing.T) {
	if os.Getenv("PORTICO_OTHERS") == "" {
		t.Skip("make test-others runs it")
	}
	eachEngine(t, func(t *testing.T, database string) {
		s := start(t, database)
		c := s.company("Works", "works.test")
		python := filepath.Join("../../../../.cache/scim2/bin/python")
		out, err := exec.Command(python, "testdata/scim2/tester.py", s.URL+"/scim/v2/"+c.id, c.token).CombinedOutput()
		if t.Logf("it says %s", out); err != nil {
			t.Error(err)
		}
	})
}
