package templates_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/portico-id/portico/templates"
)

var update = flag.Bool("update", false, "write the golden files anew")

// steady replaces the hashes of assets, which change with every touch of the
// stylesheet and say nothing about a page.
func steady(html string) string {
	for assetPath := range templates.Assets() {
		parts := strings.Split(assetPath, ".")
		html = strings.ReplaceAll(html, assetPath, parts[0]+".HASH."+parts[2])
	}
	return html
}

func TestPagesLookAsTheirGoldenFiles(t *testing.T) {
	pages := newPages(t)
	for _, s := range samples() {
		t.Run(s.name, func(t *testing.T) {
			got := steady(rendered(t, pages, s, templates.Frame{RequestID: "req-1"}))
			file := filepath.Join("testdata", "golden", s.name+".html")
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestEveryGoldenFileHasASample(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("testdata", "golden", "*.html"))
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for _, s := range samples() {
		known[s.name+".html"] = true
	}
	for _, file := range files {
		if !known[filepath.Base(file)] {
			t.Errorf("%s belongs to no sample", file)
		}
	}
	if len(files) != len(known) {
		t.Errorf("%d golden files for %d samples", len(files), len(known))
	}
}

func TestThemeOfTheFrameIsOneOfTwoOrLeftToTheSystem(t *testing.T) {
	pages := newPages(t)
	for theme, want := range map[string]string{
		"":                            `<html lang="en" dir="ltr">`,
		templates.ThemeLight:          `<html lang="en" dir="ltr" data-theme="light">`,
		templates.ThemeDark:           `<html lang="en" dir="ltr" data-theme="dark">`,
		`dark" onload="alert(1)`:      `<html lang="en" dir="ltr">`,
		strings.ToUpper("high-glare"): `<html lang="en" dir="ltr">`,
	} {
		got := rendered(t, pages, samples()[0], templates.Frame{Theme: theme})
		if !strings.Contains(got, want) {
			t.Errorf("theme %q: %s is missing", theme, want)
		}
	}
}

// Rule: LANG-2
func TestAPageIsInOneLanguageAndSaysWhich(t *testing.T) {
	pages := newPages(t)
	for wanted, want := range map[string]string{"": `lang="en" dir="ltr"`, "de-AT,en": `lang="de" dir="ltr"`,
		"zh-CN": `lang="zh-Hans" dir="ltr"`} {
		for _, s := range samples() {
			if got := rendered(t, pages, s, templates.Frame{Lang: wanted}); !strings.Contains(got, "<html "+want) {
				t.Errorf("%s for who wants %q is not in %s", s.name, wanted, want)
			}
		}
	}
	arabic := map[string]string{"login": `lang="ar" dir="rtl"`, "consent": `lang="ar" dir="rtl"`,
		"home": `lang="ar" dir="rtl"`, "users": `lang="en" dir="ltr"`}
	for _, s := range samples() {
		if want, told := arabic[s.name]; told &&
			!strings.Contains(rendered(t, pages, s, templates.Frame{Lang: "ar"}), "<html "+want) {
			t.Errorf("%s for who wants Arabic is not in %s", s.name, want)
		}
	}
}

func TestTitleOfTheFrameReplacesThePagesOwn(t *testing.T) {
	pages := newPages(t)
	s := sample{"login", login(templates.LoginPage{})}
	if got := rendered(t, pages, s, templates.Frame{Title: "Welcome"}); !strings.Contains(got,
		"<title>Welcome · Portico</title>") {
		t.Error("the frame's title is not the window's")
	}
	if got := rendered(t, pages, s, templates.Frame{}); !strings.Contains(got, "<title>Sign in · Portico</title>") {
		t.Error("the page's own title is missing")
	}
}
