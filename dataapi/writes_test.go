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

	"github.com/portico-id/portico/dataapi/urn"
	"github.com/portico-id/portico/storage"
)

const (
	dataWrite  = "data:write"
	dataCreate = "data:create"
	everyScope = dataRead + " " + dataWrite + " " + dataCreate
	apiType    = "application/vnd.api+json"
)

// writing is one change of the API, on a folder and an item in it.
type writing struct {
	name, method, template, scope string
	done                          int           // the status when it is carried out
	least                         storage.Level // that it takes in the folder
	query                         func(s *scene, on thing) string
	body                          func(s *scene, on thing) object
}

// object is a JSON object.
type object = map[string]any

const (
	foldersPath  = "/data/v1/projects/{project_id}/folders"
	itemsPath    = "/data/v1/projects/{project_id}/items"
	versionsPath = "/data/v1/projects/{project_id}/versions"
	storagePath  = "/data/v1/projects/{project_id}/storage"
)

// writings are one valid request to each endpoint, and further ones that take
// other rights.
func writings() []writing {
	const post, patch = http.MethodPost, http.MethodPatch
	const publish, collaborate, edit = storage.LevelPublish, storage.LevelCollaborate, storage.LevelEdit
	none := func(*scene, thing) string { return "" }
	copied := func(s *scene, on thing) string { return "?copyFrom=" + url.QueryEscape(versionURN(on.item, "1")) }
	return []writing{
		{"create folder", post, foldersPath, dataCreate, 201, collaborate, none, func(s *scene, on thing) object {
			return newFolder(on.folder, s.fresh())
		}},
		{"rename folder", patch, folderPath, dataWrite, 200, collaborate, none, func(s *scene, on thing) object {
			return patchOf("folders", folderURN(on.folder), object{"name": s.fresh()})
		}},
		{"describe folder", patch, folderPath, dataWrite, 200, collaborate, none, func(s *scene, on thing) object {
			return patchOf("folders", folderURN(on.folder),
				object{"extension": object{"data": object{"description": s.fresh()}}})
		}},
		{"hide folder", patch, folderPath, dataWrite, 200, edit, none, func(s *scene, on thing) object {
			return patchOf("folders", folderURN(on.folder), object{"hidden": true, "displayName": s.nameOf(on.folder)})
		}},
		{"create storage", post, storagePath, dataCreate, 201, publish, none, func(s *scene, on thing) object {
			return newStorage("folders", folderURN(on.folder), s.fresh())
		}},
		{"create storage for a version", post, storagePath, dataCreate, 201, publish, none, func(s *scene, on thing) object {
			return newStorage("items", itemURN(on.item), s.fresh())
		}},
		{"create item", post, itemsPath, dataCreate, 201, publish, none, func(s *scene, on thing) object {
			return newItem(on.folder, s.fresh(), s.stored())
		}},
		{"copy item", post, itemsPath, dataCreate, 201, publish, copied, func(s *scene, on thing) object {
			return copyOf(on.folder, s.fresh())
		}},
		{"rename item", patch, itemPath, dataWrite, 200, collaborate, none, func(s *scene, on thing) object {
			return patchOf("items", itemURN(on.item), object{"displayName": s.fresh()})
		}},
		{"hide item", patch, itemPath, dataWrite, 200, edit, none, func(s *scene, on thing) object {
			return patchOf("items", itemURN(on.item), object{"hidden": true})
		}},
		{"create version", post, versionsPath, dataCreate, 201, collaborate, none, func(s *scene, on thing) object {
			return newVersion(on.item, s.fresh(), s.stored())
		}},
		{"copy version", post, versionsPath, dataCreate, 201, collaborate, copied, func(*scene, thing) object {
			return object{"data": object{"type": "versions"}}
		}},
		{"delete item", post, versionsPath, dataCreate, 201, edit, none, func(_ *scene, on thing) object {
			return deletion(on.item)
		}},
		{"rename version", patch, versionPath, dataWrite, 200, collaborate, none, func(s *scene, on thing) object {
			return patchOf("versions", versionURN(on.item, "1"), object{"name": s.fresh()})
		}},
	}
}

// everyEndpoint is the first writing of each endpoint.
func everyEndpoint() []writing {
	seen := map[string]bool{}
	return slices.DeleteFunc(writings(), func(o writing) bool {
		key := o.method + o.template
		was := seen[key]
		seen[key] = true
		return was
	})
}

// Bodies.

func data(kind string, more object) object {
	d := object{"type": kind}
	for name, value := range more {
		d[name] = value
	}
	return object{"jsonapi": object{"version": "1.0"}, "data": d}
}

func leads(kind, id string) object { return object{"data": object{"type": kind, "id": id}} }

func newFolder(parent, name string) object {
	return data("folders", object{
		"attributes": object{
			"name":      name,
			"extension": object{"type": "folders:portico.core:Folder", "version": "1.0"},
		},
		"relationships": object{"parent": leads("folders", folderURN(parent))},
	})
}

