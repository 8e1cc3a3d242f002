package dataapi_test

import (
	"fmt"
	"html"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/portico-id/portico/storage"
)

var rowNames = regexp.MustCompile(`<th scope="row"><a href="[^"]*"><bdi>([^<]*)</bdi>`)

// rowsOf are the names in a table, in their order.
func rowsOf(body string) []string {
	names := []string{}
	for _, found := range rowNames.FindAllStringSubmatch(body, -1) {
		names = append(names, html.UnescapeString(found[1]))
	}
	return names
}

// Rule: FILES-26
func TestAFolderIsNarrowedAndOrdered(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		s := newScene(w)
		p := s.pages()
		folder := s.pagesOf(thing{"Outer", s.outer, s.report})["folder"]
		for _, name := range []string{"b.txt", "a.txt"} {
			s.item(s.outer, name)
		}
		s.Must(s.Store.SetVersionState(t.Context(), s.Operator(), s.tower.ID, storage.VersionRef{ItemID: s.report, Number: 3},
			storage.VersionState{State: "shared", Suitability: "S2", Revision: "P01"}))
		for query, want := range map[string][]string{
			"":                               {"Middle", "a.txt", "b.txt", "report.txt", "reserved.txt"},
			"order=back":                     {"Middle", "reserved.txt", "report.txt", "b.txt", "a.txt"},
			"order=newest":                   {"Middle", "a.txt", "b.txt", "reserved.txt", "report.txt"},
			"part=RE":                        {"report.txt", "reserved.txt"},
			"part=re&order=back":             {"reserved.txt", "report.txt"},
			"part=mid":                       {"Middle"},
			"part=nothing":                   {},
			"state=shared":                   {"report.txt"},
			"suits=S2":                       {"report.txt"},
			"revision=P01":                   {"report.txt"},
			"state=shared&suits=S3":          {},
			"state=wip":                      {},
			"state=shared&part=re&suits=":    {"report.txt"},
			"order=sideways&state=&revision": {"Middle", "a.txt", "b.txt", "report.txt", "reserved.txt"},
		} {
			got := p.open(s.viewer, folder+"?"+query)
			if diff := cmp.Diff(want, rowsOf(got.Body.String())); diff != "" || got.Code != http.StatusOK {
				t.Errorf("%s: %d (-want +got)\n%s", query, got.Code, diff)
			}
		}
		body := p.open(s.viewer, folder).Body.String()
		for _, word := range []string{">Shared</span> S2 P01</td>", `aria-sort="ascending"`} {
			if !strings.Contains(body, word) {
				t.Errorf("%q is not there", word)
			}
		}
		if body := p.open(s.viewer, folder+"?part=re&state=wip").Body.String(); !strings.Contains(body,
			"/search?q=re") || !strings.Contains(body, `id="all"`) || strings.Contains(body, "empty") {
			t.Errorf("what fits nothing shows\n%s", body)
		}
		if got := p.open(s.viewer, folder+"?part="+strings.Repeat("x", 300)); got.Code != http.StatusBadRequest {
			t.Errorf("a very long part: %d", got.Code)
		}
	})
}

var nextPage = regexp.MustCompile(`id="next"[^>]* href="([^"]*)"`)

