package dataapi_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/portico-id/portico/storage"
)

func newStorage(kind, target, name string) object {
	return data("objects", object{
		"attributes": object{"name": name}, "relationships": object{"target": leads(kind, target)},
	})
}

func (s *scene) storage() string { return s.inTower("/storage") }

// objectOf finds the object that an answer is about.
func (s *scene) objectOf(made resource) storage.Object {
	s.Helper()
	bucket, key, _ := strings.Cut(made.ID[strings.Index(made.ID, "os.object:")+len("os.object:"):], "/")
	object, err := s.Store.FindObject(s.Context(), bucket, key)
	s.Must(err)
	return object
}

var objectURN = regexp.MustCompile(`^urn:portico:os\.object:wip\.dm/[0-9a-f-]{36}\.docx$`)

// Rule: OBJ-1
func TestAnObjectIsReservedForAFolderOrAnItem(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		s := newScene(w)
		for _, target := range []struct {
			kind, id, related string
			want              storage.ObjectTarget
		}{
			{"folders", folderURN(s.inner), s.folderURL(s.inner), storage.ObjectTarget{FolderID: s.inner}},
			{"items", itemURN(s.report), s.itemURL(s.report), storage.ObjectTarget{ItemID: s.report}},
		} {
			got := s.creates(writer(s.editor), s.storage(), newStorage(target.kind, target.id, "Report of May.DOCX"))
			made := got.one(t)
			object := s.objectOf(made)
			if made.Type != "objects" || !objectURN.MatchString(made.ID) || made.Relationships["target"].Data.ID != target.id ||
				made.Relationships["target"].Links["related"].Href != s.URL+target.related {
				t.Errorf("%s", got.Body)
			}
			if want := s.URL + "/oss/v2/buckets/wip.dm/objects/" + object.Key; got.Header.Get("Location") != want ||
				made.Links["self"].Href != want {
				t.Errorf("Location: %s", got.Header.Get("Location"))
			}
			want := storage.Object{
				Bucket: "wip.dm", Key: object.Key, ProjectID: s.tower.ID, Name: "Report of May.DOCX", Target: target.want,
				State: storage.ObjectReserved, CreatedAt: object.CreatedAt, CreatedBy: s.editor,
			}
			if diff := cmp.Diff(want, object); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if kinds := s.newest(1); kinds[0] != storage.EventObjectMade {
				t.Errorf("events: %v", kinds)
			}
		}
	})
}

// Rule: OBJ-2
func TestAnObjectIsReservedOnlyForATargetOfTheCaller(t *testing.T) {
	s := newScene(newWorld(t, sqliteURL(t)))
	by, unknown := writer(s.editor), strings.Repeat("A", 22)
	atTarget, atType := pointer("/data/relationships/target/data/id"), pointer("/data/relationships/target/data/type")
	good := newStorage("folders", folderURN(s.inner), "a.txt")
	for _, bad := range []struct {
		by     caller
		body   object
		status int
		code   string
		source map[string]string
	}{
		{by, newStorage("folders", folderURN(unknown), "a.txt"), 404, "FOLDER_NOT_FOUND", atTarget},
		{by, newStorage("items", itemURN(unknown), "a.txt"), 404, "ITEM_NOT_FOUND", atTarget},
		{by, newStorage("folders", folderURN(s.plans.ID), "a.txt"), 403, "NO_PERMISSION", atTarget},
		{writer(s.viewer), good, 403, "NO_PERMISSION", atTarget},
		{by, newStorage("versions", versionURN(s.report, "1"), "a.txt"), 400, "BAD_INPUT", atType},
		{by, newStorage("folders", itemURN(s.report), "a.txt"), 400, "MALFORMED_ID", atTarget},
		{by, newStorage("items", folderURN(s.inner), "a.txt"), 400, "MALFORMED_ID", atTarget},
		{by, newStorage("folders", folderURN(s.inner), ""), 400, "BAD_INPUT", pointer("/data/attributes/name")},
		{by, newStorage("folders", folderURN(s.inner), "a\r\nSet-Cookie: x.txt"), 400, "BAD_INPUT",
			pointer("/data/attributes/name")},
		{by, newStorage("folders", folderURN(s.inner), `a"b.txt`), 400, "BAD_INPUT", pointer("/data/attributes/name")},
		{by, newStorage("folders", folderURN(s.inner), "../../etc/passwd"), 400, "BAD_INPUT",
			pointer("/data/attributes/name")},
		{by, with(good, null, "data", "relationships", "target", "data"), 400, "BAD_INPUT",
			pointer("/data/relationships/target/data")},
		{by, with(good, nil, "data", "relationships"), 400, "BAD_INPUT", pointer("/data")},
		{writer(s.hubAdmin), newStorage("folders", folderURN(s.tower.RootFolderID), "a.txt"), 400, "ROOT_FOLDER", atTarget},
	} {
		s.refuses(http.MethodPost, bad.by, s.storage(), bad.body, bad.status, bad.code, bad.source)
	}
	s.creates(by, s.storage(), good)
}

// Rule: OBJ-3
func TestARepeatedKeyReservesOneObject(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		s := newScene(w)
		body := newStorage("folders", folderURN(s.inner), "a.txt")
		first := s.creates(writer(s.editor), s.storage(), body, "Idempotency-Key", "one").one(t)
		again := s.creates(writer(s.editor), s.storage(), body, "Idempotency-Key", "one").one(t)
		other := s.creates(writer(s.editor), s.storage(), body, "Idempotency-Key", "two").one(t)
		if again.ID != first.ID || other.ID == first.ID {
			t.Errorf("%s, %s, %s", first.ID, again.ID, other.ID)
		}
		another := newStorage("folders", folderURN(s.inner), "b.txt")
		s.refuses(http.MethodPost, writer(s.editor), s.storage(), another, 409, "IDEMPOTENCY_KEY_REUSED",
			map[string]string{"header": "Idempotency-Key"}, "Idempotency-Key", "one")
	})
}
