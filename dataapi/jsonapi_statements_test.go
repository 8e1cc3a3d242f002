package dataapi_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The statements of JSON:API 1.0 that bind a server that is read, one test
// each; their sections are in the comments.

// every calls do with the answer of each operation to an app.
func (s *scene) every(do func(name string, got answer)) {
	s.Helper()
	by := as(s.hubAdmin)
	for _, o := range operations() {
		do(o.name, s.ok(by, at(o.template, s.ids(s.outer, s.report))))
	}
}

func newSQLiteScene(t *testing.T) *scene { return newScene(newWorld(t, sqliteURL(t))) }

// Rule: DATA-1
func TestAnswersHaveTheMediaTypeWithoutParameters(t *testing.T) { // Content Negotiation, Server Responsibilities
	s := newSQLiteScene(t)
	for _, o := range operations() {
		got := s.ok(as(s.hubAdmin), at(o.template, s.ids(s.outer, s.report)), "Accept", "application/vnd.api+json")
		if got.Header.Get("Content-Type") != "application/vnd.api+json" ||
			!slices.Contains(got.Header.Values("Vary"), "Accept") {
			t.Errorf("%s: %v", o.name, got.Header)
		}
	}
}

// Rule: DATA-2
func TestAnAcceptWithParametersAloneIs406(t *testing.T) { // Content Negotiation, Server Responsibilities
	s := newSQLiteScene(t)
	for _, o := range operations() {
		path := at(o.template, s.ids(s.outer, s.report))
		s.refused(as(s.hubAdmin), path, 406, "NOT_ACCEPTABLE", headerNamed("Accept"), "Accept",
			"application/vnd.api+json; ext=x")
	}
}

// Rule: DATA-3
func TestAContentTypeWithParametersIs415(t *testing.T) { // Content Negotiation, Server Responsibilities
	s := newSQLiteScene(t)
	for _, o := range operations() {
		path := at(o.template, s.ids(s.outer, s.report))
		s.refused(as(s.hubAdmin), path, 415, "UNSUPPORTED_MEDIA_TYPE", headerNamed("Content-Type"), "Content-Type",
			"application/vnd.api+json; ext=x")
		s.ok(as(s.hubAdmin), path, "Content-Type", "application/vnd.api+json")
	}
}

func TestTheTopLevelHasDataOrErrorsAndNothingUnknown(t *testing.T) { // Document Structure, Top Level
	s := newSQLiteScene(t)
	s.every(func(name string, got answer) {
		var top map[string]json.RawMessage
		s.Must(json.Unmarshal(got.Body, &top))
		if top["data"] == nil || top["errors"] != nil || string(top["jsonapi"]) != `{"version":"1.0"}` {
			t.Errorf("%s: %s", name, got.Body)
		}
		for member := range top {
			if !slices.Contains([]string{"jsonapi", "links", "data", "included", "meta"}, member) {
				t.Errorf("%s: member %s", name, member)
			}
		}
	})
	failure := s.get(as(s.outsider), s.towerURL())
	var top map[string]json.RawMessage
	s.Must(json.Unmarshal(failure.Body, &top))
	if got := sorted(keys(top)); !slices.Equal(got, []string{"errors", "jsonapi"}) ||
		len(failure.doc(t).Errors) != 1 { // nothing included without data
		t.Errorf("failure: %s", failure.Body)
	}
}

func TestACollectionIsAnArrayAndOneResourceAnObject(t *testing.T) { // Top Level; Fetching Resources
	s := newSQLiteScene(t)
	lists := []string{"hubs", "projects", "changes", "top folders", "contents", "versions", "permissions",
		"refs of folder", "refs of item", "refs of version", "related to folder", "related to item", "related to version",
		"links of folder", "links of item", "links of version", "links of version again"}
	s.every(func(name string, got answer) {
		isArray := bytes.HasPrefix(got.doc(t).Data, []byte("["))
		if isArray != slices.Contains(lists, name) {
			t.Errorf("%s: data is %.40s", name, got.doc(t).Data)
		}
	})
	empty := s.ok(as(s.hubAdmin), "/project/v1/hubs?filter[name]=nothing")
	if string(empty.doc(t).Data) != "[]" {
		t.Errorf("an empty collection: %s", empty.Body)
	}
}

func TestResourcesHaveTypeAndIDAsStringsAndEachPairOnce(t *testing.T) { // Resource Objects, Identification
	s := newSQLiteScene(t)
	s.every(func(name string, got answer) {
		seen := map[string]bool{}
		for _, r := range resourcesOf(t, got) {
			key := r.Type + " " + r.ID
			if r.Type == "" || r.ID == "" || seen[key] {
				t.Errorf("%s: %q comes twice, or lacks something", name, key)
			}
			seen[key] = true
		}
	})
}

// resourcesOf returns everything in data and included.
func resourcesOf(t *testing.T, got answer) []resource {
	t.Helper()
	d := got.doc(t)
	if bytes.HasPrefix(d.Data, []byte("[")) {
		return append(got.many(t), d.Included...)
	}
	return append([]resource{got.one(t)}, d.Included...)
}