func newItem(parent, name, stored string) object {
	body := data("items", object{
		"attributes": object{
			"displayName": name, "extension": object{"type": "items:portico.core:File", "version": "1.0"},
		},
		"relationships": object{"tip": leads("versions", "1"), "parent": leads("folders", folderURN(parent))},
	})
	body["included"] = []any{object{
		"type": "versions", "id": "1",
		"attributes": object{
			"name": name, "extension": object{"type": "versions:portico.core:File", "version": "1.0"},
		},
		"relationships": object{"storage": leads("objects", stored)},
	}}
	return body
}

// copyOf is the body of POST items?copyFrom as the tutorials of the family have
// it.
func copyOf(parent, name string) object {
	body := data("items", object{
		"relationships": object{"tip": leads("versions", "1"), "parent": leads("folders", folderURN(parent))},
	})
	body["included"] = []any{object{"type": "versions", "id": "1", "attributes": object{"name": name}}}
	return body
}

func newVersion(item, name, stored string) object {
	return data("versions", object{
		"attributes": object{
			"name": name, "extension": object{"type": "versions:portico.core:File", "version": "1.0"},
		},
		"relationships": object{"item": leads("items", itemURN(item)), "storage": leads("objects", stored)},
	})
}

func deletion(item string) object {
	return data("versions", object{
		"attributes":    object{"extension": object{"type": "versions:portico.core:Deleted", "version": "1.0"}},
		"relationships": object{"item": leads("items", itemURN(item))},
	})
}

func patchOf(kind, id string, attributes object) object {
	return data(kind, object{"id": id, "attributes": attributes})
}

func moveOf(kind, id, folder string) object {
	return data(kind, object{"id": id, "relationships": object{"parent": leads("folders", folderURN(folder))}})
}

// with returns the document with another value at the end of the way; nil takes
// it away.
func with(body object, value any, way ...string) object {
	out := object{}
	for name, v := range body {
		out[name] = v
	}
	switch {
	case len(way) > 1:
		inner, _ := body[way[0]].(object)
		out[way[0]] = with(inner, value, way[1:]...)
	case value == nil:
		delete(out, way[0])
	default:
		out[way[0]] = value
	}
	return out
}

// null is JSON's.
var null = json.RawMessage("null")

// Requests.

func writer(user string) caller { return caller{client: app, user: user, scope: everyScope} }

// asWriter gives a caller every scope.
func asWriter(by caller) caller {
	if by.scope == "" && by.token == "" {
		by.scope = everyScope
	}
	return by
}

// send makes a request with a body: an object, or text as it is.
func (w *world) send(method string, c caller, path string, body any, header ...string) answer {
	w.Helper()
	text, isText := body.(string)
	if !isText {
		encoded, err := json.Marshal(body)
		w.Must(err)
		text = string(encoded)
	}
	r, err := http.NewRequestWithContext(w.Context(), method, w.URL+path, strings.NewReader(text))
	w.Must(err)
	w.sign(r, c)
	r.Header.Set("Content-Type", apiType)
	for pair := range slices.Chunk(header, 2) {
		r.Header.Set(pair[0], pair[1])
	}
	response, err := http.DefaultClient.Do(r)
	w.Must(err)
	defer response.Body.Close()
	answered, err := io.ReadAll(response.Body)
	w.Must(err)
	return answer{response.StatusCode, response.Header, bytes.TrimSpace(answered)}
}

// sign says who makes the request.
func (w *world) sign(r *http.Request, c caller) {
	w.Helper()
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
}

// bodies are those of every writing, made beforehand.
func (s *scene) bodies(on thing) map[string]object {
	s.Helper()
	all := map[string]object{}
	for _, o := range writings() {
		all[o.name] = o.body(s, on)
	}
	return all
}

// run makes the request of a writing.
func (s *scene) run(o writing, by caller, on thing, header ...string) answer {
	s.Helper()
	return s.send(o.method, by, at(o.template, s.ids(on.folder, on.item))+o.query(s, on), o.body(s, on), header...)
}

// creates is send that must give 201, changes send that must give 200.
func (s *scene) creates(by caller, path string, body any, header ...string) answer {
	s.Helper()
	return s.mustSend(http.MethodPost, http.StatusCreated, by, path, body, header...)
}

func (s *scene) changes(by caller, path string, body any, header ...string) answer {
	s.Helper()
	return s.mustSend(http.MethodPatch, http.StatusOK, by, path, body, header...)
}

func (s *scene) mustSend(method string, status int, by caller, path string, body any, header ...string) answer {
	s.Helper()
	got := s.send(method, by, path, body, header...)
	if got.Status != status {
		s.Fatalf("%s %s: %d %s", method, path, got.Status, got.Body)
	}
	return got
}

