package dataapi_test

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/portico-id/portico/storage"
)

// callers are everyone of the permission matrix, by name.
func (s *scene) callers() map[string]caller {
	limited := "app-provisioned-to-view"
	s.Client(limited)
	s.provision(s.hub, limited, storage.LevelView, storage.AppForListed, s.viewer, s.hubAdmin)
	return map[string]caller{
		"no token":                    {token: "-"},
		"wrong scope":                 {client: app, scope: "data:write"},
		"two-legged":                  {client: app},
		"two-legged, view":            {client: limited},
		"two-legged for editor":       {client: app, actAs: s.editor},
		"two-legged for viewer":       {client: app, actAs: s.viewer},
		"two-legged for hub admin":    {client: app, actAs: s.hubAdmin},
		"view app for hub admin":      {client: limited, actAs: s.hubAdmin},
		"view app for editor":         {client: limited, actAs: s.editor}, // not among those it may act for
		"two-legged for nobody":       {client: app, actAs: "NOBODYNOBODYNOBO"},
		"two-legged for elsewhere":    {client: app, actAs: s.elsewhere},
		"not provisioned":             {client: stranger},
		"not provisioned, hub admin":  {client: stranger, user: s.hubAdmin},
		"not provisioned, for editor": {client: stranger, actAs: s.editor},
		"hub admin":                   as(s.hubAdmin),
		"project admin":               as(s.projAdmin),
		"editor":                      as(s.editor),
		"viewer":                      as(s.viewer),
		"deep viewer":                 as(s.deep),
		"outsider":                    as(s.outsider),
		"other hub":                   as(s.elsewhere),
		"service account":             {client: s.machineOwner, user: s.machine},
	}
}

// thing is what an operation is asked of.
type thing struct {
	name         string
	folder, item string // uids; the item lies in the folder
}

func (s *scene) things() []thing {
	return []thing{
		{"Outer", s.outer, s.report},
		{"Inner", s.inner, s.deepItem},
		{"Plans", s.plans.ID, s.plan},
		{"Hidden", s.hidden, s.buried},
	}
}

// reading is what somebody may see: every operation on a thing follows from it.
type reading struct {
	hub, project int            // status
	things       map[string]int // status of the folder and the items in it
	parents      map[string]int // of the folder above
	control      []string       // things in which they may give rights
	user         bool           // stands for a user, whose own rights they may ask for
}

func everywhere(level storage.Level, user bool) reading {
	ok := http.StatusOK
	r := reading{hub: ok, project: ok, user: user,
		things:  map[string]int{"Outer": ok, "Inner": ok, "Plans": ok, "Hidden": ok},
		parents: map[string]int{"Outer": ok, "Inner": ok, "Plans": ok, "Hidden": ok},
	}
	if level < storage.LevelEdit {
		r.things["Hidden"] = http.StatusNotFound
	}
	if level == storage.LevelControl {
		r.control = []string{"Outer", "Inner", "Plans", "Hidden"}
	}
	return r
}

// nothing is a status for everything.
func nothing(hub, project int) reading {
	return reading{hub: hub, project: project,
		things: map[string]int{"Outer": project, "Inner": project, "Plans": project, "Hidden": project}}
}

func readings() map[string]reading {
	const ok, forbidden, absent = http.StatusOK, http.StatusForbidden, http.StatusNotFound
	editor := reading{hub: ok, project: ok, user: true,
		things:  map[string]int{"Outer": ok, "Inner": ok, "Plans": forbidden, "Hidden": ok},
		parents: map[string]int{"Outer": forbidden, "Inner": ok, "Hidden": ok}}
	viewer := reading{hub: ok, project: ok, user: true,
		things:  map[string]int{"Outer": ok, "Inner": ok, "Plans": forbidden, "Hidden": absent},
		parents: map[string]int{"Outer": forbidden, "Inner": ok}}
	deep := reading{hub: ok, project: ok, user: true,
		things:  map[string]int{"Outer": forbidden, "Inner": ok, "Plans": forbidden, "Hidden": absent},
		parents: map[string]int{"Inner": forbidden}}
	admin := everywhere(storage.LevelControl, true)
	viewAdmin := everywhere(storage.LevelView, true)
	return map[string]reading{
		"no token":                    nothing(http.StatusUnauthorized, http.StatusUnauthorized),
		"wrong scope":                 nothing(forbidden, forbidden),
		"two-legged":                  everywhere(storage.LevelControl, false),
		"two-legged, view":            everywhere(storage.LevelView, false),
		"two-legged for editor":       editor,
		"two-legged for viewer":       viewer,
		"two-legged for hub admin":    admin,
		"view app for hub admin":      viewAdmin,
		"view app for editor":         nothing(forbidden, forbidden),
		"two-legged for nobody":       nothing(forbidden, forbidden),
		"two-legged for elsewhere":    nothing(forbidden, forbidden),
		"not provisioned":             nothing(forbidden, forbidden),
		"not provisioned, hub admin":  nothing(forbidden, forbidden),
		"not provisioned, for editor": nothing(forbidden, forbidden),
		"hub admin":                   admin,
		"project admin":               admin,
		"editor":                      editor,
		"viewer":                      viewer,
		"deep viewer":                 deep,
		"outsider":                    nothing(ok, absent),
		"other hub":                   nothing(absent, absent),
		"service account":             deep,
	}
}