func TestAFieldIsAnAttributeOrARelationshipNeverBothNorTypeOrID(t *testing.T) { // Fields
	s := newSQLiteScene(t)
	s.every(func(name string, got answer) {
		for _, r := range resourcesOf(t, got) {
			for field := range r.Attributes {
				if _, both := r.Relationships[field]; both || field == "type" || field == "id" ||
					field == "relationships" || field == "links" {
					t.Errorf("%s: %s of %s", name, field, r.Type)
				}
			}
		}
	})
}

func TestARelationshipHasLinksDataOrMeta(t *testing.T) { // Relationships
	s := newSQLiteScene(t)
	s.every(func(name string, got answer) {
		for _, r := range resourcesOf(t, got) {
			for field, relation := range r.Relationships {
				if relation.Data == nil && len(relation.Links) == 0 && len(relation.Meta) == 0 {
					t.Errorf("%s: %s of %s is empty", name, field, r.Type)
				}
				if relation.Links != nil && relation.Links["self"].Href == "" && relation.Links["related"].Href == "" {
					t.Errorf("%s: %s of %s has neither self nor related", name, field, r.Type)
				}
			}
		}
	})
}

func TestWhatIsIncludedIsLinkedTo(t *testing.T) { // Compound Documents: full linkage
	s := newSQLiteScene(t)
	s.every(func(name string, got answer) {
		linked := map[string]bool{}
		for _, r := range resourcesOf(t, got) {
			for _, relation := range r.Relationships {
				if relation.Data != nil {
					linked[relation.Data.Type+" "+relation.Data.ID] = true
				}
			}
		}
		for _, r := range got.doc(t).Included {
			if !linked[r.Type+" "+r.ID] {
				t.Errorf("%s: %s is included and nothing leads to it", name, r.ID)
			}
		}
	})
}

func TestSelfOfADocumentAnswersWithTheSameDocument(t *testing.T) { // Links
	s := newSQLiteScene(t)
	s.every(func(name string, got answer) {
		again := s.ok(as(s.hubAdmin), got.doc(t).Links["self"].Href)
		if string(again.doc(t).Data) != string(got.doc(t).Data) {
			t.Errorf("%s: self is %s\n got %s\nwant %s", name, got.doc(t).Links["self"].Href, again.Body, got.Body)
		}
	})
}

func TestSelfOfAResourceAnswersWithThatResource(t *testing.T) { // Resource Links
	s := newSQLiteScene(t)
	s.every(func(name string, got answer) {
		for _, r := range resourcesOf(t, got) {
			self, linked := r.Links["self"]
			if !linked {
				continue
			}
			if again := s.ok(as(s.hubAdmin), self.Href).one(t); again.Type != r.Type || again.ID != r.ID {
				t.Errorf("%s: self of %s is %s", name, r.ID, again.ID)
			}
		}
	})
}

func TestRelatedAnswersWithTheResourceOfTheRelationship(t *testing.T) { // Related Resource Links
	s := newSQLiteScene(t)
	s.every(func(name string, got answer) {
		for _, r := range resourcesOf(t, got) {
			for field, relation := range r.Relationships {
				href := relation.Links["related"].Href
				if relation.Data == nil || href == "" || notBuilt.MatchString(href) {
					continue
				}
				if again := s.ok(as(s.hubAdmin), href).one(t); again.ID != relation.Data.ID || again.Type != relation.Data.Type {
					t.Errorf("%s: %s of %s is %s, and related answers with %s", name, field, r.ID, relation.Data.ID, again.ID)
				}
			}
		}
	})
}

func TestMemberNamesAreAllowedOnes(t *testing.T) { // Member Names
	s := newSQLiteScene(t)
	s.every(func(name string, got answer) {
		var value any
		s.Must(json.Unmarshal(got.Body, &value))
		if bad := oddMember(value); bad != "" {
			t.Errorf("%s: member %q", name, bad)
		}
	})
}

// oddMember returns a member's name that JSON:API does not recommend.
func oddMember(value any) string {
	switch v := value.(type) {
	case map[string]any:
		for name, inner := range v {
			if name == "" || strings.ContainsFunc(name, func(c rune) bool { return c > 'z' || c < '0' }) {
				return name
			}
			if bad := oddMember(inner); bad != "" {
				return bad
			}
		}
	case []any:
		for _, inner := range v {
			if bad := oddMember(inner); bad != "" {
				return bad
			}
		}
	}
	return ""
}

// Rule: DATA-13
func TestIncludeIsRefusedAsItIsNotSupported(t *testing.T) { // Inclusion of Related Resources
	s := newSQLiteScene(t)
	for _, o := range operations() {
		s.refused(as(s.hubAdmin), at(o.template, s.ids(s.outer, s.report))+"?include=parent", 400,
			"UNKNOWN_PARAMETER", parameter("include"))
	}
}

