package dataapi_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/portico-id/portico/internal/harness/pgtest"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore"
)

// feed reads the changes of the tower from a cursor to the end.
type feed struct {
	*scene
	by     caller
	cursor string
}

// page asks once, and moves the cursor on.
func (f *feed) page(parameters ...string) answer {
	f.Helper()
	values := url.Values{}
	if f.cursor != "" {
		values.Set("cursor", f.cursor)
	}
	for i := 0; i < len(parameters); i += 2 {
		values.Set(parameters[i], parameters[i+1])
	}
	got := f.ok(f.by, f.inTower("/changes?"+values.Encode()))
	f.cursor, _ = got.doc(f).Meta["cursor"].(string)
	return got
}

// read returns what the changes up to the end say: kind and subject.
func (f *feed) read() []string {
	f.Helper()
	said := []string{}
	for {
		got := f.page()
		for _, r := range got.many(f) {
			said = append(said, told(r))
		}
		if _, more := got.doc(f).Links["next"]; !more {
			return said
		}
	}
}

func told(r resource) string {
	subject, _ := r.Attributes["subject"].(map[string]any)
	return fmt.Sprintf("%s %s", r.Attributes["kind"], subject["id"])
}

// Rules: FEED-1, FEED-2
func TestTheFeedTellsWhatHasHappenedSinceTheCursor(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		s := newScene(w)
		f := &feed{scene: s, by: as(s.projAdmin)}
		first := f.read()
		if len(first) < 15 || first[0] != "project.created "+s.tower.ID {
			t.Errorf("from the beginning: %q", first)
		}
		if again := f.read(); len(again) != 0 {
			t.Errorf("nothing has happened, but %q", again)
		}
		now := &feed{scene: s, by: f.by, cursor: "now"}
		if got := now.read(); len(got) != 0 {
			t.Errorf("from now on: %q", got)
		}
		name := "renamed.txt"
		_, err := s.Store.UpdateItem(t.Context(), s.by(s.editor), s.tower.ID, s.report, storage.ItemPatch{Name: &name})
		s.Must(err)
		_, err = s.Store.AddVersion(t.Context(), s.by(s.editor), s.tower.ID, s.report, s.version("renamed.txt"))
		s.Must(err)
		s.refer(writer(s.editor), s.versionURL(s.report, "1"), refTo("folders", folderURN(s.inner)))
		want := []string{
			"item.renamed " + itemURN(s.report), "version.added " + versionURN(s.report, "4"),
			"ref.added " + versionURN(s.report, "1"),
		}
		for name, reader := range map[string]*feed{"from the cursor": f, "from now": now} {
			if diff := cmp.Diff(want, reader.read()); diff != "" {
				t.Errorf("%s (-want +got):\n%s", name, diff)
			}
		}
	})
}

// Rule: FEED-3
func TestAChangeSaysWhoMadeItAndWhen(t *testing.T) {
	s := newSQLiteScene(t)
	f := &feed{scene: s, by: as(s.viewer), cursor: "now"}
	f.read()
	uid := s.folder(s.outer, "New")
	newest := s.page(f)
	want := map[string]any{
		"kind": "folder.created", "subject": map[string]any{"type": "folders", "id": folderURN(uid)},
		"actor": map[string]any{"type": "user", "id": s.editor, "name": "Name of " + s.editor},
		"time":  newest.Attributes["time"],
	}
	if diff := cmp.Diff(want, newest.Attributes); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if _, err := time.Parse("2006-01-02T15:04:05.0000000Z", fmt.Sprint(newest.Attributes["time"])); err != nil {
		t.Error(err)
	}
	hide := true
	_, err := s.Store.UpdateFolder(t.Context(), s.Operator(), s.tower.ID, uid, storage.FolderPatch{Hidden: &hide})
	s.Must(err)
	if diff := cmp.Diff(map[string]any{"type": "system"}, s.page(f).Attributes["actor"]); diff != "" {
		t.Errorf("the operator (-want +got):\n%s", diff)
	}
	some := s.ok(f.by, s.inTower("/changes?fields[events]=kind")).many(t)[0]
	if len(some.Attributes) != 1 {
		t.Errorf("the kind alone: %v", some.Attributes)
	}
}