// Rule: FILES-26
func TestANarrowedFolderIsSeenPageByPage(t *testing.T) {
	s := newSQLiteScene(t)
	p := s.pages()
	var names []string
	for i := range 120 {
		names = append(names, "sheet "+string(rune('A'+i/26))+string(rune('a'+i%26))+".txt")
		s.item(s.outer, names[i])
	}
	folder := s.pagesOf(thing{"Outer", s.outer, s.report})["folder"]
	for _, order := range []string{"", "back", "newest"} {
		want := slices.Clone(names)
		if order != "" {
			slices.Reverse(want)
		}
		var got []string
		for path := folder + "?" + (url.Values{"part": {"SHEET"}, "order": {order}}).Encode(); path != ""; {
			body := p.open(s.viewer, path).Body.String()
			got = append(got, rowsOf(body)...)
			path = ""
			if next := nextPage.FindStringSubmatch(body); next != nil {
				path = html.UnescapeString(next[1])
				if order != "" && !strings.Contains(path, "order="+order) || !strings.Contains(path, "part=SHEET") {
					t.Errorf("on from %q to %s", order, path)
				}
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q (-want +got)\n%s", order, diff)
		}
	}
}

var namedRows = regexp.MustCompile(`<a class="name" href="[^"]*"><bdi>([^<]*)</bdi>`)

// Rules: FILES-6, FILES-19
func TestWhatIsReservedOrHiddenIsSeenPageByPage(t *testing.T) {
	s := newSQLiteScene(t)
	p := s.pages()
	var names, ids []string
	for i := range storage.MaxPage + 5 {
		names = append(names, fmt.Sprintf("sheet %03d.txt", i))
		ids = append(ids, s.item(s.outer, names[i]))
	}
	all := func(path string) (got []string) {
		for path != "" {
			body := p.open(s.projAdmin, path).Body.String()
			for _, found := range namedRows.FindAllStringSubmatch(body, -1) {
				if strings.HasPrefix(found[1], "sheet") {
					got = append(got, found[1])
				}
			}
			next := nextPage.FindStringSubmatch(body)
			if path = ""; next != nil {
				path = html.UnescapeString(next[1])
			}
		}
		slices.Sort(got)
		return got
	}
	for page, change := range map[string]func(id string) error{
		"/files/projects/" + s.tower.ID + "/reservations": func(id string) error {
			_, err := s.Store.ReserveItem(t.Context(), s.by(s.editor), s.tower.ID, id)
			return err
		},
		s.pagesOf(thing{"Outer", s.outer, s.report})["folder"] + "/hidden": func(id string) error {
			_, err := s.Store.UpdateItem(t.Context(), s.by(s.editor), s.tower.ID, id, storage.ItemPatch{Hidden: new(true)})
			return err
		},
	} {
		for _, id := range ids {
			s.Must(change(id))
		}
		if got := all(page); !slices.Equal(names, got) {
			t.Errorf("%s: %d of %d", page, len(got), len(names))
		}
		if finds := strings.Contains(p.open(s.projAdmin, page).Body.String(), `id="search"`); strings.HasSuffix(page,
			"/reservations") && (!finds || !slices.Equal(names[storage.MaxPage:], all(page+"?q=SHEET+2"))) {
			t.Errorf("%s finds (%v) %v", page, finds, all(page+"?q=SHEET+2"))
		}
		for _, id := range ids {
			_, err := s.Store.UpdateItem(t.Context(), s.by(s.editor), s.tower.ID, id, storage.ItemPatch{Hidden: new(false)})
			s.Must(err)
		}
	}
}

// Rules: FILES-4, FILES-23
func TestEveryFolderInOneCanBePicked(t *testing.T) {
	s := newSQLiteScene(t)
	p := s.pages()
	for i := range storage.MaxPage + 5 {
		s.folder(s.outer, fmt.Sprintf("pile %03d", i))
	}
	on := s.pagesOf(thing{"Outer", s.outer, s.report})
	in := url.Values{"in": {folderURN(s.outer)}}.Encode()
	for _, path := range []string{on["item"] + "/move?" + in, on["folder"] + "/chosen/copy?" + in + "&of=i-" + s.report} {
		first := p.open(s.editor, path).Body.String()
		next := nextPage.FindStringSubmatch(first)
		if next == nil {
			t.Fatalf("%s ends with\n%s", path, first)
		}
		rest := p.open(s.editor, html.UnescapeString(next[1])).Body.String()
		if strings.Count(first+rest, "<bdi>pile ") != storage.MaxPage+5 || !strings.Contains(rest, s.report) {
			t.Errorf("%s goes on with\n%s", path, rest)
		}
	}
}

// Rule: FILES-27
func TestAFilesPageShowsTheFileItsVersionsAndWhatRefersToIt(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		s := newScene(w)
		p := s.pages()
		item, version := p.brought("notes.txt", "one two")
		p.brought("notes.txt", "one two three")
		uid := item[strings.LastIndexByte(item, ':')+1:]
		for _, from := range []storage.End{{ItemID: s.report}, {ItemID: s.plan}} {
			s.Must(s.Store.AddRefs(t.Context(), s.Operator(), s.tower.ID, from,
				[]storage.Ref{{To: storage.End{ItemID: uid, Version: 2}, Extension: storage.Extension{Type: "xrefs:a:B"}}}))
		}
		body := p.open(s.viewer, item).Body.String()
		if strings.Contains(body, "one two") || !strings.Contains(body, "but not read it") {
			t.Errorf("to who may only see it:\n%s", body)
		}
		body = p.open(s.editor, item).Body.String()
		for _, part := range []string{"one two three", `href="` + version + `"`, `id="refs"`, "<bdi>report.txt</bdi>",
			"SHA-256: "} {
			if !strings.Contains(body, part) {
				t.Errorf("%q is not on\n%s", part, body)
			}
		}
		if strings.Contains(body, "plan.txt") {
			t.Error("something refers to it that its reader can't see")
		}
	})
}

