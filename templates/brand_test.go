package templates_test

import (
	"strings"
	"testing"

	"github.com/portico-id/portico/templates"
)

// Rule: PAGE-12
func TestEveryPageCarriesTheBrand(t *testing.T) {
	brand := templates.Brand{
		Name: "Weber & Söhne", SupportURL: "mailto:hilfe@example.test", TermsURL: "https://example.test/terms",
		PrivacyURL: "https://example.test/privacy", ImprintURL: "https://example.test/imprint",
	}
	pages, plain := newPages(t), newPages(t)
	pages.Branded(templates.Always(brand))
	for _, s := range samples() {
		page := rendered(t, pages, s, templates.Frame{Lang: "de"})
		for _, want := range []string{
			"Weber &amp; Söhne</title>", "<span>Weber &amp; Söhne</span>", `href="mailto:hilfe@example.test"`,
			`href="https://example.test/terms"`,
			`href="https://example.test/privacy"`, `href="https://example.test/imprint"`, ">Impressum</a>",
		} {
			if !strings.Contains(page, want) {
				t.Errorf("%s has no %s", s.name, want)
			}
		}
		if strings.Contains(rendered(t, plain, s, templates.Frame{}), `class="foot legal"`) {
			t.Errorf("%s of a server without a brand has links of one", s.name)
		}
	}
}
