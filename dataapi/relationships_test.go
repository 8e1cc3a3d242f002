package dataapi_test

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/portico-id/portico/storage"
)

// refer makes a reference over the API.
func (s *scene) refer(by caller, from string, body object) {
	s.Helper()
	s.mustSend(http.MethodPost, http.StatusNoContent, by, from+"/relationships/refs", body)
}

// refsAt returns what a thing says of its references, one line each.
func (s *scene) refsAt(by caller, path, query string) []string {
	s.Helper()
	var lines []string
	for _, ref := range s.identifiers(by, path+"/relationships/refs"+query) {
		lines = append(lines, fmt.Sprint(ref.Meta["direction"], " ", ref.Type, " ", s.nameOfURN(ref.ID),
			" ", ref.Meta["refType"]))
	}
	return lines
}

type identifier struct {
	Type string         `json:"type"`
	ID   string         `json:"id"`
	Meta map[string]any `json:"meta"`
}

func (s *scene) identifiers(by caller, path string) []identifier {
	s.Helper()
	var all []identifier
	s.Must(decode(s.ok(by, path).doc(s).Data, &all))
	return all
}

// nameOfURN says which of the scene's things has the URN.
func (s *scene) nameOfURN(urn string) string {
	for name, uid := range map[string]string{
		"Outer": s.outer, "Middle": s.middle, "Inner": s.inner, "Hidden": s.hidden, "Plans": s.plans.ID,
		"report": s.report, "deep": s.deepItem, "plan": s.plan, "deleted": s.deleted, "buried": s.buried,
	} {
		if strings.Contains(urn, uid) {
			return name
		}
	}
	return urn
}

// Rules: REL-2, REL-3
func TestAReferenceIsSeenFromBothEnds(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		s := newScene(w)
		by := writer(s.editor)
		version := s.versionURL(s.report, "2")
		s.refer(by, version, together(refTo("folders", folderURN(s.inner)), refOf("items", itemURN(s.deepItem), printed)))
		s.refer(by, s.itemURL(s.deepItem), refTo("versions", versionURN(s.report, "2")))
		for path, want := range map[string][]string{
			version:              {"from folders Inner xrefs", "from items deep derived", "to items deep xrefs"},
			s.folderURL(s.inner): {"to versions report xrefs"},
			s.itemURL(s.deepItem): {
				"to versions report derived", "from versions report xrefs"},
			s.itemURL(s.report):         nil, // its version is another thing
			s.versionURL(s.report, "1"): nil,
		} {
			if got := s.refsAt(by, path, ""); !slices.Equal(got, want) {
				t.Errorf("%s: %q, want %q", path, got, want)
			}
		}
		ref := s.identifiers(by, s.folderURL(s.inner)+"/relationships/refs")[0]
		want := identifier{"versions", versionURN(s.report, "2"), map[string]any{
			"refType": "xrefs", "direction": "to", "fromType": "versions", "fromId": versionURN(s.report, "2"),
			"toType": "folders", "toId": folderURN(s.inner), "extension": map[string]any{
				"type": xref, "version": "1.0", "data": map[string]any{"nestedType": "overlay"},
				"schema": map[string]any{"href": w.URL + "/schema/v1/versions/xrefs:portico.core:Xref-1.0"},
			},
		}}
		if diff := cmp.Diff(want, ref); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
	})
}

// Rule: REL-3
func TestTheResourcesAtTheOtherEndsAreIncludedAndListedOnce(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		s := newScene(w)
		by := writer(s.editor)
		for _, to := range []object{refTo("folders", folderURN(s.inner)), refOf("folders", folderURN(s.inner), printed),
			refTo("items", itemURN(s.deepItem)), refTo("versions", versionURN(s.report, "1"))} {
			s.refer(by, s.itemURL(s.report), to)
		}
		want := []string{"Inner", "deep.txt", "report.txt"}
		doc := s.ok(by, s.itemURL(s.report)+"/relationships/refs").doc(t)
		if got := names(doc.Included); !slices.Equal(got, want) {
			t.Errorf("included: %v", got)
		}
		if got := doc.Links["related"].Href; got != w.URL+s.itemURL(s.report)+"/refs" {
			t.Errorf("related: %s", got)
		}
		related := s.ok(by, doc.Links["related"].Href)
		if got := names(related.many(t)); !slices.Equal(got, want) {
			t.Errorf("refs: %v", got)
		}
		folder := s.ok(by, s.folderURL(s.inner)).one(t)
		if diff := cmp.Diff([]resource{folder}, doc.Included[:1]); diff != "" {
			t.Errorf("the folder, alone (-) and included (+):\n%s", diff)
		}
	})
}

