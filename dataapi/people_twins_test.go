package dataapi_test

import (
	"fmt"
	"html"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/portico-id/portico/dataapi/pdf/pdftest"
	"github.com/portico-id/portico/dataapi/urn"
	"github.com/portico-id/portico/storage"
)

var describes = regexp.MustCompile(`id="describe-[^"]*" class="button" href="([^"]*)"`)

// twinned makes a twin of the hub, and returns its page.
func (p peoplesPages) twinned(name string, members map[string]storage.TwinAccess) string {
	p.Helper()
	now := p.Ambient.Now()
	twin := storage.Facility{ID: p.Ambient.UID(), HubID: p.hub.ID, Name: name, CreatedAt: now, ModifiedAt: now}
	p.Must(p.Store.CreateFacility(p.Context(), p.Operator(), twin,
		storage.TwinModel{ID: p.Ambient.UID(), Default: true, CreatedAt: now}))
	for user, may := range members {
		p.Must(p.Store.SetTwinMember(p.Context(), p.Operator(), twin.ID, user, may))
	}
	return "/files/twins/" + urn.Space("portico").Twin(twin.ID)
}

// uidOf is the twin of a page.
func (p peoplesPages) uidOf(page string) string {
	uid, _ := urn.Space("portico").TwinUID(strings.TrimPrefix(page, "/files/twins/"))
	return uid
}

// documented brings a PDF and makes it a document of a twin, and returns its page.
func (p peoplesPages) documented(twin, user string) string {
	p.Helper()
	item, _ := p.brought(p.fresh()+".pdf", string(pdftest.Plain(1, "one")))
	return p.added(item, twin, user)
}

func (p peoplesPages) added(item, twin, user string) string {
	p.Helper()
	got := p.press(user, item+"/twin", "twin", p.uidOf(twin), "policy", "notify", "label", "Maintenance")
	if got.Code != http.StatusSeeOther {
		p.Fatalf("%d\n%s", got.Code, got.Body)
	}
	document := describes.FindStringSubmatch(p.open(user, twin).Body.String())
	if document == nil {
		p.Fatal(p.open(user, twin).Body.String())
	}
	return document[1]
}

// Rule: FILES-29
func TestTwinsAndTheirDocumentsArePagesByTheRulesOfTheirEndpoints(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		s := newScene(w)
		p := s.pages()
		list := "/files/hubs/" + s.hub.ID + "/twins"
		page := p.twinned("Tower Twin", map[string]storage.TwinAccess{s.editor: storage.TwinReadWrite,
			s.deep: storage.TwinRead})
		item, _ := p.brought("plan.pdf", string(pdftest.Plain(1, "one")))
		note, _ := p.brought("note.txt", "no document")
		document := p.added(item, page, s.editor)
		for _, c := range []struct {
			user                         string
			list, page, content, changes int
			original                     bool
		}{
			{s.editor, 200, 200, 200, 200, true}, {s.hubAdmin, 200, 200, 200, 200, true},
			{s.deep, 200, 200, 200, 403, false}, {s.viewer, 200, 404, 404, 404, false},
			{s.elsewhere, 404, 404, 404, 404, false},
		} {
			body := p.open(c.user, page).Body.String()
			for path, want := range map[string]int{list: c.list, page: c.page, document + "/content": c.content,
				document: c.changes, document + "/remove": c.changes} {
				if got := p.open(c.user, path); got.Code != want {
					t.Errorf("%s: %s is %d, want %d", c.user, path, got.Code, want)
				}
			}
			if strings.Contains(body, "Version 1, as it is") != (c.page == 200) || strings.Contains(body, item) != c.original ||
				strings.Contains(p.open(c.user, list).Body.String(), "Tower Twin") != (c.page == 200) {
				t.Errorf("%s sees\n%s", c.user, body)
			}
		}
		if got := p.open(s.deep, document+"/content"); got.Body.String() != string(pdftest.Plain(1, "one")) {
			t.Errorf("the bytes are %q", got.Body)
		}
		for path, pairs := range map[string][]string{note: {"twin", p.uidOf(page)},
			item: {"twin", "none", "label", "typed"}} {
			got := p.press(s.editor, path+"/twin", pairs...)
			if got.Code != http.StatusUnprocessableEntity || !strings.Contains(got.Body.String(), `id="form-errors"`) {
				t.Errorf("%s: %d\n%s", path, got.Code, got.Body)
			}
		}
		if got := p.press(s.deep, document, "policy", "pin"); got.Code != http.StatusForbidden {
			t.Errorf("a reader changes it: %d", got.Code)
		}
		s.Equal(http.StatusSeeOther, p.press(s.editor, document, "policy", "pin", "label", "Other").Code)
		if body := p.open(s.editor, page).Body.String(); !strings.Contains(body, "plan.pdf · Other") {
			t.Errorf("described\n%s", body)
		}
		again := p.press(s.editor, item+"/twin", "twin", p.uidOf(page), "label", "Third", "policy", "notify")
		to := again.Header().Get("Location")
		if body := p.open(s.editor, to).Body.String(); !strings.HasPrefix(to, document+"?") ||
			!strings.Contains(body, "has this document already") || !strings.Contains(body, `value="Other"`) {
			t.Errorf("what is there is added again: %d to %s\n%s", again.Code, to, body)
		}
		s.Equal(http.StatusSeeOther, p.press(s.editor, document+"/remove").Code)
		if body := p.open(s.editor, page).Body.String(); !strings.Contains(body, `id="none"`) {
			t.Errorf("removed\n%s", body)
		}
	})
}

