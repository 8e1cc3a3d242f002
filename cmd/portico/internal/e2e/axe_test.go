package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"

	catalogue "github.com/portico-id/portico/templates/texts"
)

// axe is the checker of accessibility, as the text of a program.
func axe(t *testing.T) string {
	t.Helper()
	program, err := os.ReadFile(filepath.Join(nodeModules(t), "axe-core", "axe.min.js"))
	if err != nil {
		t.Fatal(err)
	}
	return string(program)
}

// violations is what axe finds on the page.
func (b *tab) violations(axe string) []string {
	b.Helper()
	if _, err := chromedp.Run(b.ctx, chromedp.Evaluate[bool](axe+";true")); err != nil {
		b.Fatal(err)
	}
	found, err := chromedp.Run(b.ctx, chromedp.Evaluate[string](`axe.run(document, {resultTypes: ["violations"],
		runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]})
		.then(r => JSON.stringify(r.violations.map(v => v.id + ": " + v.nodes.map(n => n.target.join(" ") + " " + n.html).join(" | "))))`, chromedp.EvalAwaitPromise))
	if err != nil {
		b.Fatal(err)
	}
	var list []string
	if err := json.Unmarshal([]byte(found), &list); err != nil {
		b.Fatal(err)
	}
	return list
}

// accessible lets axe look at the page.
func (b *tab) accessible(axe, where string) {
	b.Helper()
	b.act("waiting for the page", chromedp.WaitReady(chromedp.CSS("main")))
	b.fits(where)
	b.readable(where)
	if list := b.violations(axe); len(list) > 0 {
		b.Errorf("%s, %+v:\n%s", where, b.read, strings.Join(list, "\n"))
	}
}

// look is how somebody reads pages.
type look struct {
	language string
	width    int64
	theme    string // light or dark
}

// looks returns every language in a wide and a narrow window, light and dark, so
// that neighbours differ in all three. One test shows each page in one of them, the
// soak in all (PORTICO_SOAK_PAGES).
func looks() []look {
	var all []look
	for turn := range 4 {
		for i, tag := range catalogue.Tags() {
			all = append(all, look{tag, []int64{1280, 360}[(i+turn)%2], []string{"light", "dark"}[(i+turn/2)%2]})
		}
	}
	return all
}

// look lets the tab be read like that from now on.
func (b *tab) look(l look) {
	b.Helper()
	b.read = l
	headers := network.SetExtraHTTPHeadersParams{Headers: network.Headers{"Accept-Language": l.language}}
	if _, err := chromedp.Call(b.ctx, network.SetExtraHTTPHeaders, headers); err != nil {
		b.Fatal(err)
	}
	window := emulation.SetDeviceMetricsOverrideParams{Width: l.width, Height: 900, DeviceScaleFactor: 1}
	if _, err := chromedp.Call(b.ctx, emulation.SetDeviceMetricsOverride, window); err != nil {
		b.Fatal(err)
	}
	theme := emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme",
		Value: l.theme}}}
	if _, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, theme); err != nil {
		b.Fatal(err)
	}
}

// fits lets nothing stick out of the window: a page scrolls one way only (WCAG
// 2.2, 1.4.10).
func (b *tab) fits(where string) {
	b.Helper()
	out, err := chromedp.Run(b.ctx, chromedp.Evaluate[int](`document.documentElement.scrollWidth - document.documentElement.clientWidth`))
	if err != nil {
		b.Fatal(err)
	}
	if out > 0 {
		language, _ := chromedp.Run(b.ctx, chromedp.Evaluate[string](`document.documentElement.lang`))
		b.Errorf("%s in %s sticks out of the window by %d pixels", where, language, out)
	}
}

// narrow are the cells of tables that are narrower than eight characters though they
// have as many, or are no cards where there is no room for columns.
const narrow = `[...document.querySelectorAll("td")].filter(cell => {
	const style = getComputedStyle(cell), pen = document.createElement("canvas").getContext("2d");
	pen.font = style.font;
	const inner = cell.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
	const long = cell.textContent.trim().length >= 8 && cell.clientWidth > 0;
	return long && (inner < 8 * pen.measureText("0").width || innerWidth <= 640 && style.display !== "block");
}).map(cell => cell.textContent.trim()).join(" | ")`

// readable lets no table shrink to columns of a few letters.
func (b *tab) readable(where string) {
	b.Helper()
	cells, err := chromedp.Run(b.ctx, chromedp.Evaluate[string](narrow))
	if err != nil {
		b.Fatal(err)
	}
	if cells != "" {
		b.Errorf("%s, %+v: cells of a table are too narrow: %s", where, b.read, cells)
	}
}

// axePages is how many pages one tab shows: a tab has patience for so many.
const axePages = 8

