package dataapi_test

import (
	"bytes"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/portico-id/portico/storage"
)

const onceHeader = "Idempotency-Key"

// creations are the writings that take a key.
func creations() []writing {
	var all []writing
	for _, o := range writings() {
		if o.method == http.MethodPost {
			all = append(all, o)
		}
	}
	return all
}

// Rule: DATA-87
func TestARepeatedKeyAnswersAsBeforeAndCreatesNothing(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		s := newScene(w)
		for _, o := range creations() {
			on := s.under(thing{"Inner", s.inner, s.deepItem})
			path, body := at(o.template, s.ids(on.folder, on.item))+o.query(s, on), o.body(s, on)
			first := s.creates(writer(s.editor), path, body, onceHeader, "key of "+o.name)
			before := s.snapshot()
			again := s.creates(writer(s.editor), path, body, onceHeader, "key of "+o.name)
			if diff := cmp.Diff(string(first.Body), string(again.Body)); diff != "" ||
				first.Header.Get("Location") != again.Header.Get("Location") {
				t.Errorf("%s (-first +again):\n%s", o.name, diff)
			}
			if s.snapshot() != before {
				t.Errorf("%s was carried out again", o.name)
			}
		}
	})
}

// Rule: DATA-87
func TestFiftyRepeatsAtOnceCreateOneThing(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		s := newScene(w)
		for _, o := range creations() {
			on := s.under(thing{"Inner", s.inner, s.deepItem})
			later := s.sendLater(t, o.method, writer(s.editor), at(o.template, s.ids(on.folder, on.item))+o.query(s, on),
				o.body(s, on), onceHeader, o.name)
			answers := atOnce(tries, func(int) answer { return later() })
			only(t, statuses(t, answers), map[string]int{"201": tries})
			for _, a := range answers {
				if !bytes.Equal(a.Body, answers[0].Body) || a.Header.Get("Location") != answers[0].Header.Get("Location") {
					t.Fatalf("%s: %s\nand\n%s", o.name, answers[0].Body, a.Body)
				}
			}
		}
	})
}

// Rule: DATA-88
func TestAKeyBelongsToOneRequestOfOneAppAndUserForADay(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		s := newScene(w)
		editor := writer(s.editor)
		body := newFolder(s.inner, "first")
		first := s.creates(editor, s.folders(), body, onceHeader, "k").one(t)
		reused := func(path string, body object) {
			t.Helper()
			s.refuses(posts, editor, path, body, 409, "IDEMPOTENCY_KEY_REUSED", headerNamed(onceHeader), onceHeader, "k")
		}
		reused(s.folders(), newFolder(s.inner, "second"))
		reused(s.folders()+"?fields[folders]=name", body)
		reused(s.items(), newItem(s.inner, "second", s.stored()))
		s.creates(editor, s.folders(), newFolder(s.inner, "second"), onceHeader, "K") // another key
		// Another's key is another key, with the same letters.
		for _, by := range []caller{writer(s.projAdmin), writer(""),
			asWriter(caller{client: s.machineOwner, user: s.editor})} {
			s.refuses(posts, by, s.folders(), body, 409, "NAME_TAKEN", pointer("/data/attributes/name"), onceHeader, "k")
		}
		s.creates(asWriter(caller{client: app, actAs: s.editor}), s.folders(), body, onceHeader, "k") // the same app and user
		// What became of it shows, as far as the caller may see it.
		s.changes(editor, s.folderURL(uidOf(first)), patchOf("folders", first.ID, object{"name": "renamed"}))
		if got := s.creates(editor, s.folders(), body, onceHeader, "k").one(t); got.ID != first.ID ||
			got.Attributes["name"] != "renamed" {
			t.Errorf("%+v", got)
		}
		s.Must(s.Admin.RemoveGrant(t.Context(), s.Operator(), s.tower.ID,
			storage.FolderGrant{FolderID: s.outer, UserID: s.editor}))
		s.grant(storage.FolderGrant{FolderID: s.plans.ID, UserID: s.editor, Level: storage.LevelView})
		s.refuses(posts, editor, s.folders(), body, 403, "NO_PERMISSION", nil, onceHeader, "k")
		s.grant(storage.FolderGrant{FolderID: s.outer, UserID: s.editor, Level: storage.LevelEdit})

		s.Wait(storage.KeepDone - time.Minute)
		if got := s.creates(editor, s.folders(), body, onceHeader, "k").one(t); got.ID != first.ID {
			t.Errorf("within the day: %s", got.ID)
		}
		s.Wait(2 * time.Minute)
		if got := s.creates(editor, s.folders(), body, onceHeader, "k").one(t); got.ID == first.ID {
			t.Error("a day later it is still the first")
		}
	})
}

// Rule: DATA-88
func TestARefusedRequestLeavesItsKeyFree(t *testing.T) {
	s := newSQLiteScene(t)
	editor := writer(s.editor)
	body := newFolder(s.outer, "Middle")
	for range 2 {
		s.refuses(posts, editor, s.folders(), body, 409, "NAME_TAKEN", pointer("/data/attributes/name"), onceHeader, "k")
	}
	s.changes(editor, s.folderURL(s.middle), patchOf("folders", folderURN(s.middle), object{"name": "renamed"}))
	s.creates(editor, s.folders(), body, onceHeader, "k")
	for _, bad := range []string{"", strings.Repeat("k", 256), "ключ", "a\tb"} {
		s.refuses(posts, editor, s.folders(), newFolder(s.outer, "x"), 400, "BAD_INPUT",
			headerNamed(onceHeader), onceHeader, bad)
	}
	s.creates(editor, s.folders(), newFolder(s.outer, "x"), onceHeader, strings.Repeat("k", 255))
}
