package dataapi_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/portico-id/portico/storage"
)

// Rule: DATA-60
func TestAFolderIsCreatedWhereItsParentSays(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		s := newScene(w)
		body := with(newFolder(s.middle, "Drawings"), object{"description": "of all floors", "colour": []any{1, "two"}},
			"data", "attributes", "extension", "data")
		got := s.creates(writer(s.editor), s.folders(), body)
		made := got.one(t)
		if got.Header.Get("Location") != made.Links["self"].Href ||
			got.Header.Get("Location") != s.URL+s.folderURL(uidOf(made)) {
			t.Errorf("Location %s, self %s", got.Header.Get("Location"), made.Links["self"].Href)
		}
		read := s.ok(as(s.editor), got.Header.Get("Location"))
		if diff := cmp.Diff(read.one(t), made); diff != "" {
			t.Errorf("read again (-read +created):\n%s", diff)
		}
		if read.Header.Get("ETag") != got.Header.Get("ETag") {
			t.Errorf("tag %s, and %s when read", got.Header.Get("ETag"), read.Header.Get("ETag"))
		}
		a := made.Attributes
		extension := a["extension"].(map[string]any)["data"].(map[string]any)
		if a["name"] != "Drawings" || a["createUserId"] != s.editor || a["hidden"] != false ||
			extension["description"] != "of all floors" || extension["colour"] == nil {
			t.Errorf("attributes: %v", a)
		}
		if made.Relationships["parent"].Data.ID != folderURN(s.middle) {
			t.Errorf("parent: %v", made.Relationships["parent"])
		}
		if kinds := s.newest(1); kinds[0] != storage.EventFolderCreated {
			t.Errorf("events: %v", kinds)
		}
	})
}

// Rule: DATA-61
func TestAnEventNamesTheAppTheUserAndTheRequest(t *testing.T) {
	s := newSQLiteScene(t)
	for name, tt := range map[string]struct {
		by    caller
		actor storage.Actor
		want  storage.Caller
	}{
		"three-legged": {writer(s.editor), storage.Actor{Kind: storage.ActorUser, ID: s.editor},
			storage.Caller{ClientID: app, UserID: s.editor}},
		"two-legged": {writer(""), storage.Actor{Kind: storage.ActorClient, ID: app}, storage.Caller{ClientID: app}},
		"with x-user-id": {asWriter(caller{client: app, actAs: s.editor}),
			storage.Actor{Kind: storage.ActorClient, ID: app}, storage.Caller{ClientID: app, UserID: s.editor, OnBehalf: true}},
		"service account": {asWriter(caller{client: s.machineOwner, user: s.machine}),
			storage.Actor{Kind: storage.ActorUser, ID: s.machine}, storage.Caller{ClientID: s.machineOwner, UserID: s.machine}},
	} {
		s.grant(storage.FolderGrant{FolderID: s.inner, UserID: s.machine, Level: storage.LevelCollaborate})
		got := s.creates(tt.by, s.folders(), newFolder(s.inner, s.fresh()))
		events, _, err := s.Store.ListEvents(t.Context(),
			storage.EventQuery{Subject: uidOf(got.one(t))}, storage.PageRequest{})
		s.Must(err)
		if len(events) != 1 || events[0].Act.Actor != tt.actor || events[0].Caller != tt.want ||
			events[0].Act.RequestID != got.Header.Get("X-Request-Id") || events[0].Act.Address == "" {
			t.Errorf("%s: %+v", name, events)
		}
		if created := got.one(t).Attributes["createUserId"]; created != tt.want.UserID {
			t.Errorf("%s: created by %v", name, created)
		}
	}
}

