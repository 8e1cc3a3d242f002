package house

import (
	"go/ast"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

const (
	columns  = 120
	longText = 40 // a text of that many characters stays in one piece, so that it can be searched for
)

// Lines fit on a screen, apart from those that hold a text in one piece or name a test's rules.
func TestLinesFitOnAScreen(t *testing.T) {
	for _, s := range sources(t) {
		content, err := os.ReadFile(filepath.Join(root, s.path))
		if err != nil {
			t.Fatal(err)
		}
		texts := s.linesOfTexts()
		for i, line := range strings.Split(string(content), "\n") {
			if utf8.RuneCountInString(line) > columns && !texts[i+1] && !strings.HasPrefix(line, "// Rule") {
				t.Errorf("%s:%d has more than %d columns", s.path, i+1, columns)
			}
		}
	}
}

// linesOfTexts returns the lines that hold a long text, or a part of one of several lines.
func (s source) linesOfTexts() map[int]bool {
	lines := map[int]bool{}
	ast.Inspect(s.syntax, func(node ast.Node) bool {
		text, is := node.(*ast.BasicLit)
		if !is || text.Kind != token.STRING || len(text.Value) < longText {
			return true
		}
		first := s.set.Position(text.Pos()).Line
		for i := range strings.Count(text.Value, "\n") + 1 {
			lines[first+i] = true
		}
		return true
	})
	return lines
}
