package house

import (
	"go/ast"
	"go/parser"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"text/template/parse"
	"unicode"

	"github.com/pelletier/go-toml/v2"
)

// said is one place where a text of the catalogue is asked for.
type said struct {
	where string
	key   string
	fills []string // names of what is filled in, sorted
}

// saidInCode returns what a file of Go asks the catalogue for: texts.Say.
func saidInCode(t *testing.T, s source) []said {
	var all []said
	ast.Inspect(s.syntax, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || len(call.Args) == 0 {
			return true
		}
		name := ""
		switch f := call.Fun.(type) {
		case *ast.SelectorExpr:
			if of, ok := f.X.(*ast.Ident); ok {
				name = of.Name + "." + f.Sel.Name
			}
		case *ast.Ident:
			name = filepath.Base(s.dir) + "." + f.Name
		}
		if name != "texts.Say" {
			return true
		}
		one := said{where: s.at(call), key: literal(call.Args[0])}
		if one.key == "" {
			t.Errorf("%s: texts.Say wants its key as a literal, so that this test can see it", s.at(call))
		}
		for i := 1; i < len(call.Args); i += 2 {
			one.fills = append(one.fills, literal(call.Args[i]))
		}
		slices.Sort(one.fills)
		all = append(all, one)
		return true
	})
	return all
}

func literal(e ast.Expr) string {
	basic, ok := e.(*ast.BasicLit)
	if !ok {
		return ""
	}
	text, err := strconv.Unquote(basic.Value)
	if err != nil {
		return ""
	}
	return text
}

// saidInTemplate returns what a template asks the catalogue for: t.
func saidInTemplate(t *testing.T, path string) []said {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	tree := parse.New(path)
	tree.Mode = parse.SkipFuncCheck
	trees := map[string]*parse.Tree{}
	if _, err := tree.Parse(string(text), "", "", trees); err != nil {
		t.Fatal(err)
	}
	var all []said
	for _, one := range trees {
		eachCommand(one.Root, func(c *parse.CommandNode) {
			if len(c.Args) < 2 || c.Args[0].String() != "t" {
				return
			}
			one := said{where: path}
			for i, arg := range c.Args[1:] {
				switch word, ok := arg.(*parse.StringNode); {
				case i == 0 && ok:
					one.key = word.Text
				case i%2 == 1 && ok:
					one.fills = append(one.fills, word.Text)
				}
			}
			slices.Sort(one.fills)
			all = append(all, one)
		})
	}
	return all
}

// eachCommand visits every command below the node.
func eachCommand(n parse.Node, visit func(*parse.CommandNode)) {
	branch := func(b *parse.BranchNode) {
		eachCommand(b.Pipe, visit)
		eachCommand(b.List, visit)
		if b.ElseList != nil {
			eachCommand(b.ElseList, visit)
		}
	}
	switch n := n.(type) {
	case *parse.ListNode:
		for _, child := range n.Nodes {
			eachCommand(child, visit)
		}
	case *parse.ActionNode:
		eachCommand(n.Pipe, visit)
	case *parse.TemplateNode:
		if n.Pipe != nil {
			eachCommand(n.Pipe, visit)
		}
	case *parse.IfNode:
		branch(&n.BranchNode)
	case *parse.RangeNode:
		branch(&n.BranchNode)
	case *parse.WithNode:
		branch(&n.BranchNode)
	case *parse.PipeNode:
		for _, c := range n.Cmds {
			visit(c)
			for _, arg := range c.Args {
				eachCommand(arg, visit)
			}
		}
	}
}

// names are the words that handlers write out and that are the same in every
// language: words of protocols, and examples.
var names = []string{"ES256", "EdDSA", "PS256", "RS256", "user.disabled", "2026-03-04", "2026-03-05"}

