package dataapi_test

import (
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/portico-id/portico/storage"
)

// Rules: FILES-30, SENT-11
func TestFilesAreSentAndFetchedOnPages(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		s := newScene(w)
		p := s.pages()
		on := thing{"Outer", s.outer, p.pictureIn(s.outer)}
		s.Must(s.Store.SetFolderGrant(t.Context(), s.Operator(), s.tower.ID,
			storage.FolderGrant{FolderID: s.outer, UserID: s.viewer, Level: storage.LevelDownload}))
		folder := p.pagesOf(on)["folder"]
		shows := func(user, path string, all ...string) {
			t.Helper()
			got := p.open(user, path)
			for _, want := range all {
				if got.Code != http.StatusOK || !strings.Contains(got.Body.String(), want) {
					t.Errorf("%s: %d without %q\n%s", path, got.Code, want, got.Body)
				}
			}
		}
		shows(s.editor, folder, `/chosen/send"`)
		shows(s.editor, folder+"/chosen/send?of.i-"+on.item+"=on", `name="title"`, `name="to"`, `name="message"`)
		if got := p.open(s.viewer, folder).Body.String(); strings.Contains(got, "/chosen/send") {
			t.Error("who may only read is offered to send")
		}
		refused := p.sends(s.editor, on, "For review", s.editor+"\n"+s.deep+"\n"+s.outsider).Body.String()
		for _, want := range []string{"Name of " + s.deep + " can’t see",
			"Nobody in this project is called " + s.outsider + ",", "For review", s.outsider + "</textarea>",
			"One\ntwo</textarea>"} {
			if !strings.Contains(strings.ReplaceAll(refused, "\r", ""), want) {
				t.Errorf("a refused form has no %q\n%s", want, refused)
			}
		}
		folders := p.press(s.editor, folder+"/chosen/send", "of.f-"+s.middle, "on", "title", "T", "to", s.viewer)
		s.Equal(http.StatusUnprocessableEntity, folders.Code)
		sent := p.sends(s.editor, on, "<b>For review", strings.ToLower(s.viewer)+"@example.test, "+s.projAdmin)
		here, _, _ := strings.Cut(sent.Header().Get("Location"), "?")
		s.Equal("/files/projects/"+s.tower.ID+"/transmittals/1", here)
		bytes := here + "/versions/urn:portico:fs.file:vf." + on.item + "%3Fversion=1/bytes"
		for _, user := range []string{s.editor, s.viewer, s.projAdmin, s.hubAdmin} {
			shows(user, here, "Transmittal 1: &lt;b&gt;For review", "One\ntwo", "Name of "+s.viewer, bytes, "0 of 1",
				"/zip?form=")
			shows(user, here[:len(here)-2], "1 · &lt;b&gt;For review", here)
		}
		shows(s.deep, here[:len(here)-2], "Nothing was sent here")
		for _, user := range []string{s.deep, s.outsider} {
			s.Equal(http.StatusNotFound, p.open(user, here).Code)
			s.Equal(http.StatusNotFound, p.open(user, bytes).Code)
		}
		s.Equal(http.StatusOK, p.open(s.viewer, bytes).Code)
		zip := p.press(s.projAdmin, here+"/zip?form="+s.Ambient.Token()).Header().Get("Location")
		s.Equal("application/zip", p.open(s.projAdmin, zip).Header().Get("Content-Type"))
		shows(s.editor, here, "1 of 1")
		shows(s.editor, here+"/fetches", "Name of "+s.viewer, "Name of "+s.projAdmin, ".png")
		shows(s.viewer, "/files/projects/"+s.tower.ID+"/activity", "Transmittal 1 sent", here)
		yes := true
		_, err := s.Store.UpdateItem(t.Context(), s.Operator(), s.tower.ID, on.item, storage.ItemPatch{Hidden: &yes})
		s.Must(err)
		shows(s.viewer, here, ">hidden<")
		again := p.press(s.viewer, here+"/zip?form="+s.Ambient.Token())
		s.Equal(http.StatusUnprocessableEntity, again.Code)
		s.Equal(http.StatusNotFound, p.open(s.viewer, bytes).Code)
		s.Must(s.Store.DeleteUser(t.Context(), s.Operator().Act, s.viewer))
		shows(s.editor, here, storage.FormerMember, "1 of 1")
		shows(s.editor, here+"/fetches", storage.FormerMember)
	})
}

// A line is one name, commas and all: only addresses come as lists that were pasted.
//
// Rule: FILES-30
func TestWhatIsSentGoesToGroupsWithCommasInTheirNames(t *testing.T) {
	s := newSQLiteScene(t)
	p := s.pages()
	on := thing{"Outer", s.outer, s.item(s.outer, "sent.txt")}
	group := storage.Group{ID: s.Ambient.UID(), HubID: s.hub.ID, Name: "Müller, Meier; Partner",
		CreatedAt: s.Ambient.Now()}
	s.Must(s.Store.CreateGroup(t.Context(), s.Operator(), group))
	s.Must(s.Store.AddGroupMember(t.Context(), s.Operator(), s.hub.ID, group.ID, s.projAdmin))
	address := func(user string) string { return strings.ToLower(user) + "@example.test" }
	for _, to := range []string{group.Name, " " + group.Name + " \r\n\r\n" + s.hubAdmin,
		address(s.projAdmin) + ";" + address(s.hubAdmin) + " , " + s.editor} {
		if got := p.sends(s.editor, on, "T", to); got.Code != http.StatusSeeOther {
			t.Errorf("%q: %d\n%s", to, got.Code, got.Body)
		}
	}
}

