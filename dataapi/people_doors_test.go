package dataapi_test

import (
	"cmp"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/portico-id/portico/storage"
)

// door is a method of a route of the pages, with whom it lets in.
type door struct {
	method, path string
	opens        opens
	least        storage.Level // in the folder, of forWhoMay
}

// opens says how it is decided whom a door lets in.
type opens int

const (
	forAll      opens = iota // who is signed in
	inTheHub                 // who is in the hub: what reading.hub says
	inProject                // who has a part in the project: reading.project
	forWhoMay                // who has the level, by standings
	forHub                   // who administers the hub
	forProject               // who administers the project
	forItsMaker              // of an archive
	forSent                  // who sees what a hub administrator sent to themselves
	inTheTwin                // who has access to the twin, which nobody of the matrix was given but by the hub
	leadsOn                  // everybody, to the page that the form stands on
)

// doors are all that the pages have. A route that is not among them fails
// TestEveryDoorOfThePagesLetsInWhomTheAPIWould: who comes in is said here, by the
// expectations that the API's own tests have, before a page is there.
func doors() []door {
	const view, download, publish = storage.LevelView, storage.LevelDownload, storage.LevelPublish
	const collaborate, edit, control = storage.LevelCollaborate, storage.LevelEdit, storage.LevelControl
	var all []door
	add := func(o opens, least storage.Level, methods string, paths ...string) {
		for _, path := range paths {
			for method := range strings.SplitSeq(methods, " ") {
				all = append(all, door{method, templateOf(path), o, least})
			}
		}
	}
	add(forAll, 0, "GET", "/files")
	add(inTheHub, 0, "GET", "hub", "hub /twins")
	add(inTheTwin, 0, "GET", "twin", "twin /documents/{document_id}/content")
	add(inTheTwin, 0, "GET POST", "twin /documents/{document_id}", "twin /documents/{document_id}/remove")
	add(inProject, 0, "GET", "project", "project /activity", "project /transmittals")
	add(forSent, 0, "GET", "project /transmittals/{number}", "project /transmittals/{number}/fetches",
		"project /transmittals/{number}/versions/{version_id}/bytes")
	add(forSent, 0, "POST", "project /transmittals/{number}/zip")
	add(forWhoMay, view, "GET", "folder", "folder /search", "folder /activity", "item", "item /activity", "item /compare",
		"version")
	add(forWhoMay, download, "GET", "version /bytes", "version /shown", "version /picture", "version /thumbnail",
		"item /copy", "item /twin", "folder /chosen/copy")
	add(forWhoMay, download, "POST", "folder /zip", "folder /chosen/zip", "item /twin")
	add(forWhoMay, publish, "GET", "folder /upload")
	add(forWhoMay, publish, "POST", "folder /uploads")
	add(forWhoMay, publish, "GET POST DELETE", "project /uploads/{object}/{upload}")
	add(forWhoMay, publish, "PUT", "project /uploads/{object}/{upload}/{part}")
	add(forWhoMay, collaborate, "GET", "folder /new", "folder /name", "item /name", "item /upload", "version /newest")
	add(forWhoMay, collaborate, "POST", "item /uploads", "item /release")
	add(forWhoMay, edit, "GET", "folder /hidden", "folder /move", "folder /hide", "folder /chosen/move",
		"folder /chosen/hide", "folder /chosen/send", "item /move", "item /hide", "version /state")
	add(forWhoMay, edit, "POST", "folder /restore", "item /restore", "folder /chosen/send")
	add(forWhoMay, control, "GET POST", "folder /share", "folder /share/{subject_id}/remove", "folder /sees")
	add(forWhoMay, control, "GET", "folder /chosen/share")
	for _, a := range peoplesActs() {
		path, _, _ := strings.Cut(a.at, "?")
		add(forWhoMay, a.least, "POST", path)
	}
	add(leadsOn, 0, "GET", "folder /restore", "item /restore", "item /reserve", "item /release", "folder /zip",
		"folder /chosen/zip", "project /transmittals/{number}/zip")
	add(forItsMaker, 0, "GET", "/files/archives/{archive_id}")
	add(forHub, 0, "GET POST", "hub /admin", "hub /admin/people", "hub /admin/people/{user_id}/remove",
		"hub /admin/groups", "hub /admin/groups/{group_id}", "hub /admin/groups/{group_id}/delete",
		"hub /admin/groups/{group_id}/members/{user_id}/remove", "hub /admin/apps", "hub /admin/apps/{client_id}/remove")
	add(forProject, 0, "GET POST", "project /name", "project /naming", "project /archive",
		"project /people", "project /people/{user_id}/remove")
	add(forProject, 0, "GET", "project /reservations")
	return all
}

