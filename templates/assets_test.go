package templates_test

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/portico-id/portico/templates"
)

func TestAssetsAreNamedAfterTheirContentAndTyped(t *testing.T) {
	assets := templates.Assets()
	named := regexp.MustCompile(`^/assets/[a-z-]+\.[0-9a-f]{16}\.(css|js|svg)$`)
	for path, asset := range assets {
		if path != asset.Path || !named.MatchString(path) {
			t.Errorf("asset %q is called %q", path, asset.Path)
		}
		if asset.ContentType == "" || len(asset.Body) == 0 || !strings.HasPrefix(asset.ETag, `"`) {
			t.Errorf("%s lacks something: %s %s", path, asset.ContentType, asset.ETag)
		}
	}
	if len(assets) != 8 {
		t.Errorf("%d assets, want two stylesheets, the icon and five scripts", len(assets))
	}
}

// A language is written from left to right or the other way: no stylesheet says
// which side is which.
//
// Rule: LANG-3
func TestStylesheetsKnowNoLeftAndRight(t *testing.T) {
	sided := regexp.MustCompile(`\b(left|right)\b`)
	four := regexp.MustCompile(`\b(?:margin|padding|inset): *([^ ;]+) ([^ ;]+) ([^ ;]+) ([^ ;]+);`)
	comment := regexp.MustCompile(`(?s)/\*.*?\*/`)
	for path, asset := range templates.Assets() {
		if !strings.HasSuffix(path, ".css") {
			continue
		}
		sheet := comment.ReplaceAllString(string(asset.Body), "")
		for _, found := range sided.FindAllString(sheet, -1) {
			t.Errorf("%s says %s: inline-start and inline-end turn with the language", path, found)
		}
		for _, found := range four.FindAllStringSubmatch(sheet, -1) {
			if found[2] != found[4] {
				t.Errorf("%s: %s tells left from right", path, found[0])
			}
		}
	}
}

// Rule: PAGE-1
func TestOnlyThePolicyOfOurOwnFormsHasFormAction(t *testing.T) {
	if strings.Contains(templates.PolicyInteractive, "form-action") {
		t.Error("the redirect to a client would be blocked")
	}
	if !strings.HasSuffix(templates.PolicyOwn, "; form-action 'self'") {
		t.Error("our own forms could be sent elsewhere")
	}
	for _, policy := range []string{templates.PolicyInteractive, templates.PolicyOwn, templates.PolicyCalling} {
		if strings.Contains(policy, "unsafe") || !strings.Contains(policy, "frame-ancestors 'none'") {
			t.Errorf("too weak: %s", policy)
		}
	}
}

// TestColoursHaveEnoughContrastInBothThemes holds WCAG 2.2, success criteria
// 1.4.3 (text 4.5:1) and 1.4.11 (controls and focus 3:1).
func TestColoursHaveEnoughContrastInBothThemes(t *testing.T) {
	colours := palette(t)
	for _, pair := range []struct {
		front, back string
		least       float64
	}{
		{"text", "ground", 4.5}, {"text", "card", 4.5}, {"text", "sunken", 4.5},
		{"muted", "ground", 4.5}, {"muted", "card", 4.5}, {"muted", "sunken", 4.5},
		{"accent", "card", 4.5}, {"accent", "sunken", 4.5}, {"accent-strong", "card", 4.5}, {"accent-strong", "sunken", 4.5},
		{"on-accent", "accent", 4.5}, {"on-accent", "accent-strong", 4.5},
		{"alert", "alert-ground", 4.5}, {"alert", "card", 3}, {"edge", "card", 3}, {"edge", "sunken", 3},
	} {
		for theme := range 2 {
			front, back := colours[pair.front][theme], colours[pair.back][theme]
			if got := contrast(t, front, back); got < pair.least {
				t.Errorf("theme %d: --%s on --%s is %.2f:1, want %.1f:1", theme, pair.front, pair.back, got, pair.least)
			}
		}
	}
}

// palette returns the light and the dark value of each colour.
func palette(t *testing.T) map[string][2]string {
	t.Helper()
	defined := regexp.MustCompile(`--([a-z-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)`)
	colours := map[string][2]string{}
	for path, asset := range templates.Assets() {
		if strings.HasSuffix(path, ".css") {
			for _, m := range defined.FindAllStringSubmatch(string(asset.Body), -1) {
				colours[m[1]] = [2]string{m[2], m[3]}
			}
		}
	}
	return colours
}

func contrast(t *testing.T, a, b string) float64 {
	t.Helper()
	la, lb := luminance(t, a), luminance(t, b)
	return (max(la, lb) + 0.05) / (min(la, lb) + 0.05)
}

// luminance is the relative luminance of WCAG 2.2.
func luminance(t *testing.T, colour string) float64 {
	t.Helper()
	if len(colour) != 7 {
		t.Fatalf("no colour: %q", colour)
	}
	var sum float64
	for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
		n, err := strconv.ParseUint(colour[1+2*i:3+2*i], 16, 8)
		if err != nil {
			t.Fatal(fmt.Errorf("colour %s: %w", colour, err))
		}
		c := float64(n) / 255
		if c <= 0.04045 {
			sum += weight * c / 12.92
			continue
		}
		sum += weight * math.Pow((c+0.055)/1.055, 2.4)
	}
	return sum
}