// want is the status of an operation on a thing for somebody who may see so
// much.
func (r reading) want(operation string, on thing) int {
	seen := r.things[on.name]
	switch operation {
	case "hubs":
		if r.hub == http.StatusUnauthorized {
			return r.hub
		}
		return 0 // its own test: it depends on hubs elsewhere
	case "hub", "projects":
		return r.hub
	case "project", "hub of project", "top folders", "changes":
		return r.project
	case "folder parent":
		if seen == http.StatusOK {
			return r.parents[on.name]
		}
	case "permissions":
		if seen == http.StatusOK && !slices.Contains(r.control, on.name) {
			return http.StatusForbidden
		}
	case "effective":
		if seen == http.StatusOK && !r.user {
			return http.StatusBadRequest // whose rights?
		}
	}
	return seen
}

// Rules: DATA-30, DATA-31, DATA-32, DATA-33, DATA-34, DATA-35, REL-11
func TestPermissionMatrix(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		s := newScene(w)
		want := readings()
		all := s.callers()
		if len(want) != len(all) {
			t.Fatalf("%d callers, %d expectations", len(all), len(want))
		}
		cells := 0
		for _, name := range slices.Sorted(maps.Keys(all)) {
			by := all[name]
			if by.token == "" {
				by.token = s.token(by)
			}
			for _, on := range s.things() {
				for _, o := range operations() {
					path := at(o.template, s.ids(on.folder, on.item))
					status := want[name].want(o.name, on)
					if status == 0 {
						continue
					}
					cells++
					got := w.get(by, path)
					if got.Status != status {
						t.Errorf("%s, %s of %s: %d, want %d\n%s", name, o.name, on.name, got.Status, status, got.Body)
					}
				}
			}
		}
		t.Logf("%d cells", cells)
	})
}

// Rules: DATA-36, DATA-37
func TestEveryoneListsTheirOwnHubsAndProjects(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		s := newScene(w)
		for name, want := range map[string]struct{ hubs, projects, top string }{
			"two-legged":               {"Main Hub, Other Hub", "Bridge, Tower", "Plans, Project Files"},
			"two-legged, view":         {"Main Hub", "Bridge, Tower", "Plans, Project Files"},
			"two-legged for editor":    {"Main Hub", "Tower", "Outer"},
			"two-legged for elsewhere": {"Other Hub", "403", "403"},
			"view app for hub admin":   {"Main Hub", "Bridge, Tower", "Plans, Project Files"},
			"view app for editor":      {"403", "403", "403"},
			"two-legged for nobody":    {"403", "403", "403"},
			"not provisioned":          {"", "403", "403"},
			"hub admin":                {"Main Hub", "Bridge, Tower", "Plans, Project Files"},
			"project admin":            {"Main Hub", "Tower", "Plans, Project Files"},
			"editor":                   {"Main Hub", "Tower", "Outer"},
			"viewer":                   {"Main Hub", "Tower", "Outer"},
			"deep viewer":              {"Main Hub", "Tower", "Inner"},
			"outsider":                 {"Main Hub", "", "404"},
			"other hub":                {"Other Hub", "404", "404"},
			"service account":          {"Main Hub", "Tower", "Inner"},
			"no token":                 {"401", "401", "401"},
			"wrong scope":              {"403", "403", "403"},
		} {
			by := s.callersOnce(name)
			for path, want := range map[string]string{
				"/project/v1/hubs": want.hubs, s.hubURL() + "/projects": want.projects, s.towerURL() + "/topFolders": want.top,
			} {
				got := w.get(by, path)
				told := fmt.Sprint(got.Status)
				if got.Status == http.StatusOK {
					told = strings.Join(names(got.many(t)), ", ")
				}
				if told != want {
					t.Errorf("%s, %s: %s, want %s", name, path, told, want)
				}
			}
		}
	})
}

