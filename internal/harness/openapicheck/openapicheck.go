// Package openapicheck holds HTTP exchanges in tests to an OpenAPI document: an
// answer that the document does not list fails the test, and so does a request
// that the document forbids and the server serves all the same.
//
// It is for tests alone and knows no area. Start with Load, put Wrap around the
// handler under test, and ask Unseen at the end what no test has shown.
package openapicheck

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/getkin/kin-openapi/openapi3"
)

// Options say what to check against.
type Options struct {
	Files     []string // OpenAPI 3.1 documents; no operation may be in two
	Elsewhere []string // paths that are left out of them on purpose, such as pages for people
}

// Book is the operations of some documents, and what was seen of them. It is
// safe for concurrent use.
type Book struct {
	operations []operation
	elsewhere  []string

	mu   sync.Mutex
	seen map[Answer]bool
}

// Answer is one status of an operation.
type Answer struct {
	Method, Path string // the path as the document writes it
	Status       int
}

// String returns for example "POST /token 200".
func (a Answer) String() string { return fmt.Sprintf("%s %s %d", a.Method, a.Path, a.Status) }

// Load reads and validates the documents.
func Load(o Options) (*Book, error) {
	b := &Book{elsewhere: o.Elsewhere, seen: map[Answer]bool{}}
	for _, file := range o.Files {
		loader := openapi3.NewLoader()
		document, err := loader.LoadFromFile(file)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		if err := document.Validate(loader.Context); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		schemas, err := newSchemas(document)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		for path, item := range document.Paths.Map() {
			if err := b.add(path, item, schemas); err != nil {
				return nil, fmt.Errorf("%s: %w", file, err)
			}
		}
	}
	return b, nil
}

func (b *Book) add(path string, item *openapi3.PathItem, schemas *schemas) error {
	for method, described := range item.Operations() {
		op := operation{
			Operation: described, method: method, path: path,
			segments: strings.Split(path, "/"), item: item, schemas: schemas,
		}
		for _, other := range b.operations {
			if other.method == op.method && other.path == op.path {
				return fmt.Errorf("%s %s is described twice", method, path)
			}
		}
		if described.Responses.Default() != nil {
			return fmt.Errorf("%s %s: a default response would allow every status; list them", method, path)
		}
		b.operations = append(b.operations, op)
	}
	return nil
}

// Answers returns every status that the documents list.
func (b *Book) Answers() []Answer {
	var all []Answer
	for _, op := range b.operations {
		for status := range op.Responses.Map() {
			var code int
			_, _ = fmt.Sscanf(status, "%d", &code)
			all = append(all, Answer{op.method, op.path, code})
		}
	}
	slices.SortFunc(all, func(x, y Answer) int { return strings.Compare(x.String(), y.String()) })
	return all
}

// Unseen says what is missing after the tests: listed answers that none of them
// got and that excused does not name, and entries of excused that are no longer
// needed. An entry is keyed like Answer.String, with "*" for any method and
// path ("* 429"); its value is the reason.
func (b *Book) Unseen(excused map[string]string) []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	var missing []string
	used := map[string]bool{}
	for _, answer := range b.Answers() {
		if b.seen[answer] {
			continue
		}
		key := answer.String()
		if _, ok := excused[key]; !ok {
			key = fmt.Sprintf("* %d", answer.Status)
		}
		if _, ok := excused[key]; !ok {
			missing = append(missing, "no test got "+answer.String())
			continue
		}
		used[key] = true
	}
	for _, key := range slices.Sorted(maps.Keys(excused)) {
		if !used[key] {
			missing = append(missing, "excused, yet not missing: "+key)
		}
	}
	return missing
}

func (b *Book) saw(answer Answer) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.seen[answer] = true
}

// find returns the operation that a request is for. False with known: the path
// is described, the method is not.
func (b *Book) find(r *http.Request) (op operation, found, known bool) {
	segments := strings.Split(r.URL.EscapedPath(), "/")
	best := -1
	for _, candidate := range b.operations {
		literal, fits := candidate.match(segments)
		if !fits {
			continue
		}
		known = true
		if candidate.method == r.Method && literal > best {
			op, found, best = candidate, true, literal
		}
	}
	return op, found, known
}
