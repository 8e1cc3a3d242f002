package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
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

// checker is axe, the checker of accessibility, in windows in which it stays: to come to a page
// takes the browser longer than to judge one.
type checker struct {
	*testing.T
	browser context.Context
	program string
	windows map[string]*tab // by origin, so that styles of a page apply
}

func newAxe(t *testing.T, browser context.Context) *checker {
	t.Helper()
	program, err := os.ReadFile(filepath.Join(nodeModules(t), "axe-core", "axe.min.js"))
	if err != nil {
		t.Fatal(err)
	}
	return &checker{t, browser, string(program), map[string]*tab{}}
}

// window returns the one beside the tab, which is as wide, and light or dark, as that.
func (c *checker) window(b *tab, origin string) *tab {
	c.Helper()
	w := c.windows[origin]
	if w == nil {
		w = newTab(c.T, c.browser, true)
		w.open(origin + "/login")
		if _, err := chromedp.Run(w.ctx, chromedp.Evaluate[bool](c.program+";true")); err != nil {
			c.Fatal(err)
		}
		c.windows[origin] = w
	}
	w.patiently()
	if w.read != b.read {
		w.look(b.read)
	}
	return w
}

// judge shows a page as another tab has it, and lets axe look at it.
const judge = `(async (address, page) => {
	history.replaceState(null, "", address);
	const shown = new DOMParser().parseFromString(page, "text/html").documentElement;
	document.replaceChild(document.adoptNode(shown), document.documentElement);
	await Promise.all([...document.querySelectorAll("link[rel=stylesheet]")].map(styles => styles.sheet ||
		new Promise((loaded, failed) => { styles.onload = loaded; styles.onerror = failed; })));
	const found = await axe.run(document, {resultTypes: ["violations"],
		runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]});
	return found.violations.map(v => v.id + ": " + v.nodes.map(n => n.target.join(" ") + " " + n.html).join(" | "));
})`

// violations is what axe finds on the page.
func (c *checker) violations(b *tab) (found []string) {
	c.Helper()
	page, err := chromedp.Run(b.ctx, chromedp.Evaluate[[]string]("[location.origin, location.href, document.documentElement.outerHTML]"))
	if err != nil {
		c.Fatal(err)
	}
	call := fmt.Sprintf("%s(%s, %s)", judge, must(json.Marshal(page[1])), must(json.Marshal(page[2])))
	w := c.window(b, page[0])
	if found, err = chromedp.Run(w.ctx, chromedp.Evaluate[[]string](call, chromedp.EvalAwaitPromise)); err != nil {
		c.Fatal(err)
	}
	return append(found, w.covered()...)
}

// accessible lets axe look at the page.
func (b *tab) accessible(axe *checker, where string) {
	b.Helper()
	b.ready()
	b.judged++
	b.fits(where)
	b.readable(where)
	b.pictured(where)
	if list := axe.violations(b); len(list) > 0 {
		b.Errorf("%s, %+v:\n%s", where, b.read, strings.Join(list, "\n"))
	}
}

// pictured keeps a picture of the page for somebody to look at, where E2E_PICTURES names a
// directory.
func (b *tab) pictured(where string) {
	b.Helper()
	if dir := os.Getenv("E2E_PICTURES"); dir != "" {
		name := fmt.Sprintf("%d-%s-%s %s.png", b.read.width, b.read.theme, b.read.language, url.PathEscape(where))
		b.keeps(filepath.Join(dir, name))
	}
}

// look is how somebody reads pages.
type look struct {
	language string
	width    int64
	theme    string // light or dark
}

// looks returns every language in a wide and a narrow window, light and dark, so
// that neighbours differ in all three.
func looks() []look {
	var all []look
	for turn := range 4 {
		for i, tag := range catalogue.Tags() {
			all = append(all, look{tag, []int64{1280, 360}[(i+turn)%2], []string{"light", "dark"}[(i+turn/2)%2]})
		}
	}
	return all
}

