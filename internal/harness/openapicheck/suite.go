package openapicheck

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
)

// Suite is the tests of one package that share a book. The documents are read
// when the first test asks.
type Suite struct {
	load func() (*Book, error)
	own  string
}

// NewSuite returns a suite that has to show the answers of every operation with
// own in its path ("": of all).
func NewSuite(o Options, own string) *Suite {
	return &Suite{load: sync.OnceValues(func() (*Book, error) { return Load(o) }), own: own}
}

// Book returns the book. Documents that can't be read fail the test t.
func (s *Suite) Book(t testing.TB) *Book {
	t.Helper()
	book, err := s.load()
	if err != nil {
		t.Fatal(err)
	}
	return book
}

// Main returns a package's *testing.M that fails, too, when all tests ran and
// there is an answer that none of them got.
func (s *Suite) Main(m Tests) Tests { return complete{m, s} }

// Tests are what Run runs; it returns the exit code.
type Tests interface{ Run() int }

type complete struct {
	Tests
	suite *Suite
}

// Run runs the tests and then asks what none of them has shown.
func (c complete) Run() int {
	code := c.Tests.Run()
	book, err := c.suite.load()
	if err != nil || code != 0 || !everythingRan() {
		return code
	}
	for _, gap := range book.Unseen(nil) {
		if strings.Contains(gap, c.suite.own) {
			fmt.Fprintln(os.Stderr, "the API description:", gap)
			code = 1
		}
	}
	return code
}

// everythingRan reports whether no flag left tests out. The quick loop leaves
// out PostgreSQL alone, which answers no differently; .ci/tests skips a few tests,
// which the race detector watches elsewhere, and says so by PORTICO_ALL_BUT_RACING:
// what only one of them gets is missing there.
func everythingRan() bool {
	flags := []string{"test.run", "test.fuzz", "test.list", "test.bench"}
	if os.Getenv("PORTICO_ALL_BUT_RACING") == "" {
		flags = append(flags, "test.skip")
	}
	for _, name := range flags {
		if flag.Lookup(name).Value.String() != "" {
			return false
		}
	}
	return true
}
