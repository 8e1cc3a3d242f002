package dataapi_test

import (
	"html"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/portico-id/portico/storage"
)

// act is a form of a page that changes a folder or file.
type act struct {
	name  string
	least storage.Level
	at    string                            // the page, and what of it: folder, item or version
	form  func(s *scene, on thing) []string // nil: a file
}

// by sends the form.
func (a act) by(p peoplesPages, user string, on thing, away string) *httptest.ResponseRecorder {
	p.Helper()
	path := a.path(p.scene, on, away)
	if a.form == nil {
		return p.uploads(user, path, "version", p.fresh()+".txt", "bytes")
	}
	return p.press(user, path, a.form(p.scene, on)...)
}

// takes is the level that a change takes by the API, by its name in the table of those.
func takes(change string) storage.Level {
	all := writings()
	return all[slices.IndexFunc(all, func(o writing) bool { return o.name == change })].least
}

// peoplesActs are a form of each page that changes something, with the level that the
// same change takes by the API.
func peoplesActs() []act {
	const collaborate, edit = storage.LevelCollaborate, storage.LevelEdit // of what has no writing
	none := func(*scene, thing) []string { return nil }
	several := func(_ *scene, on thing) []string { return ticked(on.item) }
	named := func(s *scene, _ thing) []string { return []string{"name", s.fresh()} }
	return []act{
		{"make a folder", takes("create folder"), "folder /new", named},
		{"rename a folder", takes("rename folder"), "folder /name", named},
		{"move a folder", edit, "folder /move?in=AWAY", none},
		{"hide a folder", takes("hide folder"), "folder /hide", none},
		{"rename a file", takes("rename item"), "item /name", named},
		{"move a file", edit, "item /move?in=AWAY", none},
		{"copy a file", takes("copy item"), "item /copy?in=HERE", named},
		{"hide a file", takes("hide item"), "item /hide", none},
		{"reserve a file", collaborate, "item /reserve", none},
		{"make a version the newest", takes("copy version"), "version /newest", none},
		{"move several", edit, "folder /chosen/move?in=AWAY", several},
		{"copy several", takes("copy item"), "folder /chosen/copy?in=AWAY", several},
		{"hide several", takes("hide item"), "folder /chosen/hide", several},
		{"bring a file", takes("create item"), "folder /upload", nil},
		{"bring a version", takes("create version"), "item /upload", nil},
		{"say how far a version has come", edit, "version /state",
			func(*scene, thing) []string {
				return []string{"state", "shared", "suitability", "S2", "revision", "P01"}
			}},
	}
}

// path is where the form is sent to.
func (a act) path(s *scene, on thing, away string) string {
	of, rest, _ := strings.Cut(a.at, " ")
	project := "/files/projects/" + s.tower.ID
	rest = strings.ReplaceAll(strings.ReplaceAll(rest, "AWAY", folderURN(away)), "HERE", folderURN(on.folder))
	return map[string]string{
		"folder": project + "/folders/" + folderURN(on.folder), "item": project + "/items/" + itemURN(on.item),
		"version": project + "/versions/" + url.PathEscape(versionURN(on.item, "1")),
	}[of] + rest
}

// The expectations are those of TestPermissionMatrixOfChanges, of everybody who is a
// person: a form that is refused is shown again with the reason, or its page is not
// there for them.
//
// Rule: FILES-4
func TestPagesLetPeopleChangeWhatTheAPIWouldAndNothingElse(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		s := newScene(w)
		p := s.pages()
		want, cells := standings(), 0
		for name, user := range s.persons() {
			for _, on := range s.things() {
				if on.name == "Hidden" {
					continue // what is hidden has tests of its own
				}
				here, before := s.prepared(on)
				away := s.folder(on.folder, s.fresh())
				for _, a := range peoplesActs() {
					cells++
					status := want[name].want(writing{done: http.StatusSeeOther, least: a.least}, on)
					got := a.by(p, user, here, away)
					refused := got.Code == http.StatusForbidden || got.Code == http.StatusUnprocessableEntity
					if got.Code != status && !(refused && status == http.StatusForbidden) {
						t.Errorf("%s, %s in %s: %d, want %d\n%s", name, a.name, on.name, got.Code, status, got.Body)
					}
					if changed := s.about(here) != before; !changed && got.Code < 400 && !strings.Contains(a.at, "AWAY") ||
						changed && got.Code >= 400 {
						t.Errorf("%s, %s in %s: %d, changed: %v", name, a.name, on.name, got.Code, changed)
					}
					if got.Code < 400 {
						here, before = s.prepared(on)
						away = s.folder(on.folder, s.fresh())
					}
				}
			}
		}
		t.Logf("%d cells", cells)
	})
}

