package openapicheck_test

import (
	"flag"
	"net/http/httptest"
	"testing"

	"github.com/portico-id/portico/internal/harness/openapicheck"
)

// running stands for a package's tests.
type running func() int

func (r running) Run() int { return r() }

func TestASuiteFailsForWhatNoTestGotOnceAllRan(t *testing.T) {
	t.Setenv("PORTICO_ALL_BUT_RACING", "") // as somebody says who runs all of them
	set := func(name, value string) {
		if err := flag.Set(name, value); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"test.run", "test.skip"} {
		before := flag.Lookup(name).Value.String()
		t.Cleanup(func() { set(name, before) })
		set(name, "")
	}
	pets := openapicheck.Options{Files: []string{"testdata/pets.yaml"}}
	for name, c := range map[string]struct {
		own, skip    string
		result, want int
	}{
		"an answer is missing":             {"", "", 0, 1},
		"what is missing is for others":    {"/pets/all", "", 0, 0},
		"it is the own that is missing":    {"/pets/{id}", "", 0, 1},
		"tests were left out":              {"", "Some", 0, 0},
		"a test has failed in its own way": {"", "", 2, 2},
	} {
		suite := openapicheck.NewSuite(pets, c.own)
		set("test.skip", c.skip)
		code := suite.Main(running(func() int {
			suite.Book(t).Wrap(t, answering(204, nil, "")).ServeHTTP(httptest.NewRecorder(),
				httptest.NewRequest("GET", "/pets/all", nil))
			return c.result
		})).Run()
		if code != c.want {
			t.Errorf("%s: exit code %d, want %d", name, code, c.want)
		}
	}
}