// Rule: LANG-1
func TestHandlersSayNothingByThemselves(t *testing.T) {
	for _, s := range product(t) {
		ast.Inspect(s.syntax, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || len(call.Args) != 1 {
				return true
			}
			if f, ok := call.Fun.(*ast.SelectorExpr); !ok || f.Sel.Name != "Own" {
				return true
			}
			for _, words := range wordsIn(call.Args[0]) {
				t.Errorf("%s: %q is no name: a text belongs into templates/texts", s.at(call), words)
			}
			return true
		})
	}
}

// wordsIn returns what an expression says in words of its own: literals, by
// themselves, in a sum and in a format.
func wordsIn(e ast.Expr) (all []string) {
	switch e := e.(type) {
	case *ast.BasicLit:
		if words := literal(e); strings.ContainsFunc(verb.ReplaceAllString(words, ""), unicode.IsLetter) &&
			!slices.Contains(names, words) {
			all = append(all, words)
		}
	case *ast.BinaryExpr:
		all = append(wordsIn(e.X), wordsIn(e.Y)...)
	case *ast.CallExpr:
		if f, ok := e.Fun.(*ast.SelectorExpr); ok && strings.HasPrefix(f.Sel.Name, "Sprint") {
			for _, arg := range e.Args {
				all = append(all, wordsIn(arg)...)
			}
		}
	}
	return all
}

func TestWordsInAreThoseThatSomebodyWouldRead(t *testing.T) {
	for source, want := range map[string]int{
		`"Disable"`: 1, `fmt.Sprintf("Disable %s?", name)`: 1, `"by " + name`: 1, `fmt.Sprintf("%s %s", a, b)`: 0,
		`"ES256"`: 0, `name`: 0, `query.Get("error")`: 0, `kind + " " + id`: 0,
	} {
		e, err := parser.ParseExpr(source)
		if err != nil {
			t.Fatal(err)
		}
		if got := wordsIn(e); len(got) != want {
			t.Errorf("%s has the words %q, want %d", source, got, want)
		}
	}
}

// englishTexts returns the names that each message of the catalogue fills in.
func englishTexts(t *testing.T) map[string][]string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(root, "templates/texts/*.en.toml"))
	if err != nil || len(paths) == 0 {
		t.Fatal(paths, err)
	}
	all := map[string][]string{}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var tables map[string]any
		if err := toml.Unmarshal(text, &tables); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		collect(tables, "", all)
	}
	return all
}

var filledIn = regexp.MustCompile(`\{\{\.(\w+)\}\}`)

func collect(table map[string]any, at string, into map[string][]string) {
	for name, value := range table {
		switch v := value.(type) {
		case string:
			key := at + name
			if slices.Contains([]string{"one", "other"}, name) {
				key = strings.TrimSuffix(at, ".")
				into[key] = append(into[key], "Count")
			} else if into[key] == nil {
				into[key] = []string{}
			}
			for _, found := range filledIn.FindAllStringSubmatch(v, -1) {
				into[key] = append(into[key], found[1])
			}
			slices.Sort(into[key])
			into[key] = slices.Compact(into[key])
		case map[string]any:
			collect(v, at+name+".", into)
		}
	}
}

// answeredIn returns the keys of the faults by their English.
func answeredIn(t *testing.T) map[string]string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "templates/texts/faults.en.toml"))
	if err != nil {
		t.Fatal(err)
	}
	var tables map[string]map[string]string
	if err := toml.Unmarshal(text, &tables); err != nil {
		t.Fatal(err)
	}
	keys := map[string]string{}
	for name, english := range tables["faults"] {
		keys[english] = "faults." + name
	}
	return keys
}

// answered returns the keys of the faults whose English the code says: package
// fault carries it, and pages look it up.
func answered(t *testing.T) map[string]bool {
	t.Helper()
	keys, used := answeredIn(t), map[string]bool{}
	for _, s := range product(t) {
		ast.Inspect(s.syntax, func(n ast.Node) bool {
			if basic, ok := n.(*ast.BasicLit); ok {
				used[keys[placed(literal(basic))]] = true
			}
			return true
		})
	}
	return used
}

