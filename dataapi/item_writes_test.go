package dataapi_test

import (
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/portico-id/portico/dataapi/urn"
	"github.com/portico-id/portico/storage"
)

// Rule: DATA-74
func TestAnItemIsCreatedWithItsFirstVersionFromStoredBytes(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		s := newScene(w)
		stored := s.stored()
		body := newItem(s.middle, "Plan.PDF", stored)
		got := s.creates(writer(s.editor), s.items(), body)
		made := got.one(t)
		included := got.doc(t).Included
		if len(included) != 1 || included[0].ID != versionURN(uidOf(made), "1") ||
			made.Relationships["tip"].Data.ID != included[0].ID {
			t.Fatalf("%s", got.Body)
		}
		if got.Header.Get("Location") != s.URL+s.itemURL(uidOf(made)) {
			t.Errorf("Location: %s", got.Header.Get("Location"))
		}
		read := s.ok(as(s.editor), got.Header.Get("Location"))
		if diff := cmp.Diff(string(read.Body), string(got.Body)); diff != "" {
			t.Errorf("read again (-read +created):\n%s", diff)
		}
		a := included[0].Attributes
		want := map[string]any{"name": "Plan.PDF", "versionNumber": 1.0, "mimeType": "application/pdf",
			"fileType": "pdf", "storageSize": 3.0}
		for name, value := range want {
			if a[name] != value {
				t.Errorf("%s of the version is %v, want %v", name, a[name], value)
			}
		}
		if included[0].Relationships["storage"].Data.ID != stored {
			t.Errorf("storage: %+v", included[0].Relationships["storage"])
		}
		if kinds := s.newest(1); kinds[0] != storage.EventItemCreated {
			t.Errorf("events: %v", kinds)
		}
	})
}

func TestTheItemMayHaveAnotherNameThanItsVersionAndTypesOfItsOwn(t *testing.T) {
	s := newSQLiteScene(t)
	body := newItem(s.middle, "v1.dwg", s.stored())
	body = with(body, object{"displayName": "Ground floor", "extension": object{"type": "items:other.core:Document"}},
		"data", "attributes")
	body["included"] = []any{with(body["included"].([]any)[0].(object), nil, "attributes", "extension")}
	got := s.creates(writer(s.editor), s.items(), body)
	version := got.doc(t).Included[0]
	kind := func(r resource) any { return r.Attributes["extension"].(map[string]any)["type"] }
	if got.one(t).Attributes["displayName"] != "Ground floor" || version.Attributes["name"] != "v1.dwg" ||
		kind(got.one(t)) != "items:other.core:Document" || kind(version) != "versions:other.core:Document" {
		t.Errorf("%s", got.Body)
	}
	named := with(newItem(s.middle, "only here.txt", s.stored()), nil, "data", "attributes")
	if got := s.creates(writer(s.editor), s.items(), named).one(t); got.Attributes["displayName"] != "only here.txt" ||
		kind(got) != "items:portico.core:File" {
		t.Errorf("%+v", got)
	}
}

// Rule: DATA-75
func TestBytesMustBeStoredInTheProjectAndBelongToNoOtherItem(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		s := newScene(w)
		space := urn.Space("portico")
		by := writer(s.editor)
		taken := s.stored()
		first := uidOf(s.creates(by, s.items(), newItem(s.middle, "first", taken)).one(t))
		for name, tt := range map[string]struct {
			object string
			status int
			code   string
		}{
			"unknown":            {space.Object("wip", "nothing"), 404, "OBJECT_ABSENT"},
			"of another project": {space.Object("wip", s.reservedObject(s.bridge.ID)), 404, "OBJECT_ABSENT"},
			"not uploaded":       {space.Object("wip", s.reservedObject(s.tower.ID)), 400, "OBJECT_PENDING"},
			"of another item":    {taken, 409, "OBJECT_USED"},
			"no URN":             {"wip/a.txt", 400, "MALFORMED_ID"},
			"no key":             {"urn:portico:os.object:wip", 400, "MALFORMED_ID"},
			"another URN":        {folderURN(s.middle), 400, "MALFORMED_ID"},
		} {
			t.Log(name)
			s.refuses(http.MethodPost, by, s.items(), newItem(s.middle, "second", tt.object), tt.status, tt.code,
				pointer("/included/0/relationships/storage/data/id"))
			s.refuses(http.MethodPost, by, s.versions(), newVersion(s.report, "second", tt.object), tt.status, tt.code,
				pointer("/data/relationships/storage/data/id"))
		}
		s.creates(by, s.versions(), newVersion(first, "the same bytes again", taken))
	})
}