// Rules: PAGE-10, PORTAL-14
func TestEveryPageIsAccessible(t *testing.T) {
	t.Parallel()
	program := axe(t)
	browser := chromium(t)
	f := furnish(t, sqliteURL(t), nil)
	web, service, group := "/apps/"+f.web["clientId"], "/apps/"+f.service["clientId"], "/admin/groups/"+f.web["groupId"]
	pages := append(f.pages(t),
		"/login?then=%2Fapps", "/apps/nothing", "/admin/users/nobody", "/admin/audit?since=x", "/admin/users?q=nobody",
		"/admin/apps?q=nobody",
		"/apps/try/callback", "/password?link=over", "/authentication/v2/authorize?client_id=nothing",
		"/authentication/v2/logout?client_id="+f.web["clientId"],
	)
	all := looks()
	for i, chunk := range slices.Collect(slices.Chunk(pages, axePages)) {
		shown := []look{all[i%len(all)]}
		if os.Getenv("PORTICO_SOAK_PAGES") != "" {
			shown = all
		}
		for _, look := range shown {
			b := newTab(t, browser, true)
			b.look(look)
			b.open(f.URL + "/login?then=%2Fapps")
			b.accessible(program, "/login")
			b.signIn("admin@example.test")
			b.await("apps")
			for _, path := range chunk {
				b.open(f.URL + path)
				b.accessible(program, path)
			}
		}
	}

	b := newTab(t, browser, true)
	b.look(all[1])
	b.open(f.URL + f.reset)
	b.click("password-form-submit")
	b.await("form-errors")
	b.accessible(program, "a failed /password")
	b.open(f.URL + "/apps")
	b.signIn("admin@example.test")
	b.await("apps")
	for path, form := range map[string]string{
		"/apps/new": "app-form", web + "/logo": "logo-form", service: "create-account", web: "add-member",
		"/admin/users/new": "user-form",
		group:              "add-member", "/admin" + service: "hub-form", "/admin" + web: "add-member",
	} {
		b.open(f.URL + path)
		b.click(form + "-submit")
		b.await("form-errors")
		b.accessible(program, "a failed "+path)
	}
	b.open(f.URL + web + "/edit")
	b.write("policy_uri", "x")
	b.click("app-form-submit")
	b.await("form-errors")
	b.accessible(program, "a failed edit")

	b = newTab(t, browser, true)
	b.look(all[2])
	b.open(f.URL + web + "/try")
	b.signIn("admin@example.test")
	b.click("try-form-submit")
	b.await("consent-allow")
	b.accessible(program, "/consent")
	b.click("consent-deny")
	b.await("try-error")
	b.accessible(program, "a try-out that was refused")
	b.click("try-form-submit")
	b.click("consent-allow")
	b.await("tokens")
	b.accessible(program, "the tokens of a try-out")
	b.open(f.URL + service)
	b.click("new-secret")
	b.click("secret-form-submit")
	b.await("continue")
	b.accessible(program, "a new secret")
	b.click("signout")
	b.await("login-submit")
	b.accessible(program, "signed out")
	b.guarded(f, program)
	b.broken(program)
}

// guarded shows what somebody sees who has a second factor.
func (b *tab) guarded(f *furnished, program string) {
	b.Helper()
	f.person("guarded@example.test")
	v := f.signedIn("guarded@example.test")
	v.addsAuthenticator()
	v.addsPasskey()
	b.open(f.URL + "/login?then=%2Faccount%2Fsecurity")
	b.signIn("guarded@example.test")
	b.await("code")
	b.accessible(program, "/login/code")
	b.typeCode("000000")
	b.click("code-submit")
	b.await("code-error")
	b.accessible(program, "a failed /login/code")
	b.typeCode(v.recovery[0])
	b.click("code-submit")
	b.await("remove-authenticator")
	for _, path := range []string{securityPath, securityPath + "/codes", securityPath + "/remove", passkeyPath,
		passkeyPath + "/" + v.passkeyID()} {
		b.open(f.URL + path)
		b.accessible(program, path)
	}
}

// broken breaks the page, which is found: the checker works.
func (b *tab) broken(program string) {
	b.Helper()
	if _, err := chromedp.Run(b.ctx, chromedp.Evaluate[bool](`document.documentElement.removeAttribute("lang"); document.body.style.color = "#ddd"; true`)); err != nil {
		b.Fatal(err)
	}
	if list := b.violations(program); len(list) == 0 {
		b.Error("a page without a language has nothing wrong")
	}
}

// Rule: PORTAL-14
func TestTheSetUpPageIsAccessible(t *testing.T) {
	t.Parallel()
	program := axe(t)
	browser := chromium(t)
	s := newSite(t, sqliteURL(t))
	s.spawn()
	link, err := os.ReadFile(filepath.Join(s.dataDir(), "setup-url"))
	s.must(err)
	b := newTab(t, browser, true)
	b.look(looks()[3])
	b.open(strings.TrimSpace(string(link)))
	b.accessible(program, "/setup")
	b.click("setup-form-submit")
	b.await("form-errors")
	b.accessible(program, "a failed /setup")
	b.open(s.URL + "/setup?link=nothing")
	b.accessible(program, "/setup without its link")
}
