package twins_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/portico-id/portico/dataapi/access"
	"github.com/portico-id/portico/dataapi/administration"
	"github.com/portico-id/portico/dataapi/facilities"
	"github.com/portico-id/portico/dataapi/twins"
	"github.com/portico-id/portico/internal/harness/datatest"
	"github.com/portico-id/portico/internal/harness/pgtest"
	"github.com/portico-id/portico/internal/harness/sqlitetest"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/blobstore"
)

const (
	app      = "app-of-the-tests"
	stranger = "app-of-strangers"
	owner    = "OWNEROWNEROWNERO"
	writer   = "WRITERWRITERWRIT"
	reader   = "READERREADERREAD"
	member   = "MEMBERMEMBERMEMB" // of the hub alone
	outsider = "OUTSIDEROUTSIDER"
	hubAdmin = "HUBADMINHUBADMIN"
	both     = "data:read data:write"
)

// world is the endpoints over a real database and a real place for bytes, with
// real HTTP in front, and one twin.
type world struct {
	*datatest.World
	Blobs   blobstore.Store
	Rules   *facilities.Rules
	Handler *twins.Handler
	Hub     storage.Hub
	Project storage.Project
	Folder  storage.Folder // in which the owner and the writer may download
	Twin    storage.Facility
	Model   storage.TwinModel
	tokens  map[caller]string // that were made, by who asks and when
	scan    storage.ScanState // of objects from now on
}

func eachEngine(t *testing.T, test func(t *testing.T, w *world)) {
	t.Run("sqlite", func(t *testing.T) { test(t, newWorld(t, sqlitetest.URL(t))) })
	t.Run("postgres", func(t *testing.T) { test(t, newWorld(t, pgtest.URL(t))) })
}

func newWorld(t testing.TB, database string) *world {
	t.Helper()
	w := &world{World: datatest.New(t, database), tokens: map[caller]string{}}
	files, err := blobstore.OpenFiles(t.TempDir(), w.Ambient)
	w.Must(err)
	t.Cleanup(func() { _ = files.Close() })
	w.Blobs = files
	w.Rules = facilities.New(facilities.Options{Store: w.Store, Ambient: w.Ambient, Namespace: "portico"})
	w.serve()
	w.people()
	return w
}

// serve puts the endpoints together as the application does.
func (w *world) serve() {
	w.Helper()
	server := w.Listen()
	w.Handler = twins.New(twins.Options{
		Store: w.Store, Blobs: w.Blobs, Originals: access.Finder{Store: w.Store, URN: "portico"}, Ambient: w.Ambient,
		Bearer: w.Bearer, Signer: w.Ring,
		BaseURL: w.URL, Namespace: "portico",
	})
	w.Serve(server, document, twins.WriteError, httpio.Router{
		Areas: []httpio.Area{w.Handler.Area("/tandem/v1"), w.Handler.Area("")}, WriteError: twins.WriteError,
	}.Handler())
}

// operation is one of the API, with a path in which {…} stands for things of
// the world.
type operation struct {
	method, template, scope string
}

func operations() []operation {
	const twin = "/twins/{twinID}"
	const document = twin + "/documents/{documentID}"
	return []operation{
		{"GET", twin, "data:read"},
		{"POST", twin + "/mutate", "data:write"},
		{"GET", twin + "/elements", "data:read"},
		{"GET", twin + "/elements/documents", "data:read"},
		{"PUT", twin + "/elements/documents", "data:write"},
		{"GET", twin + "/mutations", "data:read"},
		{"GET", twin + "/mutations/{mutation}", "data:read"},
		{"POST", twin + "/mutations/{mutation}/undo", "data:write"},
		{"GET", twin + "/documents", "data:read"},
		{"POST", twin + "/documents", "data:write"},
		{"POST", twin + "/documentsbulk", "data:write"},
		{"GET", document, "data:read"},
		{"PATCH", document, "data:write"},
		{"GET", document + "/elements", "data:read"},
		{"POST", "/documentsbulk", "data:write"},
		{"POST", "/mutate", "data:write"},
		{"POST", "/modeldata/{modelID}/mutate", "data:write"},
		{"DELETE", document, "data:write"}, // last: what it is about is gone then
	}
}

