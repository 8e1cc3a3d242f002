package flow_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"testing"

	"github.com/portico-id/portico/dataapi/access"
	"github.com/portico-id/portico/dataapi/administration"
	"github.com/portico-id/portico/dataapi/flow"
	"github.com/portico-id/portico/dataapi/level"
	"github.com/portico-id/portico/internal/gate/adminapi"
	"github.com/portico-id/portico/internal/harness/datatest"
	"github.com/portico-id/portico/internal/harness/openapicheck"
	"github.com/portico-id/portico/internal/harness/pgtest"
	"github.com/portico-id/portico/internal/harness/sqlitetest"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/storage"
)

const app = "app-of-the-tests"

// document is the description that every exchange of these tests is held to.
var document = openapicheck.NewSuite(openapicheck.Options{Files: []string{"../../docs/openapi/extensions.yaml"}}, "")

func TestMain(m *testing.M) { pgtest.Main(m) }

// world is the endpoints with a file of two versions, and somebody at each level.
type world struct {
	*datatest.World
	project storage.Project
	folder  storage.Folder
	item    string
}

func eachEngine(t *testing.T, test func(t *testing.T, w *world)) {
	t.Run("sqlite", func(t *testing.T) { test(t, newWorld(t, sqlitetest.URL(t))) })
	t.Run("postgres", func(t *testing.T) { test(t, newWorld(t, pgtest.URL(t))) })
}

func newWorld(t *testing.T, database string) *world {
	t.Helper()
	w := &world{World: datatest.New(t, database)}
	server := w.Listen()
	api := flow.NewAPI(flow.APIOptions{Rules: flow.New(w.Store, access.Finder{Store: w.Store, URN: "portico"}),
		Bearer: w.Bearer, Ambient: w.Ambient, Namespace: "portico"})
	area := httpio.Area{Prefix: "/files/v1", WriteError: adminapi.WriteError, Routes: api.Routes()}
	w.Serve(server, document, adminapi.WriteError,
		httpio.Router{Areas: []httpio.Area{area}, WriteError: adminapi.WriteError}.Handler())
	w.fill()
	return w
}

func (w *world) fill() {
	w.Client(app)
	hub, err := w.Admin.CreateHub(w.Context(), w.Operator(), administration.NewHub{Name: "Hub", Region: "EMEA"})
	w.Must(err)
	_, err = w.Admin.ProvisionApp(w.Context(), w.Operator(), storage.AppAccess{HubID: hub.ID, ClientID: app,
		Level: storage.LevelControl, Users: storage.AppForMembers})
	w.Must(err)
	w.project, err = w.Admin.CreateProject(w.Context(), w.Operator(),
		administration.NewProject{HubID: hub.ID, Name: "Project"})
	w.Must(err)
	w.folder, err = w.Store.CreateFolder(w.Context(), w.Operator(), w.project.ID,
		storage.Folder{ID: w.Ambient.UID(), ParentID: w.project.RootFolderID, Name: "Folder"})
	w.Must(err)
	made, err := w.Store.CreateItem(w.Context(), w.Operator(), w.project.ID,
		storage.Item{ID: w.Ambient.UID(), FolderID: w.folder.ID, Name: "plan.pdf"}, storage.NewVersion{Name: "plan.pdf"})
	w.Must(err)
	w.item = made.Item.ID
	_, err = w.Store.AddVersion(w.Context(), w.Operator(), w.project.ID, w.item, storage.NewVersion{Name: "plan.pdf"})
	w.Must(err)
	for l := storage.LevelView; l <= storage.LevelControl; l++ {
		w.Must(w.Store.SetFolderGrant(w.Context(), w.Operator(), w.project.ID,
			storage.FolderGrant{FolderID: w.folder.ID, UserID: w.User(level.Name(l)), Level: l}))
	}
	w.User("outsider")
	w.User("admin")
	w.Must(w.Admin.SetMember(w.Context(), w.Operator(),
		administration.Membership{ProjectID: w.project.ID, UserID: "admin", Admin: true}))
}

func (w *world) state(number string) string {
	return "/versions/" + url.PathEscape("urn:portico:fs.file:vf."+w.item+"?version="+number) + "/state"
}

