package transmittal_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/portico-id/portico/dataapi/access"
	"github.com/portico-id/portico/dataapi/administration"
	"github.com/portico-id/portico/dataapi/archive"
	"github.com/portico-id/portico/dataapi/level"
	"github.com/portico-id/portico/dataapi/objects"
	"github.com/portico-id/portico/dataapi/transmittal"
	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/gate/adminapi"
	"github.com/portico-id/portico/internal/harness/datatest"
	"github.com/portico-id/portico/internal/harness/openapicheck"
	"github.com/portico-id/portico/internal/harness/pgtest"
	"github.com/portico-id/portico/internal/harness/sqlitetest"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/blobstore"
	"github.com/portico-id/portico/templates"
)

const app = "app-of-the-tests"

// document is the description that every exchange of these tests is held to.
var document = openapicheck.NewSuite(openapicheck.Options{Files: []string{"../../docs/openapi/extensions.yaml"}},
	"/transmittals")

func TestMain(m *testing.M) { pgtest.Main(document.Main(m)) }

type object = map[string]any

// letters are what was to be mailed, as the outbox keeps it.
type letters struct{ source *ambient.Source }

func (l letters) Mail(userID, to string, letter templates.Letter) storage.Mail {
	text, _ := json.Marshal(letter)
	return storage.Mail{UID: l.source.UID(), Kind: letter.Kind, UserID: userID, To: to, Words: string(text),
		Link: []byte(letter.URL)}
}

// world is the endpoints with two files in a folder and one in another, and somebody
// at each level of the first.
type world struct {
	*datatest.World
	blobs         blobstore.Store
	slow          bool   // the place for bytes takes a minute for each
	older         bool   // what is stored has no sum yet
	pending       bool   // and the scanner has not looked at it
	before        func() // what happens between the look at rights and the sending, once
	hub           storage.Hub
	project       storage.Project
	folder, other storage.Folder
	plan, note    string // versions in the first folder
	aside         string // in the other
}

func eachEngine(t *testing.T, test func(t *testing.T, w *world)) {
	t.Run("sqlite", func(t *testing.T) { test(t, newWorld(t, sqlitetest.URL(t))) })
	t.Run("postgres", func(t *testing.T) { test(t, newWorld(t, pgtest.URL(t))) })
}

func newWorld(t *testing.T, database string) *world {
	t.Helper()
	w := &world{World: datatest.New(t, database)}
	files, err := blobstore.OpenFiles(t.TempDir(), ambient.System())
	w.Must(err)
	t.Cleanup(func() { _ = files.Close() })
	w.blobs = patient{files, w}
	server := w.Listen()
	rights := access.Finder{Store: w.Store, URN: "portico"}
	packer := archive.New(archive.Options{Store: w.Store, Blobs: w.blobs, Ambient: w.Ambient, Rights: rights})
	archives := archive.NewAPI(archive.APIOptions{Rules: packer, Bearer: w.Bearer, Signer: w.Ring, BaseURL: w.URL,
		Namespace: "portico"})
	given := objects.New(objects.Options{Store: w.Store, Blobs: w.blobs, Rights: rights, Ambient: w.Ambient,
		Bearer: w.Bearer, Signer: w.Ring, BaseURL: w.URL, Namespace: "portico", Waits: t.TempDir(),
		Scanner: objects.NewScanner(objects.ScannerOptions{})}) // it does nothing yet
	api := transmittal.NewAPI(transmittal.APIOptions{Bearer: w.Bearer, Archives: archives, Namespace: "portico",
		Rules: transmittal.New(transmittal.Options{Store: meanwhile{w.Store, w}, Rights: rights, People: w.Admin,
			Post: letters{w.Ambient}, Bytes: given, Packer: packer, Ambient: w.Ambient, BaseURL: w.URL})})
	area := httpio.Area{Prefix: "/files/v1", WriteError: adminapi.WriteError,
		Routes: append(api.Routes(), archives.Routes()...)}
	w.Serve(server, document, adminapi.WriteError,
		httpio.Router{Areas: []httpio.Area{area}, WriteError: adminapi.WriteError}.Handler())
	w.fill()
	return w
}

func (w *world) fill() {
	w.Client(app)
	var err error
	w.hub, err = w.Admin.CreateHub(w.Context(), w.Operator(), administration.NewHub{Name: "Hub", Region: "EMEA"})
	w.Must(err)
	_, err = w.Admin.ProvisionApp(w.Context(), w.Operator(), storage.AppAccess{HubID: w.hub.ID, ClientID: app,
		Level: storage.LevelControl, Users: storage.AppForMembers})
	w.Must(err)
	w.project, err = w.Admin.CreateProject(w.Context(), w.Operator(),
		administration.NewProject{HubID: w.hub.ID, Name: "Project"})
	w.Must(err)
	w.folder, w.other = w.newFolder("Folder"), w.newFolder("Other")
	w.plan, w.note, w.aside = w.file(w.folder, "plan.pdf"), w.file(w.folder, "note.txt"), w.file(w.other, "aside.txt")
	for l := storage.LevelView; l <= storage.LevelControl; l++ {
		w.grant(w.folder, w.User(level.Name(l)), l)
	}
	w.User("outsider")
	w.User("admin")
	w.Must(w.Admin.SetMember(w.Context(), w.Operator(),
		administration.Membership{ProjectID: w.project.ID, UserID: "admin", Admin: true}))
}

