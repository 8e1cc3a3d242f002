package house

import (
	"go/ast"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The race detector takes three times as long: it watches code that shares memory
// between goroutines, and nothing else. raceFile says for each package with such code
// which tests it watches it in.
const raceFile = root + "/.ci/race"

// watched is a line of raceFile: a package, and "all" of its tests, one by name,
// another package whose tests use it, or "crowd", which is the test of a whole server
// that everybody uses at once.
type watched struct{ dir, by string }

const crowdIn, crowdTest = "cmd/portico/internal/e2e", "TestEverythingIsUsedAtOnce"

func watchedPackages(t *testing.T) []watched {
	t.Helper()
	text, err := os.ReadFile(filepath.FromSlash(raceFile))
	if err != nil {
		t.Fatal(err)
	}
	var all []watched
	for line := range strings.Lines(string(text)) {
		if !strings.HasPrefix(line, "#") {
			dir, by, _ := strings.Cut(strings.TrimSpace(line), " ")
			all = append(all, watched{strings.TrimPrefix(dir, "./"), by})
		}
	}
	return all
}

// sharesMemory reports whether a file starts a goroutine, or uses what guards against
// others.
func sharesMemory(file *ast.File) bool {
	found := false
	for _, spec := range file.Imports {
		found = found || slices.Contains([]string{`"sync"`, `"sync/atomic"`, `"golang.org/x/sync/errgroup"`,
			`"golang.org/x/sync/singleflight"`}, spec.Path.Value)
	}
	ast.Inspect(file, func(node ast.Node) bool {
		switch node.(type) {
		case *ast.GoStmt, *ast.ChanType:
			found = true
		}
		return !found
	})
	return found
}

// gearOfTests are packages that only tests use.
func gearOfTests(dir string) bool {
	return dir == "cmd/portico-bench" || dir == "storage/storagetest" || dir == "storage/blobstore/blobtest" ||
		strings.HasPrefix(dir+"/", harness)
}

func TestTheRaceDetectorWatchesWhatSharesMemory(t *testing.T) {
	shared, tests := map[string]bool{}, map[string][]string{}
	for _, s := range sources(t) {
		if !s.isTest && !gearOfTests(s.dir) && sharesMemory(s.syntax) {
			shared[s.dir] = true
		}
		for _, declaration := range s.syntax.Decls {
			if f, ok := declaration.(*ast.FuncDecl); ok && s.isTest && strings.HasPrefix(f.Name.Name, "Test") {
				tests[s.dir] = append(tests[s.dir], f.Name.Name)
			}
		}
	}
	lines, told := watchedPackages(t), map[string]bool{}
	if !slices.Contains(lines, watched{crowdIn, crowdTest}) {
		t.Errorf(".ci/race must have %s %s", crowdIn, crowdTest)
	}
	for _, line := range lines {
		known := line.by == "crowd" || slices.Contains(lines, watched{strings.TrimPrefix(line.by, "./"), "all"}) ||
			line.by == "all" && len(tests[line.dir]) > 0 ||
			slices.Contains(tests[line.dir], line.by)
		if !known || !shared[line.dir] && line.dir != crowdIn {
			t.Errorf(".ci/race has %q by %q: the package shares no memory (any more), or has no such test", line.dir, line.by)
		}
		told[line.dir] = true
	}
	for dir := range shared {
		if !told[dir] {
			t.Errorf("%s shares memory between goroutines: say in .ci/race by which tests the race detector sees it", dir)
		}
	}
	if len(shared) < 20 {
		t.Errorf("only these share memory: %v", shared)
	}
}