func (w *world) people() {
	w.Helper()
	ctx := w.Context()
	w.Client(app)
	w.Client(stranger)
	for _, id := range []string{owner, writer, reader, member, outsider, hubAdmin} {
		w.User(id)
	}
	var err error
	w.Hub, err = w.Admin.CreateHub(ctx, w.Operator(), administration.NewHub{Name: "Hub"})
	w.Must(err)
	w.provision(storage.LevelControl)
	w.Project, err = w.Admin.CreateProject(ctx, w.Operator(), administration.NewProject{HubID: w.Hub.ID, Name: "Project"})
	w.Must(err)
	w.Folder = w.folder("Folder")
	for _, user := range []string{owner, writer} {
		w.Must(w.Admin.SetGrant(ctx, w.Operator(), w.Project.ID,
			storage.FolderGrant{FolderID: w.Folder.ID, UserID: user, Level: storage.LevelDownload}))
	}
	w.Must(w.Admin.SetMember(ctx, w.Operator(), administration.Membership{HubID: w.Hub.ID, UserID: member}))
	w.Must(w.Admin.SetMember(ctx, w.Operator(), administration.Membership{HubID: w.Hub.ID, UserID: hubAdmin, Admin: true}))
	w.Twin = w.twin("Tower")
	for user, access := range map[string]storage.TwinAccess{owner: storage.TwinOwner, writer: storage.TwinReadWrite,
		reader: storage.TwinRead} {
		w.Must(w.Rules.SetMember(ctx, w.Operator(), w.Twin.ID, user, access))
	}
	models, err := w.Rules.ListModels(ctx, w.Twin.ID)
	w.Must(err)
	w.Model = models[0]
}

func (w *world) provision(level storage.Level) {
	w.Helper()
	_, err := w.Admin.ProvisionApp(w.Context(), w.Operator(),
		storage.AppAccess{HubID: w.Hub.ID, ClientID: app, Level: level, Users: storage.AppForMembers})
	w.Must(err)
}

func (w *world) twin(name string) storage.Facility {
	w.Helper()
	twin, err := w.Rules.Create(w.Context(), w.Operator(), facilities.NewTwin{
		HubID: w.Hub.ID, Name: name, Props: `{"Identity Data":{"Owner":"Somebody"}}`,
	})
	w.Must(err)
	return twin
}

func (w *world) folder(name string) storage.Folder {
	w.Helper()
	folder, err := w.Store.CreateFolder(w.Context(), w.Operator(), w.Project.ID, storage.Folder{
		ID: w.Ambient.UID(), ParentID: w.Project.RootFolderID, Name: name,
	})
	w.Must(err)
	return folder
}

// object stores bytes, and returns the bucket and key.
func (w *world) object(content []byte) (bucket, key string) {
	w.Helper()
	ctx, blob := w.Context(), w.Ambient.UID()
	upload, err := w.Blobs.Begin(ctx, blob)
	w.Must(err)
	part, err := w.Blobs.PutPart(ctx, blob, upload, 1, bytes.NewReader(content), int64(len(content)))
	w.Must(err)
	w.Must(w.Blobs.Complete(ctx, blob, upload, []blobstore.Part{part}))
	bucket, key = "wip.dm", w.Ambient.UUID()
	w.Must(w.Store.ReserveObject(ctx, w.Operator(), storage.Object{
		Bucket: bucket, Key: key, ProjectID: w.Project.ID, Name: "f", Target: storage.ObjectTarget{FolderID: w.Folder.ID},
	}))
	sum := sha256.Sum256(content)
	_, err = w.Store.StoreBytes(ctx, w.Operator(), bucket, key,
		storage.Bytes{Blob: blob, Size: int64(len(content)), SHA256: sum[:], SHA1: []byte{1}, Scan: w.scan})
	w.Must(err)
	return bucket, key
}

// file adds an item with the bytes, none for nil, and returns its uid.
func (w *world) file(folder storage.Folder, name string, content []byte) string {
	w.Helper()
	version := storage.NewVersion{Name: name}
	if content != nil {
		version.Bucket, version.ObjectKey = w.object(content)
	}
	item, err := w.Store.CreateItem(w.Context(), w.Operator(), w.Project.ID,
		storage.Item{ID: w.Ambient.UID(), FolderID: folder.ID, Name: name}, version)
	w.Must(err)
	return item.Item.ID
}

func (w *world) newVersion(item, name string, content []byte) {
	w.Helper()
	bucket, key := w.object(content)
	_, err := w.Store.AddVersion(w.Context(), w.Operator(), w.Project.ID, item,
		storage.NewVersion{Name: name, Bucket: bucket, ObjectKey: key})
	w.Must(err)
}

// caller is how a request is made.
type caller struct {
	client, user string // the app of the tests, when both are empty
	actAs        string // x-user-id
	scope        string // empty: data:read data:write
	token        string // instead; "-": none
}

func as(user string) caller { return caller{client: app, user: user} }