func (w *world) newFolder(name string) storage.Folder {
	w.Helper()
	folder, err := w.Store.CreateFolder(w.Context(), w.Operator(), w.project.ID,
		storage.Folder{ID: w.Ambient.UID(), ParentID: w.project.RootFolderID, Name: name})
	w.Must(err)
	return folder
}

func (w *world) grant(folder storage.Folder, user string, l storage.Level) {
	w.Helper()
	w.Must(w.Store.SetFolderGrant(w.Context(), w.Operator(), w.project.ID,
		storage.FolderGrant{FolderID: folder.ID, UserID: user, Level: l}))
}

// file adds an item whose bytes are its name, and returns its id.
func (w *world) file(folder storage.Folder, name string) string {
	w.Helper()
	key := w.Ambient.UID()
	upload, err := w.blobs.Begin(w.Context(), key)
	w.Must(err)
	part, err := w.blobs.PutPart(w.Context(), key, upload, 1, bytes.NewReader([]byte(name)), int64(len(name)))
	w.Must(err)
	w.Must(w.blobs.Complete(w.Context(), key, upload, []blobstore.Part{part}))
	digest, err := blobstore.Sum(w.Context(), w.blobs, key, nil)
	w.Must(err)
	if w.older {
		digest.CRC32 = nil
	}
	scan := storage.ScanNone
	if w.pending {
		scan = storage.ScanPending
	}
	w.Must(w.Store.ReserveObject(w.Context(), w.Operator(), storage.Object{Bucket: "b", Key: key, ProjectID: w.project.ID,
		Name: name, Target: storage.ObjectTarget{FolderID: folder.ID}}))
	_, err = w.Store.StoreBytes(w.Context(), w.Operator(), "b", key, storage.Bytes{Blob: key, Size: digest.Size,
		SHA256: digest.SHA256, CRC32: digest.CRC32, Scan: scan})
	w.Must(err)
	made, err := w.Store.CreateItem(w.Context(), w.Operator(), w.project.ID,
		storage.Item{ID: w.Ambient.UID(), FolderID: folder.ID, Name: name},
		storage.NewVersion{Name: name, Bucket: "b", ObjectKey: key})
	w.Must(err)
	return made.Item.ID
}

// patient is a place for bytes that may take its time.
type patient struct {
	blobstore.Store
	w *world
}

func (p patient) Open(ctx context.Context, key string, from, length int64) (io.ReadCloser, error) {
	if p.w.slow {
		p.w.Wait(time.Minute)
	}
	return p.Store.Open(ctx, key, from, length)
}

// meanwhile is a store where something may happen just before anything is sent.
type meanwhile struct {
	transmittal.Store
	w *world
}

func (m meanwhile) SendTransmittal(ctx context.Context, change storage.Change, projectID string,
	sent storage.NewTransmittal, letters func(number int) []storage.Mail) (storage.Transmittal, error) {
	if act := m.w.before; act != nil {
		m.w.before = nil
		act()
	}
	return m.Store.SendTransmittal(ctx, change, projectID, sent, letters)
}

func urnOf(item string) string { return "urn:portico:fs.file:vf." + item + "?version=1" }

// call makes a request about what is sent in the project, as the user.
func (w *world) call(user, method, path string, body any, headers ...string) (int, []byte) {
	w.Helper()
	return w.ask(user, method, w.URL+"/files/v1/projects/"+w.project.ID+"/transmittals"+path, body, headers...)
}

func (w *world) ask(user, method, address string, body any, headers ...string) (int, []byte) {
	w.Helper()
	var content io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		w.Must(err)
		content = bytes.NewReader(text)
	}
	request, err := http.NewRequestWithContext(w.Context(), method, address, content)
	w.Must(err)
	for i := 0; i < len(headers); i += 2 {
		request.Header[headers[i]] = append(request.Header[headers[i]], headers[i+1])
	}
	if request.Header.Get("Content-Type") == "" {
		request.Header.Set("Content-Type", "application/json")
	}
	if user != "" {
		request.Header.Set("Authorization", "Bearer "+w.Token(app, user, "data:read data:create"))
	}
	got, err := http.DefaultClient.Do(request)
	w.Must(err)
	defer func() { _ = got.Body.Close() }()
	text, err := io.ReadAll(got.Body)
	w.Must(err)
	return got.StatusCode, text
}

// said is a call whose answer is JSON.
func (w *world) said(user, method, path string, body any) (int, object) {
	w.Helper()
	status, text := w.call(user, method, path, body)
	said := object{}
	w.Must(json.Unmarshal(text, &said))
	return status, said
}

func draft(to []string, items ...string) object {
	var versions []string
	for _, item := range items {
		versions = append(versions, urnOf(item))
	}
	return object{"title": "Title", "message": "Message", "versions": versions, "to": to}
}

// sent sends something as the editor.
func (w *world) sent(to []string, items ...string) {
	w.Helper()
	if status, said := w.said("edit", "POST", "", draft(to, items...)); status != http.StatusCreated {
		w.Fatalf("%d %v", status, said)
	}
}

func bytesOf(number, item string) string {
	return "/" + number + "/versions/" + url.PathEscape(urnOf(item)) + "/bytes"
}
