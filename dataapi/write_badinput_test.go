package dataapi_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
)

// badBody is a document that can't be, and where it can't.
type badBody struct {
	method, path string
	body         any
	code         string
	pointer      string // empty: none
}

func (s *scene) badFolders() []badBody {
	good := newFolder(s.inner, "x")
	path := s.folders()
	attributes := func(value any, way ...string) object {
		return with(good, value, append([]string{"data", "attributes"}, way...)...)
	}
	parent := func(value any, way ...string) object {
		return with(good, value, append([]string{"data", "relationships", "parent"}, way...)...)
	}
	const atParent, atExtension = "/data/relationships/parent", "/data/attributes/extension"
	return []badBody{
		{posts, path, "", "INVALID_REQUEST", ""},
		{posts, path, "{", "INVALID_REQUEST", ""},
		{posts, path, `{"data":{"type":"folders","type":"folders"}}`, "INVALID_REQUEST", ""},
		{posts, path, `{"data":{"type":"folders"}} {}`, "INVALID_REQUEST", ""},
		{posts, path, "{\"data\":{\"type\":\"folders\xff\"}}", "INVALID_REQUEST", ""},
		{posts, path, `{"data":{"type":"a\u0000"}}`, "INVALID_REQUEST", ""},
		{posts, path, strings.Repeat(`{"data":`, 40) + "1" + strings.Repeat("}", 40), "INVALID_REQUEST", ""},
		{posts, path, "[]", "BAD_INPUT", ""},
		{posts, path, "null", "BAD_INPUT", ""},
		{posts, path, "{}", "BAD_INPUT", ""},
		{posts, path, with(good, null, "data"), "BAD_INPUT", "/data"},
		{posts, path, with(good, []any{good["data"]}, "data"), "BAD_INPUT", "/data"},
		{posts, path, with(good, "1.0", "jsonapi"), "BAD_INPUT", "/jsonapi"},
		{posts, path, with(good, nil, "data", "type"), "BAD_INPUT", "/data"},
		{posts, path, with(good, "items", "data", "type"), "BAD_INPUT", "/data/type"},
		{posts, path, with(good, 7, "data", "type"), "BAD_INPUT", "/data/type"},
		{posts, path, with(good, "x", "data", "attributes"), "BAD_INPUT", "/data/attributes"},
		{posts, path, with(good, nil, "data", "attributes"), "BAD_INPUT", "/data"},
		{posts, path, attributes(nil, "name"), "BAD_INPUT", "/data/attributes"},
		{posts, path, attributes(null, "name"), "BAD_INPUT", "/data/attributes/name"},
		{posts, path, attributes(7, "name"), "BAD_INPUT", "/data/attributes/name"},
		{posts, path, attributes([]any{"x"}, "name"), "BAD_INPUT", "/data/attributes/name"},
		{posts, path, attributes("x", "extension"), "BAD_INPUT", atExtension},
		{posts, path, attributes(7, "extension", "type"), "BAD_INPUT", atExtension + "/type"},
		{posts, path, attributes("items:portico.core:File", "extension", "type"), "BAD_INPUT", atExtension + "/type"},
		{posts, path, attributes("folders", "extension", "type"), "BAD_INPUT", atExtension + "/type"},
		{posts, path, attributes("folders:a b:C", "extension", "type"), "BAD_INPUT", atExtension + "/type"},
		{posts, path, attributes("folders:a:"+strings.Repeat("C", 200), "extension", "type"), "BAD_INPUT",
			atExtension + "/type"},
		{posts, path, attributes("one", "extension", "version"), "BAD_INPUT", atExtension + "/version"},
		{posts, path, attributes(strings.Repeat("1", 100), "extension", "version"), "BAD_INPUT", atExtension + "/version"},
		{posts, path, attributes("1.0."+strings.Repeat("1", 100), "extension", "version"), "BAD_INPUT",
			atExtension + "/version"},
		{posts, path, attributes(1.0, "extension", "version"), "BAD_INPUT", atExtension + "/version"},
		{posts, path, attributes([]any{}, "extension", "data"), "BAD_INPUT", atExtension + "/data"},
		{posts, path, attributes(object{"a": strings.Repeat("x", 17<<10)}, "extension", "data"), "BAD_INPUT",
			atExtension + "/data"},
		{posts, path, attributes(json.Number("1e309"), "extension", "data", "a"), "BAD_INPUT", atExtension + "/data/a"},
		{posts, path, attributes(json.Number("-1e400"), "extension", "data", "a"), "BAD_INPUT", atExtension + "/data/a"},
		{posts, path, attributes(json.Number("1e999999"), "extension", "data", "a", "b"), "BAD_INPUT",
			atExtension + "/data/a/b"},
		{posts, path, attributes([]any{1, json.Number("1e-400")}, "extension", "data", "a"), "BAD_INPUT",
			atExtension + "/data/a/1"},
		{posts, path, attributes(json.Number(strings.Repeat("1", 400)), "extension", "data", "a"), "BAD_INPUT",
			atExtension + "/data/a"},
		{posts, path, with(good, nil, "data", "relationships"), "BAD_INPUT", "/data"},
		{posts, path, with(good, []any{}, "data", "relationships"), "BAD_INPUT", "/data/relationships"},
		{posts, path, parent(nil), "BAD_INPUT", "/data/relationships"},
		{posts, path, parent(null), "BAD_INPUT", atParent},
		{posts, path, parent("x"), "BAD_INPUT", atParent},
		{posts, path, parent(nil, "data"), "BAD_INPUT", atParent},
		{posts, path, parent(null, "data"), "BAD_INPUT", atParent + "/data"},
		{posts, path, parent([]any{object{"type": "folders", "id": folderURN(s.inner)}}, "data"),
			"BAD_INPUT", atParent + "/data"},
		{posts, path, parent("items", "data", "type"), "BAD_INPUT", atParent + "/data/type"},
		{posts, path, parent(nil, "data", "id"), "BAD_INPUT", atParent + "/data"},
		{posts, path, parent(7, "data", "id"), "BAD_INPUT", atParent + "/data/id"},
		{posts, path, parent(s.inner, "data", "id"), "MALFORMED_ID", atParent + "/data/id"},
		{posts, path, parent(itemURN(s.report), "data", "id"), "MALFORMED_ID", atParent + "/data/id"},
		{posts, path, parent(strings.ReplaceAll(folderURN(s.inner), ":", "%3A"), "data", "id"), "MALFORMED_ID",
			atParent + "/data/id"},
	}
}