func (w *world) token(c caller) string {
	w.Helper()
	asked := c
	asked.actAs = fmt.Sprint(w.Ahead.Load()) // one that was made before may have expired
	if known := w.tokens[asked]; known != "" {
		return known
	}
	if c.scope == "" {
		c.scope = both
	}
	if c.client == "" {
		c.client = app
	}
	w.tokens[asked] = w.Token(c.client, c.user, c.scope)
	return w.tokens[asked]
}

// answer is what came back over HTTP.
type answer struct {
	Status int
	Header http.Header
	Body   []byte
}

// value returns what is at the path in the body: names and numbers of entries.
func (a answer) value(t testing.TB, path ...any) any {
	t.Helper()
	var v any
	if err := json.Unmarshal(a.Body, &v); err != nil {
		t.Fatalf("%d %q: %v", a.Status, a.Body, err)
	}
	for _, step := range path {
		switch step := step.(type) {
		case string:
			object, _ := v.(map[string]any)
			v = object[step]
		case int:
			list, _ := v.([]any)
			if step >= len(list) {
				return nil
			}
			v = list[step]
		}
	}
	return v
}

func (a answer) text(t testing.TB, path ...any) string {
	t.Helper()
	text, _ := a.value(t, path...).(string)
	return text
}

func (a answer) list(t testing.TB, path ...any) []any {
	t.Helper()
	list, _ := a.value(t, path...).([]any)
	return list
}

// call makes a request, with a body that is JSON or to become it, and header
// name-value pairs.
func (w *world) call(c caller, method, path string, body any, header ...string) answer {
	w.Helper()
	var in io.Reader
	if body != nil {
		text, isText := body.(string)
		if !isText {
			encoded, err := json.Marshal(body)
			w.Must(err)
			text = string(encoded)
		}
		in = strings.NewReader(text)
	}
	r, err := http.NewRequestWithContext(w.Context(), method, w.URL+strings.TrimPrefix(path, w.URL), in)
	w.Must(err)
	if in != nil {
		r.Header.Set("Content-Type", "application/json")
		if method == http.MethodPut {
			r.Header.Set("Content-Type", "text/csv")
		}
	}
	switch c.token {
	case "":
		r.Header.Set("Authorization", "Bearer "+w.token(c))
	case "-":
	default:
		r.Header.Set("Authorization", "Bearer "+c.token)
	}
	if c.actAs != "" {
		r.Header.Set("x-user-id", c.actAs)
	}
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	response, err := http.DefaultClient.Do(r)
	w.Must(err)
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	w.Must(err)
	return answer{response.StatusCode, response.Header, content}
}

// ok is call that must succeed.
func (w *world) ok(c caller, method, path string, body any, header ...string) answer {
	w.Helper()
	got := w.call(c, method, path, body, header...)
	if got.Status >= 300 {
		w.Fatalf("%s %s: %d %s", method, path, got.Status, got.Body)
	}
	return got
}

// refused is call that must fail with the status and code.
func (w *world) refused(c caller, method, path string, body any, status int, code string) answer {
	w.Helper()
	got := w.call(c, method, path, body)
	if got.Status != status || got.text(w, "code") != code {
		w.Errorf("%s %s %v: %d %s, want %d %s", method, path, body, got.Status, got.Body, status, code)
	}
	return got
}

// Ids outside.
func (w *world) twinURN() string         { return "urn:portico:dtt:" + w.Twin.ID }
func (w *world) modelURN() string        { return "urn:portico:dtm:" + w.Model.ID }
func (w *world) path(rest string) string { return "/twins/" + w.twinURN() + rest }
func itemURN(uid string) string          { return "urn:portico:dm.lineage:" + uid }
func versionURN(uid string, n string) string {
	return "urn:portico:fs.file:vf." + uid + "?version=" + n
}

// entry names a file as clients do.
func (w *world) entry(item, name string, more ...string) map[string]string {
	e := map[string]string{"name": name, "accProjectId": w.Project.ID, "accAccountId": w.Hub.ID,
		"accLineage": itemURN(item), "accVersion": versionURN(item, "1")}
	for i := 0; i+1 < len(more); i += 2 {
		e[more[i]] = more[i+1]
	}
	return e
}

// imported imports a file, and returns the document's URN.
func (w *world) imported(item string, more ...string) string {
	w.Helper()
	got := w.ok(as(writer), "POST", w.path("/documents"), []any{w.entry(item, "Manual.pdf", more...)})
	urn := got.text(w, "data", 0, "id")
	if urn == "" {
		w.Fatalf("%s", got.Body)
	}
	return urn
}
