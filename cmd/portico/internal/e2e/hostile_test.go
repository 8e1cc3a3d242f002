package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	pagedomain "github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// hostileText leaves an attribute, a text and a script if nobody stops it, and
// says where it came from.
func hostileText(field string) string {
	return `"'><img src=x onerror=alert("` + field + `")><script>alert("` + field +
		`")</script></textarea><svg onload=alert(1)>{{7*7}} ` + field
}

// dialogs notes what scripts open, and closes it.
type dialogs struct {
	ctx  context.Context
	mu   sync.Mutex
	said []string
}

func (d *dialogs) hear(event any) {
	if e, opened := event.(*pagedomain.EventJavascriptDialogOpening); opened {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.said = append(d.said, e.Message)
		go func() { // a listener must not wait for the browser
			_, _ = chromedp.Call(d.ctx, pagedomain.HandleJavaScriptDialog, pagedomain.HandleJavaScriptDialogParams{Accept: true})
		}()
	}
}

func (d *dialogs) all() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return append([]string{}, d.said...)
}

// seen is what a browser made of a page.
type seen struct {
	Text    string   // of the page, with what fields hold
	Strange []string // elements that no page of ours has
}

func (b *tab) seen() seen {
	b.Helper()
	b.ready()
	text, err := chromedp.Run(b.ctx, chromedp.Evaluate[string](`JSON.stringify({
		Text: document.body.textContent + [...document.querySelectorAll("input,textarea")].map(f => "\n" + f.value).join("") + document.title,
		Strange: [...document.querySelectorAll("[onerror],[onload],script:not([src]),img:not(.logo):not([src^='/files/']),iframe:not([src^='/files/']),object,embed,style,base")].map(e => e.outerHTML),
	})`))
	if err != nil {
		b.Fatal(err)
	}
	var s seen
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		b.Fatal(err)
	}
	return s
}

// plays are the fields that a person, an app or a request can fill, with the
// pages that show each of them.
func (f *furnished) plays() map[string][]string {
	web, service := "/apps/"+f.web["clientId"], "/apps/"+f.service["clientId"]
	adminWeb, adminService := "/admin"+web, "/admin"+service
	connection, hub := "/admin/connections/"+f.web["connectionId"], "/files/hubs/"+f.web["hub_id"]
	project := "/files/projects/" + f.web["project_id"]
	folder, item := project+"/folders/"+f.web["folder_id"], project+"/items/"+f.web["item_id"]
	twin := "/files/twins/" + f.web["twin_id"]
	return map[string][]string{
		"app.name": {
			"/apps", web, service, web + "/edit", web + "/delete", web + "/logo", web + "/try", web + "/guides/curl",
			web + "/secrets/" + f.web["secretId"] + "/delete",
			service + "/service-accounts/" + f.service["serviceAccountId"] + "/delete", "/admin/apps", adminWeb,
			adminWeb + "/delete", f.consentPath(),
		},
		"person.name": {"/", web, "/admin/users", "/admin/users/" + f.adminID,
			"/admin/users/" + f.adminID + "/edit", f.consentPath()},
		"person.company":          {"/admin/users/" + f.adminID, "/admin/users/" + f.adminID + "/edit"},
		"person.about_me":         {"/admin/users/" + f.adminID, "/admin/users/" + f.adminID + "/edit"},
		"person.job_title":        {"/admin/users/" + f.adminID},
		"person.address.locality": {"/admin/users/" + f.adminID},
		"person.device":           {"/admin/users/" + f.adminID},
		"group.name": {"/admin/groups", "/admin/groups/" + f.web["groupId"],
			"/admin/groups/" + f.web["groupId"] + "/delete", "/admin/users/" + f.web["userId"]},
		"group.description": {"/admin/groups", "/admin/groups/" + f.web["groupId"]},
		"hub.name":          {adminService, adminService + "/hubs/" + f.service["hubId"] + "/withdraw"},
		"resource.name": {"/admin/resources", "/admin/resources/" + f.web["resourceId"],
			"/admin/resources/" + f.web["resourceId"] + "/delete"},
		"initial.label":    {"/admin/registrations", "/admin/registrations/tokens/" + f.web["initialId"] + "/end"},
		"secret.label":     {web},
		"upstream.client":  {"/admin/upstreams/far"},
		"connection.name":  {"/admin/connections", connection, connection + "/delete"},
		"connection.label": {connection},
		"directory.name":   {"/admin/directories", "/admin/directories/works", "/admin/directories/works/delete"},
		"project.name":     {hub, hub + "/admin", project, project + "/name", project + "/people", project + "/archive"},
		"hubgroup.name":    {hub + "/admin/groups", hub + "/admin/groups/" + f.web["group_id"]},
		"folder.name":      {folder, folder + "/name", folder + "/share", folder + "/hide", folder + "/move"},
		"file.name":        {folder},
		"version.name": {folder, item, item + "/name", item + "/move", item + "/hide",
			item + "/copy?in=" + f.web["folder_id"], item + "/compare",
			project + "/versions/" + url.PathEscape(f.web["version_id"]), folder + "/search?q=version",
			folder + "/activity", item + "/activity"},
		"twin.name": {hub + "/twins", twin, twin + "/documents/" + f.web["document_id"],
			twin + "/documents/" + f.web["document_id"] + "/remove", item + "/twin"},
		"document.label":       {twin},
		"hidden.name":          {folder + "/hidden"},
		"request.redirect_uri": {web},
		"request.scope":        {service},
		"typed.q":              {"/admin/users?q=" + hostileQuery("typed.q"), "/admin/apps?q=" + hostileQuery("typed.q")},
		"typed.kind":           {"/admin/audit?kind=" + hostileQuery("typed.kind")},
		"typed.since":          {"/admin/audit?since=" + hostileQuery("typed.since")},
	}
}