func (s *scene) badItems() []badBody {
	good := newItem(s.inner, "x", s.stored())
	path := s.items()
	first := good["included"].([]any)[0].(object)
	included := func(value any, way ...string) object {
		return with(good, []any{with(first, value, way...)}, "included")
	}
	const atVersion, atTip = "/included/0", "/data/relationships/tip"
	return []badBody{
		{posts, path, with(good, "folders", "data", "type"), "BAD_INPUT", "/data/type"},
		{posts, path, with(good, 7, "data", "attributes", "displayName"), "BAD_INPUT", "/data/attributes/displayName"},
		{posts, path, with(good, "a/b", "data", "attributes", "displayName"), "BAD_INPUT", "/data/attributes/displayName"},
		{posts, path, with(good, "versions:a:File", "data", "attributes", "extension", "type"), "BAD_INPUT",
			"/data/attributes/extension/type"},
		{posts, path, with(good, nil, "data", "relationships", "parent"), "BAD_INPUT", "/data/relationships"},
		{posts, path, with(good, nil, "data", "relationships", "tip"), "BAD_INPUT", "/data/relationships"},
		{posts, path, with(good, "2", "data", "relationships", "tip", "data", "id"), "BAD_INPUT", atTip + "/data/id"},
		{posts, path, with(good, "items", "data", "relationships", "tip", "data", "type"), "BAD_INPUT", atTip + "/data/type"},
		{posts, path, with(good, nil, "included"), "BAD_INPUT", ""},
		{posts, path, with(good, first, "included"), "BAD_INPUT", "/included"},
		{posts, path, with(good, []any{}, "included"), "BAD_INPUT", atTip + "/data/id"},
		{posts, path, with(good, []any{7}, "included"), "BAD_INPUT", atVersion},
		{posts, path, included("items", "type"), "BAD_INPUT", atTip + "/data/id"},
		{posts, path, included("7", "id"), "BAD_INPUT", atTip + "/data/id"},
		{posts, path, included(nil, "attributes", "name"), "BAD_INPUT", atVersion + "/attributes"},
		{posts, path, included("a?b", "attributes", "name"), "BAD_INPUT", atVersion + "/attributes/name"},
		{posts, path, included("items:a:File", "attributes", "extension", "type"), "BAD_INPUT",
			atVersion + "/attributes/extension/type"},
		{posts, path, included(nil, "relationships", "storage"), "BAD_INPUT", atVersion + "/relationships"},
		{posts, path, included(nil, "relationships"), "BAD_INPUT", atVersion},
		{posts, path, included("versions", "relationships", "storage", "data", "type"), "BAD_INPUT",
			atVersion + "/relationships/storage/data/type"},
		{posts, path + "?copyFrom=x", copyOf(s.inner, "x"), "MALFORMED_ID", ""},
		{posts, path + "?copyFrom=", copyOf(s.inner, "x"), "BAD_INPUT", ""},
		{posts, path + copyFrom(s.report, "1"), with(copyOf(s.inner, "x"), nil, "data", "relationships", "parent"),
			"BAD_INPUT", "/data/relationships"},
		{posts, path + copyFrom(s.report, "1"), with(copyOf(s.inner, "x"), "9", "data", "relationships", "tip", "data",
			"id"), "BAD_INPUT", atTip + "/data/id"},
	}
}

