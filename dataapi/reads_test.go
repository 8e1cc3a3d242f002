package dataapi_test

import (
	"encoding/base64"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/portico-id/portico/storage"
)

func TestAnAdministratorReadsEverythingThatIsThere(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		s := newScene(w)
		by := as(s.hubAdmin)
		for path, want := range map[string][]string{
			"/project/v1/hubs":                    {"Main Hub"},
			s.hubURL() + "/projects":              {"Bridge", "Tower"},
			s.towerURL() + "/topFolders":          {"Plans", "Project Files"},
			s.folderURL(s.files.ID) + "/contents": {"Outer"},
			s.folderURL(s.outer) + "/contents":    {"Middle", "report.txt", "reserved.txt"},
			s.folderURL(s.outer) + "/contents?includeHidden=true": {"Hidden", "Middle", "deleted.txt",
				"report.txt", "reserved.txt"},
			s.folderURL(s.hidden) + "/contents":                         {"buried.txt"},
			s.folderURL(s.tower.RootFolderID) + "/contents":             {"Plans", "Project Files"},
			s.folderURL(s.outer) + "/contents?sort=-name":               {"Middle", "reserved.txt", "report.txt"},
			s.folderURL(s.outer) + "/contents?sort=-displayName":        {"Middle", "reserved.txt", "report.txt"},
			s.hubURL() + "/projects?sort=-name":                         {"Tower", "Bridge"},
			s.towerURL() + "/topFolders?sort=-name":                     {"Project Files", "Plans"},
			s.towerURL() + "/topFolders?projectFilesOnly=true":          {"Project Files"},
			s.towerURL() + "/topFolders?excludeDeleted=true":            {"Plans", "Project Files"},
			s.folderURL(s.outer) + "/contents?filter%5Btype%5D=folders": {"Middle"},
		} {
			if diff := cmp.Diff(want, names(s.ok(by, path).many(t))); diff != "" {
				t.Errorf("%s (-want +got):\n%s", path, diff)
			}
		}
		for path, want := range map[string]string{
			s.hubURL():                            "Main Hub",
			s.towerURL():                          "Tower",
			s.towerURL() + "/hub":                 "Main Hub",
			s.folderURL(s.middle):                 "Middle",
			s.folderURL(s.middle) + "/parent":     "Outer",
			s.itemURL(s.report):                   "report.txt",
			s.itemURL(s.report) + "/parent":       "Outer",
			s.itemURL(s.report) + "/tip":          "report.txt",
			s.versionURL(s.report, "2"):           "report.txt",
			s.versionURL(s.report, "2") + "/item": "report.txt",
			s.itemURL(s.deleted):                  "deleted.txt",
			s.folderURL(s.hidden):                 "Hidden",
		} {
			if got := names([]resource{s.ok(by, path).one(t)})[0]; got != want {
				t.Errorf("%s: %s, want %s", path, got, want)
			}
		}
	})
}

