package dataapi_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/portico-id/portico/dataapi"
	"github.com/portico-id/portico/dataapi/access"
	"github.com/portico-id/portico/dataapi/batch"
	changefeed "github.com/portico-id/portico/dataapi/feed"
	"github.com/portico-id/portico/dataapi/jsonapi"
	"github.com/portico-id/portico/dataapi/relations"
	"github.com/portico-id/portico/dataapi/search"
	"github.com/portico-id/portico/dataapi/shape"
	"github.com/portico-id/portico/internal/harness/datatest"
	"github.com/portico-id/portico/internal/harness/pgtest"
	"github.com/portico-id/portico/internal/harness/sqlitetest"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/storage"
)

const (
	dataRead = "data:read"
	app      = "app-provisioned-everywhere"
	stranger = "app-provisioned-nowhere"
)

// world is the data endpoints over a real database, with real HTTP in front.
type world struct {
	*datatest.World
	handler api
}

// eachEngine runs the test on SQLite and, outside the quick loop, on
// PostgreSQL.
func eachEngine(t *testing.T, test func(t *testing.T, w *world)) {
	t.Run("sqlite", func(t *testing.T) { test(t, newWorld(t, sqliteURL(t))) })
	t.Run("postgres", func(t *testing.T) { test(t, newWorld(t, pgtest.URL(t))) })
}

func sqliteURL(t testing.TB) string { return sqlitetest.URL(t) }

func newWorld(t testing.TB, database string) *world {
	t.Helper()
	w := &world{World: datatest.New(t, database)}
	w.serve(w.Store)
	w.Client(app)
	w.Client(stranger)
	return w
}

// serve puts the endpoints together as the application does, over the store.
func (w *world) serve(store apiStore) {
	w.Helper()
	server := w.Listen()
	find := access.Finder{Store: store, URN: "portico"}
	tell := shape.Teller{Shape: shape.Shape{Base: w.URL, URN: "portico"}, Ambient: w.Ambient, Store: store}
	data := dataapi.New(dataapi.Options{Store: store, Bearer: w.Bearer, Sealer: w.Ring, Tell: tell})
	pager := jsonapi.Pager{Sealer: w.Ring}
	epoch, err := w.Store.FindEpoch(w.Context())
	w.Must(err)
	w.handler = api{
		data, relations.New(store, find, tell, pager), batch.New(store, find, tell),
		search.New(store, find, tell, pager), changefeed.New(store, find, tell, pager, w.Bearer, epoch),
	}
	w.Serve(server, document, jsonapi.WriteError, w.routes())
}

// api is everything that the area serves.
type api struct {
	*dataHandler
	*relationsHandler
	*batchHandler
	*searchHandler
	*feedHandler
}

type (
	dataHandler      = dataapi.Handler
	relationsHandler = relations.Handler
	batchHandler     = batch.Handler
	searchHandler    = search.Handler
	feedHandler      = changefeed.Handler
)

// apiStore is what it reads and changes.
type apiStore interface {
	dataapi.Store
	shape.Names
	relations.Store
	search.Store
	changefeed.Store
}

// operation is one read of the API.
type operation struct {
	name     string
	template string
	one      string // the variable of a resource that a token may be made for
}

const (
	hubPath     = "/project/v1/hubs/{hub_id}"
	projectPath = hubPath + "/projects/{project_id}"
	changesPath = "/data/v1/projects/{project_id}/changes"
	folderPath  = "/data/v1/projects/{project_id}/folders/{folder_id}"
	itemPath    = "/data/v1/projects/{project_id}/items/{item_id}"
	versionPath = "/data/v1/projects/{project_id}/versions/{version_id}"
)

func operations() []operation {
	return append(relationOperations(), []operation{
		{"hubs", "/project/v1/hubs", ""},
		{"hub", hubPath, ""},
		{"projects", hubPath + "/projects", ""},
		{"project", projectPath, ""},
		{"hub of project", projectPath + "/hub", ""},
		{"changes", changesPath, ""},
		{"top folders", projectPath + "/topFolders", ""},
		{"folder", folderPath, "folder_id"},
		{"folder parent", folderPath + "/parent", ""},
		{"contents", folderPath + "/contents", ""},
		{"permissions", folderPath + "/permissions", ""},
		{"effective", folderPath + "/permissions/effective", ""},
		{"item", itemPath, "item_id"},
		{"item parent", itemPath + "/parent", ""},
		{"tip", itemPath + "/tip", ""},
		{"versions", itemPath + "/versions", ""},
		{"version", versionPath, "version_id"},
		{"item of version", versionPath + "/item", ""},
	}...)
}

func (w *world) routes() http.Handler {
	guard := access.Guard{Bearer: w.Bearer}
	h := w.handler
	return httpio.Router{WriteError: jsonapi.WriteError, Areas: []httpio.Area{
		h.Projects(), h.Bare(guard), {Routes: []httpio.Route{h.SchemaRoute()}},
		{Prefix: "/data/v1", WriteError: jsonapi.WriteError, Routes: slices.Concat(
			h.dataHandler.Routes(h.NamedFolders(guard), h.NamedItems(guard)), h.relationsHandler.Routes(guard),
			h.searchHandler.Routes(guard), h.Commands(guard), h.feedHandler.Routes(guard))},
	}}.Handler()
}

func (w *world) by(user string) storage.Change {
	c := w.Operator()
	c.Caller = storage.Caller{ClientID: app, UserID: user}
	return c
}

// caller is how a request is made.
type caller struct {
	client, user string
	scope        string // empty: data:read; "-": none
	actAs        string // x-user-id
	token        string // instead of one made of the above; "-": no header
}