// looksAt returns how the sight is looked at: in one of all looks, and in the soak in all of
// them, of which each run takes its part (PORTICO_SOAK_PAGES, as in 3/8).
func looksAt(t *testing.T, sight int) []look {
	t.Helper()
	all, part, parts := looks(), 0, 0
	soak := os.Getenv("PORTICO_SOAK_PAGES")
	if soak == "" {
		return all[sight%len(all):][:1]
	}
	if _, err := fmt.Sscanf(soak, "%d/%d", &part, &parts); err != nil || part < 1 || part > parts {
		t.Fatalf("PORTICO_SOAK_PAGES is %q, and no part as in 3/8", soak)
	}
	var mine []look
	for i, one := range all {
		if (sight+i)%parts == part-1 {
			mine = append(mine, one)
		}
	}
	return mine
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

// narrow are the cells of tables that are narrower than eight characters, and than their text
// on one line, or are no cards where there is no room for columns.
const narrow = `[...document.querySelectorAll("td")].filter(cell => {
	const style = getComputedStyle(cell), pen = document.createElement("canvas").getContext("2d");
	pen.font = style.font;
	const inner = cell.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
	const seen = [...cell.childNodes].filter(part => !part.matches?.(".unseen"));
	const text = seen.map(part => part.textContent).join("").trim(), long = text.length >= 8 && cell.clientWidth > 0;
	return long && (inner + 1 < Math.min(8 * pen.measureText("0").width, pen.measureText(text).width) || innerWidth <= 640 && style.display !== "block");
}).map(cell => cell.textContent.trim()).join(" | ")`

// broken are the words of buttons and headings, of at most sixteen letters, that stand on
// more than one line.
const broken = `[...document.querySelectorAll("button, .button, h1, h2, label, legend, nav a")].flatMap(element => {
	const style = getComputedStyle(element), padding = parseFloat(style.paddingTop) + parseFloat(style.paddingBottom);
	if (element.clientHeight - padding < 1.9 * parseFloat(style.lineHeight)) return []; // one line
	const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT), found = [];
	for (let node = texts.nextNode(); node; node = texts.nextNode()) {
		for (const word of node.data.matchAll(/[\p{Script=Latin}\p{Script=Arabic}]{2,16}/gu)) {
			const range = document.createRange();
			range.setStart(node, word.index);
			range.setEnd(node, word.index + word[0].length);
			if (new Set([...range.getClientRects()].map(line => Math.round(line.top))).size > 1 && !/[\w@.-]{17,}/.test(node.data)) found.push(word[0]);
		}
	}
	return found;
}).join(" | ")`

// overfull are the buttons out of which their text sticks.
const overfull = `[...document.querySelectorAll("button, .button")].filter(element => {
	const range = document.createRange(), box = element.getBoundingClientRect();
	range.selectNodeContents(element);
	return box.width > 0 && [...range.getClientRects()].some(text => text.left < box.left - 1 || text.right > box.right + 1);
}).map(element => element.textContent.trim()).join(" | ")`

// aside are what is pressed in tables and is out of sight, in a window of a desk, until
// somebody moves the table sideways.
const aside = `innerWidth < 1280 ? "" : [...document.querySelectorAll(".table :is(button, .button)")].filter(element => {
	const box = element.getBoundingClientRect(), frame = element.closest(".table").getBoundingClientRect();
	return box.width > 0 && (box.right > frame.right || box.left < frame.left);
}).map(element => element.id || element.textContent.trim()).join(" | ")`

// touching are buttons that lie against the one before.
const touching = `[...document.querySelectorAll("button, .button")].filter((element, i, all) => {
	const box = element.getBoundingClientRect(), before = i && all[i - 1].getBoundingClientRect();
	return i && box.width > 0 && before.width > 0 && box.left < before.right + 2 && before.left < box.right + 2 &&
		box.top < before.bottom + 2 && before.top < box.bottom + 2;
}).map(element => element.id || element.textContent.trim()).join(" | ")`

// covered is what can't be seen while it has the focus, whichever way somebody came to it: it lies
// beside the window, or under what stays in sight (WCAG 2.2, 2.4.7 and 2.4.11). The keyboard goes
// on from elsewhere in this tab.
func (b *tab) covered() []string {
	b.Helper()
	found, err := chromedp.Run(b.ctx, chromedp.Evaluate[[]string](covered))
	if err != nil {
		b.Fatal(err)
	}
	return found
}

const covered = `(() => {
	const all = [...document.querySelectorAll("a[href], button, input:not([type=hidden]), select, textarea, summary")];
	const hidden = [...all, ...all.toReversed()].filter(element => {
		element.focus();
		if (document.activeElement !== element) return false; // nobody comes to it
		return ![...element.getClientRects()].some(box => [0.1, 0.5, 0.9].some(across => [0.1, 0.5, 0.9].some(down => {
			const there = document.elementFromPoint(box.left + box.width * across, box.top + box.height * down);
			return there && (element.contains(there) || there.control === element);
		})));
	});
	document.activeElement.blur();
	scrollTo(0, 0);
	return [...new Set(hidden)].map(element => "not seen with the focus: " + (element.id || element.textContent.trim()));
})()`

// readable lets no table shrink to columns of a few letters, no word break in two, and no buttons
// touch.
func (b *tab) readable(where string) {
	b.Helper()
	for what, finds := range map[string]string{"cells of a table are too narrow": narrow, "words are broken": broken,
		"texts stick out of buttons": overfull, "buttons of a table are out of sight": aside,
		"buttons touch": touching} {
		found, err := chromedp.Run(b.ctx, chromedp.Evaluate[string](finds))
		if err != nil {
			b.Fatal(err)
		}
		if found != "" {
			b.Errorf("%s, %+v: %s: %s", where, b.read, what, found)
		}
	}
}

// axePages is how many pages one tab shows: a tab has patience for so many.
const axePages = 8

// sights are what somebody comes to see one after the other in one tab, who is not signed in
// to begin with.
func (f *furnished) sights(t *testing.T) []func(*tab, *checker) {
	t.Helper()
	web := f.web["clientId"]
	list := []func(*tab, *checker){f.fails, f.failsFurther, f.triesOut, f.guarded}
	for pages := range slices.Chunk(append(f.pages(t),
		"/login?then=%2Fapps", "/apps/nothing", "/admin/users/nobody", "/admin/audit?since=x", "/admin/users?q=nobody",
		"/admin/apps?q=nobody",
		"/apps/try/callback", "/password?link=over", "/authentication/v2/authorize?client_id=nothing",
		"/authentication/v2/logout?client_id="+web,
	), axePages) {
		list = append(list, func(b *tab, axe *checker) {
			b.continues(f.admin)
			for _, path := range pages {
				b.open(f.URL + path)
				b.accessible(axe, path)
			}
		})
	}
	return list
}

// Rules: PAGE-10, PAGE-17, PORTAL-14
func TestEveryPageIsAccessible(t *testing.T) {
	t.Parallel()
	browser := chromium(t)
	axe := newAxe(t, browser)
	f := furnish(t, sqliteURL(t), nil)
	shown := 0
	for i, sight := range f.sights(t) {
		for _, look := range looksAt(t, i) {
			b := newTab(t, browser, true)
			b.look(look)
			sight(b, axe)
			shown += b.judged
			b.closes()
		}
	}
	t.Logf("%d sights of pages were judged", shown)
	b := newTab(t, browser, true)
	b.open(f.URL + "/login")
	b.broken(axe)
}

// fails shows forms that were filled in wrongly.
func (f *furnished) fails(b *tab, axe *checker) {
	b.open(f.URL + f.reset)
	b.click("password-form-submit")
	b.await("form-errors")
	b.accessible(axe, "a failed /password")
	b.open(f.URL + "/login?then=%2Fapps")
	b.accessible(axe, "/login")
	b.signIn("admin@example.test")
	b.await("apps")
	b.open(f.URL + "/apps/" + f.web["clientId"] + "/edit")
	b.write("policy_uri", "x")
	b.click("app-form-submit")
	b.await("form-errors")
	b.accessible(axe, "a failed edit")
}

// failsFurther shows those that were not filled in.
func (f *furnished) failsFurther(b *tab, axe *checker) {
	b.continues(f.admin)
	web, service := "/apps/"+f.web["clientId"], "/apps/"+f.service["clientId"]
	for path, form := range map[string]string{
		"/apps/new": "app-form", web + "/logo": "logo-form", service: "create-account", web: "add-member",
		"/admin/users/new": "user-form", "/admin/groups/" + f.web["groupId"]: "add-member",
		"/admin" + service: "hub-form", "/admin" + web: "add-member",
	} {
		b.open(f.URL + path)
		b.click(form + "-submit")
		b.await("form-errors")
		b.accessible(axe, "a failed "+path)
	}
}

// triesOut shows consent, what follows it, a secret that is told once, and the end.
func (f *furnished) triesOut(b *tab, axe *checker) {
	b.open(f.URL + "/apps/" + f.web["clientId"] + "/try")
	b.signIn("admin@example.test")
	b.click("try-form-submit")
	b.await("consent-allow")
	b.accessible(axe, "/consent")
	b.click("consent-deny")
	b.await("try-error")
	b.accessible(axe, "a try-out that was refused")
	b.click("try-form-submit")
	b.click("consent-allow")
	b.await("tokens")
	b.accessible(axe, "the tokens of a try-out")
	f.command("", "consent", "withdraw", "admin@example.test", f.web["clientId"])
	id, _ := f.admin.registered("service", "name", "App with Two Secrets")
	b.open(f.URL + "/apps/" + id)
	b.click("new-secret")
	b.click("secret-form-submit")
	b.await("continue")
	b.accessible(axe, "a new secret")
	b.click("signout")
	b.await("login-submit")
	b.accessible(axe, "signed out")
}

// guarded shows what somebody sees who has a second factor.
func (f *furnished) guarded(b *tab, axe *checker) {
	email := fmt.Sprintf("guarded-%s-%d-%s@example.test", strings.ToLower(b.read.language), b.read.width, b.read.theme)
	f.person(email)
	v := f.signedIn(email)
	v.addsAuthenticator()
	v.addsPasskey()
	b.open(f.URL + "/login?then=%2Faccount%2Fsecurity")
	b.signIn(email)
	b.await("code")
	b.accessible(axe, "/login/code")
	b.typeCode("000000")
	b.click("code-submit")
	b.await("code-error")
	b.accessible(axe, "a failed /login/code")
	b.typeCode(v.recovery[0])
	b.click("code-submit")
	b.await("remove-authenticator")
	for _, path := range []string{securityPath, securityPath + "/codes", securityPath + "/remove", passkeyPath,
		passkeyPath + "/" + v.passkeyID()} {
		b.open(f.URL + path)
		b.accessible(axe, path)
	}
}

// Who administers the server rotates keys at a desk: their buttons are in the last column.
//
// Rule: PAGE-10
func TestTheButtonsOfTheKeysAreInSightAtADesk(t *testing.T) {
	t.Parallel()
	f := furnish(t, sqliteURL(t), nil)
	b := newTab(t, chromium(t), true)
	b.continues(f.admin)
	for _, tag := range catalogue.Tags() {
		b.look(look{tag, 1280, "light"})
		b.open(f.URL + "/admin/keys")
		b.await("rotate-RS256")
		b.readable("/admin/keys")
	}
}

// broken breaks the page, which is found: the checker works, and sees colours.
func (b *tab) broken(axe *checker) {
	b.Helper()
	const pale = `document.documentElement.removeAttribute("lang");
		document.querySelector("h1").innerHTML = "<font color=#dddddd>Portico</font>"; true`
	if _, err := chromedp.Run(b.ctx, chromedp.Evaluate[bool](pale)); err != nil {
		b.Fatal(err)
	}
	list := strings.Join(axe.violations(b), "\n")
	for _, rule := range []string{"html-has-lang", "color-contrast"} {
		if !strings.Contains(list, rule) {
			b.Errorf("a pale page without a language has this wrong, and no %s:\n%s", rule, list)
		}
	}
}

// Rule: PORTAL-14
func TestTheSetUpPageIsAccessible(t *testing.T) {
	t.Parallel()
	browser := chromium(t)
	axe := newAxe(t, browser)
	s := newSite(t, sqliteURL(t))
	s.spawn()
	link, err := os.ReadFile(filepath.Join(s.dataDir(), "setup-url"))
	s.must(err)
	b := newTab(t, browser, true)
	b.look(looks()[3])
	b.open(strings.TrimSpace(string(link)))
	b.accessible(axe, "/setup")
	b.click("setup-form-submit")
	b.await("form-errors")
	b.accessible(axe, "a failed /setup")
	b.open(s.URL + "/setup?link=nothing")
	b.accessible(axe, "/setup without its link")
}
