package dataapi_test

import (
	"net/http"
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/portico-id/portico/storage"
)

// Rule: DATA-80
func TestAVersionIsAddedAndBecomesTheTip(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		s := newScene(w)
		got := s.creates(writer(s.editor), s.versions(), newVersion(s.report, "report v4.docx", s.stored()))
		made := got.one(t)
		if made.ID != versionURN(s.report, "4") || got.Header.Get("Location") != s.URL+s.versionURL(s.report, "4") ||
			made.Links["self"].Href != got.Header.Get("Location") {
			t.Errorf("%s at %s", made.ID, got.Header.Get("Location"))
		}
		if made.Attributes["versionNumber"] != 4.0 || made.Attributes["fileType"] != "docx" ||
			made.Attributes["storageSize"] != 3.0 {
			t.Errorf("%v", made.Attributes)
		}
		read := s.ok(as(s.editor), got.Header.Get("Location"))
		if diff := cmp.Diff(read.one(t), made); diff != "" {
			t.Errorf("read again (-read +created):\n%s", diff)
		}
		item := s.ok(as(s.editor), s.itemURL(s.report)).one(t)
		if diff := cmp.Diff([]resource{item}, got.doc(t).Included); diff != "" {
			t.Errorf("the item (-read +included):\n%s", diff)
		}
		if item.Relationships["tip"].Data.ID != made.ID {
			t.Errorf("the tip is %s", item.Relationships["tip"].Data.ID)
		}
		if kinds := s.newest(1); kinds[0] != storage.EventVersionAdded {
			t.Errorf("events: %v", kinds)
		}
	})
}

var guid = regexp.MustCompile(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)

// Rule: DATA-81
func TestAFileIsDeletedByAVersionAndRestoredByACopy(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		s := newScene(w)
		by := writer(s.editor)
		publisher := s.User("COLLABORATORCOLL")
		s.grant(storage.FolderGrant{FolderID: s.outer, UserID: publisher, Level: storage.LevelCollaborate})
		atItem := pointer("/data/relationships/item/data/id")
		s.refuses(http.MethodPost, writer(publisher), s.versions(), deletion(s.report), 403, "NO_PERMISSION", atItem)
		got := s.creates(by, s.versions(), deletion(s.report))
		made, item := got.one(t), got.doc(t).Included[0]
		extension := made.Attributes["extension"].(map[string]any)
		name, _ := made.Attributes["name"].(string)
		if !guid.MatchString(name) || extension["data"].(map[string]any)["originalName"] != "report.txt" ||
			extension["type"] != "versions:portico.core:Deleted" {
			t.Errorf("%v", made.Attributes)
		}
		if item.Attributes["hidden"] != true || item.Attributes["displayName"] != "report.txt" ||
			made.Relationships["storage"].Data != nil {
			t.Errorf("%s", got.Body)
		}
		if diff := cmp.Diff([]string{storage.EventVersionAdded, storage.EventItemHidden}, s.newest(2)); diff != "" {
			t.Errorf("events (-want +got):\n%s", diff)
		}
		s.refused(as(s.viewer), s.itemURL(s.report), 404, "ITEM_NOT_FOUND", nil)
		// Deleted, it takes no versions but copies from before.
		s.refuses(http.MethodPost, by, s.versions(), deletion(s.report), 409, "ITEM_HIDDEN", atItem)
		s.refuses(http.MethodPost, by, s.versions(), newVersion(s.report, "x", s.stored()), 409, "ITEM_HIDDEN", atItem)
		restore := object{"data": object{"type": "versions"}} // all that the tutorials send
		s.refuses(http.MethodPost, by, s.versions()+copyFrom(s.report, "4"), restore, 400, "BAD_INPUT", parameter("copyFrom"))
		s.refuses(http.MethodPost, writer(publisher), s.versions()+copyFrom(s.report, "3"), restore, 404,
			"ITEM_NOT_FOUND", parameter("copyFrom"))
		other := uidOf(s.creates(by, s.items(), newItem(s.outer, "report.txt", s.stored())).one(t)) // its name was free
		s.refuses(http.MethodPost, by, s.versions()+copyFrom(s.report, "3"), restore, 409,
			"NAME_TAKEN", parameter("copyFrom"))
		s.changes(by, s.itemURL(other), patchOf("items", itemURN(other), object{"displayName": "other.txt"}))
		got = s.creates(by, s.versions()+copyFrom(s.report, "3"), restore)
		made, item = got.one(t), got.doc(t).Included[0]
		if made.ID != versionURN(s.report, "5") || made.Attributes["name"] != "report.txt" ||
			item.Attributes["hidden"] != false {
			t.Errorf("%s", got.Body)
		}
		s.ok(as(s.viewer), s.itemURL(s.report))
		// Strict clients send a name all the same.
		named := with(deletion(s.report), "any name", "data", "attributes", "name")
		if got := s.creates(by, s.versions(), named).one(t).Attributes["name"].(string); !guid.MatchString(got) {
			t.Errorf("the name is %s", got)
		}
	})
}

