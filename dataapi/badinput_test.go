package dataapi_test

import (
	"net/url"
	"strings"
	"testing"
)

// Rule: DATA-45
func TestBadInputIsRefusedWithWhatIsBadNamed(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		s := newScene(w)
		by := as(s.hubAdmin)
		outer := s.inTower("/folders/")
		contents := s.folderURL(s.outer) + "/contents"
		versions := s.itemURL(s.report) + "/versions"
		for path, want := range map[string]struct{ parameter, code string }{
			// ids
			"/project/v1/hubs/" + s.tower.ID[2:]:                         {"hub_id", "MALFORMED_ID"},
			"/project/v1/hubs/b.":                                        {"hub_id", "MALFORMED_ID"},
			"/project/v1/hubs/b." + strings.Repeat("g", 36):              {"hub_id", "MALFORMED_ID"},
			s.hubURL() + "/projects/urn:portico:fs.folder:co." + s.outer: {"project_id", "MALFORMED_ID"},
			"/data/v1/projects/x/folders/" + folderURN(s.outer):          {"project_id", "MALFORMED_ID"},
			outer + "x":                                                                {"folder_id", "MALFORMED_ID"},
			outer + s.outer:                                                            {"folder_id", "MALFORMED_ID"},
			outer + folderURN(s.outer) + "A":                                           {"folder_id", "MALFORMED_ID"},
			outer + folderURN(s.outer[1:]):                                             {"folder_id", "MALFORMED_ID"},
			outer + folderURN(s.outer[1:]) + "%2F":                                     {"folder_id", "MALFORMED_ID"},
			outer + strings.ToUpper(folderURN("")) + s.outer:                           {"folder_id", "MALFORMED_ID"},
			outer + "urn:other:fs.folder:co." + s.outer:                                {"folder_id", "MALFORMED_ID"},
			outer + itemURN(s.report):                                                  {"folder_id", "MALFORMED_ID"},
			outer + url.QueryEscape(url.QueryEscape(folderURN(s.outer))):               {"folder_id", "MALFORMED_ID"},
			outer + url.QueryEscape(url.QueryEscape(folderURN(s.outer))) + "/contents": {"folder_id", "MALFORMED_ID"},
			outer + "%20" + folderURN(s.outer):                                         {"folder_id", "MALFORMED_ID"},
			s.inTower("/items/") + folderURN(s.outer):                                  {"item_id", "MALFORMED_ID"},
			s.inTower("/items/") + versionPathID(s.report, "1"):                        {"item_id", "MALFORMED_ID"},
			s.inTower("/versions/") + itemURN(s.report):                                {"version_id", "MALFORMED_ID"},
			s.inTower("/versions/") + versionPathID(s.report, "0"):                     {"version_id", "MALFORMED_ID"},
			s.inTower("/versions/") + versionPathID(s.report, "01"):                    {"version_id", "MALFORMED_ID"},
			s.inTower("/versions/") + versionPathID(s.report, "-1"):                    {"version_id", "MALFORMED_ID"},
			s.inTower("/versions/") + versionPathID(s.report, "x"):                     {"version_id", "MALFORMED_ID"},
			s.inTower("/versions/") + versionPathID(s.report, ""):                      {"version_id", "MALFORMED_ID"},
			s.inTower("/versions/") + versionPathID(s.report, "99999999999"):           {"version_id", "MALFORMED_ID"},
			s.inTower("/versions/") + url.QueryEscape(versionPathID(s.report, "1")):    {"version_id", "MALFORMED_ID"},
			s.inTower("/versions/urn:portico:fs.file:vf." + s.report):                  {"version_id", "MALFORMED_ID"},
			// pages
			contents + "?page[limit]=0":                            {"page[limit]", "BAD_INPUT"},
			contents + "?page[limit]=201":                          {"page[limit]", "BAD_INPUT"},
			contents + "?page%5Blimit%5D=-1":                       {"page[limit]", "BAD_INPUT"},
			contents + "?page[limit]=ten":                          {"page[limit]", "BAD_INPUT"},
			contents + "?page[number]=-1":                          {"page[number]", "BAD_INPUT"},
			contents + "?page[number]=1.5":                         {"page[number]", "BAD_INPUT"},
			contents + "?page[number]=9999999999999":               {"page[number]", "BAD_INPUT"},
			contents + "?page[cursor]=x":                           {"page[cursor]", "BAD_INPUT"},
			contents + "?page[cursor]=" + strings.Repeat("A", 100): {"page[cursor]", "BAD_INPUT"},
			contents + "?page[size]=1":                             {"page[size]", "UNKNOWN_PARAMETER"},
			s.hubURL() + "/projects?page[cursor]=x":                {"page[cursor]", "BAD_INPUT"},
			versions + "?page[cursor]=x":                           {"page[cursor]", "BAD_INPUT"},
			"/project/v1/hubs?page[limit]=1":                       {"page[limit]", "UNKNOWN_PARAMETER"},
			s.towerURL() + "/topFolders?page[number]=1":            {"page[number]", "UNKNOWN_PARAMETER"},
			// filters
			"/project/v1/hubs?filter[region]=US":                     {"filter[region]", "UNKNOWN_FILTER"},
			"/project/v1/hubs?filter[id]=x":                          {"filter[id]", "BAD_INPUT"},
			"/project/v1/hubs?filter[id]-starts=b.":                  {"filter[id]-starts", "UNKNOWN_COMPARISON"},
			"/project/v1/hubs?filter[name]-like=x":                   {"filter[name]-like", "UNKNOWN_COMPARISON"},
			"/project/v1/hubs?filter[name]=":                         {"filter[name]", "BAD_INPUT"},
			s.hubURL() + "/projects?filter[name]=x":                  {"filter[name]", "UNKNOWN_FILTER"},
			s.hubURL() + "/projects?filter[id]=" + s.tower.ID + ",x": {"filter[id]", "BAD_INPUT"},
			contents + "?filter[mimeType]=x":                         {"filter[mimeType]", "UNKNOWN_FILTER"},
			contents + "?filter[type]=versions":                      {"filter[type]", "BAD_INPUT"},
			contents + "?filter[type]-contains=items":                {"filter[type]-contains", "UNKNOWN_COMPARISON"},
			contents + "?filter[id]=urn:x":                           {"filter[id]", "BAD_INPUT"},
			contents + "?filter[lastModifiedTimeRollup]=yesterday":   {"filter[lastModifiedTimeRollup]", "BAD_INPUT"},
			contents + "?filter[lastModifiedTimeRollup]-starts=2026": {"filter[lastModifiedTimeRollup]-starts",
				"UNKNOWN_COMPARISON"},
			contents + "?filter[extension.data.a%22b]=x":          {"filter[extension.data.a\"b]", "BAD_INPUT"},
			contents + "?filter[extension.data.x]-icontains=x":    {"filter[extension.data.x]-icontains", "UNKNOWN_COMPARISON"},
			contents + "?filter[hidden]=maybe":                    {"filter[hidden]", "BAD_INPUT"},
			contents + "?includeHidden=1":                         {"includeHidden", "BAD_INPUT"},
			contents + "?includehidden=true":                      {"includehidden", "UNKNOWN_PARAMETER"},
			contents + "?colour=red":                              {"colour", "UNKNOWN_PARAMETER"},
			contents + "?sort=name&filter[extension.type]=%ff":    {"filter[extension.type]", "BAD_INPUT"},
			contents + "?page[cursor]=%00":                        {"page[cursor]", "BAD_INPUT"},
			contents + "?filter[extension.type]=a&filter[id]=%00": {"filter[id]", "BAD_INPUT"},
			versions + "?filter[versionNumber]=one":               {"filter[versionNumber]", "BAD_INPUT"},
			versions + "?filter[versionNumber]=99999999999":       {"filter[versionNumber]", "BAD_INPUT"},
			versions + "?filter[versionNumber]-contains=1":        {"filter[versionNumber]-contains", "UNKNOWN_COMPARISON"},
			versions + "?filter[id]=" + itemURN(s.report):         {"filter[id]", "BAD_INPUT"},
			s.towerURL() + "/topFolders?excludeDeleted=yes":       {"excludeDeleted", "BAD_INPUT"},
			s.towerURL() + "/topFolders?filter[name]=x":           {"filter[name]", "UNKNOWN_FILTER"},
			s.itemURL(s.report) + "?includePathInProject=":        {"includePathInProject", "BAD_INPUT"},
			s.folderURL(s.outer) + "/permissions/effective?user=": {"user", "BAD_INPUT"},
			// sorting
			contents + "?sort=createTime":       {"sort", "BAD_INPUT"},
			versions + "?sort=name":             {"sort", "BAD_INPUT"},
			s.folderURL(s.outer) + "?sort=name": {"sort", "UNKNOWN_PARAMETER"},
			contents + "?fields[projects]=name": {"fields[projects]", "BAD_INPUT"},
		} {
			e := w.refused(by, path, 400, want.code, parameter(want.parameter))
			if e.Detail == "" {
				t.Errorf("%s: no detail", path)
			}
		}
	})
}