// Rule: DATA-76
func TestAVersionIsCopiedIntoANewItem(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		s := newScene(w)
		by := writer(s.editor)
		source := uidOf(s.creates(by, s.items(), newItem(s.middle, "source.pdf", s.stored())).one(t))
		from := s.items() + copyFrom(source, "1")
		bare := object{"data": object{"type": "items",
			"relationships": object{"parent": leads("folders", folderURN(s.inner))}}}
		for name, body := range map[string]object{
			"as the tutorials have it":  copyOf(s.inner, "tutorial.pdf"),
			"with nothing but a parent": bare,
			"with a name":               with(bare, object{"displayName": "named.pdf"}, "data", "attributes"),
			"with everything": with(newItem(s.inner, "everything.pdf", ""),
				[]any{object{"type": "versions", "id": "1", "attributes": object{"name": "everything.pdf"}}}, "included"),
			"with another type of items": with(with(bare, object{"type": "items:other:Thing"}, "data", "attributes",
				"extension"), "typed.pdf", "data", "attributes", "displayName"),
		} {
			got := s.creates(by, from, body)
			version := got.doc(t).Included[0]
			if version.Attributes["versionNumber"] != 1.0 || version.Attributes["storageSize"] != 3.0 ||
				version.Attributes["mimeType"] != "application/pdf" ||
				got.one(t).Relationships["parent"].Data.ID != folderURN(s.inner) {
				t.Errorf("%s: %s", name, got.Body)
			}
		}
		if got := names(s.ok(as(s.editor), s.folderURL(s.inner)+"/contents?filter[type]=items").many(t)); !cmp.Equal(got,
			[]string{"deep.txt", "everything.pdf", "named.pdf", "source.pdf", "tutorial.pdf", "typed.pdf"}) {
			t.Errorf("%v", got)
		}
		s.refuses(http.MethodPost, by, from, bare, 409, "NAME_TAKEN", pointer("/data/relationships/parent/data/id"))
		s.refuses(http.MethodPost, by, from, newItem(s.inner, "x", s.stored()), 400, "BAD_INPUT",
			pointer("/included/0/relationships/storage"))
	})
}