// Rule: DATA-62
func TestNamesOfFoldersAreUniqueAmongWhatIsVisibleBesideThem(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		s := newScene(w)
		by := writer(s.editor)
		for _, taken := range []string{"Middle", "MIDDLE", "miDDle"} {
			s.refuses(http.MethodPost, by, s.folders(), newFolder(s.outer, taken), 409, "NAME_TAKEN",
				pointer("/data/attributes/name"))
		}
		s.creates(by, s.folders(), newFolder(s.outer, "Hidden"))     // what is hidden has freed its name
		s.creates(by, s.folders(), newFolder(s.inner, "Middle"))     // elsewhere
		s.creates(by, s.folders(), newFolder(s.outer, "report.txt")) // items are apart
		// On the way back, on the way in, and under another name.
		restore := patchOf("folders", folderURN(s.hidden), object{"hidden": false})
		s.refuses(http.MethodPatch, by, s.folderURL(s.hidden), restore, 409, "NAME_TAKEN", pointer("/data/attributes/hidden"))
		s.changes(by, s.folderURL(s.hidden), with(restore, "Found again", "data", "attributes", "name"))
		other := uidOf(s.creates(by, s.folders(), newFolder(s.inner, "Other")).one(t))
		rename := patchOf("folders", folderURN(other), object{"name": "middle"})
		s.refuses(http.MethodPatch, by, s.folderURL(other), rename, 409, "NAME_TAKEN", pointer("/data/attributes/name"))
		twin := uidOf(s.creates(by, s.folders(), newFolder(s.middle, "other")).one(t))
		s.refuses(http.MethodPatch, by, s.folderURL(twin), moveOf("folders", folderURN(twin), s.inner), 409, "NAME_TAKEN",
			pointer("/data/relationships/parent/data/id"))
		s.changes(by, s.folderURL(twin), moveOf("folders", folderURN(twin), s.outer))
		s.changes(by, s.folderURL(twin), patchOf("folders", folderURN(twin),
			object{"name": "OTHER"})) // its own, in another case
	})
}

// Rules: DATA-63, PAGE-14
func TestNamesFollowTheRules(t *testing.T) {
	s := newSQLiteScene(t)
	by := writer(s.editor)
	at := pointer("/data/attributes/name")
	s.keeps(func() {
		for _, name := range []string{
			"", strings.Repeat("x", 256), strings.Repeat("ü", 256), "a<b", "a>b", "a:b", `a"b`, "a/b",
			`a\b`, "a|b", "a?b", "a*b",
			"a\nb", "a\tb", "a\u007fb", "a\u0085b", " a", "a ", "\u00a0a", "a\u3000", ".a", "a.", "..", ".",
			"\u200b", "\u3164\u2800", // nothing of them can be seen
		} {
			s.refusal(http.MethodPost, by, s.folders(), newFolder(s.middle, name), 400, "BAD_INPUT", at)
			s.refusal(http.MethodPatch, by, s.folderURL(s.middle),
				patchOf("folders", folderURN(s.middle), object{"name": name}), 400, "BAD_INPUT", at)
		}
	})
	for _, name := range []string{"a", strings.Repeat("ü", 255), "a b", "a.b.c", "Straße №5 – 図面 📐",
		"a&b=c;d%e'f`g$h", "-", "COM1"} {
		if got := s.creates(by, s.folders(), newFolder(s.middle, name)).one(t).Attributes["name"]; got != name {
			t.Errorf("%q became %q", name, got)
		}
	}
}

// Rule: DATA-64
func TestFoldersLieAtMostTwentyFiveLevelsDeep(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		s := newScene(w)
		by := writer(s.editor)
		atParent := pointer("/data/relationships/parent/data/id")
		deepest := s.innermost
		f, _ := s.folderRecord(deepest)
		for range storage.MaxDepth - f.Depth {
			deepest = uidOf(s.creates(by, s.folders(), newFolder(deepest, "down")).one(t))
		}
		s.refuses(http.MethodPost, by, s.folders(), newFolder(deepest, "too deep"), 400, "TOO_DEEP", atParent)
		// A whole subtree counts with its height.
		side := uidOf(s.creates(by, s.folders(), newFolder(s.outer, "side")).one(t))
		s.refuses(http.MethodPatch, by, s.folderURL(s.innermost),
			moveOf("folders", folderURN(s.innermost), s.deeper(side, 3)), 400, "TOO_DEEP", atParent)
		s.changes(by, s.folderURL(s.innermost), moveOf("folders", folderURN(s.innermost), side))
		s.refuses(http.MethodPost, by, s.folders(), newFolder(s.tower.RootFolderID, "at the top"), 403,
			"NO_PERMISSION", atParent)
		top := s.creates(writer(s.projAdmin), s.folders(), newFolder(s.tower.RootFolderID, "at the top")).one(t)
		if f, _ := s.folderRecord(uidOf(top)); f.Depth != 1 {
			t.Errorf("a top folder is at level %d", f.Depth)
		}
	})
}