// Rule: FILES-4
func TestAPageOffersWhatThePersonMayDoAndNothingElse(t *testing.T) {
	s := newSQLiteScene(t)
	p := s.pages()
	offers := map[string]storage.Level{
		"/new": storage.LevelCollaborate, "/name": storage.LevelCollaborate, "/move": storage.LevelEdit,
		"/hide": storage.LevelEdit, "/hidden": storage.LevelEdit, "/copy": storage.LevelDownload,
		"/reserve": storage.LevelCollaborate, "/newest": storage.LevelCollaborate, "/state": storage.LevelEdit,
	}
	for _, name := range []string{"viewer", "downloader", "publisher", "collaborator", "editor", "project admin"} {
		who := s.writersOnce(name)
		level := standings()[name].levels["Outer"]
		on := s.pagesOf(thing{"Outer", s.outer, s.report})
		shown := p.open(who.user, on["folder"]).Body.String() + p.open(who.user, on["item"]).Body.String()
		for _, path := range slices.Sorted(maps.Keys(offers)) {
			offered := strings.Contains(shown, path+`"`) || strings.Contains(shown, path+"?form=")
			if offered != (level >= offers[path]) {
				t.Errorf("%s is offered %s: %v", name, path, offered)
			}
		}
	}
}

// writersOnce returns the writer with the name.
func (s *scene) writersOnce(name string) caller {
	s.Helper()
	if s.everyWriter == nil {
		s.everyWriter = s.writers()
	}
	return s.everyWriter[name]
}

// Rule: FILES-5
func TestARefusedFormKeepsWhatWasTypedAndSaysWhy(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		s := newScene(w)
		p := s.pages()
		on := s.pagesOf(thing{"Outer", s.outer, s.report})
		shut := func() {
			_, err := s.Admin.ArchiveProject(s.Context(), s.Operator(), s.tower.ID, true)
			s.Must(err)
		}
		reservedItem := "/files/projects/" + s.tower.ID + "/items/" + itemURN(s.reserved)
		lower := func() {
			s.grant(storage.FolderGrant{FolderID: s.outer, UserID: s.editor, Level: storage.LevelView})
		}
		for _, c := range []struct {
			name, user, path, typed, says string
			first                         func()
		}{
			{"a name that is taken meanwhile", s.editor, on["folder"] + "/new", "Middle", "has this name already", nil},
			{"a name that is none", s.editor, on["item"] + "/name", "a:b", "A name has 1 to 255 characters", nil},
			{"reserved by somebody else", s.hubAdmin, reservedItem + "/name", "other.txt", "has reserved this file", nil},
			{"a copy into what is gone meanwhile", s.editor, on["item"] + "/copy?in=" + folderURN(s.Ambient.UID()), "copy.txt",
				"That folder is not there any more", nil},
			{"a right that was withdrawn", s.editor, on["folder"] + "/new", "Later", "or not any more", lower},
			{"an archived project", s.projAdmin, on["item"] + "/name", "other.txt", "archived", shut},
		} {
			if c.first != nil {
				c.first()
			}
			got := p.press(c.user, c.path, "name", c.typed)
			body := got.Body.String()
			if got.Code != http.StatusUnprocessableEntity || !strings.Contains(body, c.says) ||
				!strings.Contains(body, `value="`+c.typed+`"`) {
				t.Errorf("%s: %d\n%s", c.name, got.Code, body)
			}
			if strings.Contains(c.path, "/copy?") { // the name is there in whatever folder is opened next
				_, places, _ := strings.Cut(body, `id="places"`)
				_, way, _ := strings.Cut(places, `href="`)
				way, _, _ = strings.Cut(way, `"`)
				if next := p.open(c.user, html.UnescapeString(way)).Body.String(); !strings.Contains(next, `value="`+c.typed+`"`) {
					t.Errorf("%s: on the way on\n%s", c.name, next)
				}
			}
		}
	})
}

// Rule: FILES-5
func TestAButtonThatSomebodyElseWasBeforeSaysWho(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		s := newScene(w)
		p := s.pages()
		item := s.pagesOf(thing{"Outer", s.outer, s.report})["item"]
		s.Equal(http.StatusSeeOther, p.press(s.hubAdmin, item+"/reserve").Code)
		names, err := s.Store.ListNames(s.Context(), []string{s.hubAdmin})
		s.Must(err)
		refused := func(act, says string) {
			got := p.press(s.editor, item+act)
			if body := got.Body.String(); got.Code != http.StatusUnprocessableEntity || !strings.Contains(body, says) ||
				!strings.Contains(body, `href="`+item+`"`) {
				t.Errorf("%s: %d\n%s", act, got.Code, body)
			}
		}
		refused("/reserve", names[s.hubAdmin]+" has reserved this file")
		refused("/hide", names[s.hubAdmin]+" has reserved this file")
		s.Equal(http.StatusSeeOther, p.press(s.hubAdmin, item+"/release").Code)
		refused("/release", "Nobody has reserved this file any more")
	})
}

