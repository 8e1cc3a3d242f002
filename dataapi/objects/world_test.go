package objects_test

import (
	"bytes"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/gorilla/mux"

	"github.com/portico-id/portico/dataapi"
	"github.com/portico-id/portico/dataapi/administration"
	"github.com/portico-id/portico/dataapi/objects"
	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/bearer"
	"github.com/portico-id/portico/internal/middleware"
	"github.com/portico-id/portico/internal/pgtest"
	"github.com/portico-id/portico/internal/s3test"
	"github.com/portico-id/portico/internal/sealing"
	"github.com/portico-id/portico/internal/signing"
	"github.com/portico-id/portico/internal/sqlitetest"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/blobstore"
	"github.com/portico-id/portico/storage/sqlstore"
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
	testing.TB
	URL     string
	Store   *sqlstore.Store
	Blobs   blobstore.Store
	Admin   *administration.Rules
	Keys    *signing.KeySet
	Project storage.Project
	Folder  storage.Folder // where the people have their levels
	Signed  bool           // the place for bytes has addresses of its own
	ambient *ambient.Source
	scanner *objects.Scanner // nil: nobody looks for viruses
	ahead   *atomic.Int64    // how far the clock is ahead, in nanoseconds
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
	w := &world{TB: t, Blobs: blobs, ahead: new(atomic.Int64)}
	_, w.Signed = blobs.(*blobstore.S3)
	w.ambient = ambient.New(func() time.Time { return time.Now().Add(time.Duration(w.ahead.Load())) }, ambient.System().Random())
	var err error
	w.Store, err = sqlstore.Open(t.Context(), sqlstore.Options{URL: database, Version: "0.1.0", Migrate: true})
	w.must(err)
	t.Cleanup(func() { _ = w.Store.Close() })
	w.Admin = administration.New(administration.Options{Store: w.Store, Ambient: w.ambient, Namespace: "portico"})
	w.serve()
	w.people()
	return w
}

func (w *world) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

func (w *world) equal(want, got any) {
	w.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		w.Errorf("-want +got\n%s", diff)
	}
}

func (w *world) serve() { w.serveOver(w.Store) }

// serveOver puts the endpoints together as the application does, over the store.
func (w *world) serveOver(store objects.Store) {
	w.Helper()
	server := httptest.NewUnstartedServer(nil)
	w.URL = "http://" + server.Listener.Addr().String()
	log := slog.New(slog.DiscardHandler)
	ring, err := sealing.New([]byte(strings.Repeat("k", 32)), nil, w.ambient)
	w.must(err)
	w.Keys, err = signing.Open(w.Context(), signing.Options{Store: w.Store, Ring: ring, Ambient: w.ambient, Log: log, Issuer: w.URL})
	w.must(err)
	tokens := bearer.New(bearer.Options{Keys: w.Keys, Tokens: w.Store})
	data := dataapi.New(dataapi.Options{
		Store: w.Store, Ambient: w.ambient, Bearer: tokens, Signer: ring, BaseURL: w.URL, Namespace: "portico",
	})
	handler := objects.New(objects.Options{
		Store: store, Blobs: w.Blobs, Rights: data, Ambient: w.ambient, Bearer: tokens, Signer: ring,
		BaseURL: w.URL, Namespace: "portico", Scanner: w.scanner,
	})
	server.Config.Handler = document.Book(w).Wrap(w, middleware.Chain(middleware.Options{
		Ambient: w.ambient, Log: log, WriteError: objects.WriteError,
	}, routes(handler)))
	// What the application allows short requests.
	server.Config.ReadTimeout, server.Config.WriteTimeout = 10*time.Second, 30*time.Second
	server.Start()
	w.Cleanup(server.Close)
}

func routes(h *objects.Handler) http.Handler {
	router := mux.NewRouter().UseEncodedPath().SkipClean(true)
	const all = "/oss/v2/buckets/{bucket_key}/objects/"
	const one = all + "{object_key}"
	router.Handle(all+"batchsigneds3upload", h.Guard(h.BatchSignUpload, create, "data:write")).Methods("POST")
	router.Handle(all+"batchcompleteupload", h.Guard(h.BatchComplete, create, "data:write")).Methods("POST")
	router.Handle(all+"batchsigneds3download", h.Guard(h.BatchSignDownload, read)).Methods("POST")
	router.Handle(one+"/signeds3upload", h.Guard(h.SignUpload, create, "data:write")).Methods("GET")
	router.Handle(one+"/signeds3upload", h.Guard(h.Complete, create, "data:write")).Methods("POST")
	router.Handle(one+"/signeds3download", h.Guard(h.SignDownload, read)).Methods("GET")
	router.Handle(one+"/details", h.Guard(h.Details, read)).Methods("GET")
	router.Handle(one, h.Guard(h.Get, read)).Methods("GET", "HEAD")
	router.Handle(one, h.Guard(h.Put, create, "data:write")).Methods("PUT")
	router.Handle("/oss/v2/signed/{ticket}", h.Signed()).Methods("GET", "HEAD", "PUT")
	return router
}

