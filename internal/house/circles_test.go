package house

import (
	"go/ast"
	"go/types"
	"maps"
	pathpkg "path"
	"slices"
	"testing"
)

// Files of a package that lead back to each other can only be read together.
// Names are followed, methods are not: whoever calls one knows the type already.
const (
	maxInCircles = 18 // per cent of all files
	maxMethods   = 100
)

// nobody imports: names of other packages stay unknown, which is all the same
// to whoever looks at the names of one.
type nobody struct{}

func (nobody) Import(path string) (*types.Package, error) {
	known := types.NewPackage(path, pathpkg.Base(path))
	known.MarkComplete()
	return known, nil
}

// packages returns the product's files by their folder.
func packages(t *testing.T) map[string][]source {
	t.Helper()
	byFolder := map[string][]source{}
	for _, s := range product(t) {
		byFolder[s.dir] = append(byFolder[s.dir], s)
	}
	return byFolder
}

// references returns, for each file of a package, the files whose names it uses.
func references(files []source) map[string]map[string]bool {
	trees := make([]*ast.File, len(files))
	for i, f := range files {
		trees[i] = f.syntax
	}
	uses := &types.Info{Uses: map[*ast.Ident]types.Object{}}
	config := types.Config{Importer: nobody{}, Error: func(error) {}}
	pkg, _ := config.Check(files[0].dir, files[0].set, trees, uses)
	found := map[string]map[string]bool{}
	for name, object := range uses.Uses {
		if object.Parent() != pkg.Scope() {
			continue
		}
		from, to := files[0].set.File(name.Pos()).Name(), files[0].set.File(object.Pos()).Name()
		if from != to {
			if found[from] == nil {
				found[from] = map[string]bool{}
			}
			found[from][to] = true
		}
	}
	return found
}

// inCircles returns the files from which references lead back to themselves.
func inCircles(graph map[string]map[string]bool) []string {
	var round []string
	for _, start := range slices.Sorted(maps.Keys(graph)) {
		seen, ways := map[string]bool{}, slices.Collect(maps.Keys(graph[start]))
		for len(ways) > 0 && !seen[start] {
			at := ways[len(ways)-1]
			ways = ways[:len(ways)-1]
			if !seen[at] {
				seen[at] = true
				ways = slices.AppendSeq(ways, maps.Keys(graph[at]))
			}
		}
		if seen[start] {
			round = append(round, start)
		}
	}
	return round
}

func TestFewFilesLieInCircles(t *testing.T) {
	all, round := 0, 0
	for dir, files := range packages(t) {
		circles := inCircles(references(files))
		all, round = all+len(files), round+len(circles)
		if len(circles) > 0 {
			t.Logf("%s: %d of %d files", dir, len(circles), len(files))
		}
	}
	t.Logf("%d of %d files lie in circles, %d %%", round, all, 100*round/all)
	if 100*round > maxInCircles*all {
		t.Errorf("more than %d %% of the files lie in circles", maxInCircles)
	}
}

func TestCirclesAreSeen(t *testing.T) {
	graph := map[string]map[string]bool{
		"a": {"b": true}, "b": {"c": true}, "c": {"b": true, "d": true}, "d": {},
	}
	if got, want := inCircles(graph), []string{"b", "c"}; !slices.Equal(got, want) {
		t.Errorf("circles %q, want %q", got, want)
	}
}

func TestNoTypeHasTooManyMethods(t *testing.T) {
	for dir, files := range packages(t) {
		methods := map[string]int{}
		for _, s := range files {
			for _, declaration := range s.syntax.Decls {
				if f, ok := declaration.(*ast.FuncDecl); ok && f.Recv != nil {
					methods[receiver(f)]++
				}
			}
		}
		for name, n := range methods {
			if n > maxMethods {
				t.Errorf("%s.%s has %d methods", dir, name, n)
			}
		}
	}
}

// receiver returns the name of the type that a method is on.
func receiver(f *ast.FuncDecl) string {
	on := f.Recv.List[0].Type
	if star, ok := on.(*ast.StarExpr); ok {
		on = star.X
	}
	switch generic := on.(type) {
	case *ast.IndexExpr:
		on = generic.X
	case *ast.IndexListExpr:
		on = generic.X
	}
	name, _ := on.(*ast.Ident)
	return name.Name
}