// callersOnce returns the caller with the name.
func (s *scene) callersOnce(name string) caller {
	s.Helper()
	if s.everyone == nil {
		s.everyone = s.callers()
	}
	by, ok := s.everyone[name]
	if !ok {
		s.Fatalf("there is no caller %q", name)
	}
	return by
}

// Rule: DATA-38
func TestAnAppThatIsNotProvisionedIsToldWhoCanHelp(t *testing.T) {
	s := newScene(newWorld(t, sqliteURL(t)))
	e := s.refused(caller{client: stranger, user: s.hubAdmin}, s.hubURL(), 403, "APP_NOT_PROVISIONED", nil)
	if !strings.Contains(e.Detail, stranger) || !strings.Contains(e.Detail, "administrator") ||
		strings.Contains(e.Detail, "Main") {
		t.Errorf("detail: %s", e.Detail)
	}
	for name, by := range map[string]caller{
		"three-legged": {client: stranger, user: s.hubAdmin}, "two-legged, nowhere provisioned": {client: stranger},
	} {
		got := s.ok(by, "/project/v1/hubs")
		warnings, _ := got.doc(t).Meta["warnings"].([]any)
		if len(got.many(t)) != 0 || len(warnings) != 1 {
			t.Fatalf("%s: %s", name, got.Body)
		}
		warning, body := warnings[0].(map[string]any), string(got.Body)
		if warning["HttpStatusCode"] != "403" || !strings.Contains(warning["Detail"].(string), stranger) ||
			strings.Contains(body, s.hub.ID) || strings.Contains(body, "Main Hub") {
			t.Errorf("%s: %s", name, body)
		}
	}
	if got := s.ok(as(s.hubAdmin), "/project/v1/hubs"); got.doc(t).Meta != nil {
		t.Errorf("a warning without cause: %s", got.Body)
	}
	// Provisioned in one of two hubs of the user.
	s.Must(s.Store.SetHubMember(t.Context(), s.Operator(), s.otherHub.ID, s.viewer, false))
	machineApp := caller{client: s.machineOwner, user: s.viewer}
	if got := s.ok(machineApp, "/project/v1/hubs?filter[name]=nothing"); got.doc(t).Meta == nil {
		t.Errorf("no warning: %s", got.Body)
	}
}

// Rule: DATA-39
func TestXUserID(t *testing.T) {
	s := newScene(newWorld(t, sqliteURL(t)))
	path := s.folderURL(s.inner)
	s.ok(caller{client: app, actAs: s.deep}, path)
	s.ok(caller{client: app, user: s.deep, actAs: s.deep}, path)
	refusals := map[string]caller{
		"unknown user":                     {client: app, actAs: "NOBODYNOBODYNOBO"},
		"member of another hub":            {client: app, actAs: s.elsewhere},
		"disabled user":                    {client: app, actAs: s.disabled()},
		"another user than the token's":    {client: app, user: s.deep, actAs: s.editor},
		"an unknown user beside a token's": {client: app, user: s.deep, actAs: "NOBODYNOBODYNOBO"},
	}
	var first errorObject
	for name, by := range refusals {
		for _, path := range []string{path, s.hubURL(), s.towerURL(), "/project/v1/hubs"} {
			if name == "member of another hub" && path == "/project/v1/hubs" {
				continue
			}
			e := s.refused(by, path, 403, "USER_NOT_ALLOWED", headerNamed("X-User-Id"))
			e.ID = ""
			if first.Code == "" {
				first = e
			}
			if e.Detail != first.Detail || e.Title != first.Title {
				t.Errorf("%s tells something: %+v, not %+v", name, e, first)
			}
		}
	}
	s.refused(caller{client: app}, path, 400, "BAD_INPUT", headerNamed("X-User-Id"), "x-user-id", "")
	s.refused(caller{client: app}, path, 400, "BAD_INPUT", headerNamed("X-User-Id"), "x-user-id",
		s.deep, "x-user-id", s.editor)
	s.refused(caller{client: app}, path+"?x-user-id="+s.deep, 400, "UNKNOWN_PARAMETER", parameter("x-user-id"))
}

