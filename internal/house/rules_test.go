package house

import (
	"go/ast"
	"go/token"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

const rulesFile = root + "/docs/rules.md"

var (
	ruleRow      = regexp.MustCompile(`(?m)^\| ([A-Z]+-[0-9]+) \| (.+?) \| (.+?) \|$`)
	testName     = regexp.MustCompile("`([^`]+)`")
	citationLine = regexp.MustCompile(`^// Rules?: (.+)$`)
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

// tests returns every test of the tree as "folder TestName", each with the text
// of all string literals of its file, where the names of its cases must be.
func tests(t *testing.T) map[string]map[string]bool {
	t.Helper()
	found := map[string]map[string]bool{}
	for _, s := range sources(t) {
		if !s.isTest {
			continue
		}
		literals := literalsOf(s.syntax)
		for _, declaration := range s.syntax.Decls {
			f, ok := declaration.(*ast.FuncDecl)
			if !ok || f.Recv != nil {
				continue
			}
			for _, prefix := range []string{"Test", "Fuzz", "Example", "Benchmark"} {
				if strings.HasPrefix(f.Name.Name, prefix) {
					found[s.dir+" "+f.Name.Name] = literals
				}
			}
		}
	}
	return found
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

func TestEveryRuleNamesItsTests(t *testing.T) {
	known := tests(t)
	for _, r := range readRules(t) {
		if len(r.tests) == 0 {
			t.Errorf("rule %s names no test", r.id)
		}
		for _, name := range r.tests {
			folder, test, _ := strings.Cut(name, " ")
			function, subtest, hasSubtest := strings.Cut(test, "/")
			literals, ok := known[folder+" "+function]
			if !ok {
				t.Errorf("rule %s names %q, and there is no such test", r.id, name)
			}
			if ok && hasSubtest && !literals[subtest] {
				t.Errorf("rule %s names %q, and the test has no such case", r.id, name)
			}
		}
	}
}

func TestEveryCitedRuleExists(t *testing.T) {
	rules := readRules(t)
	for _, s := range sources(t) {
		for _, group := range s.syntax.Comments {
			for _, comment := range group.List {
				cited := citationLine.FindStringSubmatch(comment.Text)
				if cited == nil || s.dir == "internal/house" {
					continue
				}
				for id := range strings.SplitSeq(cited[1], ",") {
					if _, ok := rules[strings.TrimSpace(id)]; !ok {
						t.Errorf("%s cites rule %s, which is not in %s", s.at(comment), id, rulesFile)
					}
				}
			}
		}
	}
}
