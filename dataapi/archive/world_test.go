package archive_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/portico-id/portico/dataapi/access"
	"github.com/portico-id/portico/dataapi/administration"
	"github.com/portico-id/portico/dataapi/archive"
	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/gate/adminapi"
	"github.com/portico-id/portico/internal/harness/datatest"
	"github.com/portico-id/portico/internal/harness/openapicheck"
	"github.com/portico-id/portico/internal/harness/pgtest"
	"github.com/portico-id/portico/internal/harness/s3test"
	"github.com/portico-id/portico/internal/harness/sqlitetest"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/blobstore"
)

const (
	app      = "app-of-the-tests"
	reader   = "READERREADERREAD"
	editor   = "EDITOREDITOREDIT"
	outsider = "OUTSIDEROUTSIDER"
	read     = "data:read"
)

// document is the description that every exchange of these tests is held to.
var document = openapicheck.NewSuite(openapicheck.Options{Files: []string{"../../docs/openapi/extensions.yaml"}},
	"/archives")

// TestMain fails when all tests ran and some answer about archives was not among
// what they got.
func TestMain(m *testing.M) { pgtest.Main(document.Main(m)) }

// world is the endpoints over a real database and a real place for bytes, with
// real HTTP in front.
type world struct {
	*datatest.World
	Blobs   blobstore.Store
	Project storage.Project
	Top     storage.Folder // where the people have their levels
}

// everywhere runs the test on both engines and both places for bytes.
func everywhere(t *testing.T, test func(t *testing.T, w *world)) {
	t.Run("sqlite, files", func(t *testing.T) { test(t, newWorld(t, sqlitetest.URL(t), files(t))) })
	t.Run("postgres, S3", func(t *testing.T) { test(t, newWorld(t, pgtest.URL(t), s3(t))) })
}

// here runs the test on SQLite and files: for what neither knows of.
func here(t *testing.T) *world { return newWorld(t, sqlitetest.URL(t), files(t)) }

func files(t testing.TB) blobstore.Store {
	t.Helper()
	store, err := blobstore.OpenFiles(t.TempDir(), ambient.System())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	return store
}

func s3(t testing.TB) blobstore.Store {
	t.Helper()
	service := s3test.Start(t)
	store, err := blobstore.OpenS3(blobstore.S3Options{
		Endpoint: service.Endpoint, Bucket: service.Bucket, AccessKey: service.AccessKey, SecretKey: service.SecretKey,
	})
	if err != nil {
		t.Fatal(err)
	}
	return store
}

func newWorld(t testing.TB, database string, blobs blobstore.Store) *world {
	t.Helper()
	w := &world{World: datatest.New(t, database), Blobs: blobs}
	w.serve(true)
	w.people()
	return w
}

// serve puts the endpoints together as the application does.
func (w *world) serve(awaitScan bool) {
	w.Helper()
	server := w.Listen() // its address stands in what the handler makes
	w.Serve(server, document, adminapi.WriteError, w.handler(awaitScan))
}

func (w *world) handler(awaitScan bool) http.Handler {
	api := archive.NewAPI(archive.APIOptions{
		Rules: archive.New(archive.Options{Store: w.Store, Blobs: w.Blobs, Ambient: w.Ambient, AwaitScan: awaitScan,
			Rights: access.Finder{Store: w.Store, URN: "portico"}}),
		Bearer: w.Bearer, Signer: w.Ring, BaseURL: w.URL, Namespace: "portico",
	})
	area := httpio.Area{Prefix: archive.Prefix, WriteError: adminapi.WriteError, Routes: api.Routes()}
	return httpio.Router{Areas: []httpio.Area{area}, WriteError: adminapi.WriteError}.Handler()
}

func (w *world) people() {
	w.Helper()
	w.Client(app)
	hub, err := w.Admin.CreateHub(w.Context(), w.Operator(), administration.NewHub{Name: "Hub", Region: "EMEA"})
	w.Must(err)
	_, err = w.Admin.ProvisionApp(w.Context(), w.Operator(), storage.AppAccess{
		HubID: hub.ID, ClientID: app, Level: storage.LevelControl, Users: storage.AppForMembers,
	})
	w.Must(err)
	w.Project, err = w.Admin.CreateProject(w.Context(), w.Operator(),
		administration.NewProject{HubID: hub.ID, Name: "Project"})
	w.Must(err)
	w.Top = w.folder(w.Project.RootFolderID, "Drawings")
	for id, level := range map[string]storage.Level{
		reader: storage.LevelDownload, editor: storage.LevelEdit, outsider: storage.LevelNone,
	} {
		w.User(id)
		w.grant(w.Top, id, level)
	}
}

func (w *world) grant(folder storage.Folder, user string, level storage.Level) {
	w.Helper()
	if level > storage.LevelNone {
		w.Must(w.Store.SetFolderGrant(w.Context(), w.Operator(), w.Project.ID,
			storage.FolderGrant{FolderID: folder.ID, UserID: user, Level: level}))
	}
}

