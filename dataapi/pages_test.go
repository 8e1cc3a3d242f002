package dataapi_test

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/portico-id/portico/storage"
)

// filled adds folders and items to Outer and returns the names of all that lies
// there, in order.
func (s *scene) filled(folders, items int) []string {
	s.Helper()
	s.Must(s.Admin.LoadTree(s.Context(), s.Operator(), s.tower.ID, s.outer, storage.BulkTree{
		Folders: all(folders, func(i int) storage.BulkFolder {
			return storage.BulkFolder{ID: s.Ambient.UID(), Parent: -1, Name: fmt.Sprintf("folder %04d", i),
				CreatedAt: s.Ambient.Now()}
		}),
		Items: all(items, func(i int) storage.BulkItem {
			return storage.BulkItem{ID: s.Ambient.UID(), Folder: -1, Name: fmt.Sprintf("item %04d.txt", i),
				CreatedAt: s.Ambient.Now(), Versions: 1}
		}),
	}))
	var names []string
	for i := range folders {
		names = append(names, fmt.Sprintf("folder %04d", i))
	}
	names = append(names, "Middle")
	for i := range items {
		names = append(names, fmt.Sprintf("item %04d.txt", i))
	}
	return append(names, "report.txt", "reserved.txt")
}

// Rules: DATA-15, DATA-16
func TestPagesByLinksAndByNumbersHoldEverythingOnce(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		s := newScene(w)
		want := s.filled(7, 23)
		by := as(s.editor)
		by.token = s.token(by)
		for _, limit := range []int{1, 3, 7, 8, 31, 200} {
			first := fmt.Sprintf("%s/contents?page[limit]=%d", s.folderURL(s.outer), limit)
			var linked, numbered []string
			for next := first; next != ""; {
				got := s.ok(by, next)
				linked = append(linked, names(got.many(t))...)
				next = got.doc(t).Links["next"].Href
			}
			for n := 0; ; n++ {
				got := s.ok(by, fmt.Sprintf("%s&page%%5Bnumber%%5D=%d", first, n))
				numbered = append(numbered, names(got.many(t))...)
				if got.doc(t).Links["next"].Href == "" {
					break
				}
			}
			if !slices.Equal(linked, want) || !slices.Equal(numbered, want) {
				t.Errorf("pages of %d:\nby link   %v\nby number %v\nwant      %v", limit, linked, numbered, want)
			}
		}
		if got := s.ok(by, s.folderURL(s.outer)+"/contents?page[number]=50"); len(got.many(t)) != 0 ||
			got.doc(t).Links["next"].Href != "" {
			t.Errorf("a page past the end: %s", got.Body)
		}
		back := s.ok(by, s.ok(by, s.folderURL(s.outer)+"/contents?page[number]=2&page[limit]=5").doc(t).Links["prev"].Href)
		if !slices.Equal(names(back.many(t)), want[5:10]) {
			t.Errorf("prev: %v, want %v", names(back.many(t)), want[5:10])
		}
	})
}

// Rule: DATA-15
func TestWithoutALimitAPageHasTwoHundred(t *testing.T) {
	s := newSQLiteScene(t)
	s.filled(0, 250)
	got := s.ok(as(s.editor), s.folderURL(s.outer)+"/contents")
	if n := len(got.many(t)); n != 200 || len(got.doc(t).Included) != 199 {
		t.Errorf("%d resources, %d included", n, len(got.doc(t).Included))
	}
}

// Rule: DATA-16
func TestANextLinkGoesOnWhereItWasWhateverWasAdded(t *testing.T) {
	s := newSQLiteScene(t)
	want := s.filled(2, 5)
	first := s.ok(as(s.editor), s.folderURL(s.outer)+"/contents?page[limit]=4")
	s.folder(s.outer, "a new folder, before all others")
	s.item(s.outer, "a new item, before all others")
	second := s.ok(as(s.editor), first.doc(t).Links["next"].Href)
	if got := append(names(first.many(t)), names(second.many(t))...); !slices.Equal(got, want[:8]) {
		t.Errorf("%v, want %v", got, want[:8])
	}
}

