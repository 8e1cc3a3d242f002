package twins_test

import (
	"flag"
	"fmt"
	"os"
	"sync"
	"testing"

	"github.com/portico-id/portico/internal/openapicheck"
	"github.com/portico-id/portico/internal/pgtest"
)

// theDocument is the description that every exchange of these tests is held to,
// and what they have shown of it.
var theDocument = sync.OnceValues(func() (*openapicheck.Book, error) {
	return openapicheck.Load(openapicheck.Options{Files: []string{"../../docs/openapi/twins.yaml"}})
})

func document(t testing.TB) *openapicheck.Book {
	t.Helper()
	book, err := theDocument()
	if err != nil {
		t.Fatal(err)
	}
	return book
}

// TestMain fails when all tests ran and some answer of twins.yaml was not
// among what they got.
func TestMain(m *testing.M) { pgtest.Main(documented{m}) }

// documented runs the tests and then asks what none of them has shown.
type documented struct{ *testing.M }

// Run returns the exit code.
func (d documented) Run() int {
	code := d.M.Run()
	book, err := theDocument()
	if err != nil || code != 0 || !everythingRan() {
		return code
	}
	for _, gap := range book.Unseen(nil) {
		fmt.Fprintln(os.Stderr, "twins.yaml:", gap)
		code = 1
	}
	return code
}

// everythingRan reports whether no flag left tests out.
func everythingRan() bool {
	for _, name := range []string{"test.run", "test.skip", "test.fuzz", "test.list", "test.bench"} {
		if flag.Lookup(name).Value.String() != "" {
			return false
		}
	}
	return true
}
