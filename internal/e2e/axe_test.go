package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
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

// Rule: PORTAL-14
func TestEveryPageIsAccessible(t *testing.T) {
	program := axe(t)
	browser := chromium(t)
	s := start(t, sqliteURL(t))
	s.person("admin@example.test", "--admin")
	s.person("person@example.test")
	admin := s.signedIn("admin@example.test")
	web, _ := admin.registered("web")
	service, _ := admin.registered("service")
	p, err := admin.open(s.URL + "/apps/" + service)
	s.must(err)
	p, err = admin.submit(p, "create-account", form("name", "robot"))
	s.must(err)
	account, _, _ := strings.Cut(after(p.Body, `id="account-`), `"`)
	admin.fetch("POST", "/apps/"+service+"/service-accounts/"+account+"/keys")
	admin.fetch("POST", "/apps/"+service+"/secrets")
	p, err = admin.open(s.URL + "/admin/groups")
	s.must(err)
	group, err := admin.submit(p, "group-form", form("name", "Editors"))
	s.must(err)
	_, err = admin.submit(group, "add-member", form("member", "person@example.test"))
	s.must(err)
	user, _, _ := strings.Cut(after(admin.fetch("GET", "/admin/users").Body, `id="users"`, `href="/admin/users/`), `"`)
	s.token(client{ID: web, Secret: "wrong"}, "grant_type", "client_credentials")
	link := after(admin.fetch("POST", "/admin/users/"+user+"/reset").Body, `id="revealed-link"`, "/password?")
	link, _, _ = strings.Cut(link, "<")

	b := newTab(t, browser, true)
	b.open(s.URL + "/login?then=%2Fapps")
	b.accessible(program, "/login")
	b.open(s.URL + "/password?" + link)
	b.accessible(program, "/password")
	b.click("password-form-submit")
	b.await("form-errors")
	b.accessible(program, "a failed /password")
	b.open(s.URL + "/apps")
	b.signIn("admin@example.test")
	b.await("apps")
	for _, path := range []string{
		"/", "/apps", "/apps/new", "/apps/" + web, "/apps/" + service, "/apps/" + web + "/edit", "/apps/" + web + "/delete", "/apps/" + web + "/try",
		"/apps/" + web + "/guides/grafana", "/apps/" + web + "/guides/curl", "/apps/nothing",
		"/admin/users", "/admin/users/new", "/admin/users/" + user, "/admin/users/" + user + "/edit", "/admin/users/" + user + "/delete",
		"/admin/groups", group.At.Path, "/admin/apps", "/admin/apps/" + web, "/admin/audit", "/admin/audit?since=x", "/admin/keys", "/admin/limits", "/admin/system",
	} {
		b.open(s.URL + path)
		b.accessible(program, path)
	}
	b.open(s.URL + "/apps/new")
	b.click("app-form-submit")
	b.await("form-errors")
	b.accessible(program, "a failed /apps/new")
	b.open(s.URL + "/apps/" + web + "/try")
	b.click("try-form-submit")
	b.await("consent-allow")
	b.accessible(program, "/consent")
	b.click("consent-allow")
	b.await("tokens")
	b.accessible(program, "the tokens of a try-out")
	b.open(s.URL + "/apps/" + service)
	b.click("new-secret")
	b.await("continue")
	b.accessible(program, "a new secret")

	// What is broken is found: the checker works.
	if _, err := chromedp.Run(b.ctx, chromedp.Evaluate[bool](`document.documentElement.removeAttribute("lang"); document.body.style.color = "#ddd"; true`)); err != nil {
		t.Fatal(err)
	}
	if list := b.violations(program); len(list) == 0 {
		t.Error("a page without a language has nothing wrong")
	}
}
