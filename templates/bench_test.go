package templates_test

import (
	"io"
	"testing"

	"github.com/portico-id/portico/templates"
)

// BenchmarkSignInPage writes the page that is asked for most, in English.
func BenchmarkSignInPage(b *testing.B) {
	pages, err := templates.New(func() string { return "TOKEN" })
	if err != nil {
		b.Fatal(err)
	}
	page := templates.LoginPage{ClientName: "Site Planner", Action: "/login?request=r1", Username: "user@example.test"}
	b.ReportAllocs()
	for b.Loop() {
		if err := pages.Login(io.Discard, page); err != nil {
			b.Fatal(err)
		}
	}
}