func (w *world) token(c caller) string {
	w.Helper()
	if c.scope == "" {
		c.scope = dataRead
	}
	return w.Token(c.client, c.user, strings.Trim(c.scope, "-"))
}

// answer is what came back over HTTP.
type answer struct {
	Status int
	Header http.Header
	Body   []byte
}

// doc is a document as a client reads it.
type doc struct {
	JSONAPI  struct{ Version string } `json:"jsonapi"`
	Links    map[string]link          `json:"links"`
	Data     json.RawMessage          `json:"data"`
	Included []resource               `json:"included"`
	Errors   []errorObject            `json:"errors"`
	Meta     map[string]any           `json:"meta"`
}

type link struct{ Href string }

type resource struct {
	Type          string                  `json:"type"`
	ID            string                  `json:"id"`
	Attributes    map[string]any          `json:"attributes"`
	Relationships map[string]relationship `json:"relationships"`
	Links         map[string]link         `json:"links"`
}

type relationship struct {
	Data *struct {
		Type string `json:"type"`
		ID   string `json:"id"`
	} `json:"data"`
	Links map[string]link `json:"links"`
	Meta  map[string]link `json:"meta"`
}

type errorObject struct {
	ID     string            `json:"id"`
	Status string            `json:"status"`
	Code   string            `json:"code"`
	Title  string            `json:"title"`
	Detail string            `json:"detail"`
	Source map[string]string `json:"source,omitempty"`
	Meta   map[string]string `json:"meta,omitempty"`
}

func (a answer) doc(t testing.TB) doc {
	t.Helper()
	var d doc
	if err := json.Unmarshal(a.Body, &d); err != nil {
		t.Fatalf("status %d, body %q: %v", a.Status, a.Body, err)
	}
	return d
}

// one returns the resource of a document, many its resources.
func (a answer) one(t testing.TB) resource {
	t.Helper()
	var r resource
	if err := json.Unmarshal(a.doc(t).Data, &r); err != nil {
		t.Fatalf("status %d, body %q: %v", a.Status, a.Body, err)
	}
	return r
}

func (a answer) many(t testing.TB) []resource {
	t.Helper()
	var all []resource
	if err := json.Unmarshal(a.doc(t).Data, &all); err != nil {
		t.Fatalf("status %d, body %q: %v", a.Status, a.Body, err)
	}
	return all
}

func names(all []resource) []string {
	found := []string{}
	for _, r := range all {
		name, _ := r.Attributes["name"].(string)
		if name == "" {
			name, _ = r.Attributes["displayName"].(string)
		}
		found = append(found, name)
	}
	return found
}

// get asks for a path, or a whole address of ours, with header name-value pairs.
func (w *world) get(c caller, path string, header ...string) answer {
	w.Helper()
	return w.request(http.MethodGet, c, path, header...)
}

func (w *world) request(method string, c caller, path string, header ...string) answer {
	w.Helper()
	r, err := http.NewRequestWithContext(w.Context(), method, w.URL+strings.TrimPrefix(path, w.URL), nil)
	w.Must(err)
	w.sign(r, c)
	for pair := range slices.Chunk(header, 2) {
		r.Header.Add(pair[0], pair[1])
	}
	response, err := http.DefaultClient.Do(r)
	w.Must(err)
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	w.Must(err)
	return answer{response.StatusCode, response.Header, bytes.TrimSpace(body)}
}

// ok is get that must succeed.
func (w *world) ok(c caller, path string, header ...string) answer {
	w.Helper()
	got := w.get(c, path, header...)
	if got.Status != http.StatusOK {
		w.Fatalf("GET %s: %d %s", path, got.Status, got.Body)
	}
	return got
}

// refused is get that must fail with the status, code and source, and returns
// the error.
func (w *world) refused(c caller, path string, status int, code string, source map[string]string,
	header ...string) errorObject {
	w.Helper()
	got := w.get(c, path, header...)
	if got.Status != status {
		w.Errorf("GET %s: %d, want %d\n%s", path, got.Status, status, got.Body)
		return errorObject{}
	}
	d := got.doc(w)
	if len(d.Errors) != 1 || d.Errors[0].Code != code || !mapsEqual(d.Errors[0].Source, source) {
		w.Errorf("GET %s: %s, want the code %s and the source %v", path, got.Body, code, source)
		return errorObject{}
	}
	if e := d.Errors[0]; e.ID != got.Header.Get("X-Request-Id") || e.Title == "" || e.Detail == "" {
		w.Errorf("GET %s: %s lacks a member, or is not about the request %s", path, got.Body, got.Header.Get("X-Request-Id"))
	}
	return d.Errors[0]
}

func mapsEqual(a, b map[string]string) bool {
	if len(a) != len(b) {
		return false
	}
	for k, v := range a {
		if b[k] != v {
			return false
		}
	}
	return true
}

func parameter(name string) map[string]string   { return map[string]string{"parameter": name} }
func headerNamed(name string) map[string]string { return map[string]string{"header": name} }

// Ids outside.
func folderURN(uid string) string { return "urn:portico:fs.folder:co." + uid }
func itemURN(uid string) string   { return "urn:portico:dm.lineage:" + uid }
func versionURN(uid string, n string) string {
	return "urn:portico:fs.file:vf." + uid + "?version=" + n
}

// at fills the variables of a template, each encoded once.
func at(template string, ids map[string]string) string {
	for name, id := range ids {
		template = strings.ReplaceAll(template, "{"+name+"}", url.QueryEscape(id))
	}
	return template
}
