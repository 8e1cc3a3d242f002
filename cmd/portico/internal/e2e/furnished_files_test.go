package e2e

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/portico-id/portico/dataapi/pdf/pdftest"
)

// filed is a project with a folder that is shared, files, one reserved and one with two
// versions, and a folder that is hidden, in the hub that the administrator looks after.
func (f *furnished) filed(x texts) {
	f.Helper()
	v := f.admin
	hub := "/files/hubs/" + f.service["hubId"] + "/admin"
	f.made(v.press(hub+"/people", "user", "admin@example.test", "role", "on"))
	f.made(v.press(hub+"/people", "user", "person@example.test"))
	f.made(v.press(hub, "name", x.of("project.name", "Harbour")))
	group := strings.TrimPrefix(f.made(v.press(hub+"/groups", "name", x.of("hubgroup.name", "Readers"))), hub+"/groups/")
	f.made(v.press(hub+"/groups/"+group, "user", "person@example.test"))
	f.made(v.press(hub+"/apps", "client", f.web["clientId"], "level", "edit", "users", "all-members"))
	project := inner(v.fetch("GET", hub).Body, `"`, `id="listed"`, `href="/files/projects/`)
	page := v.fetch("GET", "/files/projects/"+project).Body
	_, rest, _ := strings.Cut(page, ">Project Files<")
	top := page[:len(page)-len(rest)]
	top = top[strings.LastIndex(top, `href="`)+len(`href="`):]
	top, _, _ = strings.Cut(top, `"`)
	folder := f.made(v.press(top+"/new", "name", x.of("folder.name", "Drawings")))
	f.made(v.press(folder+"/share", "user", "person@example.test", "level", "edit"))
	for range 2 {
		f.made(v.uploadAs(x.of("version.name", "logo")+".png", folder+"/upload", "files", picture(f)))
	}
	items := "/files/projects/" + project + "/items/" // the headings of the list are links, too
	item := items + inner(v.fetch("GET", folder).Body, `"`, `id="contents"`, `href="`+items)
	in := url.Values{"in": {strings.TrimPrefix(folder, "/files/projects/"+project+"/folders/")}}.Encode()
	other := f.made(v.press(item+"/copy?"+in, "name", x.of("file.name", "other.png")))
	f.made(v.press(other + "/reserve"))
	f.made(v.press(f.made(v.press(folder+"/new", "name", x.of("hidden.name", "Old"))) + "/hide"))
	f.made(v.press(folder+"/new", "name", "Sent out")) // for copies, whose names are free there
	twin, document := f.twinned(x, folder, items)
	packed := strings.TrimPrefix(f.made(v.press(folder+"/zip")), "/files/archives/")
	urn := strings.TrimPrefix(item, items)
	sent := f.made(v.press(folder+"/chosen/send", "of.i-"+urn[strings.LastIndex(urn, ":")+1:], "on", "title",
		x.of("sent.title", "For review"), "to", "admin@example.test", "message", x.of("sent.message", "As agreed")))
	version := "urn:portico:fs.file:vf." + urn[strings.LastIndex(urn, ":")+1:] + "?version=1"
	for _, variables := range []map[string]string{f.web, f.service} {
		for name, value := range map[string]string{"hub_id": f.service["hubId"], "project_id": project,
			"folder_id": strings.TrimPrefix(folder, "/files/projects/"+project+"/folders/"), "item_id": urn,
			"version_id": version, "archive_id": packed,
			"subject_id": f.web["userId"], "user_id": f.web["userId"], "group_id": group,
			"client_id": f.web["clientId"], "object": "none", "upload": "none", "part": "1",
			"number":  sent[strings.LastIndex(sent, "/")+1:],
			"twin_id": twin, "document_id": document} {
			variables[name] = value
		}
	}
	f.someApp = f.web["clientId"]
}

// twinned makes a twin of the hub, and a PDF in the folder that is a document of it.
func (f *furnished) twinned(x texts, folder, items string) (twin, document string) {
	f.Helper()
	v := f.admin
	var made struct{ ID string }
	f.commandJSON(&made, "", "twin", "create", "--hub", f.service["hubId"], "--name", x.of("twin.name", "Works"), "--json")
	f.made(v.uploadAs("plan.pdf", folder+"/upload", "files", pdftest.Plain(1, "one")))
	item := items + inner(v.fetch("GET", folder+"?part=plan").Body, `"`, `id="contents"`, `href="`+items)
	form := v.fetch("GET", item+"/twin").Body
	uid := inner(form, `"`, `name="twin"`, `<option value="`, `<option value="`) // behind the empty one
	page := f.made(v.press(item+"/twin", "twin", uid, "policy", "auto", "label", x.of("document.label", "Upkeep")))
	document = inner(v.fetch("GET", page).Body, `"`, `id="describe-`, `/documents/`)
	return strings.TrimPrefix(page, "/files/twins/"), document
}

// made is where a form leads that was carried out.
func (f *furnished) made(got answer) string {
	f.Helper()
	to, _, _ := strings.Cut(got.Header.Get("Location"), "?")
	if got.Status != http.StatusSeeOther {
		f.Fatalf("%d\n%s", got.Status, got.Body)
	}
	return to
}