// templateOf is the route that words name: what it is about, and what comes behind that.
func templateOf(path string) string {
	const project = "/files/projects/{project_id}"
	of, rest, _ := strings.Cut(path, " ")
	return cmp.Or(map[string]string{"hub": "/files/hubs/{hub_id}", "twin": "/files/twins/{twin_id}", "project": project,
		"folder": project + "/folders/{folder_id}", "item": project + "/items/{item_id}",
		"version": project + "/versions/{version_id}"}[of], of) + rest
}

// addressee is one thing of the matrix with an address for every door.
type addressee struct {
	thing
	values map[string]string // of the variables of routes
	query  string
}

var variableOf = regexp.MustCompile(`\{(\w+)\}`)

// at is where the door is.
func (a addressee) at(t testing.TB, d door) string {
	t.Helper()
	path := variableOf.ReplaceAllStringFunc(d.path, func(name string) string {
		value := a.values[strings.Trim(name, "{}")]
		if strings.HasSuffix(d.path, "/members/{user_id}/remove") && name == "{user_id}" {
			value = a.values["reader"]
		}
		if value == "" {
			t.Fatalf("%s: nothing is known for %s: put one into addressees", d.path, name)
		}
		return value
	})
	return path + a.query
}

// addressees are the things of the matrix, each with a file that has bytes where one can
// be brought, and with an upload that an administrator has begun.
func (p peoplesPages) addressees() []addressee {
	p.Helper()
	packed, twin := p.packedBy(p.hubAdmin), p.twinned("Matrix Twin", nil)
	document := strings.TrimPrefix(p.documented(twin, p.hubAdmin), twin+"/documents/")
	given := p.User("GIVENGIVENGIVENG")
	var all []addressee
	for _, on := range p.things() {
		object, upload := "none", "none"
		if on.name != "Hidden" {
			on.item = p.pictureIn(on.folder)
			object, upload = p.begunIn(on.folder)
		}
		a := p.addressed(on)
		a.values["object"], a.values["upload"], a.values["archive_id"] = object, upload, packed
		p.grant(storage.FolderGrant{FolderID: on.folder, UserID: given, Level: storage.LevelView})
		a.values["subject_id"] = given
		if on.name != "Hidden" {
			a.values["number"] = p.sent(p.hubAdmin, on, p.hubAdmin)
		}
		a.values["twin_id"], a.values["document_id"] = strings.TrimPrefix(twin, "/files/twins/"), document
		all = append(all, a)
	}
	return all
}

// addressed is a thing with what is known for every variable of a route.
func (p peoplesPages) addressed(on thing) addressee {
	return addressee{thing: on, values: map[string]string{
		"hub_id": p.hub.ID, "project_id": p.tower.ID, "folder_id": folderURN(on.folder), "item_id": itemURN(on.item),
		"version_id": url.PathEscape(versionURN(on.item, "1")), "group_id": p.group.ID, "user_id": p.projAdmin,
		"reader": p.viewer, "subject_id": p.viewer, "client_id": app, "object": "none", "upload": "none", "part": "1",
		"archive_id": "none", "twin_id": "none", "document_id": "none", "number": "1",
	}, query: "?" + url.Values{"of.i-" + on.item: {"on"}, "in": {folderURN(p.outer)}, "q": {"t"}, "older": {"1"},
		"newer": {"1"}}.Encode()}
}

// pictureIn brings a picture into a folder, and returns the file's uid.
func (p peoplesPages) pictureIn(folder string) string {
	p.Helper()
	name := p.fresh() + ".png"
	path := p.pagesOf(thing{folder: folder})["folder"] + "/upload"
	p.Equal(http.StatusSeeOther, p.uploads(p.hubAdmin, path, "version", name, aPicture(p.world, 2)).Code)
	found, err := p.Store.ListContents(p.Context(), p.tower.ID, folder, storage.ContentsQuery{Named: name},
		storage.DataPage{})
	p.Must(err)
	return found.Items[0].Item.ID
}

