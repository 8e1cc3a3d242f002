package objects_test

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
	"github.com/portico-id/portico/dataapi/objects"
	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/harness/datatest"
	"github.com/portico-id/portico/internal/harness/pgtest"
	"github.com/portico-id/portico/internal/harness/s3test"
	"github.com/portico-id/portico/internal/harness/sqlitetest"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/blobstore"
)

const (
	app       = "app-of-the-tests"
	bucket    = "wip.dm"
	create    = "data:create"
	read      = "data:read"
	all       = "data:create data:read data:write"
	publisher = "PUBLISHERPUBLISH"
	reader    = "READERREADERREAD"
	viewer    = "VIEWERVIEWERVIEW"
	outsider  = "OUTSIDEROUTSIDER"
)

// world is the endpoints over a real database and a real place for bytes, with
// real HTTP in front.
type world struct {
	*datatest.World
	Blobs   blobstore.Store
	Project storage.Project
	Folder  storage.Folder   // where the people have their levels
	Signed  bool             // the place for bytes has addresses of its own
	scanner *objects.Scanner // nil: nobody looks for viruses
}

// everywhere runs the test on both engines and both places for bytes. The quick
// loop has SQLite and files alone.
func everywhere(t *testing.T, test func(t *testing.T, w *world)) {
	t.Run("sqlite, files", func(t *testing.T) { test(t, newWorld(t, sqliteURL(t), files(t))) })
	t.Run("sqlite, S3", func(t *testing.T) { test(t, newWorld(t, sqliteURL(t), s3(t))) })
	t.Run("postgres, files", func(t *testing.T) { test(t, newWorld(t, pgtest.URL(t), files(t))) })
	t.Run("postgres, S3", func(t *testing.T) { test(t, newWorld(t, pgtest.URL(t), s3(t))) })
}

// here runs the test on SQLite and files: for what neither knows of.
func here(t *testing.T) *world { return newWorld(t, sqliteURL(t), files(t)) }

func sqliteURL(t testing.TB) string { return sqlitetest.URL(t) }

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
	_, w.Signed = blobs.(*blobstore.S3)
	w.serve()
	w.people()
	return w
}

func (w *world) serve() { w.serveOver(w.Store) }

// serveOver puts the endpoints together as the application does, over the store.
func (w *world) serveOver(store objects.Store) {
	w.Helper()
	server := w.Listen()
	handler := objects.New(objects.Options{
		Store: store, Blobs: w.Blobs, Rights: access.Finder{Store: w.Store, URN: "portico"}, Ambient: w.Ambient,
		Bearer: w.Bearer, Signer: w.Ring,
		BaseURL: w.URL, Namespace: "portico", Scanner: w.scanner,
	})
	// What the application allows short requests.
	server.Config.ReadTimeout, server.Config.WriteTimeout = 10*time.Second, 30*time.Second
	w.Serve(server, document, objects.WriteError, httpio.Router{
		Areas: []httpio.Area{handler.Area()}, WriteError: objects.WriteError,
	}.Handler())
}

func (w *world) people() {
	w.Helper()
	w.Client(app)
	w.Client("other-app")
	hub, err := w.Admin.CreateHub(w.Context(), w.Operator(), administration.NewHub{Name: "Hub", Region: "EMEA"})
	w.Must(err)
	_, err = w.Admin.ProvisionApp(w.Context(), w.Operator(), storage.AppAccess{
		HubID: hub.ID, ClientID: app, Level: storage.LevelControl, Users: storage.AppForMembers,
	})
	w.Must(err)
	w.Project, err = w.Admin.CreateProject(w.Context(), w.Operator(),
		administration.NewProject{HubID: hub.ID, Name: "Project"})
	w.Must(err)
	w.Folder, err = w.Store.CreateFolder(w.Context(), w.Operator(), w.Project.ID, storage.Folder{
		ID: w.Ambient.UID(), ParentID: w.Project.RootFolderID, Name: "Folder",
	})
	w.Must(err)
	for id, level := range map[string]storage.Level{
		publisher: storage.LevelCollaborate, reader: storage.LevelDownload, viewer: storage.LevelView,
		outsider: storage.LevelNone,
	} {
		w.User(id)
		if level > storage.LevelNone {
			w.Must(w.Store.SetFolderGrant(w.Context(), w.Operator(), w.Project.ID, storage.FolderGrant{
				FolderID: w.Folder.ID, UserID: id, Level: level,
			}))
		}
	}
}

