package dataapi_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

// searcher is a three-legged caller who may search.
func searcher(user string) caller {
	return caller{client: app, user: user, scope: dataRead + " data:search"}
}

// finds returns the names of the tips that are found, in order.
func (s *scene) finds(by caller, folder, query string) []string {
	s.Helper()
	return names(s.ok(by, s.folderURL(folder)+"/search"+query).many(s))
}

// filed makes an item with a version as it is given.
func (s *scene) filed(folder string, version storage.NewVersion, by string) string {
	s.Helper()
	i, err := s.Store.CreateItem(s.Context(), s.by(by), s.tower.ID,
		storage.Item{ID: s.Ambient.UID(), FolderID: folder, Name: version.Name}, version)
	s.Must(err)
	return i.Item.ID
}

// Rules: FIND-3, FIND-4
func TestSearchFindsTipsByAnyAttribute(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		s := newScene(w)
		plan := storage.NewVersion{Name: "Plan Ö.pdf", MimeType: "application/pdf", FileType: "pdf",
			Extension: storage.Extension{
				Type: "versions:portico.bim:Document", Version: "1.2",
				Data: `{"floor":3,"phase":{"name":"Rohbau","done":true},"tags":["A-1","B 2"],"big":12345678901234567890}`,
			}}
		id := s.filed(s.middle, plan, s.viewer)
		by := searcher(s.editor)
		all := []string{"report.txt", "reserved.txt", "Plan Ö.pdf", "deep.txt", "innermost.txt"}
		if got := s.finds(by, s.outer, ""); !slices.Equal(sorted(got), sorted(all)) {
			t.Errorf("everything: %v", got)
		}
		found := s.ok(by, s.folderURL(s.outer)+"/search?filter[name]=report.txt").doc(t)
		if len(found.Included) != 1 || found.Included[0].ID != itemURN(s.report) || found.Included[0].Type != "items" {
			t.Errorf("included: %+v", found.Included)
		}
		year := fmt.Sprint(time.Now().UTC().Year())
		for query, want := range map[string]string{
			"?filter[name]=report.txt":                                        "report.txt",
			"?filter[attributes.displayName]=report.txt":                      "report.txt",
			"?filter[name]-starts=re":                                         "report.txt reserved.txt",
			"?filter[name]-ends=.pdf":                                         "Plan Ö.pdf",
			"?filter[name]-contains=ost":                                      "innermost.txt",
			"?filter[name]-contains=PLAN":                                     "",
			"?filter[name]-icontains=" + url.QueryEscape("PLAN ö"):            "Plan Ö.pdf",
			"?filter[name]-icontains=rep,DEEP":                                "deep.txt report.txt",
			"?filter[mimeType]=application/pdf":                               "Plan Ö.pdf",
			"?filter[mimeType]-icontains=PDF":                                 "Plan Ö.pdf",
			"?filter[fileType]=pdf":                                           "Plan Ö.pdf",
			"?filter[fileType]=pdf,txt&filter[name]-starts=Plan":              "Plan Ö.pdf",
			"?filter[extension.type]-ends=:Document":                          "Plan Ö.pdf",
			"?filter[extension.version]-gt=1.0":                               "Plan Ö.pdf",
			"?filter[versionNumber]-gt=1":                                     "report.txt",
			"?filter[storageSize]-gt=99999999999":                             "",
			"?filter[createUserId]=" + s.viewer:                               "Plan Ö.pdf",
			"?filter[createUserName]=" + url.QueryEscape("Name of "+s.viewer): "Plan Ö.pdf",
			"?filter[lastModifiedUserName]-ends=" + s.viewer[3:]:              "Plan Ö.pdf",
			"?filter[lastModifiedUserId]=" + s.viewer:                         "Plan Ö.pdf",
			"?filter[createTime]-lt=" + year:                                  "",
			"?filter[lastModifiedTime]-lt=2000&filter[name]=report.txt":       "",
			"?filter[createTime]-ge=" + year + "&filter[name]=report.txt":     "report.txt",
			"?filter[type]=versions&filter[name]=report.txt":                  "report.txt",
			"?filter[type]=items&filter[name]=report.txt":                     "report.txt",
			"?filter[id]=" + url.QueryEscape(itemURN(id)):                     "Plan Ö.pdf",
			"?filter[id]=" + url.QueryEscape(versionURN(s.report, "3")):       "report.txt",
			"?filter[id]=" + url.QueryEscape(versionURN(s.report, "1")):       "",
			// data of the extension, nested, and what is computed into it
			"?filter[extension.data.phase.name]=Rohbau":                                "Plan Ö.pdf",
			"?filter[attributes.extension.data.phase.name]-starts=Ro":                  "Plan Ö.pdf",
			"?filter[extension.data.phase.name]-icontains=ROH":                         "Plan Ö.pdf",
			"?filter[extension.data.phase.done]=true":                                  "Plan Ö.pdf",
			"?filter[extension.data.floor]-gt=2":                                       "Plan Ö.pdf",
			"?filter[extension.data.floor]-gt=20":                                      "",
			"?filter[extension.data.floor]=3.0":                                        "Plan Ö.pdf",
			"?filter[extension.data.tags]=A-1":                                         "Plan Ö.pdf",
			"?filter[extension.data.tags]-starts=B":                                    "Plan Ö.pdf",
			"?filter[extension.data.phase]=Rohbau":                                     "",
			"?filter[extension.data.phase.name.more]=Rohbau":                           "",
			"?filter[extension.data.big]-starts=123456789012345678":                    "Plan Ö.pdf",
			"?filter[extension.data.storageType]=OSS":                                  "",
			"?filter[extension.data.sourceFileName]=report.txt":                        "report.txt",
			"?filter[extension.data.reviewState]=NOT_IN_REVIEW&filter[name]-starts=re": "report.txt reserved.txt",
		} {
			if got := strings.Join(sorted(s.finds(by, s.outer, query)), " "); got != want {
				t.Errorf("%s: %s, want %s", query, got, want)
			}
		}
	})
}