// Rule: REL-4
func TestFiltersOfReferences(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		s := newScene(w)
		by := writer(s.editor)
		report := s.itemURL(s.report)
		s.refer(by, report, together(refTo("folders", folderURN(s.inner)), refOf("items", itemURN(s.deepItem), printed)))
		s.refer(by, s.folderURL(s.middle), refOf("items", itemURN(s.report), "auxiliary:portico.core:Attachment"))
		for query, want := range map[string]string{
			"":                            "Inner deep Middle",
			"?filter[type]=folders":       "Inner Middle",
			"?filter[type]=items":         "deep",
			"?filter[type]=versions":      "",
			"?filter[type]=items,folders": "Inner deep Middle",
			"?filter[id]=" + url.QueryEscape(folderURN(s.inner)):                         "Inner",
			"?filter[id]=" + url.QueryEscape(folderURN(s.inner)+","+itemURN(s.deepItem)): "Inner deep",
			"?filter[id]=" + url.QueryEscape(versionURN(s.deepItem, "1")):                "",
			"?filter[refType]=xrefs":                                       "Inner",
			"?filter[meta.refType]=xrefs&filter[refType]=derived":          "",
			"?filter%5Bmeta.refType%5D=xrefs,auxiliary":                    "Inner Middle",
			"?filter[direction]=from":                                      "Inner deep",
			"?filter[direction]=to":                                        "Middle",
			"?filter[direction]=from,to":                                   "Inner deep Middle",
			"?filter[direction]=from,+to":                                  "Inner deep Middle",
			"?filter[extension.type]=" + xref:                              "Inner",
			"?filter[meta.extension.type]-ends=Print":                      "deep",
			"?filter[direction]=from&filter[extension.type]-contains=core": "Inner deep",
		} {
			var got []string
			for _, ref := range s.identifiers(by, report+"/relationships/refs"+query) {
				got = append(got, s.nameOfURN(ref.ID))
			}
			if strings.Join(got, " ") != want {
				t.Errorf("%s: %v, want %s", query, got, want)
			}
		}
		// Of resources, the extension is their own.
		for query, want := range map[string]string{
			"?filter[extension.type]=folders:portico.core:Folder": "Inner Middle",
			"?filter[extension.type]=" + xref:                     "",
			"?filter[type]=items":                                 "deep.txt",
			"?filter[extension.type]-gt=items":                    "deep.txt",
			"?filter[meta.refType]=xrefs":                         "Inner", // what the reference is for
			"?filter[refType]=auxiliary,derived":                  "deep.txt Middle",
		} {
			if got := strings.Join(names(s.ok(by, report+"/refs"+query).many(t)), " "); got != want {
				t.Errorf("refs%s: %s, want %s", query, got, want)
			}
		}
		for query, source := range map[string]string{
			"?filter[refType]=friends":         "filter[refType]",
			"?filter[direction]=up":            "filter[direction]",
			"?filter[type]=hubs":               "filter[type]",
			"?filter[id]=x":                    "filter[id]",
			"?filter[direction]=from,sideways": "filter[direction]",
		} {
			s.refused(by, report+"/relationships/refs"+query, 400, "BAD_INPUT", parameter(source))
		}
		s.refused(by, report+"/refs?filter[direction]=to", 400, "UNKNOWN_FILTER", parameter("filter[direction]"))
	})
}