// Rule: DATA-77
func TestACopyTakesDownloadAtItsSourceAndStaysInTheProject(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		s := newScene(w)
		own := s.folder(s.files.ID, "Own")
		for _, user := range []string{s.viewer, s.machine} {
			s.grant(storage.FolderGrant{FolderID: own, UserID: user, Level: storage.LevelCollaborate})
		}
		target := s.item(own, "target.txt")
		next, _, _ := s.project(s.hub, "Next door")
		viewer, machine := writer(s.viewer), asWriter(caller{client: s.machineOwner, user: s.machine})
		s.creates(writer(s.editor), s.versions(), deletion(s.innerItem))
		for name, tt := range map[string]struct {
			by     caller
			source string
			status int
			code   string
		}{
			"only view":              {viewer, versionURN(s.deepItem, "1"), 403, "NO_PERMISSION"},
			"out of sight":           {viewer, versionURN(s.plan, "1"), 403, "NO_PERMISSION"},
			"hidden from the caller": {viewer, versionURN(s.buried, "1"), 404, "VERSION_NOT_FOUND"},
			"unknown version":        {machine, versionURN(s.deepItem, "2"), 404, "VERSION_NOT_FOUND"},
			"unknown item":           {machine, versionURN("AAAAAAAAAAAAAAAAAAAAAA", "1"), 404, "VERSION_NOT_FOUND"},
			"no version":             {machine, itemURN(s.deepItem), 400, "MALFORMED_ID"},
			"what marks a deletion":  {writer(s.editor), versionURN(s.innerItem, "2"), 400, "BAD_INPUT"},
		} {
			t.Log(name)
			from := "?copyFrom=" + url.QueryEscape(tt.source)
			into := copyOf(own, "copy")
			if name == "what marks a deletion" {
				into = copyOf(s.inner, "copy")
			} else {
				s.refuses(http.MethodPost, tt.by, s.versions()+from,
					data("versions", object{"relationships": object{"item": leads("items", itemURN(target))}}), tt.status,
					tt.code, parameter("copyFrom"))
			}
			s.refuses(http.MethodPost, tt.by, s.items()+from, into, tt.status, tt.code, parameter("copyFrom"))
		}
		s.creates(machine, s.items()+copyFrom(s.deepItem, "1"), copyOf(own, "copy")) // download
		s.creates(machine, s.versions()+copyFrom(s.deepItem, "1"),
			data("versions", object{"relationships": object{"item": leads("items", itemURN(target))}}))
		// Into another project there is no way.
		elsewhere := "/data/v1/projects/" + next.ID + "/items" + copyFrom(s.report, "1")
		s.refuses(http.MethodPost, writer(s.hubAdmin), elsewhere, copyOf(next.RootFolderID, "copy"), 400, "ROOT_FOLDER",
			pointer("/data/relationships/parent/data/id"))
		_, files, _ := s.project(s.hub, "Third")
		place, _, err := s.Store.FindFolder(t.Context(), storage.Caller{}, files.ProjectID, files.ID)
		s.Must(err)
		third := "/data/v1/projects/" + place.Project.ID + "/items" + copyFrom(s.report, "1")
		s.refuses(http.MethodPost, writer(s.hubAdmin), third, copyOf(files.ID, "copy"), 404,
			"VERSION_NOT_FOUND", parameter("copyFrom"))
	})
}

// Rule: DATA-78
func TestAnItemIsRenamedMovedHiddenAndRestored(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		s := newScene(w)
		by := writer(s.editor)
		body := with(moveOf("items", itemURN(s.report), s.inner), object{"displayName": "deep report.txt", "hidden": true,
			"extension": object{"data": object{"description": "gone"}}}, "data", "attributes")
		got := s.changes(by, s.itemURL(s.report), body)
		if a := got.one(t); a.Attributes["displayName"] != "deep report.txt" || a.Attributes["hidden"] != true ||
			a.Relationships["parent"].Data.ID != folderURN(s.inner) || len(got.doc(t).Included) != 1 {
			t.Errorf("%s", got.Body)
		}
		want := []string{storage.EventItemUpdated, storage.EventItemHidden, storage.EventItemMoved, storage.EventItemRenamed}
		if diff := cmp.Diff(want, s.newest(4)); diff != "" {
			t.Errorf("events, newest first (-want +got):\n%s", diff)
		}
		s.refused(as(s.viewer), s.itemURL(s.report), 404, "ITEM_NOT_FOUND", nil)
		before := s.snapshot()
		s.changes(by, s.itemURL(s.report), body)
		if s.snapshot() != before {
			t.Error("what is so already was changed again")
		}
		s.creates(by, s.items(), newItem(s.inner, "Deep Report.txt", s.stored()))
		restore := patchOf("items", itemURN(s.report), object{"hidden": false})
		s.refuses(http.MethodPatch, by, s.itemURL(s.report), restore, 409, "NAME_TAKEN", pointer("/data/attributes/hidden"))
		s.changes(by, s.itemURL(s.report), with(restore, "third.txt", "data", "attributes", "displayName"))
		s.ok(as(s.viewer), s.itemURL(s.report))
		s.refuses(http.MethodPatch, by, s.itemURL(s.report), moveOf("items", itemURN(s.report), s.hidden), 409,
			"PARENT_HIDDEN", pointer("/data/relationships/parent/data/id"))
		s.refuses(http.MethodPatch, writer(s.projAdmin), s.itemURL(s.report),
			moveOf("items", itemURN(s.report), s.tower.RootFolderID), 400, "ROOT_FOLDER",
			pointer("/data/relationships/parent/data/id"))
		read := s.ok(as(s.editor), s.itemURL(s.report)).one(t)
		before = s.snapshot()
		s.changes(by, s.itemURL(s.report), data("items",
			object{"id": read.ID, "attributes": read.Attributes, "relationships": read.Relationships}))
		if s.snapshot() != before {
			t.Error("an item that was sent as it was read has changed")
		}
	})
}