// deeper adds folders below one another and returns the deepest.
func (s *scene) deeper(below string, n int) string {
	for range n {
		below = s.folder(below, "deeper")
	}
	return below
}

// Rules: DATA-65, DATA-66
func TestAFolderIsRenamedMovedHiddenAndDescribedAtOnce(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		s := newScene(w)
		by := writer(s.editor)
		body := with(moveOf("folders", folderURN(s.inner), s.outer), object{
			"name": "Renamed", "hidden": true, "extension": object{"data": object{"description": "gone"}},
		}, "data", "attributes")
		got := s.changes(by, s.folderURL(s.inner), body).one(t)
		if got.Attributes["name"] != "Renamed" || got.Attributes["hidden"] != true ||
			got.Relationships["parent"].Data.ID != folderURN(s.outer) {
			t.Errorf("%+v", got)
		}
		want := []string{storage.EventFolderUpdated, storage.EventFolderHidden, storage.EventFolderMoved,
			storage.EventFolderRenamed}
		if diff := cmp.Diff(want, s.newest(4)); diff != "" {
			t.Errorf("events, newest first (-want +got):\n%s", diff)
		}
		s.refused(as(s.viewer), s.folderURL(s.innermost), 404, "FOLDER_NOT_FOUND", nil) // what lies in it went along
		before := s.snapshot()
		s.changes(by, s.folderURL(s.inner), body)
		if s.snapshot() != before {
			t.Error("what is so already was changed again")
		}
		s.changes(by, s.folderURL(s.inner), patchOf("folders", folderURN(s.inner), object{"hidden": false}))
		if got := s.ok(as(s.viewer), s.folderURL(s.innermost)).one(t).Attributes["hidden"]; got != false {
			t.Errorf("restored: %v", got)
		}
		// One of several parts that can't be: nothing happens.
		body = with(with(body, "Middle", "data", "attributes", "name"), "another", "data", "attributes",
			"extension", "data", "description")
		s.refuses(http.MethodPatch, by, s.folderURL(s.inner), with(body, false, "data", "attributes", "hidden"), 409,
			"NAME_TAKEN", pointer("/data/attributes/name"))
	})
}

// Rule: DATA-66
func TestAMovedFolderTakesAlongWhatLiesInItAndNobodyMovesInACircle(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		s := newScene(w)
		by := writer(s.editor)
		atParent := pointer("/data/relationships/parent/data/id")
		for _, into := range []string{s.middle, s.inner, s.innermost} {
			s.refuses(http.MethodPatch, by, s.folderURL(s.middle), moveOf("folders", folderURN(s.middle), into),
				400, "CYCLE", atParent)
		}
		side := uidOf(s.creates(by, s.folders(), newFolder(s.outer, "side")).one(t))
		s.changes(by, s.folderURL(s.inner), moveOf("folders", folderURN(s.inner), side))
		if got := s.ok(as(s.viewer), s.itemURL(s.innerItem)+
			"?includePathInProject=true").one(t).Attributes["pathInProject"]; got != "/Outer/side/Inner/Innermost" {
			t.Errorf("the path is %v", got)
		}
		s.refuses(http.MethodPatch, by, s.folderURL(s.inner), moveOf("folders", folderURN(s.inner), s.hidden), 409,
			"PARENT_HIDDEN", atParent)
		root := patchOf("folders", folderURN(s.tower.RootFolderID), object{"hidden": true})
		s.refuses(http.MethodPatch, writer(s.projAdmin), s.folderURL(s.tower.RootFolderID), root, 400,
			"ROOT_FOLDER", pointer("/data"))
	})
}