func (s *scene) badVersionsAndPatches() []badBody {
	good := newVersion(s.report, "x", s.stored())
	path := s.versions()
	folder, item, version := s.folderURL(s.inner), s.itemURL(s.report), s.versionURL(s.report, "1")
	ofFolder := patchOf("folders", folderURN(s.inner), object{"name": "x"})
	ofItem := patchOf("items", itemURN(s.report), object{"displayName": "x"})
	ofVersion := patchOf("versions", versionURN(s.report, "1"), object{"name": "x"})
	return []badBody{
		{posts, path, with(good, "items", "data", "type"), "BAD_INPUT", "/data/type"},
		{posts, path, with(good, nil, "data", "attributes", "name"), "BAD_INPUT", "/data/attributes"},
		{posts, path, with(good, nil, "data", "relationships", "item"), "BAD_INPUT", "/data/relationships"},
		{posts, path, with(good, nil, "data", "relationships", "storage"), "BAD_INPUT", "/data/relationships"},
		{posts, path, with(good, json.Number("1e400"), "data", "attributes", "extension", "data", "a"), "BAD_INPUT",
			"/data/attributes/extension/data/a"},
		{posts, path, with(good, s.report, "data", "relationships", "item", "data", "id"), "MALFORMED_ID",
			"/data/relationships/item/data/id"},
		{posts, path, with(good, "folders", "data", "relationships", "item", "data", "type"), "BAD_INPUT",
			"/data/relationships/item/data/type"},
		{posts, path, with(good, "items:portico.core:File", "data", "attributes", "extension", "type"), "BAD_INPUT",
			"/data/attributes/extension/type"},

		{patches, folder, with(ofFolder, nil, "data", "id"), "BAD_INPUT", "/data"},
		{patches, folder, with(ofFolder, 7, "data", "id"), "BAD_INPUT", "/data/id"},
		{patches, folder, with(ofFolder, folderURN(s.outer), "data", "id"), "BAD_INPUT", "/data/id"},
		{patches, folder, with(ofFolder, "items", "data", "type"), "BAD_INPUT", "/data/type"},
		{patches, folder, with(ofFolder, null, "data", "attributes", "name"), "BAD_INPUT", "/data/attributes/name"},
		{patches, folder, with(ofFolder, "true", "data", "attributes", "hidden"), "BAD_INPUT", "/data/attributes/hidden"},
		{patches, folder, with(ofFolder, "x", "data", "attributes", "extension"), "BAD_INPUT", "/data/attributes/extension"},
		{patches, folder, with(ofFolder, "x", "data", "attributes", "extension", "data"), "BAD_INPUT",
			"/data/attributes/extension/data"},
		{patches, folder, with(ofFolder, object{"a": json.Number("1e400")}, "data", "attributes", "extension", "data"),
			"BAD_INPUT", "/data/attributes/extension/data/a"},
		{patches, item, with(ofItem, object{"a": json.Number("1e400")}, "data", "attributes", "extension", "data"),
			"BAD_INPUT", "/data/attributes/extension/data/a"},
		{patches, folder, with(ofFolder, object{}, "data", "relationships", "parent"), "BAD_INPUT",
			"/data/relationships/parent"},
		{patches, folder, with(ofFolder, null, "data", "relationships", "parent", "data"), "BAD_INPUT",
			"/data/relationships/parent/data"},
		{patches, folder, with(ofFolder, leads("items", itemURN(s.report)), "data", "relationships", "parent"), "BAD_INPUT",
			"/data/relationships/parent/data/type"},
		{patches, item, with(ofItem, itemURN(s.plan), "data", "id"), "BAD_INPUT", "/data/id"},
		{patches, item, with(ofItem, "folders", "data", "type"), "BAD_INPUT", "/data/type"},
		{patches, item, with(ofItem, "a|b", "data", "attributes", "displayName"), "BAD_INPUT",
			"/data/attributes/displayName"},
		{patches, item, with(ofItem, 1, "data", "attributes", "reserved"), "BAD_INPUT", "/data/attributes/reserved"},
		{patches, item, with(ofItem, null, "data", "attributes", "hidden"), "BAD_INPUT", "/data/attributes/hidden"},
		{patches, version, with(ofVersion, versionURN(s.report, "2"), "data", "id"), "BAD_INPUT", "/data/id"},
		{patches, version, with(ofVersion, strings.Replace(versionURN(s.report, "1"), "?", "%3F", 1), "data", "id"),
			"BAD_INPUT", "/data/id"},
		{patches, version, with(ofVersion, object{}, "data", "attributes", "name"), "BAD_INPUT", "/data/attributes/name"},
	}
}