// Rule: DATA-12
func TestANameWithACommaCanBeFilteredBy(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		s := newScene(w)
		for _, name := range []string{"Plan, ground floor.pdf", "Plan", "Roof, plan.pdf"} {
			s.filed(s.middle, storage.NewVersion{Name: name}, s.editor)
		}
		for value, want := range map[string][]string{
			`Plan\, ground floor.pdf`:      {"Plan, ground floor.pdf"},
			`Plan,Roof\, plan.pdf`:         {"Plan", "Roof, plan.pdf"},
			"Plan, ground floor.pdf":       {"Plan"}, // two values, as ever
			`Plan\\, ground floor.pdf,x.y`: {},
		} {
			if got := s.finds(searcher(s.editor), s.outer, "?filter[name]="+url.QueryEscape(value)); !slices.Equal(sorted(got),
				want) {
				t.Errorf("%s: %v, want %v", value, got, want)
			}
		}
	})
}

// Rule: FIND-5
func TestSearchFindsWhatABruteForceAnswerFinds(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		s := newScene(w)
		for seed := range uint64(3) {
			w.Must(w.Admin.RemoveMember(w.Context(), w.Operator(), membership(s.hub.ID, s.outsider)))
			w.Must(w.Admin.SetMember(w.Context(), w.Operator(), membership(s.hub.ID, s.outsider)))
			f := s.forest(seed)
			r := random(seed + 100)
			inside := map[string][]string{} // by folder, the names of its items
			for i := range 60 {
				folder := f.order[r.below(len(f.order))]
				if f.isHidden(folder) {
					continue
				}
				name := fmt.Sprintf("s%d-%d.%s", seed, i, []string{"a", "b"}[r.below(2)])
				s.filed(folder, storage.NewVersion{Name: name, FileType: name[len(name)-1:]}, s.editor)
				inside[folder] = append(inside[folder], name)
			}
			by := searcher(s.outsider)
			by.token = s.token(by)
			for _, top := range f.order {
				path := s.folderURL(top) + fmt.Sprintf("/search?filter[fileType]=a&filter[name]-starts=s%d-&page[limit]=3", seed)
				if got := s.get(by, path); got.Status != http.StatusOK {
					if f.readable(top) {
						t.Errorf("seed %d: %d %s", seed, got.Status, got.Body)
					}
					continue
				}
				if !f.readable(top) {
					t.Errorf("seed %d: a folder that can't be read is searched", seed)
				}
				var want, got []string
				for folder, items := range inside {
					for _, name := range items {
						if f.within(folder, top) && f.readable(folder) && !f.isHidden(folder) && strings.HasSuffix(name, "a") {
							want = append(want, name)
						}
					}
				}
				for path != "" {
					page := s.ok(by, path)
					got = append(got, names(page.many(t))...)
					path = page.doc(t).Links["next"].Href
				}
				if !slices.Equal(sorted(got), sorted(want)) {
					t.Errorf("seed %d: %v, want %v", seed, sorted(got), sorted(want))
				}
			}
		}
	})
}

