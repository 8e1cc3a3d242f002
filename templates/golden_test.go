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
		"":                            `<html lang="en">`,
		templates.ThemeLight:          `<html lang="en" data-theme="light">`,
		templates.ThemeDark:           `<html lang="en" data-theme="dark">`,
		`dark" onload="alert(1)`:      `<html lang="en">`,
		strings.ToUpper("high-glare"): `<html lang="en">`,
	} {
		got := rendered(t, pages, samples()[0], templates.Frame{Theme: theme})
		if !strings.Contains(got, want) {
			t.Errorf("theme %q: %s is missing", theme, want)
		}
	}
}

func TestLanguageIsEnglishWhateverIsAskedFor(t *testing.T) {
	for wish, want := range map[string]string{
		"": "en", "en": "en", "en-GB": "en-GB", "en-US": "en-US",
		"se": "en", "de-DE": "en", "en-": "en", "en-USA": "en", `en-"<`: "en", "en-gb": "en",
	} {
		if got := templates.Language(wish); got != want {
			t.Errorf("Language(%q) = %q, want %q", wish, got, want)
		}
	}
}

func TestTitleOfTheFrameReplacesThePagesOwn(t *testing.T) {
	pages := newPages(t)
	s := sample{"login", login(templates.LoginPage{})}
	if got := rendered(t, pages, s, templates.Frame{Title: "Welcome"}); !strings.Contains(got, "<title>Welcome · Portico</title>") {
		t.Error("the frame's title is not the window's")
	}
	if got := rendered(t, pages, s, templates.Frame{}); !strings.Contains(got, "<title>Sign in · Portico</title>") {
		t.Error("the page's own title is missing")
	}
}