func (w *world) operator() storage.Change {
	return storage.Change{Act: storage.Act{At: w.ambient.Now(), Actor: storage.Actor{Kind: storage.ActorOperator}}}
}

func (w *world) people() {
	w.Helper()
	now := w.ambient.Now()
	for _, id := range []string{app, "other-app"} {
		w.must(w.Store.CreateClient(w.Context(), w.operator().Act, storage.Client{
			ID: id, Name: id, Type: storage.ClientService, Profile: storage.ProfilePlatform, CreatedAt: now, UpdatedAt: now,
		}))
	}
	hub, err := w.Admin.CreateHub(w.Context(), w.operator(), administration.NewHub{Name: "Hub", Region: "EMEA"})
	w.must(err)
	_, err = w.Admin.ProvisionApp(w.Context(), w.operator(), storage.AppAccess{
		HubID: hub.ID, ClientID: app, Level: storage.LevelControl, Users: storage.AppForMembers,
	})
	w.must(err)
	w.Project, err = w.Admin.CreateProject(w.Context(), w.operator(), administration.NewProject{HubID: hub.ID, Name: "Project"})
	w.must(err)
	w.Folder, err = w.Store.CreateFolder(w.Context(), w.operator(), w.Project.ID, storage.Folder{
		ID: w.ambient.UID(), ParentID: w.Project.RootFolderID, Name: "Folder",
	})
	w.must(err)
	for id, level := range map[string]storage.Level{
		publisher: storage.LevelCollaborate, reader: storage.LevelDownload, viewer: storage.LevelView, outsider: storage.LevelNone,
	} {
		w.must(w.Store.CreateUser(w.Context(), w.operator().Act, storage.User{
			ID: id, Email: strings.ToLower(id) + "@example.test", EmailVerified: true, CreatedAt: now, UpdatedAt: now,
		}, ""))
		if level > storage.LevelNone {
			w.must(w.Store.SetFolderGrant(w.Context(), w.operator(), w.Project.ID, storage.FolderGrant{
				FolderID: w.Folder.ID, UserID: id, Level: level,
			}))
		}
	}
}

// reserve makes an object without bytes for a file of that name, and returns its
// path.
func (w *world) reserve(name string) string {
	w.Helper()
	key := w.ambient.UUID()
	w.must(w.Store.ReserveObject(w.Context(), w.operator(), storage.Object{
		Bucket: bucket, Key: key, ProjectID: w.Project.ID, Name: name, Target: storage.ObjectTarget{FolderID: w.Folder.ID},
	}))
	return "/oss/v2/buckets/" + bucket + "/objects/" + key
}

// keyOf is the object's key in a path.
func keyOf(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }

// version makes an item with a version that has the object.
func (w *world) version(path, name string) string {
	w.Helper()
	item := storage.Item{ID: w.ambient.UID(), FolderID: w.Folder.ID, Name: name}
	_, err := w.Store.CreateItem(w.Context(), w.operator(), w.Project.ID, item, storage.NewVersion{
		Name: name, Bucket: bucket, ObjectKey: keyOf(path),
	})
	w.must(err)
	return item.ID
}

// token returns an access token of the user through the app.
func (w *world) token(user, scope string) string {
	w.Helper()
	subject := user
	if user == "" {
		subject = app
	}
	now := w.ambient.Now()
	token, err := w.Keys.SignAccess(w.Context(), signing.AccessClaims{
		Subject: subject, ClientID: app, UserID: user, IssuedAt: now.Unix(), ExpiresAt: now.Add(time.Hour).Unix(),
		JTI: w.ambient.UID(), Scope: scope,
	})
	w.must(err)
	return token
}

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
		w.must(err)
		content = bytes.NewReader(text)
		headers = append(headers, "Content-Type", "application/json")
	}
	request, err := http.NewRequestWithContext(w.Context(), method, path, content)
	w.must(err)
	for i := 0; i < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	// A client that takes what it is given.
	client := &http.Client{Transport: &http.Transport{DisableCompression: true, DisableKeepAlives: true}}
	got, err := client.Do(request)
	w.must(err)
	defer func() { _ = got.Body.Close() }()
	read, err := io.ReadAll(got.Body)
	w.must(err)
	return answer{got.StatusCode, got.Header, read}
}

// ok ends the test unless the answer has the status 200, and reads its body.
func ok[T any](w *world, a answer) T {
	w.Helper()
	var body T
	if a.Status != http.StatusOK {
		w.Fatalf("%d %s", a.Status, a.Body)
	}
	w.must(json.Unmarshal(a.Body, &body))
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
