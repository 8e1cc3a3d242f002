package dataapi_test

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/portico-id/portico/storage"
)

// Rule: FILES-24
func TestWhatHasHappenedIsToldInWordsTheNewestFirst(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		s := newScene(w)
		p := s.pages()
		on := s.pagesOf(thing{"Outer", s.outer, s.report})
		press := func(path string, pairs ...string) {
			w.Equal(http.StatusSeeOther, p.press(s.editor, path, pairs...).Code)
		}
		press(on["item"]+"/name", "name", "final.txt")
		press(on["item"] + "/reserve")
		press(on["item"] + "/release")
		press(on["folder"]+"/new", "name", "Later")
		inOrder := func(body string, words ...string) {
			at := 0
			for _, word := range words {
				i := strings.Index(body[at:], word)
				if i < 0 {
					t.Errorf("%q is not there, or not in its place:\n%s", word, body)
					return
				}
				at += i + len(word)
			}
		}
		inOrder(p.open(s.viewer, on["item"]+"/activity").Body.String(),
			"File released", "File reserved", "File renamed", "File added")
		inOrder(p.open(s.viewer, on["folder"]+"/activity").Body.String(),
			"<bdi>Later</bdi>", "Folder made", "<bdi>final.txt</bdi>", "File released")
		inOrder(p.open(s.viewer, on["project"]+"/activity").Body.String(),
			"<bdi>Later</bdi>", "Folder made", "<bdi>final.txt</bdi>", "File released", "<bdi>Outer</bdi>", "Folder made")
		if body := p.open(s.viewer, on["item"]+"/activity").Body.String(); strings.Contains(body, "Later") {
			t.Errorf("what happened to another thing: %s", body)
		}
	})
}

// Rule: FILES-24
func TestWhatHasHappenedWhereSomebodyMayNotLookIsNotTold(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		s := newScene(w)
		p := s.pages()
		on := s.pagesOf(thing{"Outer", s.outer, s.report})
		gone := s.item(s.outer, "taken-away.txt")
		path := "/files/projects/" + s.tower.ID + "/items/" + itemURN(gone)
		s.Equal(http.StatusSeeOther, p.press(s.editor, path+"/hide").Code)
		s.item(s.plans.ID, "in-the-plans.txt")

		seen := p.open(s.viewer, on["project"]+"/activity").Body.String()
		if strings.Contains(seen, "taken-away.txt") || strings.Contains(seen, "in-the-plans.txt") ||
			!strings.Contains(seen, "Something was hidden or moved away") || !strings.Contains(seen, "<bdi>Outer</bdi>") {
			t.Errorf("to a viewer of Outer:\n%s", seen)
		}
		all := p.open(s.hubAdmin, on["project"]+"/activity").Body.String()
		if !strings.Contains(all, "taken-away.txt") || !strings.Contains(all, "in-the-plans.txt") {
			t.Errorf("to an administrator:\n%s", all)
		}
		for _, what := range []string{"project", "folder", "item"} {
			if got := p.open(s.outsider, on[what]+"/activity"); got.Code != p.open(s.outsider, on[what]).Code {
				t.Errorf("to somebody outside, of the %s: %d", what, got.Code)
			}
		}
	})
}

// Rule: FILES-24
func TestWhatOnePersonDidIsShownPageByPage(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		s := newScene(w)
		p := s.pages()
		on := s.pagesOf(thing{"Outer", s.outer, s.report})
		for n := range 130 {
			s.item(s.outer, "many "+strconv.Itoa(n)+".txt")
		}
		w.Equal(http.StatusSeeOther, p.press(s.hubAdmin, on["folder"]+"/new", "name", "By another").Code)
		path := on["folder"] + "/activity"
		if body := p.open(s.viewer, path).Body.String(); !strings.Contains(body, "By another") ||
			!strings.Contains(body, "by="+s.editor) {
			t.Errorf("of everybody:\n%s", body)
		}
		seen := 0
		for next := path + "?by=" + s.editor; next != ""; {
			got := p.open(s.viewer, next)
			w.Equal(http.StatusOK, got.Code)
			body := got.Body.String()
			if strings.Contains(body, "By another") || !strings.Contains(body, `id="all"`) {
				t.Errorf("of one:\n%s", body)
			}
			seen += strings.Count(body, ">many ")
			_, rest, _ := strings.Cut(body, `id="next" class="button" href="`)
			next, _, _ = strings.Cut(rest, `"`)
			next = strings.ReplaceAll(next, "&amp;", "&")
		}
		w.Equal(130, seen)
		nobody := p.open(s.viewer, path+"?by="+url.QueryEscape("<script>"))
		if body := nobody.Body.String(); strings.Contains(body, "<script>") || !strings.Contains(body, `id="none"`) {
			t.Errorf("of nobody:\n%s", body)
		}
		if got := p.open(s.viewer, path+"?after=forged"); got.Code != http.StatusBadRequest {
			t.Errorf("a forged cursor: %d", got.Code)
		}
	})
}

// Rule: FILES-24
func TestAFolderTellsOfAllThatHappensBelowIt(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		s := newScene(w)
		p := s.pages()
		outer := s.pagesOf(thing{"Outer", s.outer, s.report})["folder"] + "/activity"
		s.item(s.innermost, "far-below.txt")
		aside := s.folder(s.files.ID, "Aside")
		s.item(aside, "beside.txt")
		moved := s.item(s.middle, "moved-away.txt")
		_, err := s.Store.UpdateItem(t.Context(), s.by(s.editor), s.tower.ID, moved, storage.ItemPatch{FolderID: &aside})
		s.Must(err)
		for user, sees := range map[string]map[string]bool{
			s.viewer:   {"far-below.txt": true, "beside.txt": false, "moved-away.txt": false, "hidden or moved away": true},
			s.hubAdmin: {"far-below.txt": true, "beside.txt": false, "moved-away.txt": true, "hidden or moved away": false},
		} {
			body := p.open(user, outer).Body.String()
			for word, want := range sees {
				if strings.Contains(body, word) != want {
					t.Errorf("%s: %q is told: %v\n%s", user, word, !want, body)
				}
			}
		}
		inner := s.pagesOf(thing{"Inner", s.inner, s.deepItem})["folder"] + "/activity"
		if body := p.open(s.deep, inner).Body.String(); !strings.Contains(body, "far-below.txt") ||
			strings.Contains(body, "report.txt") {
			t.Errorf("to who sees from Inner on:\n%s", body)
		}
	})
}