// Rule: FILES-29
func TestATwinBehindManyOfOthersIsFound(t *testing.T) {
	s := newSQLiteScene(t)
	p := s.pages()
	for n := range storage.MaxPage + 1 {
		p.twinned(fmt.Sprintf("Of others %03d", n), nil)
	}
	mine := p.twinned("Zenith", map[string]storage.TwinAccess{s.editor: storage.TwinReadWrite})
	list := "/files/hubs/" + s.hub.ID + "/twins"
	if got := p.open(s.editor, list).Body.String(); !strings.Contains(got, mine) {
		t.Errorf("it is not on the list:\n%s", got)
	}
	item, _ := p.brought("plan.pdf", string(pdftest.Plain(1, "one")))
	if got := p.open(s.editor, item+"/twin").Body.String(); !strings.Contains(got, p.uidOf(mine)) {
		t.Errorf("it can't be chosen:\n%s", got)
	}
	for _, path := range []string{list, item + "/twin"} {
		if n := p.statements(s.editor, path); n > 40 {
			t.Errorf("%s asks the database %d times", path, n)
		}
	}
}

// Rule: FILES-41
func TestTwinsAndDocumentsThatAreGoneLeadToThoseThatAreThere(t *testing.T) {
	s := newSQLiteScene(t)
	p := s.pages()
	twin := p.twinned("Twin 000", map[string]storage.TwinAccess{s.editor: storage.TwinReadWrite})
	for n := range 101 { // a page and one more
		p.twinned(fmt.Sprintf("Twin %03d", n+1), map[string]storage.TwinAccess{s.editor: storage.TwinReadWrite})
		item, _ := p.brought(fmt.Sprintf("a sheet %03d.pdf", 999-n), string(pdftest.Plain(1, "one"))) // the first on the page
		got := p.press(s.editor, item+"/twin", "twin", p.uidOf(twin), "policy", "notify")
		if got.Code != http.StatusSeeOther {
			t.Fatalf("%d\n%s", got.Code, got.Body)
		}
	}
	leads := func(list, gone string, ends func(rest string)) {
		next := nextPage.FindStringSubmatch(p.open(s.editor, list).Body.String())
		if next == nil {
			t.Fatalf("%s has one page", list)
		}
		onward := html.UnescapeString(next[1])
		ends(p.open(s.editor, onward).Body.String())
		if got := p.open(s.editor, onward); got.Code != http.StatusSeeOther || got.Header().Get("Location") != list {
			t.Errorf("%s: %d to %q", gone, got.Code, got.Header().Get("Location"))
		}
	}
	leads(twin, "documents", func(rest string) {
		for _, link := range describes.FindAllStringSubmatch(rest, -1) {
			if got := p.press(s.editor, link[1]+"/remove"); got.Code != http.StatusSeeOther {
				t.Fatalf("%d\n%s", got.Code, got.Body)
			}
		}
	})
	leads("/files/hubs/"+s.hub.ID+"/twins", "twins", func(rest string) {
		for _, twin := range twinLink.FindAllString(rest, -1) {
			p.Must(p.Store.RemoveTwinMember(p.Context(), p.Operator(), p.uidOf(twin), s.editor))
		}
	})
}

var twinLink = regexp.MustCompile(`/files/twins/[^"]+`)
