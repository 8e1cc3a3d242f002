package transmittal_test

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/portico-id/portico/dataapi/administration"
	"github.com/portico-id/portico/internal/harness/sqlitetest"
	"github.com/portico-id/portico/storage"
)

// Rule: SENT-1
func TestWhoMayEditWhatLiesThereSendsIt(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		for user, want := range map[string]int{"": 401, "outsider": 404, "view": 403, "download": 403, "publish": 403,
			"collaborate": 403, "edit": 201, "control": 201, "admin": 201} {
			if status, said := w.said(user, "POST", "", draft([]string{"view"}, w.plan)); status != want {
				t.Errorf("%q: %d %v, want %d", user, status, said, want)
			}
		}
		status, said := w.said("edit", "POST", "", draft([]string{"view"}, w.plan, w.aside)) // which the editor can't see
		w.Equal(403, status)
		w.Equal("versions", said["errors"].([]any)[0].(object)["field"])
		w.Must(w.Store.PatchProject(w.Context(), w.Operator(), w.project.ID, storage.ProjectPatch{Archived: new(true)}))
		status, _ = w.said("edit", "POST", "", draft([]string{"view"}, w.plan))
		w.Equal(423, status)
	})
}

// Rule: SENT-2
func TestWhatIsSentIsKeptAsItWas(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		ref := storage.VersionRef{ItemID: w.plan, Number: 1}
		w.Must(w.Store.SetVersionState(w.Context(), w.Operator(), w.project.ID, ref,
			storage.VersionState{State: "shared", Suitability: "S2", Revision: "P01"}))
		body := draft([]string{"view@example.test", "view"}, w.note, w.plan, w.note)
		body["title"], body["message"] = "  For review ", "One\r\ntwo"
		status, said := w.said("edit", "POST", "", body)
		w.Equal(201, status)
		when := said["sent_at"]
		w.Equal(object{"number": 1., "title": "For review", "message": "One\ntwo", "sent_at": when, "sent_by": "edit",
			"versions": 2., "to": 1., "size": 16.}, said)
		w.Must(w.Store.SetVersionState(w.Context(), w.Operator(), w.project.ID, ref, storage.VersionState{State: "archived"}))
		_, err := w.Store.RenameVersion(w.Context(), w.Operator(), w.project.ID, ref, "other.pdf")
		w.Must(err)
		_, said = w.said("edit", "GET", "/1", nil)
		plan := said["versions"].([]any)[1].(object)
		w.Equal(64, len(plan["sha256"].(string)))
		delete(plan, "sha256")
		w.Equal(object{"version": urnOf(w.plan), "name": "plan.pdf", "size": 8., "state": "shared", "suitability": "S2",
			"revision": "P01", "now": "available", "can_download": true}, plan)
		w.Equal([]any{object{"user_id": "view", "group": "", "fetched": 0., "last_at": nil}}, said["to"])
	})
}