// page returns the only change of a page.
func (s *scene) page(f *feed) resource {
	s.Helper()
	all := f.page().many(s)
	if len(all) != 1 {
		s.Fatalf("%d changes, want one", len(all))
	}
	return all[0]
}

// Rules: FEED-4, FEED-5
func TestTheFeedTellsEverybodyOnlyWhatTheyMaySeeNow(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		s := newScene(w)
		readers := map[string]*feed{}
		for name, by := range map[string]caller{
			"admin": as(s.projAdmin), "editor": as(s.editor), "viewer": as(s.viewer), "deep": as(s.deep), "app": {client: app},
			"app for viewer": {client: app, actAs: s.viewer},
		} {
			readers[name] = &feed{scene: s, by: by, cursor: "now"}
			readers[name].read()
		}
		hide, show := true, false
		_, err := s.Store.UpdateItem(t.Context(), s.Operator(), s.tower.ID, s.report, storage.ItemPatch{Hidden: &hide})
		s.Must(err)
		_, err = s.Store.UpdateItem(t.Context(), s.Operator(), s.tower.ID, s.deepItem,
			storage.ItemPatch{FolderID: &s.plans.ID})
		s.Must(err)
		_, err = s.Store.UpdateItem(t.Context(), s.Operator(), s.tower.ID, s.plan, storage.ItemPatch{FolderID: &s.inner})
		s.Must(err)
		made := s.item(s.plans.ID, "secret.txt")
		s.grant(storage.FolderGrant{FolderID: s.inner, UserID: s.outsider, Level: storage.LevelView})
		_, err = s.Store.UpdateItem(t.Context(), s.by(s.editor), s.tower.ID, s.reserved, storage.ItemPatch{Hidden: &hide})
		s.Must(err)
		_, err = s.Store.UpdateItem(t.Context(), s.by(s.editor), s.tower.ID, s.reserved, storage.ItemPatch{Hidden: &show})
		s.Must(err)
		const hidden, moved, created, restored, left = "item.hidden ", "item.moved ", "item.created ",
			"item.restored ", "folder.changed "
		report, deepItem, plan, reserved := itemURN(s.report), itemURN(s.deepItem), itemURN(s.plan), itemURN(s.reserved)
		all := []string{hidden + report, moved + deepItem, moved + plan, created + itemURN(made),
			hidden + reserved, restored + reserved}
		viewer := []string{left + folderURN(s.outer), left + folderURN(s.inner), moved + plan,
			hidden + reserved, restored + reserved}
		for name, want := range map[string][]string{
			"admin": all, "app": all, "viewer": viewer, "app for viewer": viewer,
			"editor": {hidden + report, left + folderURN(s.inner), moved + plan, hidden + reserved, restored + reserved},
			"deep":   {left + folderURN(s.inner), moved + plan},
		} {
			if diff := cmp.Diff(want, readers[name].read()); diff != "" {
				t.Errorf("%s (-want +got):\n%s", name, diff)
			}
		}
	})
}