// within reports whether the folder is the one at the top, or lies below it.
func (f *forest) within(id, top string) bool {
	for ; id != ""; id = f.parent[id] {
		if id == top {
			return true
		}
	}
	return false
}

// Rules: FIND-6, FIND-7
func TestSearchNeedsAUserAndTwoScopes(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		s := newScene(w)
		path := s.folderURL(s.inner) + "/search"
		both := dataRead + " data:search"
		const three = "THREE_LEGGED_REQUIRED"
		s.refused(caller{client: app, scope: both}, path, 403, three, nil)
		s.refused(caller{client: app, scope: both, actAs: s.editor}, path, 403, three, nil)
		s.refused(as(s.editor), path, 403, "INSUFFICIENT_SCOPE", nil)
		s.refused(caller{client: app, user: s.editor, scope: "data:search"}, path, 403, "INSUFFICIENT_SCOPE", nil)
		s.refused(caller{token: "-"}, path, 401, "MISSING_TOKEN", nil)
		s.refused(searcher(s.deep), s.folderURL(s.outer)+"/search", 403, "NO_PERMISSION", nil)
		s.refused(searcher(s.outsider), path, 404, "PROJECT_NOT_FOUND", nil)
		s.refused(searcher(s.editor), s.folderURL(strings.Repeat("A", 22))+"/search", 404, "FOLDER_NOT_FOUND", nil)
		s.refused(searcher(s.viewer), s.folderURL(s.hidden)+"/search", 404, "FOLDER_NOT_FOUND", nil)
		s.refused(caller{client: stranger, user: s.hubAdmin, scope: both}, path, 403, "APP_NOT_PROVISIONED", nil)
		s.refused(searcher(s.editor), path, 406, "NOT_ACCEPTABLE", headerNamed("Accept"), "Accept", apiType+"; ext=x")
		s.refused(searcher(s.editor), path, 415, "UNSUPPORTED_MEDIA_TYPE", headerNamed("Content-Type"),
			"Content-Type", apiType+"; ext=x")
		for name, by := range map[string]caller{
			"user": searcher(s.deep), "service account": {client: s.machineOwner, user: s.machine, scope: both},
		} {
			if got := names(s.ok(by, path).many(t)); !slices.Equal(got, []string{"deep.txt", "innermost.txt"}) {
				t.Errorf("%s: %v", name, got)
			}
		}
		if got := s.finds(searcher(s.editor), s.hidden, ""); len(got) != 0 {
			t.Errorf("in a hidden folder: %v", got)
		}
	})
}

// Rule: FIND-4
func TestASearchThatMakesNoSenseIsRefusedByName(t *testing.T) {
	s := newSQLiteScene(t)
	path := s.folderURL(s.outer) + "/search"
	for query, want := range map[string]struct{ code, parameter string }{
		"?filter[colour]=red":                        {"UNKNOWN_FILTER", "filter[colour]"},
		"?filter[extension.data]=x":                  {"UNKNOWN_FILTER", "filter[extension.data]"},
		"?filter[hidden]=true":                       {"UNKNOWN_FILTER", "filter[hidden]"},
		"?filter[versionNumber]=one":                 {"BAD_INPUT", "filter[versionNumber]"},
		"?filter[storageSize]=1.5":                   {"BAD_INPUT", "filter[storageSize]"},
		"?filter[storageSize]-contains=1":            {"UNKNOWN_COMPARISON", "filter[storageSize]-contains"},
		"?filter[createTime]=soon":                   {"BAD_INPUT", "filter[createTime]"},
		"?filter[createTime]-starts=2026":            {"UNKNOWN_COMPARISON", "filter[createTime]-starts"},
		"?filter[id]=x":                              {"BAD_INPUT", "filter[id]"},
		"?filter[id]-icontains=" + itemURN(s.report): {"UNKNOWN_COMPARISON", "filter[id]-icontains"},
		"?filter[type]=folders":                      {"BAD_INPUT", "filter[type]"},
		"?sort=name":                                 {"UNKNOWN_PARAMETER", "sort"},
		"?page[limit]=201":                           {"BAD_INPUT", "page[limit]"},
		"?page[cursor]=x":                            {"BAD_INPUT", "page[cursor]"},
	} {
		s.refused(searcher(s.editor), path+query, 400, want.code, parameter(want.parameter))
	}
	s.refused(as(s.editor), s.folderURL(s.outer)+"/contents?filter[extension.type]-icontains=x", 400,
		"UNKNOWN_COMPARISON", parameter("filter[extension.type]-icontains"))
}