func TestAHubIsShownWithItsAttributesAndLinks(t *testing.T) {
	s := newScene(newWorld(t, sqliteURL(t)))
	got := s.ok(as(s.hubAdmin), s.hubURL())
	want := resource{
		Type: "hubs", ID: s.hub.ID,
		Attributes: map[string]any{
			"name": "Main Hub", "region": "EMEA", "extension": s.extension("hubs:portico.core:Hub", map[string]any{}),
		},
		Relationships: map[string]relationship{"projects": {Links: map[string]link{"related": {s.URL + s.hubURL() +
			"/projects"}}}},
		Links: map[string]link{"self": {s.URL + s.hubURL()}},
	}
	if diff := cmp.Diff(want, got.one(t)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if self := got.doc(t).Links["self"].Href; self != s.URL+s.hubURL() {
		t.Errorf("self is %s", self)
	}
}

// extension is what an extension looks like outside.
func (s *scene) extension(kind string, data map[string]any) map[string]any {
	return map[string]any{
		"type": kind, "version": "1.0", "data": data,
		"schema": map[string]any{"href": s.URL + "/schema/v1/versions/" + kind + "-1.0"},
	}
}

func to(kind, id, href string) relationship {
	r := relationship{}
	r.Data = &struct {
		Type string `json:"type"`
		ID   string `json:"id"`
	}{kind, id}
	if href != "" {
		r.Links = map[string]link{"related": {href}}
	}
	return r
}

// Rule: DATA-43
func TestAProjectIsShownWithItsRootToThoseWhoCanReadThat(t *testing.T) {
	s := newScene(newWorld(t, sqliteURL(t)))
	address := s.URL + s.towerURL()
	root := to("folders", folderURN(s.tower.RootFolderID), "")
	root.Meta = map[string]link{"link": {s.URL + s.folderURL(s.tower.RootFolderID)}}
	want := resource{
		Type: "projects", ID: s.tower.ID,
		Attributes: map[string]any{
			"name": "Tower", "extension": s.extension("projects:portico.core:Project", map[string]any{"projectType": "ACC"}),
		},
		Relationships: map[string]relationship{
			"hub": to("hubs", s.hub.ID, s.URL+s.hubURL()), "rootFolder": root,
			"topFolders": {Links: map[string]link{"related": {address + "/topFolders"}}},
		},
		Links: map[string]link{"self": {address}, "webView": {s.URL + "/files/projects/" + s.tower.ID}},
	}
	for name, by := range map[string]caller{"app": {client: app}, "hub admin": as(s.hubAdmin),
		"project admin": as(s.projAdmin)} {
		if diff := cmp.Diff(want, s.ok(by, s.towerURL()).one(t)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		listed := s.ok(by, s.hubURL()+"/projects?filter[id]="+s.tower.ID).many(t)
		if diff := cmp.Diff([]resource{want}, listed); diff != "" {
			t.Errorf("%s, in the list (-want +got):\n%s", name, diff)
		}
	}
	delete(want.Relationships, "rootFolder")
	for name, by := range map[string]caller{"editor": as(s.editor), "deep viewer": as(s.deep)} {
		if diff := cmp.Diff(want, s.ok(by, s.towerURL()).one(t)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if diff := cmp.Diff([]resource{want}, s.ok(by, s.hubURL()+"/projects").many(t)); diff != "" {
			t.Errorf("%s, in the list (-want +got):\n%s", name, diff)
		}
	}
}

// Rule: DATA-43
func TestAFolderIsShownWithWhoMadeItAndItsParentToThoseWhoCanReadThat(t *testing.T) {
	s := newScene(newWorld(t, sqliteURL(t)))
	stored, _ := s.folderRecord(s.inner)
	address := s.URL + s.folderURL(s.inner)
	want := resource{
		Type: "folders", ID: folderURN(s.inner),
		Attributes: map[string]any{
			"name": "Inner", "displayName": "Inner", "hidden": false, "objectCount": 2.0,
			"createTime": seven(stored.CreatedAt), "createUserId": s.editor, "createUserName": "Name of " + s.editor,
			"lastModifiedTime": seven(stored.ModifiedAt), "lastModifiedUserId": s.editor,
			"lastModifiedUserName":   "Name of " + s.editor,
			"lastModifiedTimeRollup": seven(stored.RollupAt),
			"extension": s.extension("folders:portico.core:Folder", map[string]any{
				"visibleTypes": []any{"items:portico.core:File"},
				"allowedTypes": []any{"items:portico.core:File", "folders:portico.core:Folder"},
				"actions":      []any{}, "namingStandardIds": []any{},
			}),
		},
		Relationships: map[string]relationship{
			"parent":   to("folders", folderURN(s.middle), address+"/parent"),
			"contents": {Links: map[string]link{"related": {address + "/contents"}}},
			"refs":     {Links: map[string]link{"self": {address + "/relationships/refs"}, "related": {address + "/refs"}}},
			"links":    {Links: map[string]link{"self": {address + "/relationships/links"}}},
		},
		Links: map[string]link{"self": {address},
			"webView": {s.URL + "/files/projects/" + s.tower.ID + "/folders/" + folderURN(s.inner)}},
	}
	for name, by := range map[string]caller{"app": {client: app}, "viewer of Outer": as(s.viewer)} {
		if diff := cmp.Diff(want, s.ok(by, s.folderURL(s.inner)).one(t)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	delete(want.Relationships, "parent")
	if diff := cmp.Diff(want, s.ok(as(s.deep), s.folderURL(s.inner)).one(t)); diff != "" {
		t.Errorf("deep viewer (-want +got):\n%s", diff)
	}
}

func TestAnItemIsShownWithItsTipIncluded(t *testing.T) {
	s := newScene(newWorld(t, sqliteURL(t)))
	got := s.ok(as(s.viewer), s.itemURL(s.report)+"?includePathInProject=true")
	item, address := got.one(t), s.URL+s.itemURL(s.report)
	for name, want := range map[string]any{
		"displayName": "report.txt", "hidden": false, "reserved": false, "createUserId": s.editor,
		"lastModifiedUserName": "Name of " + s.editor,
		"pathInProject":        "/Outer", // not from the top: the viewer can't read Project Files
	} {
		if diff := cmp.Diff(want, item.Attributes[name]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	want := map[string]relationship{
		"parent":   to("folders", folderURN(s.outer), address+"/parent"),
		"tip":      to("versions", versionURN(s.report, "3"), address+"/tip"),
		"versions": {Links: map[string]link{"related": {address + "/versions"}}},
		"refs":     {Links: map[string]link{"self": {address + "/relationships/refs"}, "related": {address + "/refs"}}},
		"links":    {Links: map[string]link{"self": {address + "/relationships/links"}}},
	}
	if diff := cmp.Diff(want, item.Relationships); diff != "" {
		t.Errorf("relationships (-want +got):\n%s", diff)
	}
	included := got.doc(t).Included
	if len(included) != 1 || included[0].ID != versionURN(s.report, "3") {
		t.Errorf("included is %v, want the tip", included)
	}
	path := s.ok(caller{client: app}, s.itemURL(s.deepItem)+
		"?includePathInProject=true").one(t).Attributes["pathInProject"]
	if path != "/Project Files/Outer/Middle/Inner" {
		t.Errorf("the whole path is %v", path)
	}
	if _, told := s.ok(as(s.viewer), s.itemURL(s.report)).one(t).Attributes["pathInProject"]; told {
		t.Error("the path is told without being asked for")
	}
}

func TestAReservedItemNamesItsHolderUntilTheReservationEnds(t *testing.T) {
	s := newScene(newWorld(t, sqliteURL(t)))
	a := s.ok(as(s.viewer), s.itemURL(s.reserved)).one(t).Attributes
	if a["reserved"] != true || a["reservedUserId"] != s.editor || a["reservedUserName"] != "Name of "+s.editor ||
		a["reservedTime"] == nil {
		t.Errorf("reserved item: %v", a)
	}
	s.Wait(9 * 60 * 60 * 1e9)
	if a := s.ok(as(s.viewer), s.itemURL(s.reserved)).one(t).Attributes; a["reserved"] != false ||
		a["reservedUserId"] != nil {
		t.Errorf("nine hours later: %v", a)
	}
}

func TestAVersionIsShownWithWhatViewersRead(t *testing.T) {
	s := newScene(newWorld(t, sqliteURL(t)))
	urn := versionURN(s.report, "3")
	address := s.URL + s.versionURL(s.report, "3")
	encoded := base64.RawURLEncoding.EncodeToString([]byte(urn))
	for _, path := range []string{s.versionURL(s.report, "3"), s.itemURL(s.report) + "/tip"} {
		got := s.ok(as(s.viewer), path)
		version := got.one(t)
		if version.ID != urn || got.doc(t).Links["self"].Href != address {
			t.Errorf("%s: %s at %s", path, version.ID, got.doc(t).Links["self"].Href)
		}
		for name, want := range map[string]any{
			"name": "report.txt", "displayName": "report.txt", "versionNumber": 3.0, "mimeType": "text/plain", "fileType": "txt",
			"createUserName": "Name of " + s.editor,
		} {
			if diff := cmp.Diff(want, version.Attributes[name]); diff != "" {
				t.Errorf("%s (-want +got):\n%s", name, diff)
			}
		}
		want := map[string]relationship{
			"item": to("items", itemURN(s.report), address+"/item"), "derivatives": to("derivatives", encoded, ""),
			"thumbnails": to("thumbnails", encoded, ""),
			"refs":       {Links: map[string]link{"self": {address + "/relationships/refs"}, "related": {address + "/refs"}}},
			"links":      {Links: map[string]link{"self": {address + "/relationships/links"}}},
		}
		if diff := cmp.Diff(want, version.Relationships); diff != "" {
			t.Errorf("relationships (-want +got):\n%s", diff)
		}
	}
}

func TestAVersionWithBytesLeadsToItsObject(t *testing.T) {
	s := newScene(newWorld(t, sqliteURL(t)))
	s.Must(s.Store.ReserveObject(s.Context(), s.by(s.editor), objectIn(s.tower.ID)))
	_, err := s.Store.StoreBytes(s.Context(), s.by(s.editor), "wip", "0f8e.txt",
		storage.Bytes{Size: 5, SHA256: []byte(strings.Repeat("h", 32))})
	s.Must(err)
	v := s.version("report.txt")
	v.Bucket, v.ObjectKey = "wip", "0f8e.txt"
	_, err = s.Store.AddVersion(s.Context(), s.by(s.editor), s.tower.ID, s.report, v)
	s.Must(err)
	version := s.ok(as(s.viewer), s.itemURL(s.report)+"/tip").one(t)
	want := to("objects", "urn:portico:os.object:wip/0f8e.txt", "")
	want.Meta = map[string]link{"link": {s.URL + "/oss/v2/buckets/wip/objects/0f8e.txt"}}
	if diff := cmp.Diff(want, version.Relationships["storage"]); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if version.Attributes["storageSize"] != 5.0 {
		t.Errorf("storageSize is %v", version.Attributes["storageSize"])
	}
}

func TestVersionsComeNewestFirst(t *testing.T) {
	s := newScene(newWorld(t, sqliteURL(t)))
	for path, want := range map[string][]float64{
		"": {3, 2, 1}, "?sort=versionNumber": {1, 2, 3}, "?sort=-versionNumber": {3, 2, 1},
		"?filter%5BversionNumber%5D=1,3":                                                {3, 1},
		"?filter[versionNumber]=1&filter[versionNumber]=2":                              {2, 1},
		"?filter[versionNumber]=1,%202":                                                 {2, 1},
		"?filter[versionNumber]-ge=2":                                                   {3, 2},
		"?filter[attributes.versionNumber]-lt=2":                                        {1},
		"?filter[extension.type]=versions:portico.core:File&filter[versionNumber]-gt=2": {3},
		"?filter[extension.type]=versions:portico.core:Deleted":                         {},
		"?filter[id]=" + strings.ReplaceAll(versionURN(s.report, "2"), "?", "%3F"):      {2},
		"?filter[id]=" + strings.ReplaceAll(versionURN(s.plan, "1"), "?", "%3F"):        {},
	} {
		got := []float64{}
		for _, v := range s.ok(as(s.viewer), s.itemURL(s.report)+"/versions"+path).many(t) {
			got = append(got, v.Attributes["versionNumber"].(float64))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", path, diff)
		}
	}
}

func TestContentsIncludeTheTipOfEachItemOnThePageOnce(t *testing.T) {
	s := newScene(newWorld(t, sqliteURL(t)))
	got := s.ok(as(s.viewer), s.folderURL(s.outer)+"/contents")
	var ids []string
	for _, v := range got.doc(t).Included {
		ids = append(ids, v.ID)
	}
	if diff := cmp.Diff([]string{versionURN(s.report, "3"), versionURN(s.reserved, "1")}, ids); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	empty := s.ok(as(s.viewer), s.folderURL(s.outer)+"/contents?filter[type]=folders")
	if !strings.Contains(string(empty.Body), `"included":[]`) {
		t.Errorf("a page without items: %s", empty.Body)
	}
}
