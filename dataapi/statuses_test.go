package dataapi_test

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

// row is a line of S2 section 7: an answer that an operation must be able to
// give, with its error document.
type row struct {
	operation string
	path      string
	by        caller
	header    []string
	status    int
	want      errorObject // without id
}

const (
	badTitle      = "One or more input values are bad"
	provisionText = "The app " + stranger +
		" is not provisioned here. An administrator of the hub must give this client id access to it."
)

func (s *scene) rows() []row {
	const gone = "b.00000000-0000-4000-8000-000000000000"
	unknown := strings.Repeat("A", 22)
	app, outsider, deep := caller{client: app}, as(s.outsider), as(s.deep)
	foreign := caller{client: stranger}
	invalidToken := errorObject{Code: "INVALID_TOKEN", Title: "Unauthorized",
		Detail: "Access token provided is invalid or expired."}
	noToken := invalidToken
	noToken.Code = "MISSING_TOKEN"
	noScope := errorObject{Code: "INSUFFICIENT_SCOPE", Title: "Forbidden",
		Detail: "The access token lacks the scope data:read."}
	refusal := errorObject{Code: "APP_NOT_PROVISIONED", Title: "Forbidden", Detail: provisionText}
	noRight := func(what string) errorObject {
		return errorObject{Code: "NO_PERMISSION", Title: "Forbidden",
			Detail: "You have no permission to see this " + what + "."}
	}
	absent := func(what string) errorObject {
		return errorObject{Code: strings.ToUpper(what) + "_NOT_FOUND", Title: "Not found",
			Detail: "There is no such " + what + "."}
	}
	malformed := func(variable, form string) errorObject {
		return errorObject{Code: "MALFORMED_ID", Title: badTitle, Source: parameter(variable),
			Detail: "The id must look like " + form + ", percent-encoded once."}
	}
	inactive := errorObject{Code: "PROJECT_INACTIVE", Title: badTitle, Source: parameter("project_id"),
		Detail: "The project is not active. An administrator of the hub can activate it."}
	off, _, _ := s.project(s.hub, "Switched off")
	_, err := s.Admin.SetProjectActive(s.Context(), s.Operator(), off.ID, false)
	s.Must(err)
	offURL := s.hubURL() + "/projects/" + off.ID
	const uuid = "b.<UUID>"
	return []row{
		{"list hubs", "/project/v1/hubs", app, nil, 200, errorObject{}},
		{"list hubs", "/project/v1/hubs", caller{token: "-"}, nil, 401, noToken},
		{"list hubs", "/project/v1/hubs", caller{token: "nonsense"}, nil, 401, invalidToken},
		{"list hubs", "/project/v1/hubs", caller{client: "app-provisioned-everywhere", scope: "data:write"}, nil, 403,
			noScope},

		{"list projects", s.hubURL() + "/projects", outsider, nil, 200, errorObject{}},
		{"list projects", "/project/v1/hubs/x/projects", app, nil, 400, malformed("hub_id", uuid)},
		{"list projects", s.hubURL() + "/projects?page[limit]=201", app, nil, 400,
			errorObject{Code: "BAD_INPUT", Title: badTitle,
				Source: parameter("page[limit]"), Detail: `The value must be a whole number from 1 to 200, got "201".`}},
		{"list projects", s.hubURL() + "/projects", caller{token: "x.y.z"}, nil, 401, invalidToken},
		{"list projects", s.hubURL() + "/projects", foreign, nil, 403, refusal},
		{"list projects", "/project/v1/hubs/" + gone + "/projects", app, nil, 404, absent("hub")},

		{"get hub", s.hubURL(), app, nil, 200, errorObject{}},
		{"get hub", "/project/v1/hubs/a.123", app, nil, 400, malformed("hub_id", uuid)},
		{"get hub", s.hubURL(), foreign, nil, 403, refusal},
		{"get hub", "/project/v1/hubs/" + gone, app, nil, 404, absent("hub")},
		{"get project", s.towerURL(), deep, nil, 200, errorObject{}},
		{"get project", s.hubURL() + "/projects/x", app, nil, 400, malformed("project_id", uuid)},
		{"get project", offURL, app, nil, 400, inactive},
		{"get project", s.towerURL(), foreign, nil, 403, refusal},
		{"get project", s.hubURL() + "/projects/" + gone, app, nil, 404, absent("project")},
		{"get project", s.hubURL() + "/projects/" + s.far.ID, app, nil, 404, absent("project")},
		{"hub of project", s.towerURL() + "/hub", deep, nil, 200, errorObject{}},
		{"hub of project", offURL + "/hub", app, nil, 400, inactive},
		{"hub of project", s.towerURL() + "/hub", foreign, nil, 403, refusal},
		{"hub of project", s.towerURL() + "/hub", outsider, nil, 404, absent("project")},
		{"top folders", s.towerURL() + "/topFolders", deep, nil, 200, errorObject{}},
		{"top folders", offURL + "/topFolders", app, nil, 400, inactive},
		{"top folders", s.towerURL() + "/topFolders", foreign, nil, 403, refusal},
		{"top folders", s.towerURL() + "/topFolders", outsider, nil, 404, absent("project")},

		{"get folder", s.folderURL(s.inner), deep, nil, 200, errorObject{}},
		{"get folder", s.folderURL(s.inner), deep, []string{"If-None-Match", "*"}, 304, errorObject{}},
		{"get folder", s.inTower("/folders/x"), app, nil, 400, malformed("folder_id", "urn:portico:fs.folder:co.<id>")},
		{"get folder", s.folderURL(s.outer), deep, nil, 403, noRight("folder")},
		{"get folder", s.folderURL(unknown), deep, nil, 404, absent("folder")},
		{"folder parent", s.folderURL(s.innermost) + "/parent", deep, nil, 200, errorObject{}},
		{"folder parent", s.inTower("/folders/x/parent"), app, nil, 400,
			malformed("folder_id", "urn:portico:fs.folder:co.<id>")},
		{"folder parent", s.folderURL(s.inner) + "/parent", deep, nil, 403, noRight("folder")},
		{"folder parent", s.folderURL(unknown) + "/parent", deep, nil, 404, absent("folder")},
		{"folder parent", s.folderURL(s.tower.RootFolderID) + "/parent", app, nil, 404,
			errorObject{Code: "NO_PARENT", Title: "Not found", Detail: "The root of a project has no parent."}},
		{"contents", s.folderURL(s.inner) + "/contents", deep, nil, 200, errorObject{}},
		{"contents", s.folderURL(s.inner) + "/contents?filter[type]=versions", deep, nil, 400,
			errorObject{Code: "BAD_INPUT", Title: badTitle,
				Source: parameter("filter[type]"), Detail: "Every value must be folders or items."}},
		{"contents", s.folderURL(s.outer) + "/contents", deep, nil, 403, noRight("folder")},
		{"contents", s.folderURL(unknown) + "/contents", deep, nil, 404, absent("folder")},
		{"permissions", s.folderURL(s.inner) + "/permissions", app, nil, 200, errorObject{}},
		{"permissions", s.folderURL(s.inner) + "/permissions", deep, nil, 403,
			errorObject{Code: "NO_PERMISSION", Title: "Forbidden",
				Detail: "Only who may control the folder sees who has rights in it."}},
		{"effective", s.folderURL(s.inner) + "/permissions/effective", deep, nil, 200, errorObject{}},
		{"effective", s.folderURL(s.inner) + "/permissions/effective", app, nil, 400,
			errorObject{Code: "BAD_INPUT", Title: badTitle,
				Source: parameter("user"), Detail: "Name the user, as the app acts by itself."}},
		{"effective", s.folderURL(s.inner) + "/permissions/effective?user=" + s.editor, deep, nil, 403,
			errorObject{Code: "NO_PERMISSION",
				Title: "Forbidden", Detail: "Only who may control the folder sees what others may do in it."}},

		{"get item", s.itemURL(s.deepItem), deep, nil, 200, errorObject{}},
		{"get item", s.itemURL(s.deepItem), deep, []string{"If-None-Match", "*"}, 304, errorObject{}},
		{"get item", s.inTower("/items/x"), app, nil, 400, malformed("item_id", "urn:portico:dm.lineage:<id>")},
		{"get item", s.itemURL(s.report), deep, nil, 403, noRight("item")},
		{"get item", s.itemURL(unknown), deep, nil, 404, absent("item")},
		{"item parent", s.itemURL(s.deepItem) + "/parent", deep, nil, 200, errorObject{}},
		{"item parent", s.inTower("/items/x/parent"), app, nil, 400, malformed("item_id", "urn:portico:dm.lineage:<id>")},
		{"item parent", s.itemURL(s.report) + "/parent", deep, nil, 403, noRight("item")},
		{"item parent", s.itemURL(unknown) + "/parent", deep, nil, 404, absent("item")},
		{"tip", s.itemURL(s.deepItem) + "/tip", deep, nil, 200, errorObject{}},
		{"tip", s.inTower("/items/x/tip"), app, nil, 400, malformed("item_id", "urn:portico:dm.lineage:<id>")},
		{"tip", s.itemURL(s.report) + "/tip", deep, nil, 403, noRight("item")},
		{"tip", s.itemURL(unknown) + "/tip", deep, nil, 404, absent("item")},
		{"versions", s.itemURL(s.deepItem) + "/versions", deep, nil, 200, errorObject{}},
		{"versions", s.itemURL(s.deepItem) + "/versions?filter[versionNumber]=x", deep, nil, 400,
			errorObject{Code: "BAD_INPUT", Title: badTitle,
				Source: parameter("filter[versionNumber]"), Detail: "Every value must be a whole number."}},
		{"versions", s.itemURL(s.report) + "/versions", deep, nil, 403, noRight("item")},
		{"versions", s.itemURL(unknown) + "/versions", deep, nil, 404, absent("item")},

		{"get version", s.versionURL(s.deepItem, "1"), deep, nil, 200, errorObject{}},
		{"get version", s.versionURL(s.deepItem, "1"), deep, []string{"If-None-Match", "*"}, 304, errorObject{}},
		{"get version", s.inTower("/versions/x"), app, nil, 400,
			malformed("version_id", "urn:portico:fs.file:vf.<id>?version=<number>")},
		{"get version", s.versionURL(s.report, "1"), deep, nil, 403, noRight("version")},
		// How many versions there are is no business of theirs.
		{"get version", s.versionURL(s.report, "99"), deep, nil, 403, noRight("version")},
		{"get version", s.versionURL(s.deepItem, "2"), deep, nil, 404, absent("version")},
		{"item of version", s.versionURL(s.deepItem, "1") + "/item", deep, nil, 200, errorObject{}},
		{"item of version", s.inTower("/versions/x/item"), app, nil, 400,
			malformed("version_id", "urn:portico:fs.file:vf.<id>?version=<number>")},
		{"item of version", s.versionURL(s.report, "1") + "/item", deep, nil, 403, noRight("version")},
		{"item of version", s.versionURL(s.report, "99") + "/item", deep, nil, 403, noRight("version")},
		{"item of version", s.versionURL(s.deepItem, "2") + "/item", deep, nil, 404, absent("version")},
	}
}