// Rule: SENT-3
func TestWhoCannotSeeWhatIsSentIsRefusedByName(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		group, err := w.Admin.CreateGroup(w.Context(), w.Operator(), w.hub.ID, "Architects")
		w.Must(err)
		empty, err := w.Admin.CreateGroup(w.Context(), w.Operator(), w.hub.ID, "Nobody")
		w.Must(err)
		w.Must(w.Admin.AddToGroup(w.Context(), w.Operator(), group, "download"))
		w.grant(w.other, "edit", storage.LevelEdit)
		w.grant(w.other, "publish", storage.LevelView)
		refused := func(says, code string, to []string, items ...string) {
			t.Helper()
			status, said := w.said("edit", "POST", "", draft(to, items...))
			if status != 422 {
				t.Fatalf("%v: %d %v", to, status, said)
			}
			wrong := said["errors"].([]any)
			w.Equal(object{"field": "to", "code": code, "detail": says}, wrong[0])
		}
		refused("Name of view can’t see aside.txt.", "recipient_cannot_view", []string{"publish", "view"}, w.plan, w.aside)
		refused("Name of download can’t see aside.txt.", "recipient_cannot_view", []string{"Architects"}, w.aside)
		for _, nobody := range []string{"outsider", "none@example.test", empty.ID} {
			refused("Nobody in this project is called "+nobody+", nor is a group with people of it.", "recipient_absent",
				[]string{nobody}, w.plan)
		}
		status, said := w.said("edit", "POST", "", draft([]string{"view", "download"}, w.aside))
		w.Equal([]any{422, 2}, []any{status, len(said["errors"].([]any))}) // each of them
		w.sent([]string{"publish"}, w.plan, w.aside)
		w.sent([]string{"Architects", "view"}, w.plan)
		_, said = w.said("edit", "GET", "/2", nil)
		w.Equal([]any{object{"user_id": "download", "group": "Architects", "fetched": 0., "last_at": nil},
			object{"user_id": "view", "group": "", "fetched": 0., "last_at": nil}}, said["to"])
		w.Must(w.Admin.AddToGroup(w.Context(), w.Operator(), group, "outsider"))
		refused("Not everybody in the group Architects is in this project.", "recipient_cannot_view",
			[]string{"Architects"}, w.plan)
	})
}

// Rule: SENT-3
func TestWhoIsNotInTheProjectIsRefusedAsNobody(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		w.grant(w.other, "edit", storage.LevelEdit)
		outside, err := w.Admin.CreateGroup(w.Context(), w.Operator(), w.hub.ID, "Outside")
		w.Must(err)
		w.Must(w.Admin.AddToGroup(w.Context(), w.Operator(), outside, "outsider"))
		w.Must(w.Store.SetUserDisabled(w.Context(), w.Operator().Act, "download", true))
		told := func(handle string) string {
			status, said := w.said("edit", "POST", "", draft([]string{"view", handle, "publish"}, w.aside))
			w.Equal(422, status)
			return strings.ReplaceAll(fmt.Sprint(said["errors"]), handle, "X")
		}
		nobody := told("somebody-without-an-account")
		for _, handle := range []string{"outsider", "outsider@example.test", "Outside", outside.ID, "download"} {
			w.Equal(nobody, told(handle))
		}
		_, known := w.said("edit", "POST", "", draft([]string{"outsider", "outsider@example.test"}, w.aside))
		_, unknown := w.said("edit", "POST", "", draft([]string{"none", "none@example.test"}, w.aside))
		w.Equal(len(unknown["errors"].([]any)), len(known["errors"].([]any)))
		if !strings.Contains(nobody, "Name of view can’t see aside.txt.") {
			t.Errorf("who is in it is not told of: %s", nobody)
		}
	})
}

// Rule: SENT-4
func TestThoseWhoSentItAndToWhomItWasSentSeeIt(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		w.sent([]string{"view"}, w.plan)
		for user, want := range map[string][2]int{"": {401, 401}, "outsider": {404, 404}, "view": {200, 200},
			"edit": {200, 200}, "admin": {200, 200}, "control": {404, 200}, "download": {404, 200}} {
			one, _ := w.call(user, "GET", "/1", nil)
			fetches, _ := w.call(user, "GET", "/1/fetches", nil)
			all, text := w.call(user, "GET", "?limit=1", nil)
			if got := [2]int{one, all}; got != want || fetches != one {
				t.Errorf("%q: %v, %d, want %v", user, got, fetches, want)
			}
			if listed := strings.Contains(string(text), `"number":1`); listed != (one == 200) {
				t.Errorf("%q: %s", user, text)
			}
		}
		for _, path := range []string{"/2", "/x", "/01", "/-1"} {
			status, _ := w.call("view", "GET", path, nil)
			w.Equal(404, status)
		}
		w.sent([]string{"download"}, w.plan)
		_, said := w.said("edit", "GET", "?limit=1", nil)
		w.Equal(2., said["items"].([]any)[0].(object)["number"])
		_, said = w.said("edit", "GET", "?limit=1&after="+said["next"].(string), nil)
		w.Equal(1., said["items"].([]any)[0].(object)["number"])
	})
}