// refuses is send that must be refused with the error, and must leave the tree
// and its events as they were.
func (s *scene) refuses(method string, by caller, path string, body any, status int, code string,
	source map[string]string, header ...string) (e errorObject) {
	s.Helper()
	s.keeps(func() { e = s.refusal(method, by, path, body, status, code, source, header...) })
	return e
}

// keeps runs what must leave the tree and its events as they are.
func (s *scene) keeps(act func()) {
	s.Helper()
	before := s.snapshot()
	act()
	if after := s.snapshot(); after != before {
		s.Errorf("it was\n%s\nand is now\n%s", before, after)
	}
}

// refusal is send that must be refused with the error.
func (s *scene) refusal(method string, by caller, path string, body any, status int, code string,
	source map[string]string, header ...string) errorObject {
	s.Helper()
	got := s.send(method, by, path, body, header...)
	if got.Status != status {
		s.Errorf("%s %s: %d, want %d\n%s", method, path, got.Status, status, got.Body)
		return errorObject{}
	}
	d := got.doc(s)
	if len(d.Errors) != 1 || d.Errors[0].Code != code || !mapsEqual(d.Errors[0].Source, source) {
		s.Errorf("%s %s: %s, want the code %s and the source %v", method, path, got.Body, code, source)
		return errorObject{}
	}
	return d.Errors[0]
}

func pointer(to string) map[string]string { return map[string]string{"pointer": to} }

// Paths.

func (s *scene) folders() string  { return s.inTower("/folders") }
func (s *scene) items() string    { return s.inTower("/items") }
func (s *scene) versions() string { return s.inTower("/versions") }
func copyFrom(item, n string) string {
	return "?copyFrom=" + url.QueryEscape(versionURN(item, n))
}

// The scene's things.

// fresh returns a name that nothing has yet.
func (s *scene) fresh() string { return "fresh " + s.Ambient.UUID() + ".txt" }

// stored adds stored bytes and returns their URN.
func (s *scene) stored() string {
	s.Helper()
	key := s.reservedObject(s.tower.ID)
	_, err := s.Store.StoreBytes(s.Context(), s.Operator(), "wip", key, storage.Bytes{Size: 3, SHA256: make([]byte, 32)})
	s.Must(err)
	return urn.Space("portico").Object("wip", key)
}

func (s *scene) reservedObject(project string) string {
	s.Helper()
	key := s.Ambient.UUID() + ".txt"
	s.Must(s.Store.ReserveObject(s.Context(), s.Operator(),
		storage.Object{Bucket: "wip", Key: key, ProjectID: project, Name: "a.txt"}))
	return key
}

func (s *scene) nameOf(folder string) string {
	s.Helper()
	f, _ := s.folderRecord(folder)
	return f.Name
}

// uidOf returns the short id of a resource.
func uidOf(r resource) string {
	id, _, _ := strings.Cut(r.ID, "?")
	i := strings.LastIndexAny(id, ".:")
	return id[i+1:]
}

// snapshot is everything in every project, and how many events there were: equal
// before and after whatever changed nothing.
func (s *scene) snapshot() string {
	s.Helper()
	return s.Rows("", `SELECT * FROM projects ORDER BY id`, `SELECT * FROM folders ORDER BY id`,
		`SELECT * FROM items ORDER BY id`, `SELECT * FROM versions ORDER BY item_id, number`,
		`SELECT max(seq) FROM events`)
}

// newest returns the kinds of the project's newest events, the newest first.
func (s *scene) newest(n int) []string {
	s.Helper()
	events, _, err := s.Store.ListEvents(s.Context(), storage.EventQuery{ProjectID: s.tower.ID},
		storage.PageRequest{Limit: n})
	s.Must(err)
	var kinds []string
	for _, e := range events {
		kinds = append(kinds, e.Kind)
	}
	return kinds
}

// atOnce runs the same act many times side by side and returns the answers.
func atOnce(n int, act func(i int) answer) []answer {
	answers := make([]answer, n)
	gate, all := make(chan struct{}), make(chan struct{})
	for i := range n {
		go func() {
			defer func() { all <- struct{}{} }()
			<-gate
			answers[i] = act(i)
		}()
	}
	close(gate)
	for range n {
		<-all
	}
	return answers
}

// sendLater is a request that waits until a gate opens, made by hand so that
// goroutines need no test to fail.
func (w *world) sendLater(t testing.TB, method string, c caller, path string, body object,
	header ...string) func() answer {
	t.Helper()
	if c.token == "" {
		c.token = w.token(c)
	}
	encoded, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	return func() answer {
		for {
			got := w.send(method, c, path, string(encoded), header...)
			// Busy is an answer that a client repeats; it says nothing of who wins.
			if got.Status != http.StatusLocked || !bytes.Contains(got.Body, []byte("PROJECT_BUSY")) {
				return got
			}
		}
	}
}