// Rules: FEED-6, FEED-7
func TestACursorThatLeadsNowhereIsRefusedWithWhatToDo(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		s := newScene(w)
		f := &feed{scene: s, by: as(s.hubAdmin)}
		f.page()
		good := f.cursor
		for _, bad := range []string{"x", "-1", "17", good[1:], good + "A", good[:len(good)-3] + "AAA", "A" + good[1:] + "A",
			strings.Repeat("A", 2000), "NOW"} {
			e := s.refused(f.by, s.inTower("/changes?cursor="+bad), 400, "BAD_INPUT", parameter("cursor"))
			if !strings.Contains(e.Detail, "meta.cursor") {
				t.Errorf("%q: %s", bad, e.Detail)
			}
		}
		s.refused(f.by, "/data/v1/projects/"+s.bridge.ID+"/changes?cursor="+good, 400, "BAD_INPUT", parameter("cursor"))
		s.ok(f.by, s.inTower("/changes?cursor="+good))

		first := &feed{scene: s, by: f.by}
		first.cursor = good
		s.Wait(storage.KeepEvents + time.Hour)
		s.folder(s.outer, "Much later")
		old := time.Now().Add(time.Duration(s.Ahead.Load()))
		for n := 1; n > 0; {
			var err error
			n, err = s.Store.SweepEvents(t.Context(), old, 7)
			s.Must(err)
		}
		if got := first.read(); len(got) != 1 || !strings.HasPrefix(got[0], "folder.created ") {
			t.Errorf("behind the last that was forgotten: %q", got)
		}
		begin := &feed{scene: s, by: f.by}
		if got := begin.read(); len(got) != 1 {
			t.Errorf("from the oldest that is kept: %q", got)
		}
		s.Wait(storage.KeepEvents + time.Hour)
		s.folder(s.outer, "Later still")
		s.folder(s.outer, "And one more")
		_, err := s.Store.SweepEvents(t.Context(), time.Now().Add(time.Duration(s.Ahead.Load())), 7)
		s.Must(err)
		e := s.refused(f.by, s.inTower("/changes?cursor="+good), 410, "CURSOR_GONE", parameter("cursor"))
		if !strings.Contains(e.Detail, "cursor=now") {
			t.Errorf("detail: %s", e.Detail)
		}
	})
}

// Who was told of changes that a restore took back would take those that got their numbers
// for known: they read anew, as of a cursor from too long ago.
//
// Rule: FEED-13
func TestACursorFromBeforeARestoreIsRefusedWithWhatToDo(t *testing.T) {
	for _, database := range []string{sqliteURL(t), pgtest.URL(t)} {
		w := newWorld(t, database)
		s := newScene(w)
		f := &feed{scene: s, by: as(s.hubAdmin)}
		schema, err := sqlstore.OpenSchema(t.Context(), sqlstore.Options{URL: database, Version: "0.1.0"})
		s.Must(err)
		for range 2 {
			f.read()
			before := f.cursor
			s.Must(schema.BeginEpoch(t.Context(), s.Ambient.Now()))
			w.serve(s.Store) // a start
			e := s.refused(f.by, s.inTower("/changes?cursor="+before), 410, "CURSOR_GONE", parameter("cursor"))
			if !strings.Contains(e.Detail, "cursor=now") {
				t.Errorf("detail: %s", e.Detail)
			}
			f.cursor = "now"
			f.read()
			s.folder(s.outer, s.Ambient.UUID())
			if got := f.read(); len(got) != 1 {
				t.Errorf("from then on: %q", got)
			}
		}
		s.Must(schema.Close())
	}
}

// Rule: FEED-8
func TestWhoWaitsIsToldOfTheNextChange(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		s := newScene(w)
		f := &feed{scene: s, by: as(s.viewer), cursor: "now"}
		f.read()
		got := make(chan answer, 1)
		go func() { got <- f.page("wait", "30") }()
		s.folder(s.outer, "While somebody waits")
		if all := (<-got).many(t); len(all) != 1 || all[0].Attributes["kind"] != "folder.created" {
			t.Errorf("told of %v", all)
		}
		if all := f.page("wait", "1").many(t); len(all) != 0 {
			t.Errorf("nothing has happened, but %v", all)
		}
		for _, bad := range []string{"31", "-1", "x", "1.5", "1s"} {
			s.refused(f.by, s.inTower("/changes?wait="+bad), 400, "BAD_INPUT", parameter("wait"))
		}
	})
}

