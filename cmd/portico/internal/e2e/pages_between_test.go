package e2e

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// A window of 700 pixels is too wide for cards and too narrow for all columns.
//
// Rule: PAGE-10
func TestTablesAndVersionsFitAWindowBetweenPhoneAndDesk(t *testing.T) {
	t.Parallel()
	f := furnish(t, sqliteURL(t), texts{"file.name": "A drawing with a rather long name, north elevation.png"})
	b := newTab(t, chromium(t), true)
	b.open(f.URL + "/files")
	b.nextAfter(func() { b.signIn("admin@example.test") })
	const project = "/files/projects/{project_id}"
	for _, language := range []string{"en", "de"} {
		b.look(look{language, 700, "light"})
		for _, route := range []string{"/folders/{folder_id}", "/items/{item_id}", "/items/{item_id}/compare"} {
			b.open(f.URL + f.at(project + route)[0])
			b.ready()
			b.fits(route)
			names := strings.Replace(narrow, `"td"`, `"tbody th"`, 1)
			if found := must(chromedp.Run(b.ctx, chromedp.Evaluate[string](names))); found != "" {
				t.Errorf("%s in %s: names are too narrow: %s", route, language, found)
			}
		}
	}
}