// Names have up to 255 characters, each of which may take four bytes.
//
// Rule: FILES-26
func TestALongNameOfAnyScriptIsLookedFor(t *testing.T) {
	s := newSQLiteScene(t)
	p := s.pages()
	folder := s.pagesOf(thing{"Outer", s.outer, s.report})["folder"]
	name := strings.Repeat("図", 250) + ".txt"
	s.item(s.outer, name)
	for _, page := range []string{folder + "?part=", folder + "/search?q="} {
		for typed, want := range map[string]int{name: http.StatusOK, strings.Repeat("図", 256): http.StatusBadRequest} {
			got := p.open(s.viewer, page+url.QueryEscape(typed))
			if got.Code != want || want == http.StatusOK && !strings.Contains(got.Body.String(), ">"+name+"<") {
				t.Errorf("%s with %d characters: %d", page, utf8.RuneCountInString(typed), got.Code)
			}
		}
	}
}

// Rule: FILES-41
func TestAPageOfAListThatHasEmptiedLeadsToItsBeginning(t *testing.T) {
	s := newSQLiteScene(t)
	p := s.pages()
	folder := s.pagesOf(thing{"Outer", s.outer, s.report})["folder"]
	for _, page := range []string{folder, folder + "/hidden", "/files/hubs/" + s.hub.ID} {
		got := p.open(s.hubAdmin, page+"?page=7")
		if got.Code != http.StatusSeeOther || got.Header().Get("Location") != page {
			t.Errorf("%s: %d to %q", page, got.Code, got.Header().Get("Location"))
		}
	}
	if got := p.open(s.hubAdmin, folder+"?part=report&page=7"); got.Header().Get("Location") != folder+"?part=report" {
		t.Errorf("of a list that is narrowed: to %q", got.Header().Get("Location"))
	}
	if got := p.open(s.hubAdmin, folder+"?part=nothing"); got.Code != http.StatusOK {
		t.Errorf("where nothing fits: %d", got.Code)
	}
}

// Rule: FILES-41
func TestReservationsThatHaveEndedMeanwhileLeadToThoseThatHaveNot(t *testing.T) {
	s := newSQLiteScene(t)
	p := s.pages()
	var ids []string
	for i := range storage.MaxPage + 5 {
		ids = append(ids, s.item(s.outer, fmt.Sprintf("sheet %03d.txt", i)))
		_, err := s.Store.ReserveItem(t.Context(), s.by(s.editor), s.tower.ID, ids[i])
		s.Must(err)
	}
	page := "/files/projects/" + s.tower.ID + "/reservations"
	next := nextPage.FindStringSubmatch(p.open(s.projAdmin, page).Body.String())
	for _, id := range append(ids, s.reserved) {
		_, err := s.Store.ReleaseItem(t.Context(), s.by(s.editor), s.tower.ID, id)
		s.Must(err)
	}
	got := p.open(s.projAdmin, html.UnescapeString(next[1]))
	if got.Code != http.StatusSeeOther || got.Header().Get("Location") != page {
		t.Errorf("%d to %q\n%s", got.Code, got.Header().Get("Location"), got.Body)
	}
}