var verb = regexp.MustCompile(`%(?:\.[0-9]+)?[a-z]`)

// placed writes a format as the catalogue does.
func placed(format string) string {
	next := 'A' - 1
	return verb.ReplaceAllStringFunc(strings.ReplaceAll(format, "'", "’"), func(verb string) string {
		next++
		if strings.HasSuffix(verb, "q") {
			return "“{{." + string(next) + "}}”"
		}
		return "{{." + string(next) + "}}"
	})
}

// Rule: LANG-1
func TestEveryTextIsSaidAndEveryTextThatIsSaidIsThere(t *testing.T) {
	var all []said
	for _, s := range product(t) {
		all = append(all, saidInCode(t, s)...)
	}
	pages, err := filepath.Glob(filepath.Join(root, "templates/html/*.html"))
	if err != nil || len(pages) == 0 {
		t.Fatal(pages, err)
	}
	for _, path := range pages {
		all = append(all, saidInTemplate(t, path)...)
	}
	known, used := englishTexts(t), answered(t)
	for _, s := range all {
		fills, there := known[s.key]
		used[s.key] = true
		switch {
		case !there:
			t.Errorf("%s says %q, which is not in templates/texts", s.where, s.key)
		case !slices.Equal(fills, slices.Compact(s.fills)):
			t.Errorf("%s fills %v into %q, which has %v", s.where, s.fills, s.key, fills)
		}
	}
	for key := range known {
		if !used[key] {
			t.Errorf("nothing says %q of templates/texts", key)
		}
	}
}

// pagesAlone are folders whose faults are for people, as no program comes there.
var pagesAlone = []string{"dataapi/pages", "internal/gate/websession", "internal/webpage"}

// Rule: LANG-1
func TestWhatPagesRefuseIsSaidInEveryLanguage(t *testing.T) {
	known := answeredIn(t)
	for _, s := range product(t) {
		within := func(dir string) bool { return s.dir == dir || strings.HasPrefix(s.dir, dir+"/") }
		if !slices.ContainsFunc(pagesAlone, within) {
			continue
		}
		ast.Inspect(s.syntax, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || len(call.Args) < 3 {
				return true
			}
			f, ok := call.Fun.(*ast.SelectorExpr)
			if !ok || f.Sel.Name != "New" && f.Sel.Name != "Newf" {
				return true
			}
			if of, ok := f.X.(*ast.Ident); !ok || of.Name != "fault" {
				return true
			}
			if text := placed(literal(call.Args[2])); text != "" && known[text] == "" {
				t.Errorf("%s: %q is not in templates/texts/faults.en.toml", s.at(call), text)
			}
			return true
		})
	}
}

// ofForms are the files that judge what people type into forms of pages.
var ofForms = []string{"provider/apps/security.go", "provider/catalogue/check.go",
	"provider/connections/connections.go", "provider/scope/list.go", "provider/clientprofile/introduction.go",
	"dataapi/naming/naming.go", "internal/outbound/outbound.go",
	"provider/people/desk_acts.go", "provider/people/sessions.go", "provider/apps/portal_pages.go"}

var sentence = regexp.MustCompile(`^[A-Z].* .*\.$`)

// Rule: LANG-4
func TestWhatFormsRefuseIsSaidInEveryLanguage(t *testing.T) {
	known, looked := answeredIn(t), 0
	for _, s := range product(t) {
		if !slices.Contains(ofForms, s.path) {
			continue
		}
		looked++
		ast.Inspect(s.syntax, func(n ast.Node) bool {
			e, ok := n.(ast.Expr)
			if text := placed(literal(e)); ok && sentence.MatchString(text) && known[text] == "" {
				t.Errorf("%s: %q is not in templates/texts/faults.en.toml", s.at(e), text)
			}
			return true
		})
	}
	if looked != len(ofForms) {
		t.Errorf("%d files of %d are there", looked, len(ofForms))
	}
}