// Rule: FILES-5
func TestTheSecondWhoRenamesIsToldTheFirstName(t *testing.T) {
	s := newSQLiteScene(t)
	p := s.pages()
	path := s.pagesOf(thing{"Outer", s.outer, s.report})["item"] + "/name"
	shown := p.open(s.editor, path).Body.String()
	_, seen, _ := strings.Cut(shown, `name="seen" value="`)
	seen, _, _ = strings.Cut(seen, `"`)
	if got := p.press(s.hubAdmin, path, "name", "theirs.txt"); got.Code != http.StatusSeeOther {
		t.Fatalf("the first: %d", got.Code)
	}
	got := p.press(s.editor, path, "name", "mine.txt", "seen", seen)
	if body := got.Body.String(); got.Code != http.StatusUnprocessableEntity || !strings.Contains(body, "theirs.txt") ||
		!strings.Contains(body, `value="mine.txt"`) {
		t.Errorf("the second: %d\n%s", got.Code, body)
	}
}

// Rule: FILES-6
func TestWhatIsHiddenIsFoundAndRestored(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		s := newScene(w)
		p := s.pages()
		on := s.pagesOf(thing{"Outer", s.outer, s.report})
		if got := p.press(s.editor, on["item"]+"/hide"); got.Code != http.StatusSeeOther {
			t.Fatalf("hiding: %d\n%s", got.Code, got.Body)
		}
		list := p.open(s.editor, on["folder"]+"/hidden").Body.String()
		for _, name := range []string{"report.txt", "deleted.txt", "Hidden"} {
			if !strings.Contains(list, "<bdi>"+name+"</bdi>") {
				t.Errorf("%s is not in the list of what is hidden", name)
			}
		}
		if strings.Contains(list, "Middle") {
			t.Error("what is not hidden is")
		}
		if got := p.open(s.viewer, on["folder"]+"/hidden"); got.Code != http.StatusForbidden {
			t.Errorf("to a viewer: %d", got.Code)
		}
		other := s.item(s.outer, "report.txt")
		if got := p.press(s.editor, on["item"]+"/restore"); got.Code != http.StatusUnprocessableEntity ||
			!strings.Contains(got.Body.String(), "has this name already") {
			t.Errorf("over a name that is taken by now: %d\n%s", got.Code, got.Body)
		}
		p.press(s.editor, "/files/projects/"+s.tower.ID+"/items/"+itemURN(other)+"/name", "name", "another.txt")
		if got := p.press(s.editor, on["item"]+"/restore"); got.Code != http.StatusSeeOther {
			t.Errorf("restoring: %d\n%s", got.Code, got.Body)
		}
		if got := p.open(s.viewer, on["item"]); got.Code != http.StatusOK {
			t.Errorf("restored: %d", got.Code)
		}
	})
}

// Rule: FILES-6
func TestWhatIsRestoredWhereItsNameIsTakenIsGivenAnother(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		s := newScene(w)
		p := s.pages()
		drawings := s.folder(s.outer, "Drawings")
		for _, c := range []struct {
			name, page, now string
			take            func(folder, name string) string
		}{
			{"report.txt", s.pagesOf(thing{"Outer", s.outer, s.report})["item"], "found.txt", s.item},
			{"Drawings", s.pagesOf(thing{"Drawings", drawings, s.report})["folder"], "Found", s.folder},
		} {
			s.Equal(http.StatusSeeOther, p.press(s.editor, c.page+"/hide").Code)
			c.take(s.outer, c.name)
			for _, typed := range [][]string{nil, {"name", c.name}, {"name", "a:b"}} {
				got := p.press(s.editor, c.page+"/restore", typed...)
				shown := slices.Concat(typed, []string{"name", c.name})[1]
				if body := got.Body.String(); got.Code != http.StatusUnprocessableEntity ||
					!strings.Contains(body, `id="error-name"`) || !strings.Contains(body, `value="`+shown+`"`) {
					t.Errorf("%s as %v: %d\n%s", c.name, typed, got.Code, body)
				}
			}
			got := p.press(s.editor, c.page+"/restore", "name", c.now)
			if restored := p.open(s.viewer, c.page).Body.String(); !strings.Contains(restored, c.now) {
				t.Errorf("%s as %s: %d\n%s", c.name, c.now, got.Code, got.Body)
			}
		}
	})
}
