package house

import (
	"go/ast"
	"go/token"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const rulesFile = root + "/docs/rules.md"

var (
	ruleRow      = regexp.MustCompile(`(?m)^\| ([A-Z]+-[0-9]+) \| (.+?) \| (.+?) \|$`)
	testName     = regexp.MustCompile("`([^`]+)`")
	citationLine = regexp.MustCompile(`^// Rules?: (.+)$`)
	testPrefix   = regexp.MustCompile(`^(Test|Fuzz|Example|Benchmark)`)
)

// rule is one row of docs/rules.md.
type rule struct {
	id, text string
	tests    []string // "folder TestName" or "folder TestName/case"
}

func readRules(t *testing.T) map[string]rule {
	t.Helper()
	content, err := os.ReadFile(rulesFile)
	if err != nil {
		t.Fatal(err)
	}
	rules := map[string]rule{}
	for _, row := range ruleRow.FindAllStringSubmatch(string(content), -1) {
		r := rule{id: row[1], text: row[2]}
		for _, name := range testName.FindAllStringSubmatch(row[3], -1) {
			r.tests = append(r.tests, name[1])
		}
		if _, twice := rules[r.id]; twice {
			t.Errorf("rule %s stands twice in %s", r.id, rulesFile)
		}
		rules[r.id] = r
	}
	if len(rules) == 0 {
		t.Fatalf("%s has no rules", rulesFile)
	}
	if rows := strings.Count(string(content), "\n| ") - strings.Count(string(content), "\n| Id "); rows != len(rules) {
		t.Errorf("%s has %d rows, %d of them rules: the others are malformed", rulesFile, rows, len(rules))
	}
	return rules
}

// testFunction is a test as the tree has it.
type testFunction struct {
	at       string          // file and line
	literals map[string]bool // all string literals of its file, where the names of its cases must be
	cites    []string        // ids of rules, by the last line of its comment
}

// tests returns every test of the tree as "folder TestName".
func tests(t *testing.T) map[string]testFunction {
	t.Helper()
	found := map[string]testFunction{}
	for _, s := range sources(t) {
		if !s.isTest {
			continue
		}
		literals := literalsOf(s.syntax)
		for _, declaration := range s.syntax.Decls {
			f, ok := declaration.(*ast.FuncDecl)
			if ok && f.Recv == nil && testPrefix.MatchString(f.Name.Name) {
				found[s.dir+" "+f.Name.Name] = testFunction{s.at(f), literals, citations(f.Doc)}
			}
		}
	}
	return found
}

// citations returns the ids that a comment cites in its last line.
func citations(comment *ast.CommentGroup) []string {
	if comment == nil {
		return nil
	}
	cited := citationLine.FindStringSubmatch(comment.List[len(comment.List)-1].Text)
	if cited == nil {
		return nil
	}
	return strings.Split(cited[1], ", ")
}

func literalsOf(file *ast.File) map[string]bool {
	literals := map[string]bool{}
	ast.Inspect(file, func(node ast.Node) bool {
		if literal, ok := node.(*ast.BasicLit); ok && literal.Kind == token.STRING {
			text, _ := strconv.Unquote(literal.Value)
			literals[text] = true
		}
		return true
	})
	return literals
}

// named splits "folder TestName/case" into "folder TestName" and the case.
func named(name string) (function, subtest string) {
	folder, test, _ := strings.Cut(name, " ")
	function, subtest, _ = strings.Cut(test, "/")
	return folder + " " + function, subtest
}

func TestEveryRuleNamesItsTestsAndTheyCiteIt(t *testing.T) {
	known := tests(t)
	for _, r := range readRules(t) {
		if len(r.tests) == 0 {
			t.Errorf("rule %s names no test", r.id)
		}
		for _, name := range r.tests {
			function, subtest := named(name)
			test, ok := known[function]
			switch {
			case !ok:
				t.Errorf("rule %s names %q, and there is no such test", r.id, name)
			case subtest != "" && !test.literals[subtest]:
				t.Errorf("rule %s names %q, and the test has no such case", r.id, name)
			case !slices.Contains(test.cites, r.id):
				t.Errorf("%s: rule %s names this test, and the last line of its comment is not // Rule: %s", test.at, r.id, r.id)
			}
		}
	}
}

func TestEveryCitedRuleNamesTheTest(t *testing.T) {
	rules := readRules(t)
	for name, test := range tests(t) {
		for _, id := range test.cites {
			r, ok := rules[id]
			if !ok {
				t.Errorf("%s cites rule %s, which is not in %s", test.at, id, rulesFile)
				continue
			}
			names := func(other string) bool { function, _ := named(other); return function == name }
			if !slices.ContainsFunc(r.tests, names) {
				t.Errorf("%s cites rule %s, whose row in %s does not name %q", test.at, id, rulesFile, name)
			}
		}
	}
}

// A citation that stands anywhere else would be held to nothing.
func TestRulesAreCitedByTestsAlone(t *testing.T) {
	for _, s := range sources(t) {
		allowed := map[*ast.Comment]bool{}
		for _, declaration := range s.syntax.Decls {
			f, ok := declaration.(*ast.FuncDecl)
			if ok && f.Doc != nil && f.Recv == nil && testPrefix.MatchString(f.Name.Name) {
				allowed[f.Doc.List[len(f.Doc.List)-1]] = true
			}
		}
		for _, group := range s.syntax.Comments {
			for _, comment := range group.List {
				if citationLine.MatchString(comment.Text) && !allowed[comment] {
					t.Errorf("%s cites a rule, and is not the last line of a test's comment", s.at(comment))
				}
			}
		}
	}
}