// Rule: DATA-79
func TestDocumentsAreRenamedByANewVersionAlone(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		s := newScene(w)
		by := writer(s.editor)
		body := with(newItem(s.middle, "sheet.pdf", s.stored()), "items:portico.core:Document", "data",
			"attributes", "extension", "type")
		body["included"] = []any{with(body["included"].([]any)[0].(object), "versions:portico.core:Document",
			"attributes", "extension", "type")}
		sheet := uidOf(s.creates(by, s.items(), body).one(t))
		rename := patchOf("items", itemURN(sheet), object{"displayName": "sheet 2.pdf"})
		s.refuses(http.MethodPatch, by, s.itemURL(sheet), rename, 403, "RENAME_BY_VERSION",
			pointer("/data/attributes/displayName"))
		s.refuses(http.MethodPatch, by, s.versionURL(sheet, "1"),
			patchOf("versions", versionURN(sheet, "1"), object{"name": "sheet 2.pdf"}), 403, "RENAME_BY_VERSION",
			pointer("/data/attributes/name"))
		for i, version := range []object{
			with(newVersion(sheet, "sheet 2.pdf", s.stored()), "versions:portico.core:Document", "data",
				"attributes", "extension", "type"),
			data("versions", object{"attributes": object{"name": "sheet 3.pdf"}}),
		} {
			path := s.versions()
			if i == 1 {
				path += copyFrom(sheet, "2") // the way out that the refusal tells
			}
			got := s.creates(by, path, version)
			name := got.one(t).Attributes["name"]
			if item := got.doc(t).Included[0]; item.Attributes["displayName"] != name {
				t.Errorf("the item is called %v, its version %v", item.Attributes["displayName"], name)
			}
		}
		// Files keep their name when bytes are added, and get another by a copy
		// of their own, or by a patch.
		got := s.creates(by, s.versions(), newVersion(s.report, "other.txt", s.stored()))
		if item := got.doc(t).Included[0]; item.Attributes["displayName"] != "report.txt" {
			t.Errorf("the file is called %v", item.Attributes["displayName"])
		}
		got = s.creates(by, s.versions()+copyFrom(s.report, "1"),
			data("versions", object{"attributes": object{"name": "copied.txt"}}))
		if item := got.doc(t).Included[0]; item.Attributes["displayName"] != "copied.txt" {
			t.Errorf("the file is called %v", item.Attributes["displayName"])
		}
		s.refuses(http.MethodPost, by, s.versions()+copyFrom(s.report, "1"),
			data("versions", object{"attributes": object{"name": "Reserved.txt"}}), 409, "NAME_TAKEN",
			pointer("/data/attributes/name"))
		s.changes(by, s.itemURL(s.report), patchOf("items", itemURN(s.report), object{"displayName": "patched.txt"}))
	})
}