// Rule: DATA-14
func TestFiltersApplyBeforeTheListIsCutIntoPages(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		s := newScene(w)
		want := s.filled(5, 20)
		first := s.ok(as(s.editor), s.folderURL(s.outer)+"/contents?filter[type]=items&page[limit]=6")
		if got := names(first.many(t)); !slices.Equal(got, want[6:12]) {
			t.Errorf("first page: %v, want %v", got, want[6:12])
		}
		second := s.ok(as(s.editor), first.doc(t).Links["next"].Href)
		if got := names(second.many(t)); !slices.Equal(got, want[12:18]) {
			t.Errorf("second page: %v, want %v", got, want[12:18])
		}
		if link := second.doc(t).Links["next"].Href; !strings.Contains(link, "filter%5Btype%5D=items") {
			t.Errorf("next forgets the filter: %s", link)
		}
	})
}

// Rule: DATA-17
func TestACursorOfAnotherListIsRefused(t *testing.T) {
	s := newSQLiteScene(t)
	s.filled(5, 5)
	next := s.ok(as(s.editor), s.folderURL(s.outer)+"/contents?page[limit]=2").doc(t).Links["next"].Href
	_, query, _ := strings.Cut(next, "?")
	for _, other := range []string{
		s.folderURL(s.inner) + "/contents?" + query, s.itemURL(s.report) + "/versions?" + query,
		s.folderURL(s.outer) + "/contents?" + query + "&filter[type]=items",
		s.folderURL(s.outer) + "/contents?" + query + "&sort=-name",
	} {
		s.refused(as(s.editor), other, 400, "BAD_INPUT", parameter("page[cursor]"))
	}
	s.ok(as(s.viewer), next) // a cursor is no secret, and gives no right
	s.refused(as(s.deep), next, 403, "NO_PERMISSION", nil)
}

// Rule: DATA-96
func TestNoLinkTellsWhereAPageEnded(t *testing.T) {
	s := newSQLiteScene(t)
	s.filled(5, 5)
	first := s.ok(as(s.editor), s.folderURL(s.outer)+"/contents?page[limit]=2")
	next, err := url.Parse(first.doc(t).Links["next"].Href)
	if err != nil {
		t.Fatal(err)
	}
	feed, _ := s.ok(as(s.editor), s.inTower("/changes?cursor=now")).doc(t).Meta["cursor"].(string)
	last := first.many(t)[1].Attributes["name"].(string)
	for name, cursor := range map[string]string{"a page": next.Query().Get("page[cursor]"), "the feed": feed} {
		said, err := base64.RawURLEncoding.DecodeString(cursor)
		if err != nil || len(said) == 0 || bytes.Contains(said, []byte(last)) || bytes.Contains(said, make([]byte, 4)) {
			t.Errorf("the cursor of %s says %q, %v", name, said, err)
		}
	}
}

