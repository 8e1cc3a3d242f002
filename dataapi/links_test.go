package dataapi_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/portico-id/portico/storage"
)

// linksAt returns where the links of a thing lead.
func (s *scene) linksAt(by caller, path string) []string {
	s.Helper()
	var all []string
	for _, link := range s.identifiers(by, path+"/relationships/links") {
		all = append(all, link.Meta["link"].(map[string]any)["href"].(string))
	}
	return all
}

func (s *scene) addLinks(by caller, path string, body object) []identifier {
	s.Helper()
	got := s.mustSend(http.MethodPost, http.StatusCreated, by, path+"/relationships/links", body)
	if got.Header.Get("Location") != s.URL+path+"/relationships/links" {
		s.Errorf("Location %q", got.Header.Get("Location"))
	}
	var made []identifier
	s.Must(decode(got.doc(s).Data, &made))
	return made
}

// Rule: REL-10
func TestLinksAreAddedListedAndRemoved(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		s := newScene(w)
		by := writer(s.editor)
		for _, path := range []string{s.folderURL(s.inner), s.itemURL(s.report), s.versionURL(s.report, "2")} {
			made := s.addLinks(by, path, together(linkTo("https://example.test/a"), linkTo("/data/v1/projects/x")))
			one := s.addLinks(by, path, linkTo("http://example.test/b"))
			if got := s.linksAt(as(s.viewer), path); !slices.Equal(got,
				[]string{"https://example.test/a", "/data/v1/projects/x", "http://example.test/b"}) {
				t.Errorf("%s: %v", path, got)
			}
			listed := s.identifiers(as(s.viewer), path+"/relationships/links?page[limit]=2&page[number]=1")
			if len(listed) != 1 || listed[0].ID != one[0].ID || listed[0].Meta["mimeType"] != "text/html" {
				t.Errorf("second page: %+v, want %+v", listed, one)
			}
			for range 2 {
				s.mustSend(http.MethodDelete, http.StatusNoContent, by, path+"/relationships/links",
					together(data("links", object{"id": made[0].ID}), data("links", object{"id": one[0].ID})))
			}
			if got := s.linksAt(by, path); !slices.Equal(got, []string{"/data/v1/projects/x"}) {
				t.Errorf("%s: %v", path, got)
			}
		}
		if got := s.linksAt(by, s.versionURL(s.report, "1")); got != nil {
			t.Errorf("of another version: %v", got)
		}
	})
}

// Rule: REL-12
func TestOnlyWhoMayEditRemovesLinksOfOthers(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		s := newScene(w)
		s.grant(storage.FolderGrant{FolderID: s.outer, UserID: s.viewer, Level: storage.LevelCollaborate})
		path := s.itemURL(s.report)
		mine, theirs := s.addLinks(writer(s.viewer), path, linkTo("https://example.test/mine"))[0],
			s.addLinks(writer(s.editor), path, linkTo("https://example.test/theirs"))[0]
		s.refuses(http.MethodDelete, writer(s.viewer), path+"/relationships/links",
			together(data("links", object{"id": mine.ID}), data("links", object{"id": theirs.ID})), 403, "NO_PERMISSION", nil)
		s.refuses(http.MethodPost, writer(s.deep), s.itemURL(s.deepItem)+"/relationships/links",
			linkTo("https://example.test"), 403, "NO_PERMISSION", nil)
		s.mustSend(http.MethodDelete, http.StatusNoContent, writer(s.viewer), path+"/relationships/links",
			data("links", object{"id": mine.ID}))
		if got := s.linksAt(as(s.editor), path); !slices.Equal(got, []string{"https://example.test/theirs"}) {
			t.Errorf("left: %v", got)
		}
	})
}

// Rule: REL-13
func TestALinkLeadsToTheWebOrToAPathOfTheAPI(t *testing.T) {
	s := newSQLiteScene(t)
	path := s.itemURL(s.report) + "/relationships/links"
	for _, href := range []string{
		"", "x", "javascript:alert(1)", "JavaScript:alert(1)", "data:text/html,x", "file:///etc/passwd",
		"ftp://example.test/x", "mailto:a@example.test",
		"//example.test/x", "/\\example.test", "https:///x", "https:example.test", "http://a:b@example.test/",
		"https://example.test/a b",
		"https://example.test/\n", "/login", "/admin/users", "/data/../admin/users", "/data/%2e%2e/admin", "data/v1",
		"https://example.test/" + strings.Repeat("x", 2048),
		"https://exämple.test/", "\x01https://example.test",
	} {
		got := s.send(http.MethodPost, writer(s.editor), path, linkTo(href))
		if got.Status != 400 || got.doc(t).Errors[0].Source["pointer"] != "/data/meta/link/href" {
			t.Errorf("%q: %d %s", href, got.Status, got.Body)
		}
	}
	for _, href := range []string{
		"https://example.test", "http://example.test:8080/a?b=c#d", "HTTPS://example.test/x",
		"https://xn--exmple-cua.test/%20", "https://[::1]/",
		"/data/v1/projects/x/items/y", "/project/v1/hubs", "/oss/v2/buckets/b/objects/k", "/twins/x", "/tandem/v1/twins/x",
	} {
		s.addLinks(writer(s.editor), s.itemURL(s.report), linkTo(href))
	}
	valid := linkTo("https://example.test")
	for name, tt := range map[string]struct {
		body    object
		status  int
		code    string
		pointer string
	}{
		"own id":     {with(valid, "x", "data", "id"), 403, "CLIENT_GENERATED_ID", "/data/id"},
		"other type": {with(valid, "items", "data", "type"), 400, "BAD_INPUT", "/data/type"},
		"no href":    {with(valid, object{}, "data", "meta", "link"), 400, "BAD_INPUT", "/data/meta/link"},
		"no meta":    {with(valid, nil, "data", "meta"), 400, "BAD_INPUT", "/data"},
		"MIME type":  {with(valid, "text html", "data", "meta", "mimeType"), 400, "BAD_INPUT", "/data/meta/mimeType"},
		"extension": {with(valid, object{"type": "items:a:B"}, "data", "meta", "extension"), 400, "BAD_INPUT",
			"/data/meta/extension/type"},
	} {
		t.Run(name, func(*testing.T) {
			s.refuses(http.MethodPost, writer(s.editor), path, tt.body, tt.status, tt.code, pointer(tt.pointer))
		})
	}
}