// versionPathID is a version's id, encoded once.
func versionPathID(item, number string) string {
	return "urn:portico:fs.file:vf." + item + "%3Fversion%3D" + number
}

// Rule: DATA-33
func TestIDsOfAnotherProjectAreNotFound(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		s := newScene(w)
		bridge := "/data/v1/projects/" + s.bridge.ID
		for path, code := range map[string]string{
			"/folders/" + folderURN(s.outer):               "FOLDER_NOT_FOUND",
			"/folders/" + folderURN(s.outer) + "/contents": "FOLDER_NOT_FOUND",
			"/folders/" + folderURN(s.outer) + "/parent":   "FOLDER_NOT_FOUND",
			"/items/" + itemURN(s.report):                  "ITEM_NOT_FOUND",
			"/items/" + itemURN(s.report) + "/versions":    "ITEM_NOT_FOUND",
			"/versions/" + versionPathID(s.report, "1"):    "VERSION_NOT_FOUND",
		} {
			w.refused(as(s.hubAdmin), bridge+path, 404, code, nil)
			w.refused(as(s.editor), bridge+path, 404, "PROJECT_NOT_FOUND", nil) // no part in it
		}
		otherHub := "/project/v1/hubs/" + s.otherHub.ID + "/projects/" + s.tower.ID
		w.refused(caller{client: app}, otherHub, 404, "PROJECT_NOT_FOUND", nil)
		w.refused(caller{client: app}, otherHub+"/topFolders", 404, "PROJECT_NOT_FOUND", nil)
	})
}

// Rule: DATA-45
func TestWellFormedIDsMayBeEncodedOrNot(t *testing.T) {
	s := newSQLiteScene(t)
	for _, path := range []string{
		s.folderURL(s.outer), s.inTower("/folders/") + url.QueryEscape(folderURN(s.outer)),
		s.inTower("/versions/") + url.QueryEscape(versionURN(s.report, "1")), s.versionURL(s.report, "1"),
	} {
		s.ok(as(s.editor), path)
	}
}