// Rules: DATA-4, DATA-44
func TestEveryStatusOfTheSpecificationWithItsDocument(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		s := newScene(w)
		for _, r := range s.rows() {
			got := w.get(r.by, r.path, r.header...)
			if got.Status != r.status {
				t.Errorf("%s, %s: %d, want %d\n%s", r.operation, r.path, got.Status, r.status, got.Body)
				continue
			}
			if r.status == http.StatusNotModified && len(got.Body) > 0 {
				t.Errorf("%s: a 304 with a body: %s", r.operation, got.Body)
			}
			if r.status < 400 {
				continue
			}
			want := r.want
			want.ID, want.Status = got.Header.Get("X-Request-Id"), http.StatusText(r.status)
			var document struct {
				JSONAPI map[string]string `json:"jsonapi"`
				Errors  []errorObject     `json:"errors"`
			}
			decoder := json.NewDecoder(strings.NewReader(string(got.Body)))
			decoder.DisallowUnknownFields()
			if err := decoder.Decode(&document); err != nil {
				t.Errorf("%s, %s: %v: %s", r.operation, r.path, err, got.Body)
				continue
			}
			for i := range document.Errors {
				if document.Errors[i].Status != jsonNumber(r.status) {
					t.Errorf("%s: status %q in the document, %d outside", r.operation, document.Errors[i].Status, r.status)
				}
				document.Errors[i].Status = http.StatusText(r.status)
			}
			if diff := cmp.Diff([]errorObject{want}, document.Errors); diff != "" || document.JSONAPI["version"] != "1.0" {
				t.Errorf("%s, %s (-want +got):\n%s", r.operation, r.path, diff)
			}
		}
	})
}

