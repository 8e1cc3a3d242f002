package dataapi_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The statements of JSON:API 1.0, Creating, Updating and Deleting Resources,
// that bind a server, one test each; their sections are in the comments. Where
// we answer otherwise, docs/divergences.md says why.

// eachChange calls do with each endpoint and its valid request by an editor.
func (s *scene) eachChange(do func(o writing, path string, body object)) {
	s.Helper()
	for _, o := range everyEndpoint() {
		on := s.under(thing{"Inner", s.inner, s.deepItem})
		do(o, at(o.template, s.ids(on.folder, on.item)), o.body(s, on))
	}
}

// Rule: DATA-65
func TestAChangeCompletelySucceedsOrFails(t *testing.T) { // 7: no partial updates
	s := newSQLiteScene(t)
	by := writer(s.editor)
	for _, bad := range []object{
		{"name": "fine", "hidden": true, "objectCount": 7},
		{"name": "fine", "hidden": "yes"},
		{"name": "Inner", "hidden": true, "extension": object{"data": object{"description": strings.Repeat("x", 300)}}},
	} {
		before := s.snapshot()
		if got := s.send(patches, by, s.folderURL(s.inner), patchOf("folders", folderURN(s.inner), bad)); got.Status < 400 {
			t.Errorf("%v: %d", bad, got.Status)
		}
		if s.snapshot() != before {
			t.Errorf("%v: something has changed", bad)
		}
	}
	// The move comes last and fails: the name before it is not kept either.
	body := with(moveOf("folders", folderURN(s.middle), s.inner), object{"name": "fine"}, "data", "attributes")
	s.refuses(patches, by, s.folderURL(s.middle), body, 400, "CYCLE", pointer("/data/relationships/parent/data/id"))
}

func TestTheRequestHasOneResourceObjectWithAType(t *testing.T) { // 7.1, 7.2
	s := newSQLiteScene(t)
	s.eachChange(func(o writing, path string, body object) {
		by := writer(s.editor)
		s.refuses(o.method, by, path, with(body, []any{body["data"]}, "data"), 400, "BAD_INPUT", pointer("/data"))
		s.refuses(o.method, by, path, with(body, nil, "data", "type"), 400, "BAD_INPUT", pointer("/data"))
		if got := s.send(o.method, by, path, body); got.Status != o.done {
			t.Errorf("%s: %d %s", o.name, got.Status, got.Body)
		}
	})
}

func TestARelationshipInARequestHasData(t *testing.T) { // 7.1, 7.2.2
	s := newSQLiteScene(t)
	by := writer(s.editor)
	links := object{"links": object{"related": s.URL + s.folderURL(s.inner)}}
	s.refuses(posts, by, s.folders(), with(newFolder(s.inner, "x"), links, "data", "relationships", "parent"), 400,
		"BAD_INPUT", pointer("/data/relationships/parent"))
	s.creates(by, s.folders(), newFolder(s.inner, "x"))
}

func TestClientGeneratedIDsAre403(t *testing.T) { // 7.1.1
	s := newSQLiteScene(t)
	s.eachChange(func(o writing, path string, body object) {
		if o.method != posts {
			return
		}
		for _, id := range []any{folderURN(strings.Repeat("A", 22)), "1", 7, null} {
			s.refuses(posts, writer(s.editor), path, with(body, id, "data", "id"), 403,
				"CLIENT_GENERATED_ID", pointer("/data/id"))
		}
		s.creates(writer(s.editor), path, body)
	})
}

// Rule: DATA-60
func TestACreationAnswers201WithTheResourceAndItsLocation(t *testing.T) { // 7.1.2.1
	s := newSQLiteScene(t)
	s.eachChange(func(o writing, path string, body object) {
		if o.method != posts {
			return
		}
		got := s.creates(writer(s.editor), path, body)
		made := got.one(t)
		if self := made.Links["self"].Href; self == "" || self != got.Header.Get("Location") {
			t.Errorf("%s: self %q, Location %q", o.name, self, got.Header.Get("Location"))
		}
		if got.doc(t).Links["self"].Href != made.Links["self"].Href {
			t.Errorf("%s: the document's own link is %s", o.name, got.doc(t).Links["self"].Href)
		}
		if o.template == storagePath {
			return // what is there are the bytes, once they have come
		}
		if read := s.ok(as(s.editor), got.Header.Get("Location")).one(t); read.ID != made.ID {
			t.Errorf("%s: at its location is %s, not %s", o.name, read.ID, made.ID)
		}
	})
}

