package dataapi_test

import (
	"archive/zip"
	"bytes"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/portico-id/portico/storage"
)

// ticked are the fields of a form on which files are chosen.
func ticked(items ...string) []string {
	var pairs []string
	for _, id := range items {
		pairs = append(pairs, "of.i-"+id, "on")
	}
	return pairs
}

// Rule: FILES-23
func TestSeveralThingsAreMovedCopiedAndHiddenAndWhatIsLeftSaysWhy(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		s := newScene(w)
		p := s.pages()
		free, taken := s.item(s.outer, "free.txt"), s.item(s.outer, "taken.txt")
		away := s.folder(s.outer, "Away")
		s.item(away, "taken.txt")
		chosen := s.pagesOf(thing{"Outer", s.outer, s.report})["folder"] + "/chosen"
		there := "/files/projects/" + s.tower.ID + "/folders/" + folderURN(away)

		for _, do := range []string{"copy", "move"} {
			got := p.press(s.editor, chosen+"/"+do+"?in="+folderURN(s.Ambient.UID()), ticked(free, taken)...)
			if body := got.Body.String(); got.Code != http.StatusUnprocessableEntity || !strings.Contains(body, "i-"+free) ||
				!strings.Contains(body, "That folder is not there any more") {
				t.Errorf("%s, to what is gone meanwhile: %d\n%s", do, got.Code, body)
			}
			page := p.open(s.editor, chosen+"/"+do+"?of.i-"+free+"=on&of.i-"+taken+"=on&in="+folderURN(away))
			if body := page.Body.String(); page.Code != http.StatusOK || !strings.Contains(body, "free.txt") ||
				!strings.Contains(body, "taken.txt") {
				t.Errorf("asked what to %s: %d\n%s", do, page.Code, body)
			}
			got = p.press(s.editor, chosen+"/"+do+"?in="+folderURN(away), ticked(free, taken)...)
			body := got.Body.String()
			left := strings.Contains(body, `value="i-`+taken+`"`) || strings.Contains(body, "i-"+taken)
			if got.Code != http.StatusUnprocessableEntity || !left || strings.Contains(body, "i-"+free) ||
				!strings.Contains(body, "has this name already") {
				t.Errorf("%s, where a name is taken: %d\n%s", do, got.Code, body)
			}
			inside := p.open(s.editor, there).Body.String()
			if !strings.Contains(inside, "<bdi>free.txt</bdi>") {
				t.Errorf("%s: what could be done was not", do)
			}
			if do == "copy" {
				if !strings.Contains(s.inOuter(), "free.txt") {
					t.Error("a copy took the file away")
				}
				s.hides(p, away, "free.txt")
			}
		}
		if strings.Contains(s.inOuter(), "free.txt") || !strings.Contains(s.inOuter(), "taken.txt") {
			t.Errorf("moved: %s", s.inOuter())
		}

		got := p.press(s.editor, chosen+"/hide", append(ticked(taken, s.report), "of.f-"+away, "on")...)
		if here := s.inOuter(); got.Code != http.StatusSeeOther || strings.Contains(here, "taken.txt") ||
			strings.Contains(here, "report.txt") || p.open(s.viewer, there).Code != http.StatusNotFound {
			t.Errorf("hiding: %d, %s\n%s", got.Code, here, got.Body)
		}
	})
}

// hides hides the file of the name in a folder.
func (s *scene) hides(p peoplesPages, folder, name string) {
	s.Helper()
	found, err := s.Store.ListContents(s.Context(), s.tower.ID, folder, storage.ContentsQuery{}, storage.DataPage{})
	s.Must(err)
	i := slices.IndexFunc(found.Items, func(i storage.ItemWithTip) bool { return i.Item.Name == name })
	path := "/files/projects/" + s.tower.ID + "/items/" + itemURN(found.Items[i].Item.ID) + "/hide"
	s.Equal(http.StatusSeeOther, p.press(s.editor, path).Code)
}