// call makes a request about the project as the user.
func (w *world) call(user, method, path string, body any) (int, map[string]any) {
	w.Helper()
	var content io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		w.Must(err)
		content = bytes.NewReader(text)
	}
	request, err := http.NewRequestWithContext(w.Context(), method, w.URL+"/files/v1/projects/"+w.project.ID+path, content)
	w.Must(err)
	request.Header.Set("Content-Type", "application/json")
	if user != "" {
		request.Header.Set("Authorization", "Bearer "+w.Token(app, user, "data:read data:write"))
	}
	got, err := http.DefaultClient.Do(request)
	w.Must(err)
	defer func() { _ = got.Body.Close() }()
	said := map[string]any{}
	w.Must(json.NewDecoder(got.Body).Decode(&said))
	return got.StatusCode, said
}

type object = map[string]any

// Rule: CDE-1
func TestTheStateOfAVersionIsSetByWhoMayEdit(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		shared := object{"state": "shared", "suitability": "S2", "revision": "P01"}
		for user, want := range map[string][2]int{
			"": {401, 401}, "outsider": {404, 404}, "view": {200, 403}, "download": {200, 403}, "publish": {200, 403},
			"collaborate": {200, 403}, "edit": {200, 200}, "control": {200, 200}, "admin": {200, 200},
		} {
			reads, _ := w.call(user, "GET", w.state("2"), nil)
			writes, said := w.call(user, "PUT", w.state("2"), shared)
			if want != [2]int{reads, writes} {
				t.Errorf("%s: reads %d, writes %d, want %v: %v", user, reads, writes, want, said)
			}
		}
		_, said := w.call("view", "GET", w.state("2"), nil)
		w.Equal(object{"version": "urn:portico:fs.file:vf." + w.item + "?version=2", "state": "shared", "suitability": "S2",
			"revision": "P01"}, said)
		for _, tt := range []struct {
			name, number string
			body         object
			status       int
		}{
			{"a revision twice", "1", object{"state": "wip", "revision": "P01"}, 409},
			{"what goes not together", "1", object{"state": "wip", "suitability": "A"}, 422},
			{"no such version", "3", object{"state": "wip"}, 404},
			{"published", "2", object{"state": "published"}, 200},
			{"said anew", "2", object{"state": "published", "revision": "C01"}, 200},
		} {
			if status, said := w.call("edit", "PUT", w.state(tt.number), tt.body); status != tt.status {
				t.Errorf("%s: %d %v", tt.name, status, said)
			}
		}
		taken, _ := w.call("edit", "PUT", w.state("2"), object{})
		w.Equal(403, taken)
		taken, _ = w.call("control", "PUT", w.state("2"), object{})
		w.Equal(200, taken)
	})
}

// Rule: DATA-71
func TestWhoHasReservedAFileBringsItToAStateAlone(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		change := w.Operator()
		change.Caller.UserID = "edit"
		_, err := w.Store.ReserveItem(w.Context(), change, w.project.ID, w.item)
		w.Must(err)
		status, said := w.call("admin", "PUT", w.state("2"), object{"state": "published"})
		w.Equal([]any{423, "Somebody else has reserved the item."}, []any{status, said["detail"]})
		status, _ = w.call("edit", "PUT", w.state("2"), object{"state": "published"})
		w.Equal(200, status)
	})
}

// Rule: CDE-5
func TestAdministratorsOfAProjectSayHowItsFilesAreCalled(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		rule := object{"separator": "-", "holding": "urn:portico:fs.folder:co." + w.folder.ID, "fields": []any{
			object{"name": "Type", "values": []any{"DR", "M3"}}, object{"name": "Number", "digits": float64(4)}}}
		for user, want := range map[string][2]int{
			"": {401, 401}, "outsider": {404, 404}, "view": {200, 403}, "control": {200, 403}, "admin": {200, 200},
		} {
			reads, _ := w.call(user, "GET", "/naming", nil)
			writes, said := w.call(user, "PUT", "/naming", rule)
			if want != [2]int{reads, writes} {
				t.Errorf("%s: reads %d, writes %d, want %v: %v", user, reads, writes, want, said)
			}
		}
		_, said := w.call("view", "GET", "/naming", nil)
		w.Equal(rule, said)
		for _, wrong := range []object{
			{"separator": ".", "fields": rule["fields"]}, {"separator": "-", "fields": rule["fields"], "holding": "x"},
			{"separator": "-", "fields": rule["fields"], "holding": "urn:portico:fs.folder:co." + w.Ambient.UID()},
		} {
			status, _ := w.call("admin", "PUT", "/naming", wrong)
			w.Equal(422, status)
		}
		status, said := w.call("admin", "PUT", "/naming", object{"separator": "", "fields": []any{}})
		w.Equal(200, status)
		w.Equal(object{"separator": "", "fields": []any{}, "holding": ""}, said)
	})
}