// Rule: FEED-9
func TestTheEndOfATokenEndsTheWaiting(t *testing.T) {
	s := newSQLiteScene(t)
	by := as(s.viewer)
	by.token = s.token(by)
	path := s.inTower("/changes?cursor=now&wait=30")
	got := make(chan answer, 1)
	go func() { got <- s.get(by, path) }()
	s.Must(s.Store.RevokeToken(t.Context(), s.Operator().Act, tokenID(t, by.token), s.Ambient.Now().Add(time.Hour)))
	if a := <-got; a.Status != http.StatusUnauthorized {
		t.Errorf("%d %s", a.Status, a.Body)
	}
}

// What is about no folder is told to who has a part in the project: now, not when the waiting began.
// Rule: FEED-9
func TestTheEndOfARightEndsTheWaiting(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		s := newScene(w)
		s.Must(s.Store.SetProjectMember(t.Context(), s.Operator(), s.tower.ID, s.outsider, true))
		now := &feed{scene: s, by: as(s.editor), cursor: "now"} // by any other, who is late would miss what follows
		now.read()
		got := make(chan answer, 1)
		go func() { got <- s.get(as(s.outsider), s.inTower("/changes?wait=30&cursor="+now.cursor)) }()
		s.ok(as(s.editor), s.inTower("/changes?cursor=now")) // meanwhile the other one waits
		s.Must(s.Store.RemoveProjectMember(t.Context(), s.Operator(), s.tower.ID, s.outsider))
		_, err := s.Store.SendTransmittal(t.Context(), s.by(s.editor), s.tower.ID, storage.NewTransmittal{Title: "T",
			Versions: []storage.VersionRef{{ItemID: s.deepItem, Number: 1}}, To: []storage.SentTo{{UserID: s.deep}}},
			func(int) []storage.Mail { return nil })
		s.Must(err)
		if a := <-got; a.Status != http.StatusNotFound {
			t.Errorf("%d %s", a.Status, a.Body)
		}
	})
}

// tokenID returns the jti of a token.
func tokenID(t *testing.T, token string) string {
	t.Helper()
	var claims struct {
		JTI string `json:"jti"`
	}
	payload, err := base64.RawURLEncoding.DecodeString(strings.Split(token, ".")[1])
	if err == nil {
		err = json.Unmarshal(payload, &claims)
	}
	if err != nil {
		t.Fatal(err)
	}
	return claims.JTI
}

// Rule: FEED-9
func TestTheEndOfTheServerEndsTheWaiting(t *testing.T) {
	s := newSQLiteScene(t)
	s.handler.EndWaits()
	s.handler.EndWaits() // once is enough
	f := &feed{scene: s, by: as(s.viewer), cursor: "now"}
	if all := f.page("wait", "30").many(t); len(all) != 0 {
		t.Errorf("nothing has happened, but %v", all)
	}
	s.folder(s.outer, "Meanwhile")
	if all := f.page("wait", "30").many(t); len(all) != 1 {
		t.Errorf("told of %v", all)
	}
}

// Rule: SENT-9
func TestWhatWasSentIsToldToThoseWhoSeeIt(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		s := newScene(w)
		_, err := s.Store.SendTransmittal(t.Context(), s.by(s.editor), s.tower.ID, storage.NewTransmittal{Title: "T",
			Versions: []storage.VersionRef{{ItemID: s.deepItem, Number: 1}}, To: []storage.SentTo{{UserID: s.deep}}},
			func(int) []storage.Mail { return nil })
		s.Must(err)
		for user, want := range map[string]bool{s.editor: true, s.deep: true, s.projAdmin: true, s.hubAdmin: true,
			s.viewer: false, s.machine: false} {
			by := as(user)
			if user == s.machine {
				by = caller{client: s.machineOwner, user: user}
			}
			f := &feed{scene: s, by: by}
			if told := slices.Contains(f.read(), "transmittal.sent 1"); told != want {
				t.Errorf("%s is told: %v", user, told)
			}
		}
	})
}
