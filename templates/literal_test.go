package templates_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"golang.org/x/net/html"
)

var action = regexp.MustCompile(`(?s)\{\{.*?\}\}`)

// literals returns the words that a template says to people without asking the
// catalogue for them. What is for machines stands in code elements.
func literals(source string) []string {
	var found []string
	look := func(text string) {
		if text = strings.Trim(text, " ·\n"); text != "Portico" && !strings.Contains(text, `="`) &&
			strings.ContainsFunc(text, unicode.IsLetter) {
			found = append(found, text)
		}
	}
	code := false
	for z := html.NewTokenizer(strings.NewReader(action.ReplaceAllString(source, ""))); ; {
		switch kind := z.Next(); kind {
		case html.ErrorToken:
			return found
		case html.TextToken:
			if text := string(z.Text()); !code {
				look(text)
			}
		case html.StartTagToken, html.EndTagToken, html.SelfClosingTagToken:
			token := z.Token()
			if token.Data == "code" {
				code = kind == html.StartTagToken
			}
			for _, a := range token.Attr {
				if slices.Contains([]string{"title", "aria-label", "placeholder", "alt", "data-copy"}, a.Key) {
					look(a.Val)
				}
			}
		}
	}
}

// Rule: LANG-1
func TestTemplatesSayNothingByThemselves(t *testing.T) {
	files, err := filepath.Glob("html/*.html")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if found := literals(string(source)); len(found) > 0 {
			t.Errorf("%s says %q: a text belongs into templates/texts", file, found)
		}
	}
}

func TestLiteralsAreSeen(t *testing.T) {
	source := `<p title="{{t "a.b"}}">{{if .X}}{{t "c.d" "App" .Name}}{{end}} · <code data-copy="key">GET {{.ID}}</code> {{if .Y}}Words{{end}}</p><img alt="Logo">`
	if got := literals(source); !slices.Equal(got, []string{"key", "Words", "Logo"}) {
		t.Errorf("found %q", got)
	}
}
