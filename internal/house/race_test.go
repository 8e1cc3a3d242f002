package house

import (
	"flag"
	"go/ast"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The race detector takes three times as long: it runs where several goroutines
// work on one thing. .ci/race lists these packages, and of the largest only the
// tests that let several work at once.
const raceFile = root + "/.ci/race"

// suites is what every store is held to, worlds what tests of the data API stand on.
const (
	suites = "storage/storagetest"
	worlds = "internal/harness/datatest"
)

var update = flag.Bool("update", false, "write .ci/race")

// large are packages of which only such tests run under the race detector.
func large(dir string) bool {
	return slices.Contains([]string{"cmd/portico/internal/app", "cmd/portico/internal/e2e", "dataapi",
		"dataapi/twins", "internal/picture", "provider"}, dir) ||
		strings.HasPrefix(dir, "storage/sqlstore")
}

// raceList returns the lines of .ci/race that are needed: a package, or a
// package and a pattern of tests.
func raceList(t *testing.T) []string {
	t.Helper()
	shared, files := map[string]bool{}, map[string][]source{}
	var gear []source
	for _, s := range sources(t) {
		switch {
		case s.dir == suites || s.dir == worlds:
			gear = append(gear, s)
		case s.isTest:
			files[s.dir] = append(files[s.dir], s)
		case s.dir != "cmd/portico-bench" && !strings.HasPrefix(s.dir+"/", harness) && sharesMemory(s.syntax):
			shared[s.dir] = true
		}
	}
	crowding := crowded(gear, nil)
	crowds, topics := map[string][]string{}, crowdedTopics(gear, crowding)
	for dir, tests := range files {
		crowds[dir] = crowdedTests(crowded(tests, abroad(crowding)), topics, tests)
	}
	var lines []string
	for _, dir := range slices.Sorted(maps.Keys(files)) {
		switch {
		case large(dir):
			for _, name := range crowds[dir] {
				if !outside.MatchString(name) {
					lines = append(lines, "./"+dir+" "+name)
				}
			}
		case shared[dir] || len(crowds[dir]) > 0:
			lines = append(lines, "./"+dir)
		}
	}
	return lines
}

// sharesMemory reports whether a file starts a goroutine or uses what guards
// against others.
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

// crowded returns the functions that let several work at once, those that name
// one of these, and so on; a method's name begins with a dot.
func crowded(files []source, known map[string]bool) map[string]bool {
	hot := map[string]bool{"sync.WaitGroup": true}
	maps.Copy(hot, known)
	for before := -1; before != count(hot); {
		before = count(hot)
		for _, f := range functions(files) {
			if name := ownName(f); !hot[name] && mentions(f, hot) {
				hot[name] = f.Recv == nil || crowd.MatchString(name) || mentions(f, nil)
			}
		}
	}
	return hot
}

// crowd are names of methods that may be followed: others share theirs with
// methods that let nobody work beside them.
var crowd = regexp.MustCompile(`(?i)race|atonce|together|writers`)

// outside are tests of the whole binary in which several work at once only to be there
// when something outside of its memory fails: a process, a disk, a database, a line. What
// they share inside of it is raced by the tests of those packages, and by the rest.
var outside = regexp.MustCompile(`^\^Test(A|The|Every|Without)?(Killed|Database|Host|LockedFile|Redis|ServerPrepares|` +
	`ServerWorks|FullDisk|Descriptors|SlowBodies|FileWithAVirus|ReleaseBefore|PageIsUnder|LargeUpload|ReaderOfTheFeed)`)

func count(hot map[string]bool) int {
	n := 0
	for _, is := range hot {
		if is {
			n++
		}
	}
	return n
}

func ownName(f *ast.FuncDecl) string {
	if f.Recv != nil && f.Name.Name != "Run" { // each test calls a Run of its own
		return "." + f.Name.Name
	}
	return f.Name.Name
}

// abroad returns the names as another package has them.
func abroad(hot map[string]bool) map[string]bool {
	there := map[string]bool{}
	for name, is := range hot {
		if !is {
			continue
		}
		there[name] = strings.HasPrefix(name, ".")
		for _, dir := range []string{suites, worlds} {
			there[path.Base(dir)+"."+name] = true
		}
	}
	return there
}

func functions(files []source) []*ast.FuncDecl {
	var all []*ast.FuncDecl
	for _, s := range files {
		for _, declaration := range s.syntax.Decls {
			if f, ok := declaration.(*ast.FuncDecl); ok {
				all = append(all, f)
			}
		}
	}
	return all
}

// mentions reports whether a function calls one of these, has it as a type, or
// lists it as a check.
func mentions(f *ast.FuncDecl, wanted map[string]bool) bool {
	found := false
	ast.Inspect(f, func(node ast.Node) bool {
		switch n := node.(type) {
		case *ast.CallExpr:
			found = found || wanted[nameOf(n.Fun)]
			if method, ok := n.Fun.(*ast.SelectorExpr); ok {
				found = found || wanted["."+method.Sel.Name]
			}
		case *ast.SelectorExpr:
			found = found || nameOf(n) == "sync.WaitGroup"
		case *ast.RangeStmt:
			found = found || starts(n.Body)
		case *ast.CompositeLit:
			found = found || slices.ContainsFunc(n.Elts, func(e ast.Expr) bool { return wanted[nameOf(e)] })
		}
		return !found
	})
	return found
}

// starts reports whether a loop's body starts a goroutine.
func starts(body *ast.BlockStmt) bool {
	return slices.ContainsFunc(body.List, func(s ast.Stmt) bool { _, ok := s.(*ast.GoStmt); return ok })
}

// nameOf returns what a function is called by: name, or package.name.
func nameOf(function ast.Expr) string {
	switch f := function.(type) {
	case *ast.Ident:
		return f.Name
	case *ast.SelectorExpr:
		return nameOf(f.X) + "." + f.Sel.Name
	case *ast.IndexExpr:
		return nameOf(f.X)
	}
	return ""
}

// crowdedTopics returns the names of the suites' topics that have such checks,
// as "go test -run" wants them.
func crowdedTopics(gear []source, crowding map[string]bool) string {
	var topics []string
	for _, s := range gear {
		ast.Inspect(s.syntax, func(node ast.Node) bool {
			var parts []ast.Expr
			switch n := node.(type) {
			case *ast.CompositeLit:
				parts = n.Elts
			case *ast.KeyValueExpr:
				parts = []ast.Expr{n.Key, n.Value}
			}
			if len(parts) != 2 {
				return true
			}
			name, isName := parts[0].(*ast.BasicLit)
			checks, isCall := parts[1].(*ast.CallExpr)
			if isName && isCall && crowding[nameOf(checks.Fun)] {
				topics = append(topics, strings.ReplaceAll(strings.Trim(name.Value, `"`), " ", "_"))
			}
			return true
		})
	}
	slices.Sort(topics)
	return "/^(" + strings.Join(topics, "|") + ")$"
}

// crowdedTests returns the patterns of such tests. Of a test that runs a whole
// suite it is those topics.
func crowdedTests(hot map[string]bool, topics string, files []source) []string {
	var tests []string
	for _, f := range functions(files) {
		name := f.Name.Name
		switch {
		case !strings.HasPrefix(name, "Test") || name == "TestMain" || !hot[name]:
		case strings.Contains(name, "Contract"):
			tests = append(tests, "^"+name+"$"+topics)
		default:
			tests = append(tests, "^"+name+"$")
		}
	}
	slices.Sort(tests)
	return tests
}

func TestTheRaceDetectorRunsWhereSeveralWorkAtOnce(t *testing.T) {
	const head = "# What runs under the race detector: a package, or a pattern of its tests.\n" +
		"# Written by: go test ./internal/house -run TestTheRaceDetector -update\n"
	want := head + strings.Join(raceList(t), "\n") + "\n"
	if *update {
		if err := os.WriteFile(filepath.FromSlash(raceFile), []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(raceFile)
	if err != nil || string(got) != want {
		t.Errorf("%v: .ci/race is\n%swant\n%s", err, got, want)
	}
	if strings.Count(want, "\n") < 20 {
		t.Errorf("only these were found:\n%s", want)
	}
}