// Rule: DATA-71
func TestAnItemIsReservedUntilItIsReleasedExpiresOrIsBroken(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		s := newScene(w)
		other := s.User("OTHEROTHEROTHERO")
		s.grant(storage.FolderGrant{FolderID: s.outer, UserID: other, Level: storage.LevelCollaborate})
		path := s.itemURL(s.report)
		reserved := func(flag bool) object { return patchOf("items", itemURN(s.report), object{"reserved": flag}) }
		rename := func() object { return patchOf("items", itemURN(s.report), object{"displayName": s.fresh()}) }
		atReserved := pointer("/data/attributes/reserved")

		s.changes(writer(other), path, reserved(false)) // nobody has it: nothing happens
		got := s.changes(writer(other), path, reserved(true)).one(t)
		if got.Attributes["reserved"] != true || got.Attributes["reservedUserId"] != other ||
			got.Attributes["reservedUserName"] != "Name of "+other {
			t.Errorf("%v", got.Attributes)
		}
		s.refuses(http.MethodPatch, writer(s.editor), path, rename(), 423, "RESERVED", nil)
		s.changes(writer(other), path, with(rename(), true, "data", "attributes", "reserved")) // as it is
		s.refuses(http.MethodPatch, writer(other), path, with(rename(), false, "data", "attributes", "reserved"), 400,
			"BAD_INPUT", atReserved)
		s.refuses(http.MethodPatch, writer(s.editor), path, reserved(false), 423, "RESERVED", nil)
		s.changes(writer(other), path, reserved(false))
		s.changes(writer(s.editor), path, rename())

		// It ends by itself; doing it again makes it longer.
		s.changes(writer(other), path, reserved(true))
		s.Wait(storage.ReservationLifetime / 2)
		s.changes(writer(other), path, reserved(true))
		s.Wait(storage.ReservationLifetime/2 + time.Hour)
		s.refuses(http.MethodPatch, writer(s.editor), path, rename(), 423, "RESERVED", nil)
		s.Wait(storage.ReservationLifetime)
		s.changes(writer(s.editor), path, rename())

		// Whoever may control the folder breaks it, and has to do that first.
		s.changes(writer(other), path, reserved(true))
		s.refuses(http.MethodPatch, writer(s.projAdmin), path, rename(), 423, "RESERVED", nil)
		s.changes(writer(s.projAdmin), path, reserved(false))
		if diff := cmp.Diff([]string{storage.EventItemReleased, storage.EventItemReserved}, s.newest(2)); diff != "" {
			t.Errorf("events (-want +got):\n%s", diff)
		}
		s.changes(writer(s.editor), path, rename())

		s.refuses(http.MethodPatch, writer(s.viewer), path, reserved(true), 403, "NO_PERMISSION", atReserved)
		s.refuses(http.MethodPatch, writer(""), path, reserved(true), 400, "BAD_INPUT", atReserved)
		s.changes(asWriter(caller{client: app, actAs: s.editor}), path, reserved(true))
		s.changes(writer(""), path, reserved(false)) // the app has every right here
		hidden := patchOf("items", itemURN(s.deleted), object{"reserved": true})
		s.refuses(http.MethodPatch, writer(s.editor), s.itemURL(s.deleted), hidden, 409, "ITEM_HIDDEN", atReserved)
	})
}

func TestTheUserOfANewItemMayBeNamedInTheQuery(t *testing.T) {
	s := newSQLiteScene(t)
	by := writer("")
	path := s.items() + "?x-user-id=" + s.editor
	if got := s.creates(by, path, newItem(s.inner, "a", s.stored())).one(t); got.Attributes["createUserId"] != s.editor {
		t.Errorf("created by %v", got.Attributes["createUserId"])
	}
	s.creates(by, path, newItem(s.inner, "b", s.stored()), "x-user-id", s.editor)
	s.refuses(http.MethodPost, by, path, newItem(s.inner, "c", s.stored()), 400, "BAD_INPUT",
		parameter("x-user-id"), "x-user-id", s.viewer)
	s.refuses(http.MethodPost, by, s.items()+"?x-user-id="+s.viewer, newItem(s.inner, "c", s.stored()), 403,
		"NO_PERMISSION", pointer("/data/relationships/parent/data/id"))
	s.refuses(http.MethodPost, by, s.items()+"?x-user-id=NOBODYNOBODYNOBO", newItem(s.inner, "c", s.stored()), 403,
		"USER_NOT_ALLOWED", headerNamed("X-User-Id"))
	s.refuses(http.MethodPost, by, s.items()+"?x-user-id=", newItem(s.inner, "c", s.stored()), 400, "BAD_INPUT",
		parameter("x-user-id"))
	s.refuses(http.MethodPost, by, s.folders()+"?x-user-id="+s.editor, newFolder(s.inner, "c"), 400, "UNKNOWN_PARAMETER",
		parameter("x-user-id"))
}
