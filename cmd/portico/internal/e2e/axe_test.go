package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
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
	found, err := chromedp.Run(b.ctx, chromedp.Evaluate[string](`axe.run(document, {runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]})
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

// accessible lets axe look at the page, light and dark.
func (b *tab) accessible(axe, where string) {
	b.Helper()
	b.act("waiting for the page", chromedp.WaitReady(chromedp.CSS("main")))
	for _, theme := range []string{"light", "dark"} {
		feature := emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: theme}}}
		if _, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, feature); err != nil {
			b.Fatal(err)
		}
		if list := b.violations(axe); len(list) > 0 {
			b.Errorf("%s, %s:\n%s", where, theme, strings.Join(list, "\n"))
		}
	}
}

// axePages is how many pages one tab shows: a tab has patience for so many.
const axePages = 8

// Rule: PORTAL-14
func TestEveryPageIsAccessible(t *testing.T) {
	program := axe(t)
	browser := chromium(t)
	f := furnish(t, sqliteURL(t), nil)
	web, service, group := "/apps/"+f.web["clientId"], "/apps/"+f.service["clientId"], "/admin/groups/"+f.web["groupId"]
	pages := append(f.pages(t),
		"/login?then=%2Fapps", "/apps/nothing", "/admin/users/nobody", "/admin/audit?since=x", "/admin/users?q=nobody", "/admin/apps?q=nobody",
		"/apps/try/callback", "/password?link=over", "/authentication/v2/authorize?client_id=nothing", "/authentication/v2/logout?client_id="+f.web["clientId"],
	)
	for chunk := range slices.Chunk(pages, axePages) {
		b := newTab(t, browser, true)
		b.open(f.URL + "/login?then=%2Fapps")
		b.accessible(program, "/login")
		b.signIn("admin@example.test")
		b.await("apps")
		for _, path := range chunk {
			b.open(f.URL + path)
			b.accessible(program, path)
		}
	}

	b := newTab(t, browser, true)
	b.open(f.URL + f.reset)
	b.click("password-form-submit")
	b.await("form-errors")
	b.accessible(program, "a failed /password")
	b.open(f.URL + "/apps")
	b.signIn("admin@example.test")
	b.await("apps")
	for path, form := range map[string]string{
		"/apps/new": "app-form", web + "/logo": "logo-form", service: "create-account", web: "add-member", "/admin/users/new": "user-form",
		group: "add-member", "/admin" + service: "hub-form", "/admin" + web: "add-member",
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
	b.await("continue")
	b.accessible(program, "a new secret")
	b.click("signout")
	b.await("login-submit")
	b.accessible(program, "signed out")
	b.broken(program)
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
	program := axe(t)
	browser := chromium(t)
	s := newSite(t, sqliteURL(t))
	s.spawn()
	link, err := os.ReadFile(filepath.Join(s.dataDir(), "setup-url"))
	s.must(err)
	b := newTab(t, browser, true)
	b.open(strings.TrimSpace(string(link)))
	b.accessible(program, "/setup")
	b.click("setup-form-submit")
	b.await("form-errors")
	b.accessible(program, "a failed /setup")
	b.open(s.URL + "/setup?link=nothing")
	b.accessible(program, "/setup without its link")
}