func (w *world) folder(parent, name string) storage.Folder {
	w.Helper()
	folder, err := w.Store.CreateFolder(w.Context(), w.Operator(), w.Project.ID,
		storage.Folder{ID: w.Ambient.UID(), ParentID: parent, Name: name})
	w.Must(err)
	return folder
}

// blob stores bytes, and returns their key.
func (w *world) blob(body []byte) string {
	w.Helper()
	key := w.Ambient.UID()
	upload, err := w.Blobs.Begin(w.Context(), key)
	w.Must(err)
	part, err := w.Blobs.PutPart(w.Context(), key, upload, 1, bytes.NewReader(body), int64(len(body)))
	w.Must(err)
	w.Must(w.Blobs.Complete(w.Context(), key, upload, []blobstore.Part{part}))
	return key
}

// object stores an object; one that came before sums were kept has none.
func (w *world) object(body string, scan storage.ScanState, older bool) string {
	w.Helper()
	key := w.Ambient.UUID()
	w.Must(w.Store.ReserveObject(w.Context(), w.Operator(), storage.Object{Bucket: "b", Key: key, ProjectID: w.Project.ID,
		Name: key, Target: storage.ObjectTarget{FolderID: w.Top.ID}}))
	digest := blobstore.Digest{Size: int64(len(body))}
	blob := w.blob([]byte(body))
	if !older {
		var err error
		digest, err = blobstore.Sum(w.Context(), w.Blobs, blob, nil)
		w.Must(err)
	}
	_, err := w.Store.StoreBytes(w.Context(), w.Operator(), "b", key, storage.Bytes{Blob: blob, Size: digest.Size,
		SHA256: []byte(key), CRC32: digest.CRC32, Scan: scan})
	w.Must(err)
	return key
}

// file adds an item with bytes, and returns its id.
func (w *world) file(folder storage.Folder, name, body string) string {
	w.Helper()
	return w.item(folder, name, w.object(body, storage.ScanNone, false))
}

func (w *world) item(folder storage.Folder, name, object string) string {
	w.Helper()
	item := storage.Item{ID: w.Ambient.UID(), FolderID: folder.ID, Name: name}
	version := storage.NewVersion{Name: name}
	if object != "" {
		version.Bucket, version.ObjectKey = "b", object
	}
	_, err := w.Store.CreateItem(w.Context(), w.Operator(), w.Project.ID, item, version)
	w.Must(err)
	return item.ID
}

// hide hides an item.
func (w *world) hide(item string) {
	w.Helper()
	yes := true
	_, err := w.Store.UpdateItem(w.Context(), w.Operator(), w.Project.ID, item, storage.ItemPatch{Hidden: &yes})
	w.Must(err)
}

// answer is what came back over HTTP.
type answer struct {
	Status int
	Header http.Header
	Body   []byte
}

// made is an archive as its maker is told of it.
type made struct {
	URL, Name      string
	Files, Missing int
	Size           int64
	ExpiresAt      time.Time `json:"expires_at"`
}

type wanted struct {
	Folder  string   `json:"folder"`
	Folders []string `json:"folders,omitempty"`
	Items   []string `json:"items,omitempty"`
}

const folderURN, itemURN = "urn:portico:fs.folder:co.", "urn:portico:dm.lineage:"

// ask asks for an archive.
func (w *world) ask(user string, body any) answer {
	w.Helper()
	text, err := json.Marshal(body)
	w.Must(err)
	return w.send("POST", w.URL+"/files/v1/projects/"+w.Project.ID+"/archives", text,
		"Authorization", "Bearer "+w.Token(app, user, read), "Content-Type", "application/json")
}

// pack makes an archive of the folder.
func (w *world) pack(user string, folder storage.Folder) made {
	w.Helper()
	return w.made(w.ask(user, wanted{Folder: folderURN + folder.ID}))
}

func (w *world) made(a answer) made {
	w.Helper()
	if a.Status != http.StatusCreated {
		w.Fatalf("%d %s", a.Status, a.Body)
	}
	var m made
	w.Must(json.Unmarshal(a.Body, &m))
	return m
}

// send makes a request with no other headers than those. A body that breaks off
// is returned as far as it came.
func (w *world) send(method, address string, body []byte, headers ...string) answer {
	w.Helper()
	request, err := http.NewRequestWithContext(w.Context(), method, address, bytes.NewReader(body))
	w.Must(err)
	for i := 0; i < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	client := &http.Client{Transport: &http.Transport{DisableCompression: true, DisableKeepAlives: true}}
	got, err := client.Do(request)
	w.Must(err)
	defer func() { _ = got.Body.Close() }()
	all, err := io.ReadAll(got.Body)
	if err != nil && !strings.Contains(err.Error(), "unexpected EOF") {
		w.Fatal(err)
	}
	return answer{got.StatusCode, got.Header, all}
}

// refused checks status and code of a refusal.
func (w *world) refused(a answer, status int, code string) {
	w.Helper()
	var problem struct{ Code string }
	_ = json.Unmarshal(a.Body, &problem)
	if a.Status != status || problem.Code != code {
		w.Errorf("got %d %s, want %d %s", a.Status, a.Body, status, code)
	}
}