// tells are all pages, with the texts that each has to show as they are.
func (f *furnished) tells(t *testing.T, x texts) map[string][]string {
	t.Helper()
	told := map[string][]string{}
	for _, path := range f.pages(t) {
		if !strings.HasPrefix(path, "/login") {
			told[path] = nil
		}
	}
	for field, pages := range f.plays() {
		text := x.of(field, "")
		if strings.HasPrefix(field, "typed.") {
			text = hostileText(field)
		}
		for _, path := range pages {
			told[path] = append(told[path], text)
		}
	}
	return told
}

func hostileQuery(field string) string { return url.QueryEscape(hostileText(field)) }

// consentPath is the page on which the web app asks for access.
func (f *furnished) consentPath() string {
	f.Helper()
	p, err := f.admin.open(f.authorizeURL(client{ID: f.web["clientId"], RedirectURIs: []string{callback}}, "prompt",
		"consent"))
	f.must(err)
	if p.At.Path != "/consent" {
		f.Fatalf("at %s", p.At)
	}
	return p.At.RequestURI()
}

// Rule: PORTAL-13
func TestTextOfPeopleAndAppsIsNeverAProgramOnAPage(t *testing.T) {
	t.Parallel()
	browser := chromium(t)
	x := texts{}
	for _, field := range []string{
		"app.name", "person.name", "person.company", "person.about_me", "person.job_title",
		"person.address.locality", "person.device",
		"group.name", "group.description", "hub.name", "request.redirect_uri", "request.scope", "request.response_type",
	} {
		x[field] = hostileText(field)
	}
	for _, field := range []string{"app.name", "group.name", "person.name"} {
		x[field] = shorter(field)
	}
	x[everyText] = "" // whatever else a furnished site has been told
	f := furnish(t, sqliteURL(t), x)
	b := newTab(t, browser, true)
	heard := &dialogs{ctx: b.whole}
	if err := chromedp.Listen(b.whole, heard.hear); err != nil {
		t.Fatal(err)
	}
	b.open(f.URL + "/apps")
	b.signIn("admin@example.test")
	b.await("apps")
	for path, texts := range f.tells(t, x) {
		b.open(f.URL + path)
		b.showsAsItIs(path, texts...)
	}
	b.typedAndRefused(f)
	if said := heard.all(); len(said) > 0 {
		t.Errorf("scripts ran: %q", said)
	}

	// A script that runs is heard: the test works.
	if _, err := chromedp.Run(b.ctx, chromedp.Evaluate[bool](`alert("heard"); true`)); err != nil {
		t.Fatal(err)
	}
	if said := heard.all(); len(said) != 1 {
		t.Errorf("a script that runs is heard as %q", said)
	}
}

// shorter is hostile text that fits where a hundred characters do.
func shorter(field string) string {
	return `"'><img src=x onerror=alert(1)><script>alert(1)</script> ` + field
}

// fitting is hostile text that the field takes: names of what lies in folders have no
// brackets, which is no protection of what is decoded once too often.
func fitting(field string) string {
	if slices.Contains([]string{"folder.name", "file.name", "hidden.name", "version.name"}, field) {
		return `'&lt;img src=x onerror=alert(1)&gt;&lt;script&gt;alert(1)&lt;script&gt; {{7&7}} ` + field
	}
	return shorter(field)
}

// typedAndRefused types hostile text into every text of every form, sends it and
// looks at the form that comes back.
func (b *tab) typedAndRefused(f *furnished) {
	b.Helper()
	for path, form := range map[string]string{
		"/apps/new": "app-form", "/apps/" + f.web["clientId"] + "/edit": "app-form",
		"/apps/" + f.web["clientId"]:     "add-member",
		"/apps/" + f.service["clientId"]: "create-account", "/admin/users/new": "user-form",
		"/admin/apps/" + f.web["clientId"]:  "add-member",
		"/admin/groups/" + f.web["groupId"]: "add-member", f.reset: "password-form",
	} {
		b.open(f.URL + path)
		script := fmt.Sprintf(`for (const f of document.querySelectorAll("#%[1]s input[type=text],#%[1]s input[type=email],#%[1]s textarea")) f.value = %[2]q + f.name; true`, form, shorter("typed "))
		if _, err := chromedp.Run(b.ctx, chromedp.Evaluate[bool](script)); err != nil {
			b.Fatal(err)
		}
		b.click(form + "-submit")
		b.await("form-errors")
		if got := b.seen(); len(got.Strange) > 0 || path != f.reset && !strings.Contains(got.Text, shorter("typed ")) {
			b.Errorf("%s came back with %q:\n%s", path, got.Strange, got.Text)
		}
	}
}