func jsonNumber(n int) string {
	text, _ := json.Marshal(n)
	return string(text)
}

// failing is a store whose everything fails.
type failing struct{ refusing }

func (f failing) FindNaming(context.Context, string) (storage.Naming, error) {
	return storage.Naming{}, f.err
}

func (f failing) FindHub(context.Context, storage.Caller, string) (storage.Hub, storage.Standing, error) {
	return storage.Hub{}, storage.Standing{}, f.err
}

func (f failing) ListHubs(context.Context, storage.Caller, storage.HubQuery) (storage.HubList, error) {
	return storage.HubList{}, f.err
}

func (f failing) FindProject(context.Context, storage.Caller, string) (storage.Place, error) {
	return storage.Place{}, f.err
}

func (f failing) ListProjects(context.Context, storage.Caller, string, storage.ProjectQuery,
	storage.DataPage) ([]storage.Project, string, error) {
	return nil, "", f.err
}

func (f failing) FindFolder(context.Context, storage.Caller, string, string) (storage.Place, storage.Folder, error) {
	return storage.Place{}, storage.Folder{}, f.err
}

func (f failing) ListAncestors(context.Context, string, string, string) ([]storage.Ancestor, error) {
	return nil, f.err
}

func (f failing) ListTopFolders(context.Context, storage.Place, storage.TopQuery) ([]storage.Folder, error) {
	return nil, f.err
}