// Rule: SENT-5
func TestFilesOfATransmittalStayBehindTheRightsOfWhoReadsThem(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		w.sent([]string{"view", "download"}, w.plan, w.note)
		for user, want := range map[string]int{"": 401, "outsider": 404, "view": 403, "download": 200, "edit": 200,
			"control": 404} {
			status, text := w.call(user, "GET", bytesOf("1", w.plan), nil)
			if status != want || want == 200 && string(text) != "plan.pdf" {
				t.Errorf("%q: %d %s", user, status, text)
			}
		}
		status, _ := w.call("download", "GET", bytesOf("1", w.aside), nil) // which was not sent
		w.Equal(404, status)
		status, said := w.said("view", "POST", "/1/archive", nil)
		w.Equal([]any{409, "archive_empty"}, []any{status, said["code"]})
		now := func(user string) (all []any) {
			_, said := w.said(user, "GET", "/1", nil)
			for _, v := range said["versions"].([]any) {
				all = append(all, v.(object)["now"])
			}
			return all
		}
		yes := true
		_, err := w.Store.UpdateItem(w.Context(), w.Operator(), w.project.ID, w.note, storage.ItemPatch{Hidden: &yes})
		w.Must(err)
		w.Equal([]any{"available", "hidden"}, now("view"))
		status, _ = w.call("download", "GET", bytesOf("1", w.note), nil)
		w.Equal(404, status)
		_, err = w.Store.PurgeHidden(w.Context(), w.Operator(), w.project.ID, w.Ambient.Now().Add(time.Hour), 10)
		w.Must(err)
		w.Equal([]any{"available", "deleted"}, now("edit"))
		w.grant(w.other, "view", storage.LevelView)
		w.Must(w.Store.RemoveFolderGrant(w.Context(), w.Operator(), w.project.ID,
			storage.FolderGrant{FolderID: w.folder.ID, UserID: "view"}))
		w.Equal([]any{"no_access", "deleted"}, now("view"))
		w.Must(w.Store.RemoveFolderGrant(w.Context(), w.Operator(), w.project.ID,
			storage.FolderGrant{FolderID: w.other.ID, UserID: "view"}))
		status, _ = w.call("view", "GET", "/1", nil)
		w.Equal(404, status)
	})
}

// Rule: SENT-6
func TestWhoHasFetchedWhatIsNotedOnce(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		w.sent([]string{"download", "view", "publish"}, w.plan, w.note)
		for range 2 {
			w.call("download", "GET", bytesOf("1", w.note), nil)
		}
		w.call("view", "GET", bytesOf("1", w.note), nil) // who may not
		w.call("edit", "GET", bytesOf("1", w.note), nil) // to whom it was not sent
		w.call("edit", "POST", "/1/archive", nil)
		status, said := w.said("publish", "POST", "/1/archive", nil)
		w.Equal([]any{201, "1 Title.zip", 2.}, []any{status, said["name"], said["files"]})
		_, text := w.ask("", "GET", said["url"].(string), nil)
		packed, err := zip.NewReader(bytes.NewReader(text), int64(len(text)))
		w.Must(err)
		w.Equal("1 Title/note.txt 1 Title/plan.pdf", packed.File[0].Name+" "+packed.File[1].Name)
		w.call("publish", "POST", "/1/archive", nil)
		_, said = w.said("edit", "GET", "/1/fetches", nil)
		var all []string
		for _, f := range said["items"].([]any) {
			all = append(all, f.(object)["user_id"].(string)+" "+f.(object)["name"].(string))
		}
		w.Equal([]string{"download note.txt", "publish plan.pdf", "publish note.txt"}, all)
		_, said = w.said("edit", "GET", "/1", nil)
		for i, want := range []float64{1, 2, 0} { // download, publish, view
			w.Equal(want, said["to"].([]any)[i].(object)["fetched"])
		}
	})
}