// Rule: DATA-13
func TestASortThatIsNotSupportedIs400(t *testing.T) { // Sorting
	s := newSQLiteScene(t)
	for _, o := range operations() {
		got := s.get(as(s.hubAdmin), at(o.template, s.ids(s.outer, s.report))+"?sort=createTime")
		if got.Status != http.StatusBadRequest || got.doc(t).Errors[0].Source["parameter"] != "sort" {
			t.Errorf("%s: %d %s", o.name, got.Status, got.Body)
		}
	}
}

// Rule: DATA-92
func TestASortGoesUpAndWithAMinusSignDown(t *testing.T) { // Sorting
	eachEngine(t, func(t *testing.T, w *world) {
		s := newScene(w)
		for _, list := range []struct {
			path, field string
			want        []any // upwards
		}{
			{"/project/v1/hubs", "name", []any{"Main Hub", "Other Hub"}},
			{s.hubURL() + "/projects", "name", []any{"Bridge", "Tower"}},
			{s.towerURL() + "/topFolders", "name", []any{"Plans", "Project Files"}},
			{s.folderURL(s.outer) + "/contents?filter[type]=items", "displayName", []any{"report.txt", "reserved.txt"}},
			{s.itemURL(s.report) + "/versions", "versionNumber", []any{1.0, 2.0, 3.0}},
		} {
			with := map[bool]string{false: "?", true: "&"}
			for sign, backwards := range map[string]bool{"": false, "-": true} {
				var got []any
				for _, r := range s.ok(caller{client: app}, list.path+with[strings.Contains(list.path, "?")]+"sort="+
					sign+list.field).many(t) {
					got = append(got, r.Attributes[list.field])
				}
				if backwards {
					slices.Reverse(got)
				}
				if diff := cmp.Diff(list.want, got); diff != "" {
					t.Errorf("%s, sign %q (-want +got):\n%s", list.path, sign, diff)
				}
			}
		}
		// Divergence: folders come first either way.
		got := names(s.ok(caller{client: app}, s.folderURL(s.outer)+"/contents?sort=-name").many(t))
		if want := []string{"Middle", "reserved.txt", "report.txt"}; !slices.Equal(got, want) {
			t.Errorf("contents from the end: %v, want %v", got, want)
		}
	})
}

// Rule: DATA-18
func TestSparseFieldsetsLeaveOutEverythingElse(t *testing.T) { // Sparse Fieldsets
	s := newSQLiteScene(t)
	got := s.ok(as(s.hubAdmin), s.folderURL(s.outer)+
		"/contents?fields[items]=displayName,tip&fields[folders]=name&fields[versions]=")
	for _, r := range resourcesOf(t, got) {
		fields := fmt.Sprint(sorted(keys(r.Attributes)), sorted(keys(r.Relationships)))
		want := map[string]string{"items": "[displayName] [tip]", "folders": "[name] []", "versions": "[] []"}[r.Type]
		if fields != want || r.ID == "" {
			t.Errorf("%s %s has %s, want %s", r.Type, r.ID, fields, want)
		}
	}
	s.refused(as(s.hubAdmin), s.folderURL(s.outer)+"/contents?fields[hubs]=name", 400, "BAD_INPUT",
		parameter("fields[hubs]"))
}

func keys[V any](m map[string]V) []string {
	var all []string
	for k := range m {
		all = append(all, k)
	}
	return all
}

// Rule: DATA-16
func TestPageLinksAreThereOnlyWhereTheyLead(t *testing.T) { // Pagination
	s := newSQLiteScene(t)
	first := s.ok(as(s.hubAdmin), s.folderURL(s.outer)+"/contents?page[limit]=2").doc(t).Links
	if _, ok := first["prev"]; ok || first["next"].Href == "" {
		t.Errorf("first page: %v", first)
	}
	last := s.ok(as(s.hubAdmin), first["next"].Href).doc(t).Links
	if _, ok := last["next"]; ok || last["prev"].Href == "" || last["first"].Href == "" {
		t.Errorf("last page: %v", last)
	}
}

func TestErrorsAreAnArrayOfObjectsWithTheStatusAsText(t *testing.T) { // Error Objects
	s := newSQLiteScene(t)
	got := s.get(as(s.outsider), s.towerURL())
	if !strings.Contains(string(got.Body), `"status":"404"`) || !strings.Contains(string(got.Body), `"errors":[{`) {
		t.Errorf("%s", got.Body)
	}
}

func TestUnknownThingsAre404AndHeadAnswersLikeGet(t *testing.T) { // Fetching Resources
	s := newSQLiteScene(t)
	for path, want := range map[string]int{s.towerURL(): 200, s.folderURL(strings.Repeat("A", 22)): 404} {
		if got := s.request(http.MethodHead, as(s.hubAdmin), path); got.Status != want || len(got.Body) > 0 {
			t.Errorf("HEAD %s: %d %s", path, got.Status, got.Body)
		}
	}
}