// Rule: DATA-97
func TestTheFolderOfAProjectsFilesKeepsItsNameAndItsPlace(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		s := newScene(w)
		id, url := folderURN(s.files.ID), s.folderURL(s.files.ID)
		for _, by := range []caller{writer(s.hubAdmin), writer(s.projAdmin), {client: app, scope: writer("").scope}} {
			for at, body := range map[string]object{
				"attributes/name":              patchOf("folders", id, object{"name": "Files"}),
				"attributes/hidden":            patchOf("folders", id, object{"hidden": true}),
				"relationships/parent/data/id": moveOf("folders", id, s.plans.ID),
			} {
				s.refuses(http.MethodPatch, by, url, body, 403, "FILES_FOLDER", pointer("/data/"+at))
			}
		}
		same := patchOf("folders", id, object{"name": s.files.Name, "hidden": false,
			"extension": object{"data": object{"a": 1}}})
		s.changes(writer(s.projAdmin), url, same)
		plans := s.folderURL(s.plans.ID)
		s.changes(writer(s.projAdmin), plans, patchOf("folders", folderURN(s.plans.ID),
			object{"name": "Drawings", "hidden": true}))
		s.changes(writer(s.projAdmin), plans, moveOf("folders", folderURN(s.plans.ID), s.outer))
		top := s.ok(as(s.projAdmin), "/project/v1/hubs/"+s.hub.ID+"/projects/"+s.tower.ID+"/topFolders?projectFilesOnly=true")
		if got := names(top.many(t)); !slices.Equal(got, []string{s.files.Name}) {
			t.Errorf("project files: %v", got)
		}
	})
}

// Rule: DATA-67
func TestParentsThatAreNotThereOrNotForTheCallerAreRefusedByPointer(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		s := newScene(w)
		atParent := pointer("/data/relationships/parent/data/id")
		_, elsewhere, _ := s.project(s.hub, "Next door")
		for name, tt := range map[string]struct {
			by     caller
			parent string
			status int
			code   string
		}{
			"unknown":                {writer(s.editor), strings.Repeat("A", 22), 404, "FOLDER_NOT_FOUND"},
			"of another project":     {writer(s.hubAdmin), elsewhere.ID, 404, "FOLDER_NOT_FOUND"},
			"of another hub":         {writer(""), s.far.RootFolderID, 404, "FOLDER_NOT_FOUND"},
			"hidden from the caller": {writer(s.viewer), s.hidden, 404, "FOLDER_NOT_FOUND"},
			"hidden":                 {writer(s.editor), s.hidden, 409, "PARENT_HIDDEN"},
			"out of sight":           {writer(s.editor), s.plans.ID, 403, "NO_PERMISSION"},
			"without the right":      {writer(s.viewer), s.inner, 403, "NO_PERMISSION"},
		} {
			e := s.refuses(http.MethodPost, tt.by, s.folders(), newFolder(tt.parent, "x"), tt.status, tt.code, atParent)
			if strings.Contains(e.Detail, "Hidden") || strings.Contains(e.Detail, "Plans") {
				t.Errorf("%s: %s", name, e.Detail)
			}
			s.refuses(http.MethodPost, tt.by, s.items(), newItem(tt.parent, "x", s.stored()), tt.status, tt.code, atParent)
		}
		by := writer(s.editor)
		for parent, want := range map[string]string{strings.Repeat("A", 22): "FOLDER_NOT_FOUND",
			elsewhere.ID: "FOLDER_NOT_FOUND"} {
			s.refuses(http.MethodPatch, by, s.folderURL(s.inner), moveOf("folders", folderURN(s.inner), parent), 404, want,
				atParent)
			s.refuses(http.MethodPatch, by, s.itemURL(s.report), moveOf("items", itemURN(s.report), parent), 404, want, atParent)
		}
		s.refuses(http.MethodPatch, by, s.folderURL(s.inner), moveOf("folders", folderURN(s.inner), s.plans.ID), 403,
			"NO_PERMISSION", atParent)
		s.changes(writer(s.projAdmin), s.folderURL(s.inner), moveOf("folders", folderURN(s.inner), s.plans.ID))
	})
}

