package dataapi_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/portico-id/portico/storage"
)

// Rule: CDE-3
func TestFilesAreFoundByHowFarTheirTipsHaveCome(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		s := newScene(w)
		state := storage.VersionState{State: "shared", Suitability: "S2", Revision: "P01.02"}
		s.Must(s.Store.SetVersionState(t.Context(), s.Operator(), s.tower.ID,
			storage.VersionRef{ItemID: s.report, Number: 3}, state))
		told := s.ok(as(s.viewer), s.versionURL(s.report, "3")).one(t).Attributes["extension"].(map[string]any)["data"]
		want := map[string]any{"state": "shared", "suitability": "S2", "revision": "P01.02"}
		if diff := cmp.Diff(want, told.(map[string]any)["cde"]); diff != "" {
			t.Errorf("-want +got\n%s", diff)
		}
		for query, want := range map[string][]string{
			"/contents?filter[state]=shared":                            {"report.txt"},
			"/contents?filter[state]=wip,shared&filter[suitability]=S2": {"report.txt"},
			"/contents?filter[revision]=P01.02":                         {"report.txt"},
			"/contents?filter[state]=published":                         {},
			"/contents?filter[state]=shared&filter[suitability]=S3":     {},
			"/search?filter[extension.data.cde.state]=shared":           {"report.txt"},
			"/search?filter[extension.data.cde.state]=published":        {},
		} {
			got := names(s.ok(caller{client: app, user: s.viewer, scope: "data:read data:search"},
				s.folderURL(s.outer)+query).many(t))
			if diff := cmp.Diff(want, append([]string{}, got...)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", query, diff)
			}
		}
		got := s.ok(as(s.viewer), s.itemURL(s.report)+"/versions?filter[extension.data.cde.revision]=P01.02").many(t)
		if len(got) != 1 || got[0].ID != versionURN(s.report, "3") {
			t.Errorf("versions: %v", got)
		}
	})
}

// called makes it the rule of the project that files are called Type-Number.
func (s *scene) called(holding string) {
	s.Helper()
	s.Must(s.Store.SetNaming(s.Context(), s.Operator(), s.tower.ID, storage.Naming{Separator: "-", Holding: holding,
		Fields: []storage.NamingField{{Name: "Type", Values: []string{"DR"}}, {Name: "Number", Digits: 2}}}))
}

// Rule: CDE-4
func TestAFileThatBreaksTheRuleOfNamesIsRefused(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		s := newScene(w)
		s.called("")
		by, at := writer(s.editor), map[string]string{"pointer": "/data/attributes/displayName"}
		s.refuses("POST", by, s.items(), newItem(s.middle, "DR-x.pdf", s.stored()), 400, "NAMING_RULE", at)
		made := s.creates(by, s.items(), newItem(s.middle, "DR-01.pdf", s.stored())).one(t)
		path := s.itemURL(uidOf(made))
		s.refuses("PATCH", by, path, patchOf("items", made.ID, object{"displayName": "XX-01.pdf"}), 400, "NAMING_RULE", at)
		s.changes(by, path, patchOf("items", made.ID, object{"displayName": "DR-02.pdf"}))
		s.changes(by, s.itemURL(s.report), moveOf("items", itemURN(s.report), s.middle)) // from before the rule
	})
}

// Rule: CDE-4
func TestAFolderCanHoldWhatBreaksTheRuleOfNames(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		s := newScene(w)
		holding := s.folder(s.outer, "Holding")
		s.called(holding)
		made := s.creates(writer(s.editor), s.items(), newItem(s.middle, "scan.pdf", s.stored())).one(t)
		if got := made.Relationships["parent"].Data.ID; got != folderURN(holding) {
			t.Errorf("it lies in %s", got)
		}
		path := s.itemURL(uidOf(made))
		s.refuses("PATCH", writer(s.editor), path, moveOf("items", made.ID, s.middle), 400, "NAMING_RULE",
			map[string]string{"pointer": "/data/relationships/parent/data/id"})
		body := patchOf("items", made.ID, object{"displayName": "DR-03.pdf"})
		s.changes(writer(s.editor), path, with(body, object{"parent": leads("folders", folderURN(s.middle))}, "data",
			"relationships"))
		// Who may put nothing there is refused.
		id := s.User("publisherinthemiddle")
		s.grant(storage.FolderGrant{FolderID: s.middle, UserID: id, Level: storage.LevelPublish})
		s.refuses("POST", writer(id), s.items(), newItem(s.middle, "scan 2.pdf", s.stored()), 400, "NAMING_RULE",
			map[string]string{"pointer": "/data/attributes/displayName"})
	})
}
