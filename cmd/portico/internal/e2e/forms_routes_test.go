package e2e

import (
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"testing"
)

// unmet are the forms to which no walk of links comes, with the reason.
var unmet = map[string]string{
	"/setup":    "TestFormsOfOneTimeLinksActOnceAndAnswerAgainAlike sends it",
	"/password": "the same",
	"/files/projects/{project_id}/uploads/{object}/{upload}":   "a script sends it, and no form",
	"/files/projects/{project_id}/folders/{folder_id}/uploads": "the same",
	"/files/projects/{project_id}/items/{item_id}/uploads":     "the same",
}

var variable = regexp.MustCompile(`\\\{[^}]*\}`)

// paths are those of the route.
func (r deskRoute) paths() *regexp.Regexp {
	return regexp.MustCompile("^" + variable.ReplaceAllString(regexp.QuoteMeta(r.template), "[^/]+") + "$")
}

// meetsEveryForm fails for a route of a page that takes a form and to which no link led: nobody
// would come to it, and no walk hold it to anything.
func (w *formWalk) meetsEveryForm(t *testing.T) {
	t.Helper()
	for _, route := range pageRoutes(t) {
		if route.method != http.MethodPost {
			continue
		}
		fits := route.paths()
		met := slices.ContainsFunc(w.forms, func(f pageForm) bool { return fits.MatchString(f.at.Path) })
		if why := unmet[route.template]; met == (why != "") {
			t.Errorf("%s: met by links %v, excused %q", route.template, met, why)
		}
	}
}

// undoable makes what somebody can undo: disabled things, a second administrator, a picture.
func (f *furnished) undoable(person *visitor) {
	f.Helper()
	v := f.admin
	f.made(person.upload("/account/picture", "portrait", picture(f)))
	f.signedIn("person@example.test")
	f.person("a-second-admin@example.test", "--admin")
	f.person("a-disabled@example.test")
	f.command("", "user", "disable", "a-disabled@example.test")
	f.command("", "user", "create", "--email", "a-newcomer@example.test", "--name", "Demo Newcomer")
	f.command("", "client", "disable", f.client().ID)
	f.made(v.press("/admin/apps/"+f.web["clientId"]+"/claims", "claim", "team", "source", "fixed", "value", "one"))
	f.made(v.press(f.made(v.press("/admin/connections", "name", "Off")) + "/disable"))
	f.made(v.press(f.made(v.press("/admin/directories", "id", "off", "kind", "openldap", "name", "Off there", "hosts",
		"ldaps://127.0.0.1:1", "base", "ou=people,dc=off,dc=test", "join", "sign-in")) + "/disable"))
	f.made(v.press(f.made(v.press("/admin/resources", "resource", "https://off.example.test", "scope", "off:read",
		"name", "Off", "everyone", "on")) + "/disable"))
	project := "/files/projects/" + f.web["project_id"]
	f.made(v.press(project+"/people", "user", "admin@example.test"))
	f.made(v.upload("/admin/brand/logo", "logo", picture(f)))
	item := project + "/items/" + f.web["item_id"]
	in := url.Values{"in": {f.web["folder_id"]}}.Encode()
	f.made(v.press(f.made(v.press(item+"/copy?"+in, "name", "gone.png")) + "/hide"))
}