// sent sends a file of a folder to somebody, and returns the number.
func (p peoplesPages) sent(by string, on thing, to string) string {
	p.Helper()
	got := p.sends(by, on, "Title", to)
	p.Equal(http.StatusSeeOther, got.Code)
	page, _, _ := strings.Cut(got.Header().Get("Location"), "?")
	return page[strings.LastIndex(page, "/")+1:]
}

// sends sends the form that does so.
func (p peoplesPages) sends(by string, on thing, title, to string) *httptest.ResponseRecorder {
	p.Helper()
	return p.press(by, p.pagesOf(on)["folder"]+"/chosen/send?form="+p.Ambient.Token(), "of.i-"+on.item, "on",
		"title", title, "to", to, "message", "One\r\ntwo")
}

// begunIn begins an upload into a folder.
func (p peoplesPages) begunIn(folder string) (object, upload string) {
	p.Helper()
	got := p.press(p.hubAdmin, p.pagesOf(thing{folder: folder})["folder"]+"/uploads", "name", p.fresh()+".bin")
	var begun struct{ URL string }
	p.Must(json.Unmarshal(got.Body.Bytes(), &begun))
	rest := strings.Split(begun.URL, "/")
	return rest[len(rest)-2], rest[len(rest)-1]
}

// packedBy makes an archive of Outer for somebody.
func (p peoplesPages) packedBy(user string) string {
	p.Helper()
	made := p.press(user, p.pagesOf(thing{folder: p.outer})["folder"]+"/zip?form="+p.Ambient.Token())
	p.Equal(http.StatusSeeOther, made.Code)
	return strings.TrimPrefix(made.Header().Get("Location"), "/files/archives/")
}

// sees is what GET answers somebody at a door.
func (d door) sees(name, user string, p peoplesPages, on addressee) int {
	standing, reading := standings()[name], readings()[name]
	may := func(yes bool, not int) int {
		if yes {
			return http.StatusOK
		}
		return not
	}
	switch d.opens {
	case leadsOn:
		return http.StatusSeeOther
	case inTheHub:
		return cmp.Or(reading.hub, http.StatusOK)
	case inProject:
		return cmp.Or(standing.everything, http.StatusOK)
	case forWhoMay:
		return standing.want(writing{done: http.StatusOK, least: d.least}, on.thing)
	case forHub, inTheTwin:
		return may(user == p.hubAdmin, http.StatusNotFound)
	case forSent:
		there := on.name != "Hidden" || !strings.HasSuffix(d.path, "/bytes") // of what is hidden nothing was sent
		return may(there && (user == p.hubAdmin || user == p.projAdmin), http.StatusNotFound)
	case forProject:
		return may(user == p.hubAdmin || user == p.projAdmin, http.StatusNotFound)
	case forItsMaker:
		return may(user == p.hubAdmin, http.StatusGone)
	}
	return http.StatusOK
}

// persons are everybody of the permission matrix who is a person, by name.
func (s *scene) persons() map[string]string {
	s.Helper()
	all := map[string]string{}
	for name, who := range s.writers() {
		if who.user != "" && who.client == app && who.actAs == "" && name != "wrong scope" {
			all[name] = who.user
		}
	}
	return all
}

// The expectations are those of TestPermissionMatrix and TestPermissionMatrixOfChanges.
//
// Rules: FILES-1, FILES-4
func TestEveryDoorOfThePagesLetsInWhomTheAPIWould(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		p := newScene(w).pages()
		p.namesEveryDoor()
		cells, on := 0, p.addressees()
		for name, user := range p.persons() {
			for _, a := range on {
				cells += p.looksIn(name, user, a)
				cells += p.isKeptOut(name, user, a)
			}
		}
		t.Logf("%d cells", cells)
	})
}