// Rule: FILES-23
func TestWhatIsChosenIsOneZIPFileEachTimeAnew(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		s := newScene(w)
		p := s.pages()
		p.brought("one.txt", "the one")
		p.brought("two.txt", "the other")
		ids := map[string]string{}
		found, err := s.Store.ListContents(s.Context(), s.tower.ID, s.outer, storage.ContentsQuery{}, storage.DataPage{})
		w.Must(err)
		for _, i := range found.Items {
			ids[i.Item.Name] = i.Item.ID
		}
		packed := s.pagesOf(thing{"Outer", s.outer, s.report})["folder"] + "/chosen/zip?form=the-same"
		for _, names := range [][]string{{"one.txt"}, {"two.txt"}, {"one.txt", "two.txt"}} {
			var chosen []string
			for _, name := range names {
				chosen = append(chosen, ids[name])
			}
			made := p.press(s.editor, packed, ticked(chosen...)...)
			w.Equal(http.StatusSeeOther, made.Code)
			got := p.open(s.editor, made.Header().Get("Location")).Body.Bytes()
			read, err := zip.NewReader(bytes.NewReader(got), int64(len(got)))
			w.Must(err)
			var inside []string
			for _, f := range read.File {
				if !strings.HasSuffix(f.Name, "/") {
					inside = append(inside, f.Name[strings.LastIndex(f.Name, "/")+1:])
				}
			}
			slices.Sort(inside)
			w.Equal(names, inside)
		}
		if got := p.press(s.viewer, packed, ticked(ids["one.txt"])...); got.Code == http.StatusSeeOther {
			t.Errorf("to a viewer, who gets no bytes: %d %v", got.Code, got.Header())
		}
	})
}

// Rule: FILES-23
func TestNothingIsChosenThatDoesNotLieThereInSight(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		s := newScene(w)
		p := s.pages()
		away := s.folder(s.outer, "Away")
		on := s.pagesOf(thing{"Outer", s.outer, s.report})["folder"]
		nothing := map[string]string{
			"what lies elsewhere": s.deepItem, "what lies in no sight": s.buried, "what is deleted": s.deleted,
			"what is not there": s.Ambient.UID(), "a hostile value": "../..", "none": "",
		}
		for name, id := range nothing {
			for _, path := range []string{"/chosen/hide", "/chosen/move?in=" + folderURN(away),
				"/chosen/zip?form=" + s.Ambient.Token()} {
				before := s.snapshot()
				got := p.press(s.editor, on+path, ticked(id)...)
				to := got.Header().Get("Location")
				if got.Code < 400 && !strings.Contains(to, "none-chosen") || s.snapshot() != before {
					t.Errorf("%s, %s: %d %s\n%s", name, path, got.Code, to, got.Body)
				}
			}
		}
		if got := p.press(s.editor, on+"/chosen/hide", ticked(s.report)...); got.Code != http.StatusSeeOther ||
			strings.Contains(s.inOuter(), "report.txt") {
			t.Errorf("what lies there: %d", got.Code)
		}
		many := ticked()
		for range 101 {
			many = append(many, ticked(s.Ambient.UID())...)
		}
		if got := p.press(s.editor, on+"/chosen/hide", many...); got.Code != http.StatusUnprocessableEntity &&
			got.Code != http.StatusBadRequest {
			t.Errorf("more than a page has: %d", got.Code)
		}
	})
}

// Rule: FILES-23
func TestWhatIsChosenIsSharedFolderByFolder(t *testing.T) {
	s := newSQLiteScene(t)
	p := s.pages()
	one, other := s.folder(s.outer, "One"), s.folder(s.outer, "Other")
	project := "/files/projects/" + s.tower.ID + "/folders/"
	share := project + folderURN(s.outer) + "/chosen/share?"
	if got := p.open(s.hubAdmin, share+"of.f-"+one+"=on"); got.Header().Get("Location") !=
		project+folderURN(one)+"/share" {
		t.Errorf("one folder: %d %v", got.Code, got.Header())
	}
	both := p.open(s.hubAdmin, share+"of.f-"+one+"=on&of.f-"+other+"=on").Body.String()
	for _, id := range []string{one, other} {
		if !strings.Contains(both, project+folderURN(id)+"/share") {
			t.Errorf("two folders: %s", both)
		}
	}
	if got := p.open(s.hubAdmin, share+"of.i-"+s.report+"=on"); got.Code != http.StatusOK ||
		!strings.Contains(got.Body.String(), folderURN(s.outer)+"/share") {
		t.Errorf("a file, which is shared with its folder: %d\n%s", got.Code, got.Body)
	}
	if got := p.open(s.viewer, share+"of.f-"+one+"=on"); strings.Contains(got.Body.String(), "/share\"") {
		t.Errorf("to a viewer: %d\n%s", got.Code, got.Body)
	}
}