// Rule: FIND-2
func TestAPageThatCanNotBeReachedInTimePointsToTheLinks(t *testing.T) {
	w := newWorld(t, sqliteURL(t))
	s := newScene(w)
	for status, err := range map[int]error{
		400: fault.New(fault.Invalid, storage.ReasonPageBehind, "Follow links.next."),
		500: fault.New(fault.Internal, "secret", "secret"),
		503: fault.New(fault.Unavailable, "store_unavailable", "The database is out of reach. Try again in a moment."),
	} {
		w.serve(failing{refusing{err}})
		got := s.get(searcher(s.editor), s.folderURL(s.outer)+"/search?page[number]=9")
		if got.Status != status || strings.Contains(string(got.Body), "secret") {
			t.Errorf("%d: %d %s", status, got.Status, got.Body)
		}
		w.serve(stuckSearch{w.Store, err})
		got = s.get(searcher(s.editor), s.folderURL(s.outer)+"/search?page[number]=9")
		if got.Status != status || status == 400 && got.doc(t).Errors[0].Source["parameter"] != "page[number]" {
			t.Errorf("%d: %d %s", status, got.Status, got.Body)
		}
	}
}

// stuckSearch is a store whose search fails.
type stuckSearch struct {
	apiStore
	err error
}

// Rule: FIND-8
func TestSixtyFourSearchesAtOnceAreAllAnswered(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		const crowd, files = 64, 300
		s := newScene(w)
		s.filled(0, files)
		server := s.plainServer()
		t.Cleanup(server.Close)
		token := s.token(searcher(s.editor))
		queries := []string{"?filter[name]-icontains=E", "?filter[name]-ends=t", "?filter[versionNumber]=1", ""}
		took := make([]time.Duration, crowd)
		var all sync.WaitGroup
		for i := range crowd {
			all.Go(func() {
				began, found := time.Now(), 0
				for path := s.folderURL(s.outer) + "/search" + queries[i%len(queries)]; path != ""; { // a short page goes on
					some, next, err := searchPage(server.URL+path, token)
					if err != nil {
						t.Error(err)
						return
					}
					took[i] = cmp.Or(took[i], time.Since(began))
					found, path = found+some, strings.TrimPrefix(next, s.URL)
				}
				if found < files {
					t.Errorf("%d of %d found", found, files)
				}
			})
		}
		all.Wait()
		slices.Sort(took)
		t.Logf("first pages: half in %v, all in %v", took[crowd/2], took[crowd-1])
	})
}

// searchPage returns how many are on a page, and where the next one is.
func searchPage(address, token string) (found int, next string, err error) {
	r, err := http.NewRequest(http.MethodGet, address, nil)
	if err != nil {
		return 0, "", err
	}
	r.Header.Set("Authorization", "Bearer "+token)
	got, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, "", err
	}
	defer got.Body.Close()
	var page struct {
		Links struct{ Next struct{ Href string } }
		Data  []struct{}
	}
	if got.StatusCode != http.StatusOK {
		return 0, "", fmt.Errorf("%s: %s", address, got.Status)
	}
	err = json.NewDecoder(got.Body).Decode(&page)
	return len(page.Data), page.Links.Next.Href, err
}

// Rule: FIND-3
func TestASearchMeetsDataWithAnEmptyName(t *testing.T) {
	s := newSQLiteScene(t)
	for name, data := range map[string]string{"odd.txt": `{"phase":{"":"x"}}`, "plain.txt": `{"phase":"Design"}`} {
		s.filed(s.middle, storage.NewVersion{Name: name, Extension: storage.Extension{
			Type: "versions:portico.core:File", Version: "1.0", Data: data}}, s.editor)
	}
	got := s.ok(searcher(s.editor), s.folderURL(s.outer)+"/search?filter[extension.data.phase]=Design")
	s.Equal(1, len(got.many(t)))
}