// Rule: REL-5
func TestEndsThatTheCallerCanNotSeeAreLeftOut(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		s := newScene(w)
		admin := writer(s.projAdmin)
		hidden := together(refTo("items", itemURN(s.deleted)), refTo("folders", folderURN(s.hidden)),
			refTo("versions", versionURN(s.buried, "1")))
		s.refer(admin, s.itemURL(s.deepItem), hidden)
		s.refer(admin, s.itemURL(s.deepItem), together(refTo("items", itemURN(s.plan)), refTo("folders", folderURN(s.outer)),
			refTo("folders", folderURN(s.inner))))
		for name, tt := range map[string]struct {
			by   caller
			want []string
		}{
			"project admin": {as(s.projAdmin), []string{"plan", "Outer", "Inner"}},
			"app":           {caller{client: app}, []string{"plan", "Outer", "Inner"}},
			"editor":        {as(s.editor), []string{"Outer", "Inner"}},
			"deep viewer":   {as(s.deep), []string{"Inner"}},
		} {
			for limit := 1; limit < 4; limit++ {
				var got []string
				path := fmt.Sprintf("%s/relationships/refs?page[limit]=%d", s.itemURL(s.deepItem), limit)
				for number := 0; path != ""; number++ {
					doc := s.ok(tt.by, path).doc(t)
					var page, again []identifier
					s.Must(decode(doc.Data, &page))
					s.Must(decode(s.ok(tt.by, fmt.Sprintf("%s/relationships/refs?page[limit]=%d&page[number]=%d",
						s.itemURL(s.deepItem), limit, number)).doc(t).Data, &again))
					if diff := cmp.Diff(page, again); diff != "" {
						t.Errorf("by link (-) and by number (+):\n%s", diff)
					}
					for _, ref := range page {
						got = append(got, s.nameOfURN(ref.ID))
					}
					path = doc.Links["next"].Href
				}
				if !slices.Equal(got, tt.want) {
					t.Errorf("%s, %d a page: %v, want %v", name, limit, got, tt.want)
				}
			}
		}
	})
}

// Rules: REL-6, REL-7
func TestAReferenceTakesRightsAtBothEnds(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		s := newScene(w)
		const post = http.MethodPost
		to := func(end string) map[string]string { return pointer("/data" + end + "/id") }
		refs := "/relationships/refs"
		s.refuses(post, writer(s.viewer), s.itemURL(s.report)+refs, refTo("folders", folderURN(s.inner)),
			403, "NO_PERMISSION", nil)
		s.refuses(post, writer(s.editor), s.itemURL(s.report)+refs, refTo("items", itemURN(s.plan)), 403,
			"NO_PERMISSION", to(""))
		s.refuses(post, writer(s.editor), s.itemURL(s.report)+refs,
			together(refTo("folders", folderURN(s.inner)), refTo("folders", folderURN(s.plans.ID))), 403,
			"NO_PERMISSION", to("/1"))
		s.refuses(post, writer(s.editor), s.itemURL(s.report)+refs, refTo("items", itemURN(strings.Repeat("A", 22))), 404,
			"ITEM_NOT_FOUND", to(""))
		s.refuses(post, writer(s.editor), s.itemURL(s.report)+refs, refTo("versions", versionURN(s.report, "9")), 404,
			"VERSION_NOT_FOUND", to(""))
		s.refuses(post, writer(s.editor), s.itemURL(s.report)+refs, refTo("items", itemURN(s.report)),
			400, "SAME_END", to(""))
		s.grant(storage.FolderGrant{FolderID: s.outer, UserID: s.viewer, Level: storage.LevelCollaborate})
		s.refuses(post, writer(s.viewer), s.itemURL(s.report)+refs, refTo("items", itemURN(s.deleted)), 404,
			"ITEM_NOT_FOUND", to(""))
		if got := s.refsAt(as(s.editor), s.itemURL(s.report), ""); got != nil {
			t.Errorf("refused, and yet there: %v", got)
		}
		body := refTo("folders", folderURN(s.inner))
		before := s.snapshot
		s.refer(writer(s.viewer), s.itemURL(s.report), body)
		once := before()
		s.refer(writer(s.editor), s.itemURL(s.report), body)
		if before() != once {
			t.Error("the same reference again is a change")
		}
	})
}