// Rule: DATA-68
func TestDataOfAnExtensionIsLaidOverWhatIsThere(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		s := newScene(w)
		by := writer(s.editor)
		describe := func(data object) map[string]any {
			got := s.changes(by, s.folderURL(s.inner),
				patchOf("folders", folderURN(s.inner), object{"extension": object{"data": data}}))
			return got.one(t).Attributes["extension"].(map[string]any)["data"].(map[string]any)
		}
		usual := len(describe(object{"description": "first"})) - 1
		if got := describe(object{"more": object{"a": 1.5}}); got["description"] != "first" || len(got) != usual+2 {
			t.Errorf("%v", got)
		}
		if got := describe(object{"description": null}); got["description"] != nil || len(got) != usual+1 {
			t.Errorf("null takes away: %v", got)
		}
		// Sent as it was read, nothing changes, and what is computed is not kept.
		read := s.ok(as(s.editor), s.folderURL(s.inner)).one(t)
		before := s.snapshot()
		s.changes(by, s.folderURL(s.inner), data("folders",
			object{"id": read.ID, "attributes": read.Attributes, "relationships": object{
				"parent": read.Relationships["parent"], "contents": read.Relationships["contents"],
			}}))
		if s.snapshot() != before {
			t.Error("a folder that was sent as it was read has changed")
		}
		at := "/data/attributes/extension/data"
		for where, data := range map[string]object{
			at:                  {"long": strings.Repeat("x", 16<<10)},
			at + "/description": {"description": strings.Repeat("ü", 256)},
		} {
			body := patchOf("folders", folderURN(s.inner), object{"extension": object{"data": data}})
			s.refuses(http.MethodPatch, by, s.folderURL(s.inner), body, 400, "BAD_INPUT", pointer(where))
		}
		describe(object{"description": strings.Repeat("ü", 255)})
		describe(object{"link": strings.Repeat("&", 12<<10)})
	})
}

// Rule: DATA-95
func TestDataThatIsOursToTellCannotBeSet(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		s := newScene(w)
		by := writer(s.editor)
		sent := object{"description": "kept", "storageUrn": "urn:elsewhere", "storageType": "X",
			"isRoot": true, "folderType": "plan", "cde": "published"}
		inner := patchOf("folders", folderURN(s.inner), object{"extension": object{"data": sent}})
		version := newVersion(s.report, "report v4.docx", s.stored())
		version["data"].(object)["attributes"].(object)["extension"].(object)["data"] = sent
		for name, got := range map[string]answer{
			"a folder":  s.changes(by, s.folderURL(s.inner), inner),
			"a version": s.creates(by, s.versions(), version),
		} {
			told := got.one(t).Attributes["extension"].(map[string]any)["data"].(map[string]any)
			if told["description"] != "kept" {
				t.Errorf("%s: what is the client's to say is not there: %v", name, told)
			}
			for _, member := range []string{"storageUrn", "storageType", "isRoot", "folderType", "cde"} {
				if told[member] == sent[member] {
					t.Errorf("%s says %v as its %s", name, told[member], member)
				}
			}
		}
	})
}

// Rule: DATA-69
func TestAChangeDependsOnTheStateThatIfMatchNames(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		s := newScene(w)
		by := writer(s.editor)
		for path, rename := range map[string]func(string) object{
			s.folderURL(s.inner): func(name string) object {
				return patchOf("folders", folderURN(s.inner),
					object{"name": name, "extension": object{"data": object{"description": name}}})
			},
			s.itemURL(s.report): func(name string) object {
				return patchOf("items", itemURN(s.report),
					object{"displayName": name})
			},
			s.versionURL(s.report, "2"): func(name string) object {
				return patchOf("versions", versionURN(s.report, "2"),
					object{"name": name})
			},
		} {
			tag := s.ok(as(s.viewer), path).Header.Get("ETag") // whoever read it
			second := s.changes(by, path, rename("second"), "If-Match", `"0-x", `+tag).Header.Get("ETag")
			for _, stale := range []string{tag, "W/" + second, `"nonsense"`, "nonsense", `""`, `"x,*,y"`} {
				e := s.refuses(http.MethodPatch, by, path, rename("third"), 412, "CHANGED",
					headerNamed("If-Match"), "If-Match", stale)
				if e.Title != "Precondition failed" {
					t.Errorf("%+v", e)
				}
			}
			for _, has := range []string{"*", second, "W/" + second} {
				s.refuses(http.MethodPatch, by, path, rename("third"), 412, "CHANGED", headerNamed("If-None-Match"),
					"If-None-Match", has)
			}
			s.changes(by, path, rename("third"), "If-Match", second)
			s.changes(by, path, rename("fourth"), "If-Match", "*")
			s.changes(by, path, rename("fifth"))
		}
	})
}