// Rule: HOME-13
func TestWhoIsGoneIsCalledSoInTheLanguageOfThePage(t *testing.T) {
	s := newSQLiteScene(t)
	p := s.pages()
	on := thing{"Outer", s.outer, s.item(s.outer, "sent.txt")}
	_, err := s.Store.AddVersion(t.Context(), s.by(s.hubAdmin), s.tower.ID, on.item, s.version("sent.txt"))
	s.Must(err)
	p.sends(s.editor, on, "T", s.hubAdmin)
	s.Must(s.Store.DeleteUser(t.Context(), s.Operator().Act, s.hubAdmin))
	project := "/files/projects/" + s.tower.ID
	for _, path := range []string{p.pagesOf(on)["folder"], p.pagesOf(on)["item"], project + "/activity",
		project + "/transmittals/1"} {
		for language, want := range map[string]string{"de": "Ein früheres Mitglied", "fr": "Un ancien membre",
			"zh": "前成员", "en": storage.FormerMember} {
			r := httptest.NewRequest(http.MethodGet, path, nil)
			r.Header.Set("Accept-Language", language)
			if got := p.serve(s.editor, r).Body.String(); !strings.Contains(got, want) ||
				strings.Contains(got, storage.FormerMember) != (language == "en") {
				t.Errorf("%s in %s has no %q\n%s", path, language, want, got)
			}
		}
	}
}

// Rule: FILES-30
func TestWhatIsSentIsTheVersionThatTheFormWasShownWith(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		s := newScene(w)
		p := s.pages()
		item := s.item(s.outer, "sent.txt")
		folder := p.pagesOf(thing{"Outer", s.outer, item})["folder"]
		action := func(body string) string {
			_, rest, _ := strings.Cut(body, `id="send-form" method="post" action="`)
			action, _, _ := strings.Cut(rest, `"`)
			return html.UnescapeString(action)
		}
		send := func(action string) *httptest.ResponseRecorder {
			return p.press(s.editor, action, "of.i-"+item, "on", "title", "T", "to", s.projAdmin)
		}
		shown := action(p.open(s.editor, folder+"/chosen/send?of.i-"+item+"=on").Body.String())
		_, err := s.Store.AddVersion(t.Context(), s.by(s.editor), s.tower.ID, item, s.version("sent.txt"))
		s.Must(err)
		refused := send(shown)
		s.Equal(http.StatusUnprocessableEntity, refused.Code)
		if !strings.Contains(refused.Body.String(), "Somebody else changed this meanwhile") {
			t.Errorf("no word of the newer version\n%s", refused.Body)
		}
		s.Equal(http.StatusSeeOther, send(action(refused.Body.String())).Code)
		all, _, err := s.Store.ListTransmittals(t.Context(), s.tower.ID, "", storage.PageRequest{})
		s.Must(err)
		_, versions, _, err := s.Store.FindTransmittal(t.Context(), s.tower.ID, 1)
		s.Must(err)
		s.Equal([]int{1, 2}, []int{len(all), versions[0].VersionRef.Number})
	})
}

// Rule: FILES-30
func TestManyFilesThatWereSentAreShownAHundredAtATime(t *testing.T) {
	s := newSQLiteScene(t)
	p := s.pages()
	var refs []storage.VersionRef
	for n := range 101 {
		refs = append(refs, storage.VersionRef{ItemID: s.item(s.outer, fmt.Sprintf("sent-%03d.txt", n)), Number: 1})
	}
	_, err := s.Store.SendTransmittal(t.Context(), s.by(s.editor), s.tower.ID, storage.NewTransmittal{Title: "Many",
		Versions: refs, To: []storage.SentTo{{UserID: s.projAdmin}}}, func(int) []storage.Mail { return nil })
	s.Must(err)
	here := "/files/projects/" + s.tower.ID + "/transmittals/1"
	for page, want := range map[string]struct {
		rows int
		way  string
	}{"": {100, here + "?page=1"}, "?page=0": {100, here + "?page=1"}, "?page=1": {1, here + "?page=0"}} {
		got := p.open(s.projAdmin, here+page).Body.String()
		if rows := strings.Count(got, "<bdi>sent-"); rows != want.rows || !strings.Contains(got, want.way) {
			t.Errorf("%s: %d rows\n%s", page, rows, got)
		}
	}
	for _, page := range []string{"?page=2", "?page=-1", "?page=x"} {
		s.Equal(http.StatusBadRequest, p.open(s.projAdmin, here+page).Code)
	}

	// As many as a folder's page has are chosen and sent by one form.
	fields := []string{"title", "All of them", "to", s.projAdmin, "message", ""}
	for _, ref := range refs[:100] {
		fields = append(fields, ticked(ref.ItemID)...)
	}
	folder := p.pagesOf(thing{"Outer", s.outer, s.report})["folder"]
	if got := p.press(s.editor, folder+"/chosen/send", fields...); got.Code != http.StatusSeeOther {
		t.Errorf("a hundred files: %d\n%s", got.Code, got.Body)
	}
}