// Rule: REL-6
func TestWhatIsNoReferenceIsRefusedWithItsPlace(t *testing.T) {
	s := newSQLiteScene(t)
	valid := refTo("folders", folderURN(s.inner))
	many := make([]object, 201)
	for i := range many {
		many[i] = valid
	}
	extension := func(value any, name string) object { return with(valid, value, "data", "meta", "extension", name) }
	for name, tt := range map[string]struct {
		body    any
		pointer string
		code    string
	}{
		"no data":           {object{}, "", "BAD_INPUT"},
		"empty":             {object{"data": []any{}}, "/data", "BAD_INPUT"},
		"text":              {object{"data": "x"}, "/data", "BAD_INPUT"},
		"too many":          {together(many...), "/data", "BAD_INPUT"},
		"other type":        {with(valid, "items", "data", "type"), "/data/type", "BAD_INPUT"},
		"no URN":            {with(valid, "x", "data", "id"), "/data/id", "MALFORMED_ID"},
		"no id":             {with(valid, nil, "data", "id"), "/data", "BAD_INPUT"},
		"no meta":           {with(valid, nil, "data", "meta"), "/data", "BAD_INPUT"},
		"no version":        {extension(nil, "version"), "/data/meta/extension", "BAD_INPUT"},
		"unknown kind":      {extension("friends:portico.core:X", "type"), "/data/meta/extension/type", "BAD_INPUT"},
		"malformed type":    {extension("xrefs:portico", "type"), "/data/meta/extension/type", "BAD_INPUT"},
		"malformed version": {extension("one", "version"), "/data/meta/extension/version", "BAD_INPUT"},
		"second is wrong":   {together(valid, with(valid, "x", "data", "id")), "/data/1/id", "MALFORMED_ID"},
	} {
		t.Run(name, func(*testing.T) {
			s.refuses(http.MethodPost, writer(s.editor), s.itemURL(s.report)+"/relationships/refs", tt.body, 400,
				tt.code, pointer(tt.pointer))
		})
	}
}

// Rules: REL-8, REL-9
func TestReferencesAreRemovedWhereTheyRunFrom(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		s := newScene(w)
		s.grant(storage.FolderGrant{FolderID: s.outer, UserID: s.viewer, Level: storage.LevelCollaborate})
		path := s.itemURL(s.report) + "/relationships/refs"
		remove := func(by caller, body object) {
			s.Helper()
			s.mustSend(http.MethodDelete, http.StatusNoContent, by, path, body)
		}
		inner, deep := folderURN(s.inner), itemURN(s.deepItem)
		s.refer(writer(s.editor), s.itemURL(s.report), together(refTo("folders", inner), refOf("folders", inner, printed)))
		s.refer(writer(s.viewer), s.itemURL(s.report), refTo("items", deep))
		s.refer(writer(s.editor), s.folderURL(s.inner), refTo("items", itemURN(s.report)))
		all := []string{"from folders Inner xrefs", "from folders Inner derived", "from items deep xrefs",
			"to folders Inner xrefs"}
		check := func(want ...string) {
			s.Helper()
			if got := s.refsAt(as(s.editor), s.itemURL(s.report), ""); !slices.Equal(got, want) {
				t.Errorf("%q, want %q", got, want)
			}
		}
		check(all...)
		s.refuses(http.MethodDelete, writer(s.viewer), path, data("folders", object{"id": inner}), 403, "NO_PERMISSION", nil)
		s.refuses(http.MethodDelete, writer(s.editor), path,
			data("folders", object{"id": inner, "meta": object{"direction": "to"}}), 400, "BAD_INPUT",
			pointer("/data/meta/direction"))
		remove(writer(s.viewer), data("items", object{"id": deep})) // one's own
		check(all[0], all[1], all[3])
		remove(writer(s.editor), refOf("folders", inner, printed))
		check(all[0], all[3])
		remove(writer(s.editor), data("folders", object{"id": inner}))
		check(all[3])
		remove(writer(s.editor), data("folders", object{"id": inner}))
		check(all[3])
	})
}