// Rule: DATA-39
func TestAUserIDThatIsNoTextIsOneOfNobody(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		s := newScene(w)
		noText := caller{client: app, actAs: "Andr\xe9"}
		s.refused(noText, s.folderURL(s.inner), 403, "USER_NOT_ALLOWED", headerNamed("X-User-Id"))
	})
}

// disabled returns a member of the hub who is disabled.
func (s *scene) disabled() string {
	s.Helper()
	id := s.User("DISABLEDDISABLED")
	s.Must(s.Admin.SetMember(s.Context(), s.Operator(), membership(s.hub.ID, id)))
	s.Must(s.Store.SetUserDisabled(s.Context(), s.Operator().Act, id, true))
	return id
}

// Rule: DATA-39
func TestAnAppThatMayActForNobodyStillActsByItself(t *testing.T) {
	s := newScene(newWorld(t, sqliteURL(t)))
	s.provision(s.hub, app, storage.LevelDownload, storage.AppForNobody)
	s.ok(caller{client: app}, s.folderURL(s.outer))
	s.ok(as(s.editor), s.folderURL(s.hidden)) // with a user's own token the user's rights count
	s.refused(caller{client: app, actAs: s.editor}, s.folderURL(s.outer), 403, "USER_NOT_ALLOWED",
		headerNamed("X-User-Id"))
	s.refused(caller{client: app}, s.folderURL(s.hidden), 404, "FOLDER_NOT_FOUND", nil)
}

// Rule: DATA-40
func TestInactiveHubsAndProjectsAreGoneFromLists(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		s := newScene(w)
		_, err := s.Admin.SetProjectActive(t.Context(), s.Operator(), s.tower.ID, false)
		s.Must(err)
		for name, by := range map[string]caller{"app": {client: app}, "hub admin": as(s.hubAdmin), "editor": as(s.editor)} {
			for _, path := range []string{s.towerURL(), s.towerURL() + "/hub", s.towerURL() + "/topFolders",
				s.folderURL(s.outer), s.itemURL(s.report), s.versionURL(s.report, "1")} {
				e := s.refused(by, path, 400, "PROJECT_INACTIVE", parameter("project_id"))
				if !strings.Contains(e.Detail, "not active") {
					t.Errorf("%s: %s", name, e.Detail)
				}
			}
		}
		if got := names(s.ok(as(s.hubAdmin), s.hubURL()+"/projects").many(t)); !slices.Equal(got, []string{"Bridge"}) {
			t.Errorf("projects: %v", got)
		}
		s.refused(as(s.outsider), s.towerURL(), 404, "PROJECT_NOT_FOUND", nil)
		_, err = s.Admin.SetHubActive(t.Context(), s.Operator(), s.hub.ID, false)
		s.Must(err)
		for _, path := range []string{s.hubURL(), s.hubURL() + "/projects"} {
			s.refused(as(s.hubAdmin), path, 404, "HUB_NOT_FOUND", nil)
		}
		s.refused(caller{client: app}, s.folderURL(s.outer), 404, "PROJECT_NOT_FOUND", nil)
		if got := names(s.ok(caller{client: app}, "/project/v1/hubs").many(t)); !slices.Equal(got, []string{"Other Hub"}) {
			t.Errorf("hubs: %v", got)
		}
		_, err = s.Admin.SetHubActive(t.Context(), s.Operator(), s.hub.ID, true)
		s.Must(err)
		_, err = s.Admin.SetProjectActive(t.Context(), s.Operator(), s.tower.ID, true)
		s.Must(err)
		s.ok(as(s.editor), s.folderURL(s.outer))
	})
}