// namesEveryDoor fails for a route of which doors does not say who comes in, and for a
// form that no test of the table carries out.
func (p peoplesPages) namesEveryDoor() {
	p.Helper()
	listed, there := map[string]bool{}, map[string]bool{}
	for _, d := range doors() {
		listed[d.method+" "+d.path] = true
	}
	for _, route := range p.routes {
		for method := range route.Methods {
			there[method+" "+route.Template] = true
		}
	}
	for name := range there {
		if !listed[name] {
			p.Errorf("who comes in at %s is said nowhere: put it into doors", name)
		}
	}
	for name := range listed {
		if !there[name] {
			p.Errorf("%s is no route of the pages", name)
		}
	}
	acts := slices.Clone(ownTests)
	for _, a := range peoplesActs() {
		acts = append(acts, a.at)
	}
	for _, d := range doors() {
		done := slices.ContainsFunc(acts, func(at string) bool {
			path, _, _ := strings.Cut(at, "?")
			return templateOf(path) == d.path
		})
		if d.method == http.MethodPost && d.opens == forWhoMay && !done {
			p.Errorf("POST %s is carried out by no act of peoplesActs", d.path)
		}
	}
}

// ownTests are the forms whose doing takes more than a row of peoplesActs: tests of
// their own carry them out.
var ownTests = []string{"folder /zip", "folder /chosen/zip", "item /twin", "folder /uploads", "item /uploads",
	"folder /chosen/send",
	"project /uploads/{object}/{upload}", "folder /restore", "item /restore", "item /release", "folder /share",
	"folder /share/{subject_id}/remove", "folder /sees"}

// looksIn has somebody look in at every door of a thing.
func (p peoplesPages) looksIn(name, user string, on addressee) (cells int) {
	p.Helper()
	for _, d := range doors() {
		want := d.sees(name, user, p, on)
		if d.method != http.MethodGet || on.name == "Hidden" && d.opens == forWhoMay && want != http.StatusNotFound {
			continue // what editors find in what is hidden has tests of its own
		}
		cells++
		got := p.open(user, on.at(p, d))
		refused := want == http.StatusForbidden && got.Code == http.StatusUnprocessableEntity // told to a script
		if got.Code != want && !refused {
			p.Errorf("%s, GET %s of %s: %d, want %d\n%s", name, d.path, on.name, got.Code, want, got.Body)
		}
		called := map[string]string{templateOf("hub"): "Main Hub", templateOf("project"): "Tower",
			templateOf("folder"): on.name}[d.path]
		if shown := strings.Contains(got.Body.String(), "<bdi>"+called+"</bdi>"); called != "" &&
			shown != (want == http.StatusOK) {
			p.Errorf("%s, GET %s of %s: named %v", name, d.path, on.name, shown)
		}
	}
	return cells
}

// isKeptOut has somebody send everything that is not for them, of which nothing is done.
func (p peoplesPages) isKeptOut(name, user string, on addressee) (cells int) {
	p.Helper()
	before := p.all(on)
	for _, d := range doors() {
		want := d.sees(name, user, p, on)
		if d.method == http.MethodGet || want < http.StatusBadRequest {
			continue // what they may do is done by the tests of acts and of the office
		}
		cells++
		if got := p.knock(user, d.method, on.at(p, d), on); got.Code < http.StatusBadRequest {
			p.Errorf("%s, %s %s of %s: %d to %s", name, d.method, d.path, on.name, got.Code, got.Header().Get("Location"))
		}
	}
	if after := p.all(on); after != before {
		p.Errorf("%s may not, and\n%s\nbecame\n%s", name, before, after)
	}
	return cells
}

// knock sends a form, or a part of a file, that holds whatever any of them asks for.
func (p peoplesPages) knock(user, method, path string, on addressee) *httptest.ResponseRecorder {
	p.Helper()
	if method == http.MethodPut {
		return p.serve(user, httptest.NewRequest(method, path, strings.NewReader("bytes")))
	}
	at, _, _ := strings.Cut(path, "?")
	if strings.HasSuffix(at, "/upload") {
		return p.uploads(user, path, "version", "knocked.txt", "bytes")
	}
	return p.press(user, path, append(ticked(on.item), "name", "Knocked", "state", "shared", "user", p.outsider, "level",
		"view", "client", stranger, "users", "none", "archived", "on", "size", "0")...)
}

// all is everything of a thing, and of who has rights in it.
func (p peoplesPages) all(on addressee) string {
	p.Helper()
	grants, err := p.Admin.ListGrants(p.Context(), p.tower.ID, on.folder)
	p.Must(err)
	members, err := p.Admin.ListMembers(p.Context(), membership(p.hub.ID, ""))
	p.Must(err)
	text, err := json.Marshal([]any{grants, members})
	p.Must(err)
	return p.snapshot() + string(text)
}