// Rule: SENT-6
func TestWhoWasGivenNoBytesHasFetchedNothing(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		w.sent([]string{"download"}, w.plan)
		fetched := func() any {
			_, said := w.said("edit", "GET", "/1", nil)
			return said["to"].([]any)[0].(object)["fetched"]
		}
		for _, tt := range []struct {
			method string
			header []string
			want   int
		}{
			{"HEAD", nil, 200}, {"GET", []string{"If-None-Match", "*"}, 304}, {"GET", []string{"If-Match", `"x"`}, 412},
			{"GET", []string{"Range", "bytes=100-"}, 416},
		} {
			status, _ := w.call("download", tt.method, bytesOf("1", w.plan), nil, tt.header...)
			w.Equal([]any{tt.want, 0.}, []any{status, fetched()})
		}
		status, _ := w.call("download", "GET", bytesOf("1", w.plan), nil, "Range", "bytes=0-1")
		w.Equal([]any{206, 1.}, []any{status, fetched()})
	})
}

// Rules: PAGE-14, SENT-7
func TestTooMuchIsRefusedByItsField(t *testing.T) {
	w := newWorld(t, sqlitetest.URL(t))
	many := func(n int, of string) []string {
		all := make([]string, n)
		for i := range all {
			all[i] = strings.ReplaceAll(of, "#", strconv.Itoa(i))
		}
		return all
	}
	for _, tt := range []struct {
		field string
		value any
		ok    bool
	}{
		{"title", "", false}, {"title", "\u200b", false}, {"title", "a\nb", false}, {"title", strings.Repeat("ä", 255), true},
		{"title", strings.Repeat("a", 256), false}, {"message", strings.Repeat("a", 4096), true}, {"message", "", true},
		{"message", strings.Repeat("ä", 2049), false}, {"message", "\x07", false}, {"versions", []string{}, false},
		{"versions", []string{"urn:portico:none"}, false},
		{"versions", many(1001, "urn:portico:fs.file:vf.#?version=1"), false},
		{"to", []string{}, false}, {"to", []string{" "}, false}, {"to", many(201, "#"), false},
	} {
		body := draft([]string{"view"}, w.plan)
		body[tt.field] = tt.value
		status, said := w.said("edit", "POST", "", body)
		if tt.ok {
			w.Equal(201, status)
			continue
		}
		wrong, _ := said["errors"].([]any)
		if status != 422 || len(wrong) == 0 || wrong[0].(object)["field"] != tt.field {
			t.Errorf("%s %v: %d %v", tt.field, tt.value, status, said)
		}
	}
	_, said := w.said("edit", "POST", "", object{"message": "\x07"})
	var named []any
	for _, wrong := range said["errors"].([]any) {
		named = append(named, wrong.(object)["field"])
	}
	w.Equal([]any{"title", "message", "versions", "to"}, named) // all at once
	group, err := w.Admin.CreateGroup(w.Context(), w.Operator(), w.hub.ID, "Many")
	w.Must(err)
	for _, id := range many(201, "P#") {
		w.User(id)
		w.Must(w.Admin.AddToGroup(w.Context(), w.Operator(), group, id))
	}
	status, said := w.said("edit", "POST", "", draft([]string{"Many"}, w.plan))
	w.Equal([]any{422, "too_many"}, []any{status, said["code"]})
}