func TestAnUpdateNamesTheResourceOfItsAddress(t *testing.T) { // 7.2; 7.2.3.6, Divergence: 400 and not 409
	s := newSQLiteScene(t)
	s.eachChange(func(o writing, path string, body object) {
		if o.method != patches {
			return
		}
		s.refuses(patches, writer(s.editor), path, with(body, nil, "data", "id"), 400, "BAD_INPUT", pointer("/data"))
		s.refuses(patches, writer(s.editor), path, with(body, "x", "data", "id"), 400, "BAD_INPUT", pointer("/data/id"))
		s.refuses(patches, writer(s.editor), path, with(body, "projects", "data", "type"), 400,
			"BAD_INPUT", pointer("/data/type"))
		s.changes(writer(s.editor), path, body)
	})
}

// Rule: DATA-61
func TestWhatAnUpdateLeavesOutStaysAsItIs(t *testing.T) { // 7.2.1, 7.2.2
	s := newSQLiteScene(t)
	by := writer(s.editor)
	for path, body := range map[string]object{
		s.folderURL(s.inner): data("folders", object{"id": folderURN(s.inner)}),
		s.itemURL(s.report): data("items",
			object{"id": itemURN(s.report), "attributes": object{}, "relationships": object{}}),
		s.versionURL(s.report, "1"):  data("versions", object{"id": versionURN(s.report, "1"), "attributes": object{}}),
		s.folderURL(s.middle) + "?":  patchOf("folders", folderURN(s.middle), object{"extension": object{}}),
		s.itemURL(s.innerItem) + "?": patchOf("items", itemURN(s.innerItem), object{"extension": object{"data": object{}}}),
		s.folderURL(s.innermost) + "?": with(data("folders", object{"id": folderURN(s.innermost)}),
			object{"links": object{}}, "data", "relationships", "parent"),
	} {
		before := s.snapshot()
		s.changes(by, path, body)
		if s.snapshot() != before {
			t.Errorf("%s: something has changed", path)
		}
	}
}

func TestAnUpdateAnswersWithWhatAReadWould(t *testing.T) { // 7.2.3.2: the server changes times as well
	s := newSQLiteScene(t)
	s.eachChange(func(o writing, path string, body object) {
		if o.method != patches {
			return
		}
		got := s.changes(writer(s.editor), path, body)
		read := s.ok(as(s.editor), path)
		if diff := cmp.Diff(string(read.Body), string(got.Body)); diff != "" ||
			read.Header.Get("ETag") != got.Header.Get("ETag") {
			t.Errorf("%s (-read +changed):\n%s", o.name, diff)
		}
	})
}

func TestUnsupportedUpdatesAre403(t *testing.T) { // 7.2.3.4
	s := newSQLiteScene(t)
	by := writer(s.editor)
	for path, tt := range map[string]struct{ body, at string }{
		s.folderURL(s.inner): {`{"data":{"type":"folders","id":"` + folderURN(s.inner) +
			`","attributes":{"createTime":"2020-01-01T00:00:00Z"}}}`, "/data/attributes/createTime"},
		s.folderURL(s.inner) + "?": {`{"data":{"type":"folders","id":"` + folderURN(s.inner) +
			`","attributes":{"nme":"x"}}}`, "/data/attributes/nme"},
		s.folderURL(s.innermost): {`{"data":{"type":"folders","id":"` + folderURN(s.innermost) +
			`","attributes":{"extension":{"type":"folders:a:B"}}}}`, "/data/attributes/extension/type"},
		s.folderURL(s.innermost) + "?": {`{"data":{"type":"folders","id":"` + folderURN(s.innermost) +
			`","attributes":{"displayName":"x"}}}`, "/data/attributes/displayName"},
		s.folderURL(s.middle): {`{"data":{"type":"folders","id":"` + folderURN(s.middle) +
			`","relationships":{"contents":{"data":[]}}}}`, "/data/relationships/contents/data"},
		s.itemURL(s.report): {`{"data":{"type":"items","id":"` + itemURN(s.report) +
			`","relationships":{"tip":{"data":{"type":"versions","id":"` + versionURN(s.report, "1") + `"}}}}}`,
			"/data/relationships/tip/data"},
		s.itemURL(s.report) + "?": {`{"data":{"type":"items","id":"` + itemURN(s.report) +
			`","attributes":{"reservedUserId":"` + s.viewer + `"}}}`, "/data/attributes/reservedUserId"},
	} {
		s.refuses(patches, by, path, tt.body, 403, "UNSUPPORTED_CHANGE", pointer(tt.at))
	}
	refs := newVersion(s.report, "x", s.stored())
	refs = with(refs, object{"data": []any{object{"type": "versions", "id": versionURN(s.deepItem, "1")}}}, "data",
		"relationships", "refs")
	s.refuses(posts, by, s.versions(), refs, 403, "UNSUPPORTED_CREATION", pointer("/data/relationships/refs/data"))
	s.creates(by, s.versions(), with(refs, []any{}, "data", "relationships", "refs", "data"))
}