// Rules: DATA-12, DATA-14
func TestFiltersOfEveryList(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		s := newScene(w)
		contents := s.folderURL(s.outer) + "/contents?"
		later := s.Ambient.Now().Add(time.Hour).UTC().Format(time.RFC3339)
		rollup, _ := s.folderRecord(s.middle)
		exact := seven(rollup.RollupAt)
		for path, want := range map[string][]string{
			"/project/v1/hubs?filter[name]=Main%20Hub":            {"Main Hub"},
			"/project/v1/hubs?filter[attributes.name]-starts=Oth": {"Other Hub"},
			"/project/v1/hubs?filter[name]-contains=Hub": {"Main Hub",
				"Other Hub"},
			"/project/v1/hubs?filter[name]-contains=hub":                  {}, // by bytes
			"/project/v1/hubs?filter[name]-ends=%25":                      {}, // not a pattern
			"/project/v1/hubs?filter[name]-gt=Main%20Hub":                 {"Other Hub"},
			"/project/v1/hubs?filter[id]=" + s.hub.ID + "," + s.bridge.ID: {"Main Hub"},
			"/project/v1/hubs?filter%5Bid%5D=" + s.hub.ID + "&filter%5Bid%5D=" +
				s.otherHub.ID: {"Main Hub", "Other Hub"},
			"/project/v1/hubs?filter[extension.type]=hubs:portico.core:Hub&filter[name]=Other%20Hub": {"Other Hub"},
			"/project/v1/hubs?filter[extension.type]=hubs:portico.core:Account":                      {},
			"/project/v1/hubs?sort=-name": {"Other Hub",
				"Main Hub"},
			s.hubURL() + "/projects?filter[id]=" + s.tower.ID:                {"Tower"},
			s.hubURL() + "/projects?filter[extension.type]-starts=projects:": {"Bridge", "Tower"},
			s.hubURL() + "/projects?filter[extension.type]-ends=:Other":      {},
			contents + "filter[type]=folders":                                {"Middle"},
			contents + "filter[type]=items,folders": {"Middle",
				"report.txt", "reserved.txt"},
			contents + "filter[type]=folders,%20items": {"Middle",
				"report.txt", "reserved.txt"}, // as people write lists
			contents + "filter[id]=" + itemURN(s.report): {"report.txt"},
			contents + "filter[id]=" + itemURN(s.report) + "," +
				folderURN(s.middle): {"Middle", "report.txt"},
			contents + "filter[id]=" + itemURN(s.plan): {}, // lies elsewhere
			contents + "filter[extension.type]=items:portico.core:File": {"report.txt",
				"reserved.txt"},
			contents + "filter[extension.type]=folders:portico.core:Folder,items:portico.core:File": {"Middle",
				"report.txt", "reserved.txt"},
			contents + "filter[lastModifiedTimeRollup]-gt=" + later: {},
			contents + "filter[lastModifiedTimeRollup]-lt=" + later: {"Middle",
				"report.txt", "reserved.txt"},
			contents + "filter[lastModifiedTimeRollup]=" + exact + "&filter[type]=folders": {"Middle"},
			contents + "filter[lastModifiedTimeRollup]-ge=2020": {"Middle",
				"report.txt", "reserved.txt"},
			contents + "filter[lastModifiedTimeRollup]-ge=" + later + ",%202020%20": {"Middle",
				"report.txt", "reserved.txt"},
			contents + "filter[lastModifiedTimeRollup]-ge=2020-01-01T00:00:00+02:00&filter[type]=folders": {"Middle"},
		} {
			if got := names(s.ok(caller{client: app}, path).many(t)); !slices.Equal(got, want) {
				t.Errorf("%s: %v, want %v", path, got, want)
			}
		}
	})
}

// Rule: DATA-12
func TestFiltersReachTheDataOfExtensions(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		s := newScene(w)
		design := storage.Extension{Type: "x:portico.core:Y", Version: "1.0",
			Data: `{"phase":{"name":"Design","number":7},"tags":["a","b"]}`}
		_, err := s.Store.CreateFolder(s.Context(), s.by(s.editor), s.tower.ID,
			storage.Folder{ID: s.Ambient.UID(), ParentID: s.outer, Name: "Typed", Extension: design})
		s.Must(err)
		next := s.version("report.txt")
		next.Extension = design
		_, err = s.Store.AddVersion(s.Context(), s.by(s.editor), s.tower.ID, s.report, next)
		s.Must(err)
		for path, want := range map[string]int{
			s.folderURL(s.outer) + "/contents?filter[extension.data.phase.name]=Design,Plan":        1,
			s.folderURL(s.outer) + "/contents?filter[attributes.extension.data.phase.number]-lt=10": 1,
			s.folderURL(s.outer) + "/contents?filter[extension.data.tags]=b&filter[type]=items":     0,
			s.itemURL(s.report) + "/versions?filter[extension.data.phase.name]-starts=Des":          1,
			s.itemURL(s.report) + "/versions?filter[extension.data.phase.name]=design":              0, // by bytes
		} {
			if got := s.ok(caller{client: app}, path).many(t); len(got) != want {
				t.Errorf("%s: %d, want %d", path, len(got), want)
			}
		}
	})
}
