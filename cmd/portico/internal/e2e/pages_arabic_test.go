package e2e

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"unicode"

	"golang.org/x/net/html"
)

// alike is what pages say in every language: names, and words for programs.
var alike = []string{"A browser", "Example App", "Plain", "Planner", "Portico", "admin@example.test",
	"Deutsch", "English", "Français", "العربية", "简体中文",
	"PORTICO_MCP=on", "factor_not_found", "sign_up_closed", "upstream_attempt"}

// Whoever reads Arabic signs in, joins and looks after their account in it, without a word of
// English in between. What else there is on the desk is in English, without Arabic.
//
// Rule: LANG-1
func TestPagesOfTheOwnAccountAreWhollyInArabic(t *testing.T) {
	t.Parallel()
	f := furnish(t, sqliteURL(t), texts{"app.name": "Planner"})
	others, looked := []string{"/", "/sign-up", "/forgotten", f.reset}, 0
	for _, path := range f.pages(t) {
		got := f.admin.fetch("GET", path, "Accept-Language", "ar")
		if strings.HasPrefix(path, "/account/") || slices.Contains(others, path) {
			looked++
			f.inArabic(path, got.Body)
		} else if strings.Contains(got.Body, `<body class="desk">`) && got.Status == http.StatusOK &&
			!strings.Contains(got.Body, `<html lang="en"`) {
			t.Errorf("%s is half in Arabic", path)
		}
	}
	if looked < 25 {
		t.Errorf("only %d pages were looked at", looked)
	}
}

func (f *furnished) inArabic(path, page string) {
	f.Helper()
	if !strings.Contains(page, `<html lang="ar" dir="rtl"`) {
		f.Errorf("%s is not in Arabic", path)
	}
	english := sayings(f, f.admin.fetch("GET", path, "Accept-Language", "en").Body)
	for _, text := range sayings(f, page) {
		if slices.Contains(english, text) && !slices.Contains(alike, text) {
			f.Errorf("%s says in English: %s", path, text)
		}
	}
}

// sayings are the texts of a page.
func sayings(t testing.TB, page string) (all []string) {
	t.Helper()
	whole, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	for n := range whole.Descendants() {
		if text := strings.TrimSpace(n.Data); n.Type == html.TextNode && strings.ContainsFunc(text, unicode.IsLetter) {
			all = append(all, text)
		}
	}
	return all
}