func TestWhatDoesNotExistIs404(t *testing.T) { // 7.2.3.5: the resource, or one that it leads to
	s := newSQLiteScene(t)
	by, unknown := writer(s.editor), strings.Repeat("A", 22)
	s.refuses(patches, by, s.folderURL(unknown), patchOf("folders", folderURN(unknown), object{"name": "x"}), 404,
		"FOLDER_NOT_FOUND", nil)
	s.refuses(patches, by, s.folderURL(s.inner), moveOf("folders", folderURN(s.inner), unknown), 404, "FOLDER_NOT_FOUND",
		pointer("/data/relationships/parent/data/id"))
}

func TestRulesOfTheServerThatAChangeBreaksAre409(t *testing.T) { // 7.2.3.6
	s := newSQLiteScene(t)
	by := writer(s.editor)
	e := s.refuses(patches, by, s.itemURL(s.report),
		patchOf("items", itemURN(s.report), object{"displayName": "reserved.txt"}), 409, "NAME_TAKEN",
		pointer("/data/attributes/displayName"))
	if e.Detail == "" {
		t.Error("nothing to recognise the source by")
	}
}

func TestUnknownMembersOfADocumentAreIgnored(t *testing.T) { // 5
	s := newSQLiteScene(t)
	s.eachChange(func(o writing, path string, body object) {
		body = with(with(body, object{"anything": 1}, "meta"), "x", "unknown")
		body = with(with(body, object{"workflow": "w"}, "data", "meta"), []any{}, "data", "unknown")
		if got := s.send(o.method, writer(s.editor), path, body); got.Status != o.done {
			t.Errorf("%s: %d %s", o.name, got.Status, got.Body)
		}
	})
}

func TestAnswersToChangesAreDocumentsLikeAnyOther(t *testing.T) { // 4, 5
	s := newSQLiteScene(t)
	s.eachChange(func(o writing, path string, body object) {
		fields := map[string]string{
			"folder": "?fields[folders]=name", "item": "?fields[items]=displayName&fields[versions]=name",
			"version": "?fields[versions]=name",
			"storage": "?fields[objects]=name", "storage for a version": "?fields[objects]=name",
		}
		_, kind, _ := strings.Cut(o.name, " ")
		got := s.send(o.method, writer(s.editor), path+fields[kind], body, "Accept", apiType)
		if got.Status != o.done {
			t.Errorf("%s: %d %s", o.name, got.Status, got.Body)
			return
		}
		var top map[string]json.RawMessage
		s.Must(json.Unmarshal(got.Body, &top))
		if top["jsonapi"] == nil || top["data"] == nil || top["errors"] != nil ||
			got.Header.Get("Content-Type") != apiType || len(got.one(t).Attributes) != 1 || got.one(t).Relationships != nil {
			t.Errorf("%s: %s", o.name, got.Body)
		}
		s.refuses(o.method, writer(s.editor), path+"?include=parent", body, 400, "UNKNOWN_PARAMETER", parameter("include"))
	})
}