func (f failing) ListContents(context.Context, string, string, storage.ContentsQuery,
	storage.DataPage) (storage.Contents, error) {
	return storage.Contents{}, f.err
}

func (f failing) FindItem(context.Context, storage.Caller, string,
	string) (storage.Place, storage.Folder, storage.ItemWithTip, error) {
	return storage.Place{}, storage.Folder{}, storage.ItemWithTip{}, f.err
}

func (f failing) FindVersion(context.Context, storage.Caller, string,
	storage.VersionRef) (storage.Place, storage.Folder, storage.ItemWithTip, storage.Version, error) {
	return storage.Place{}, storage.Folder{}, storage.ItemWithTip{}, storage.Version{}, f.err
}

func (f failing) ListVersions(context.Context, string, string, storage.VersionQuery,
	storage.DataPage) ([]storage.Version, string, error) {
	return nil, "", f.err
}

func (f failing) ListFolderGrants(context.Context, string, string) ([]storage.FolderGrant, error) {
	return nil, f.err
}

func (f failing) ExplainAccess(context.Context, string, string, string) ([]storage.AccessReason, error) {
	return nil, f.err
}

func (f failing) ListGroups(context.Context, string) ([]storage.Group, error) { return nil, f.err }

func (f failing) ListNames(context.Context, []string) (map[string]string, error) { return nil, f.err }

func (f failing) StampEvents(context.Context, int) (int, error) { return 0, f.err }

func (f failing) ListChanges(context.Context, string, int64, int) ([]storage.Event, int64, error) {
	return nil, 0, f.err
}

func (f failing) LastPosition(context.Context) (int64, error) { return 0, f.err }

// Rule: DATA-5
func TestAFailureOfTheStoreIsOursAndTellsNothing(t *testing.T) {
	w := newWorld(t, sqliteURL(t))
	s := newScene(w)
	for status, err := range map[int]error{
		500: fault.New(fault.Internal, "secret", "secret"),
		503: fault.New(fault.Unavailable, "store_unavailable", "The database is out of reach. Try again in a moment."),
	} {
		w.serve(failing{refusing{err}})
		for _, o := range operations() {
			got := w.get(as(s.hubAdmin), at(o.template, s.ids(s.outer, s.report)))
			if got.Status != status || strings.Contains(string(got.Body), "secret") {
				t.Errorf("%s: %d %s", o.name, got.Status, got.Body)
			}
		}
	}
}
