package e2e

import (
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
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
			b.readable(route)
			names := strings.Replace(narrow, `"td"`, `"tbody th"`, 1)
			if found := must(chromedp.Run(b.ctx, chromedp.Evaluate[string](names))); found != "" {
				t.Errorf("%s in %s: names are too narrow: %s", route, language, found)
			}
		}
	}
}

// cut are the tables and texts of which a part is beyond their frame, where nobody can move them.
const cut = `[...document.querySelectorAll(".table, pre, .diff")].filter(frame =>
	frame.scrollWidth > frame.clientWidth + 1 || frame.scrollHeight > frame.clientHeight + 1,
).map(frame => frame.textContent.trim().slice(0, 80)).join(" | ")`

// Rule: PAGE-10
func TestNothingIsCutOffOnPaper(t *testing.T) {
	t.Parallel()
	f := furnish(t, sqliteURL(t), texts{"file.name": "A drawing with a rather long name, north elevation.png"})
	b := newTab(t, chromium(t), true)
	b.continues(f.admin)
	b.look(look{"de", 718, "light"}) // A4 within its margins
	paper := emulation.SetEmulatedMediaParams{Media: "print"}
	if _, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, paper); err != nil {
		t.Fatal(err)
	}
	const project = "/files/projects/{project_id}"
	for _, path := range []string{f.at(project + "/folders/{folder_id}")[0], f.at(project + "/items/{item_id}")[0],
		"/admin/keys", "/admin/users", "/admin/audit", "/apps/" + f.web["clientId"] + "/guides/curl"} {
		b.open(f.URL + path)
		b.ready()
		b.fits(path)
		if found := must(chromedp.Run(b.ctx, chromedp.Evaluate[string](cut))); found != "" {
			t.Errorf("%s: %s", path, found)
		}
		b.pictured(path)
	}
}

// On a phone the row of things to do with what is chosen, and the word of what was done, take much
// of the window.
//
// Rule: PAGE-17
func TestWhatHasTheFocusIsSeenOnAPhone(t *testing.T) {
	t.Parallel()
	f := furnish(t, sqliteURL(t), nil)
	b := newTab(t, chromium(t), true)
	b.continues(f.admin)
	folder := f.at("/files/projects/{project_id}/folders/{folder_id}")[0]
	for _, name := range []string{"Architecture", "Civil", "Electrical", "Landscape", "Mechanical", "Structure"} {
		f.admin.press(folder+"/new", "name", name)
	}
	for _, language := range []string{"de", "fr"} {
		b.look(look{language, 360, "light"})
		low := emulation.SetDeviceMetricsOverrideParams{Width: 360, Height: 500, DeviceScaleFactor: 1}
		if _, err := chromedp.Call(b.ctx, emulation.SetDeviceMetricsOverride, low); err != nil {
			t.Fatal(err)
		}
		for _, path := range []string{folder + "?done=hidden", "/admin/users/" + f.adminID + "?done=factor-removed"} {
			b.open(f.URL + path)
			b.ready()
			if found := b.covered(); len(found) > 0 {
				t.Errorf("%s in %s: %s", path, language, strings.Join(found, ", "))
			}
		}
	}
}