// Rule: SENT-8
func TestThoseToWhomItIsSentGetAMail(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		now := w.Ambient.Now()
		w.Must(w.Store.CreateUser(w.Context(), w.Operator().Act, storage.User{ID: "unverified", Email: "u@example.test",
			CreatedAt: now, UpdatedAt: now}, ""))
		w.Must(w.Admin.SetMember(w.Context(), w.Operator(),
			administration.Membership{ProjectID: w.project.ID, UserID: "unverified", Admin: true}))
		w.sent([]string{"view"}, w.plan)
		w.sent([]string{"view", "edit", "unverified"}, w.plan)
		mails, err := w.Store.TakeMails(w.Context(), w.Ambient.Now(), time.Minute, 10)
		w.Must(err)
		w.Equal(2, len(mails))
		for i, mail := range mails {
			var letter object
			w.Must(json.Unmarshal([]byte(mail.Words), &letter))
			w.Equal([]any{"view@example.test", "view", w.URL + "/files/projects/" + w.project.ID + "/transmittals/" +
				strconv.Itoa(i+1)}, []any{mail.To, mail.UserID, string(mail.Link)})
			w.Equal([]any{"Name of edit", "Title", float64(i + 1), "Project"},
				[]any{letter["by"], letter["title"], letter["number"], letter["project"]})
		}
	})
}

// Rule: SENT-7
func TestWhatIsAskedWronglyIsRefused(t *testing.T) {
	w := newWorld(t, sqlitetest.URL(t))
	w.sent([]string{"download"}, w.plan)
	for _, tt := range []struct{ method, path string }{
		{"GET", ""}, {"GET", "/1"}, {"GET", "/1/fetches"}, {"POST", "/1/archive"}, {"POST", ""},
		{"GET", bytesOf("1", w.plan)},
	} {
		for user, want := range map[string]int{"": 401, "outsider": 404} {
			if got, text := w.call(user, tt.method, tt.path, draft([]string{"view"}, w.plan)); got != want {
				t.Errorf("%s %s as %q: %d %s", tt.method, tt.path, user, got, text)
			}
		}
		got, _ := w.call("download", tt.method, tt.path, nil, "X-User-Id", "view", "X-User-Id", "view")
		w.Equal(422, got)
		got, _ = w.call("download", tt.method, tt.path, nil, "X-User-Id", "view")
		w.Equal(403, got)
	}
	for _, path := range []string{"?limit=x", "/1/fetches?limit=201"} {
		got, _ := w.call("download", "GET", path, nil)
		w.Equal(400, got)
	}
	got, _ := w.call("edit", "POST", "", "x")
	w.Equal(400, got)
	got, _ = w.call("edit", "POST", "", strings.Repeat("x", 2<<20))
	w.Equal(413, got)
	got, _ = w.call("edit", "POST", "", object{}, "Content-Type", "text/plain")
	w.Equal(415, got)
	got, _ = w.call("download", "GET", bytesOf("1", w.Ambient.UID()), nil)
	w.Equal(404, got)
	got, _ = w.call("download", "GET", "/1/versions/x/bytes", nil)
	w.Equal(422, got)
}

// Rule: SENT-5
func TestBytesOfATransmittalGoOnWhereTheyBrokeAndAreLookedAtFirst(t *testing.T) {
	w := newWorld(t, sqlitetest.URL(t))
	w.slow, w.older, w.pending = true, true, true
	scanned := w.file(w.folder, "scanned.txt")
	w.pending = false
	w.sent([]string{"download"}, w.plan, scanned, w.file(w.folder, "a.txt"), w.file(w.folder, "b.txt"))
	got, text := w.call("download", "GET", bytesOf("1", w.plan), nil, "Range", "bytes=5-")
	w.Equal([]any{206, "pdf"}, []any{got, string(text)})
	got, _ = w.call("download", "GET", bytesOf("1", w.plan), nil, "Range", "bytes=50-")
	w.Equal(416, got)
	got, _ = w.call("download", "GET", bytesOf("1", w.plan), nil, "If-Modified-Since", "Fri, 01 Jan 2100 00:00:00 GMT")
	w.Equal(304, got)
	got, _ = w.call("download", "GET", bytesOf("1", scanned), nil)
	w.Equal(423, got)
	for {
		got, text := w.call("download", "POST", "/1/archive", nil)
		if got == 201 {
			return
		}
		w.Equal(true, got == 503 && strings.Contains(string(text), "archive_preparing"))
	}
}