// Rules: DATA-70, DATA-90
func TestDocumentsThatCannotBeAreRefusedByPointerAndChangeNothing(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		s := newScene(w)
		by := writer(s.editor)
		by.token = s.token(by)
		all := append(append(s.badFolders(), s.badItems()...), s.badVersionsAndPatches()...)
		before := s.snapshot()
		for _, bad := range all {
			got := s.send(bad.method, by, bad.path, bad.body)
			if got.Status != http.StatusBadRequest {
				t.Errorf("%s %s %v: %d %s", bad.method, bad.path, bad.body, got.Status, got.Body)
				continue
			}
			e := got.doc(t).Errors[0]
			if e.Code != bad.code || e.Source["pointer"] != bad.pointer || e.Detail == "" {
				t.Errorf("%s %v\n%s\nwant %s at %s", bad.method, bad.body, got.Body, bad.code, bad.pointer)
			}
		}
		if s.snapshot() != before {
			t.Error("something has changed")
		}
		for _, o := range everyEndpoint() {
			if got := s.run(o, by, thing{"Inner", s.inner, s.deepItem}); got.Status != o.done {
				t.Errorf("%s with a document that can be: %d %s", o.name, got.Status, got.Body)
			}
		}
	})
}

func TestAllThatIsWrongWithADocumentIsToldAtOnce(t *testing.T) {
	s := newSQLiteScene(t)
	body := `{"data":{"type":"folders","attributes":{"name":"a/b","extension":{"type":7}},"relationships":{"parent":{"data":{"type":"items"}}}}}`
	got := s.send(posts, writer(s.editor), s.folders(), body)
	var places []string
	for _, e := range got.doc(t).Errors {
		places = append(places, e.Source["pointer"])
	}
	want := "/data/relationships/parent/data/type /data/relationships/parent/data /data/attributes/name /data/attributes/extension/type"
	if strings.Join(places, " ") != want || got.Status != http.StatusBadRequest {
		t.Errorf("%d %s", got.Status, got.Body)
	}
}

// Rule: DATA-90
func TestNumbersAreThoseThatEveryReaderCanCompare(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		s := newScene(w)
		by := writer(s.editor)
		for i, number := range []string{"0", "-0", "0e999999", "0.000", "1.7976931348623157e308", "5e-324",
			"0." + strings.Repeat("3", 9000), "123456789012345678901234567890"} {
			body := with(newFolder(s.inner, s.fresh()), object{"n": json.Number(number), "i": i}, "data",
				"attributes", "extension", "data")
			s.creates(by, s.folders(), body)
		}
		for query, want := range map[string]int{
			"filter[extension.data.n]-gt=1e308": 1, "filter[extension.data.n]-lt=1": 6, "filter[extension.data.n]=0": 4,
		} {
			if got := s.ok(by, s.folderURL(s.inner)+"/contents?"+query).many(t); len(got) != want {
				t.Errorf("%s: %d, want %d", query, len(got), want)
			}
		}
	})
}