// Rule: DATA-41
func TestHiddenThingsExistOnlyForThoseWhoMayEdit(t *testing.T) {
	s := newScene(newWorld(t, sqliteURL(t)))
	contents := s.folderURL(s.outer) + "/contents"
	for query, want := range map[string][2][]string{ // editor, viewer
		"": {{"Middle", "report.txt", "reserved.txt"},
			{"Middle", "report.txt", "reserved.txt"}},
		"?includeHidden=true": {{"Hidden", "Middle", "deleted.txt", "report.txt", "reserved.txt"},
			{"Middle", "report.txt", "reserved.txt"}},
		"?filter[hidden]=true": {{"Hidden", "deleted.txt"}, {}},
		"?filter[hidden]=false": {{"Middle", "report.txt", "reserved.txt"},
			{"Middle", "report.txt", "reserved.txt"}},
		"?filter[attributes.hidden]=true,false": {{"Hidden", "Middle", "deleted.txt", "report.txt", "reserved.txt"},
			{"Middle", "report.txt", "reserved.txt"}},
		"?includeHidden=true&filter[hidden]=false": {{"Middle", "report.txt", "reserved.txt"},
			{"Middle", "report.txt", "reserved.txt"}},
	} {
		for i, user := range []string{s.editor, s.viewer} {
			if got := names(s.ok(as(user), contents+query).many(t)); !slices.Equal(got, want[i]) {
				t.Errorf("%s, %s: %v, want %v", user, query, got, want[i])
			}
		}
	}
	for path, code := range map[string]string{
		s.folderURL(s.hidden): "FOLDER_NOT_FOUND", s.itemURL(s.deleted): "ITEM_NOT_FOUND",
		s.itemURL(s.buried):          "ITEM_NOT_FOUND",
		s.versionURL(s.deleted, "1"): "VERSION_NOT_FOUND", s.versionURL(s.buried, "1") + "/item": "VERSION_NOT_FOUND",
	} {
		s.refused(as(s.viewer), path, 404, code, nil)
		s.ok(as(s.editor), path)
	}
	if a := s.ok(as(s.editor), s.folderURL(s.hidden)).one(t).Attributes; a["hidden"] != true {
		t.Errorf("to an editor it is %v", a["hidden"])
	}
}

// Rule: DATA-41
func TestTopFoldersLeaveHiddenOnesOutWhenAsked(t *testing.T) {
	s := newScene(newWorld(t, sqliteURL(t)))
	hide := true
	_, err := s.Store.UpdateFolder(t.Context(), s.Operator(), s.tower.ID, s.plans.ID, storage.FolderPatch{Hidden: &hide})
	s.Must(err)
	for path, want := range map[string][]string{
		"": {"Plans", "Project Files"}, "?excludeDeleted=false": {"Plans", "Project Files"},
		"?excludeDeleted=true": {"Project Files"},
	} {
		if got := names(s.ok(as(s.projAdmin), s.towerURL()+"/topFolders"+path).many(t)); !slices.Equal(got, want) {
			t.Errorf("%s: %v", path, got)
		}
	}
	s.grant(storage.FolderGrant{FolderID: s.plans.ID, UserID: s.deep, Level: storage.LevelView})
	if got := names(s.ok(as(s.deep), s.towerURL()+"/topFolders").many(t)); !slices.Equal(got, []string{"Inner"}) {
		t.Errorf("without the right to edit: %v", got)
	}
	if got := names(s.ok(as(s.deep), s.towerURL()+"/topFolders?projectFilesOnly=true").many(t)); !slices.Equal(got,
		[]string{"Inner"}) {
		t.Errorf("in Project Files: %v", got)
	}
}

// Rules: DATA-42, SCOPE-4
func TestATokenForOneResourceReadsThatAndNothingElse(t *testing.T) {
	s := newScene(newWorld(t, sqliteURL(t)))
	for path, urn := range map[string]string{
		s.folderURL(s.outer): folderURN(s.outer), s.itemURL(s.report): itemURN(s.report),
		s.versionURL(s.report, "2"): versionURN(s.report, "2"),
	} {
		by := as(s.editor)
		by.scope = dataRead + ":" + urn
		s.ok(by, path)
		for _, other := range []string{s.folderURL(s.middle), s.folderURL(s.outer) + "/contents", s.itemURL(s.reserved),
			s.versionURL(s.report, "1"), "/project/v1/hubs"} {
			s.refused(by, other, 403, "INSUFFICIENT_SCOPE", nil)
		}
		by.scope = dataRead + ":"
		s.refused(by, path, 403, "INSUFFICIENT_SCOPE", nil)
	}
	by := as(s.deep)
	by.scope = dataRead + ":" + folderURN(s.outer)
	s.refused(by, s.folderURL(s.outer), 403, "NO_PERMISSION", nil) // the scope gives no right
}