// reserve makes an object without bytes for a file of that name, and returns its
// path.
func (w *world) reserve(name string) string {
	w.Helper()
	key := w.Ambient.UUID()
	w.Must(w.Store.ReserveObject(w.Context(), w.Operator(), storage.Object{
		Bucket: bucket, Key: key, ProjectID: w.Project.ID, Name: name, Target: storage.ObjectTarget{FolderID: w.Folder.ID},
	}))
	return "/oss/v2/buckets/" + bucket + "/objects/" + key
}

// keyOf is the object's key in a path.
func keyOf(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }

// version makes an item with a version that has the object.
func (w *world) version(path, name string) string {
	w.Helper()
	item := storage.Item{ID: w.Ambient.UID(), FolderID: w.Folder.ID, Name: name}
	_, err := w.Store.CreateItem(w.Context(), w.Operator(), w.Project.ID, item, storage.NewVersion{
		Name: name, Bucket: bucket, ObjectKey: keyOf(path),
	})
	w.Must(err)
	return item.ID
}

// token returns an access token of the user through the app.
func (w *world) token(user, scope string) string { return w.Token(app, user, scope) }

// answer is what came back over HTTP.
type answer struct {
	Status int
	Header http.Header
	Body   []byte
}

// call makes a request as the user; headers are name, value, name, value.
func (w *world) call(user, method, path string, body any, headers ...string) answer {
	w.Helper()
	headers = append([]string{"Authorization", "Bearer " + w.token(user, all)}, headers...)
	return w.send(method, path, body, headers...)
}

// send makes a request with no other headers than those. A body that is neither
// bytes nor a reader goes as JSON.
func (w *world) send(method, path string, body any, headers ...string) answer {
	w.Helper()
	if strings.HasPrefix(path, "/") {
		path = w.URL + path
	}
	var content io.Reader
	switch b := body.(type) {
	case nil:
	case []byte:
		content = bytes.NewReader(b)
	case io.Reader:
		content = b
	default:
		text, err := json.Marshal(b)
		w.Must(err)
		content = bytes.NewReader(text)
		headers = append(headers, "Content-Type", "application/json")
	}
	request, err := http.NewRequestWithContext(w.Context(), method, path, content)
	w.Must(err)
	for i := 0; i < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	// A client that takes what it is given.
	client := &http.Client{Transport: &http.Transport{DisableCompression: true, DisableKeepAlives: true}}
	got, err := client.Do(request)
	w.Must(err)
	defer func() { _ = got.Body.Close() }()
	read, err := io.ReadAll(got.Body)
	w.Must(err)
	return answer{got.StatusCode, got.Header, read}
}

// ok ends the test unless the answer has the status 200, and reads its body.
func ok[T any](w *world, a answer) T {
	w.Helper()
	var body T
	if a.Status != http.StatusOK {
		w.Fatalf("%d %s", a.Status, a.Body)
	}
	w.Must(json.Unmarshal(a.Body, &body))
	return body
}

// refused checks status, code and reason of a refusal.
func (w *world) refused(a answer, status int, code, reason string) {
	w.Helper()
	var got struct{ Reason, Code string }
	if err := json.Unmarshal(a.Body, &got); err != nil {
		w.Errorf("%d %s: %v", a.Status, a.Body, err)
		return
	}
	if a.Status != status || got.Code != code || got.Reason != reason {
		w.Errorf("got %d %s %q, want %d %s %q", a.Status, got.Code, got.Reason, status, code, reason)
	}
}

type signed struct {
	UploadKey, UploadExpiration, URLExpiration string
	URLs                                       []string
	Parts                                      []part
}

type part struct {
	Part   int
	Size   int64
	ETag   string
	Status string
}

type stored struct {
	BucketKey, ObjectID, ObjectKey, ContentType, Location, SHA1, SHA256 string
	Size                                                                int64
}

// upload stores bytes in parts as clients do, and returns the object's path.
func (w *world) upload(name string, parts ...[]byte) string {
	w.Helper()
	path := w.reserve(name)
	begun := w.begin(path, len(parts))
	for i, body := range parts {
		w.put(begun.URLs[i], body)
	}
	ok[stored](w, w.call(publisher, "POST", path+"/signeds3upload", map[string]any{"uploadKey": begun.UploadKey}))
	return path
}

func (w *world) begin(path string, parts int) signed {
	w.Helper()
	query := "?parts=" + string(rune('0'+parts))
	return ok[signed](w, w.call(publisher, "GET", path+"/signeds3upload"+query, nil))
}

// put sends a part to an address, as clients do, and returns its tag.
func (w *world) put(address string, body []byte) string {
	w.Helper()
	got := w.send("PUT", address, body, "Content-Type", "application/x-www-form-urlencoded")
	if got.Status != http.StatusOK || got.Header.Get("ETag") == "" {
		w.Fatalf("%d %v %s", got.Status, got.Header, got.Body)
	}
	return got.Header.Get("ETag")
}