// Rule: DATA-81
func TestDeletionsThatContradictThemselvesAreRefused(t *testing.T) {
	s := newSQLiteScene(t)
	by := writer(s.editor)
	atType := "/attributes/extension/type"
	withBytes := with(deletion(s.report), leads("objects", s.stored()), "data", "relationships", "storage")
	s.refuses(http.MethodPost, by, s.versions(), withBytes, 400, "BAD_INPUT", pointer("/data/relationships/storage"))
	s.refuses(http.MethodPost, by, s.versions()+copyFrom(s.report, "1"), deletion(s.report), 400, "BAD_INPUT",
		pointer("/data"+atType))
	item := newItem(s.inner, "x", s.stored())
	item["included"] = []any{with(item["included"].([]any)[0].(object), "versions:portico.core:Deleted",
		"attributes", "extension", "type")}
	s.refuses(http.MethodPost, by, s.items(), item, 400, "BAD_INPUT", pointer("/included/0"+atType))
}

// Rule: DATA-76
func TestAVersionOfAnotherItemIsCopied(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		s := newScene(w)
		by := writer(s.editor)
		stored := s.stored()
		source := uidOf(s.creates(by, s.items(), newItem(s.middle, "source.pdf", stored)).one(t))
		body := data("versions", object{"relationships": object{"item": leads("items", itemURN(s.report))}})
		made := s.creates(by, s.versions()+copyFrom(source, "1"), body).one(t)
		if made.ID != versionURN(s.report, "4") || made.Attributes["name"] != "source.pdf" ||
			made.Relationships["storage"].Data.ID != stored {
			t.Errorf("%+v", made)
		}
		named := with(body, "named.pdf", "data", "attributes", "name")
		got := s.creates(by, s.versions()+copyFrom(source, "1"), named)
		if got.one(t).Attributes["name"] != "named.pdf" || got.doc(t).Included[0].Attributes["displayName"] != "report.txt" {
			t.Errorf("%s", got.Body)
		}
		s.refuses(http.MethodPost, by, s.versions(), named, 400, "BAD_INPUT",
			pointer("/data/relationships")) // without copyFrom it needs bytes
	})
}

// Rule: DATA-83
func TestOfAVersionTheNameAloneChanges(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		s := newScene(w)
		by := writer(s.editor)
		path, urn := s.versionURL(s.report, "2"), versionURN(s.report, "2")
		got := s.changes(by, path, patchOf("versions", urn, object{"name": "renamed.txt"}))
		if got.one(t).Attributes["name"] != "renamed.txt" {
			t.Errorf("%s", got.Body)
		}
		if diff := cmp.Diff(s.ok(as(s.editor), path).one(t), got.one(t)); diff != "" {
			t.Errorf("read again (-read +changed):\n%s", diff)
		}
		if item := s.ok(as(s.editor), s.itemURL(s.report)).one(t); item.Attributes["displayName"] != "report.txt" {
			t.Errorf("the item is called %v", item.Attributes["displayName"])
		}
		if kinds := s.newest(1); kinds[0] != storage.EventVersionNamed {
			t.Errorf("events: %v", kinds)
		}
		before := s.snapshot()
		s.changes(by, path, patchOf("versions", urn, object{"name": "renamed.txt"}))
		read := s.ok(as(s.editor), path).one(t)
		s.changes(by, path, data("versions", object{"id": urn, "attributes": read.Attributes,
			"relationships": read.Relationships}))
		s.changes(by, path, data("versions", object{"id": urn}))
		if s.snapshot() != before {
			t.Error("what is so already was changed again")
		}
		for name, value := range map[string]any{"versionNumber": 7, "mimeType": "text/html", "storageSize": 1,
			"displayName": "x", "extension": object{"data": object{"a": 1}}} {
			at := "/data/attributes/" + name
			if name == "extension" {
				at = "/data/attributes/extension"
			}
			s.refuses(http.MethodPatch, by, path, patchOf("versions", urn, object{name: value}), 403,
				"UNSUPPORTED_CHANGE", pointer(at))
		}
		moved := data("versions", object{"id": urn, "relationships": object{"item": leads("items", itemURN(s.deepItem))}})
		s.refuses(http.MethodPatch, by, path, moved, 403, "UNSUPPORTED_CHANGE", pointer("/data/relationships/item/data"))
	})
}
