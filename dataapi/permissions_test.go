package dataapi_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/portico-id/portico/storage"
)

// Rule: DATA-50
func TestWhoMayControlAFolderReadsWhoHasRightsInIt(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		s := newScene(w)
		got := map[string]map[string]any{}
		for _, r := range s.ok(as(s.projAdmin), s.folderURL(s.outer)+"/permissions").many(t) {
			got[r.ID] = r.Attributes
		}
		want := map[string]map[string]any{
			"user:" + s.editor: {"level": "edit", "subject": "user", "subjectId": s.editor,
				"subjectName": "Name of " + s.editor},
			"group:" + s.group.ID: {"level": "view", "subject": "group", "subjectId": s.group.ID, "subjectName": "Readers"},
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
		s.refused(as(s.editor), s.folderURL(s.outer)+"/permissions", 403, "NO_PERMISSION", nil)
	})
}

// why is an effective permission as a test reads it.
func why(r resource) string {
	var reasons []string
	for _, one := range r.Attributes["reasons"].([]any) {
		reason := one.(map[string]any)
		words := []string{reason["level"].(string)}
		for _, name := range []string{"role", "groupName", "folderName"} {
			if word, ok := reason[name]; ok {
				words = append(words, fmt.Sprint(name, "=", word))
			}
		}
		if reason["inherited"] == true {
			words = append(words, "inherited")
		}
		reasons = append(reasons, strings.Join(words, " "))
	}
	return fmt.Sprint(r.Attributes["level"], ": ", strings.Join(reasons, "; "))
}

// Rule: DATA-51
func TestWhatSomebodyMayDoComesWithItsReasons(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		s := newScene(w)
		s.grant(storage.FolderGrant{FolderID: s.inner, UserID: s.viewer, Level: storage.LevelPublish})
		s.grant(storage.FolderGrant{FolderID: s.innermost, UserID: s.outsider, Level: storage.LevelControl})
		for _, tt := range []struct {
			by     caller
			folder string
			user   string
			want   string
		}{
			{as(s.hubAdmin), s.outer, "", "control: control role=hub-admin"},
			{as(s.projAdmin), s.outer, "", "control: control role=project-admin"},
			{as(s.viewer), s.outer, "", "view: view groupName=Readers folderName=Outer"},
			{as(s.viewer), s.inner, "", "publish: publish folderName=Inner; view groupName=Readers folderName=Outer inherited"},
			{as(s.projAdmin), s.inner, s.viewer, "publish: publish folderName=Inner; view groupName=Readers folderName=Outer inherited"},
			{as(s.projAdmin), s.plans.ID, s.viewer, "none: "},
			{as(s.projAdmin), s.outer, s.elsewhere, "none: "},
			{as(s.projAdmin), s.outer, "NOBODYNOBODYNOBO", "none: "},
			{caller{client: app}, s.inner, s.machine, "download: download folderName=Inner"},
			// Who controls only the innermost folder is not told of those above.
			{as(s.outsider), s.innermost, s.editor, "edit: edit inherited"},
			{as(s.outsider), s.innermost, s.viewer, "publish: publish inherited; view groupName=Readers inherited"},
		} {
			path := s.folderURL(tt.folder) + "/permissions/effective"
			if tt.user != "" {
				path += "?user=" + tt.user
			}
			if got := why(s.ok(tt.by, path).one(t)); got != tt.want {
				t.Errorf("%+v: %s", tt, got)
			}
		}
	})
}

// random is SplitMix64: the same trees at every run.
type random uint64

func (r *random) below(n int) int {
	*r += 0x9e3779b97f4a7c15
	z := uint64(*r)
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return int((z ^ z>>31) % uint64(n))
}

// forest is a random tree with random rights, and what follows from them by
// walking through all of it.
type forest struct {
	*scene
	parent map[string]string // by folder; Project Files has none
	order  []string
	hidden map[string]bool
	level  map[string]storage.Level // granted to the user on the folder itself
}

func (s *scene) forest(seed uint64) *forest {
	s.Helper()
	r := random(seed)
	f := &forest{scene: s, parent: map[string]string{}, hidden: map[string]bool{}, level: map[string]storage.Level{}}
	f.order = []string{s.files.ID}
	for i := range 40 {
		parent := f.order[r.below(len(f.order))]
		id := s.folder(parent, fmt.Sprintf("f%d-%d", seed, i))
		f.parent[id], f.order = parent, append(f.order, id)
	}
	groups := []string{""}
	for i := range 2 {
		g, err := s.Admin.CreateGroup(s.Context(), s.Operator(), s.hub.ID, fmt.Sprintf("g%d-%d", seed, i))
		s.Must(err)
		s.Must(s.Admin.AddToGroup(s.Context(), s.Operator(), g, s.outsider))
		groups = append(groups, g.ID)
	}
	for range 6 {
		grant := storage.FolderGrant{FolderID: f.order[1+r.below(len(f.order)-1)], Level: storage.Level(1 + r.below(6))}
		if grant.GroupID = groups[r.below(len(groups))]; grant.GroupID == "" {
			grant.UserID = s.outsider
		}
		s.grant(grant)
		f.remember(grant)
	}
	hide := true
	for range 4 {
		id := f.order[1+r.below(len(f.order)-1)]
		_, err := s.Store.UpdateFolder(s.Context(), s.Operator(), s.tower.ID, id, storage.FolderPatch{Hidden: &hide})
		s.Must(err)
		f.hidden[id] = true
	}
	return f
}

// remember notes a grant; a second one to the same party on the same folder
// replaces the first, so grants are read back from the store.
func (f *forest) remember(grant storage.FolderGrant) {
	grants, err := f.Store.ListFolderGrants(f.Context(), f.tower.ID, grant.FolderID)
	f.Must(err)
	f.level[grant.FolderID] = storage.LevelNone
	for _, g := range grants {
		f.level[grant.FolderID] = max(f.level[grant.FolderID], g.Level)
	}
}

func (f *forest) effective(id string) storage.Level {
	level := storage.LevelNone
	for ; id != ""; id = f.parent[id] {
		level = max(level, f.level[id])
	}
	return level
}

func (f *forest) isHidden(id string) bool {
	for ; id != ""; id = f.parent[id] {
		if f.hidden[id] {
			return true
		}
	}
	return false
}

// readable is the rule of access.go, said again.
func (f *forest) readable(id string) bool {
	if f.isHidden(id) {
		return f.effective(id) >= storage.LevelEdit
	}
	return f.effective(id) >= storage.LevelView
}

// top returns the readable folders without a readable one above them.
func (f *forest) top() []string {
	var ids []string
	for _, id := range f.order {
		above := false
		for p := f.parent[id]; p != ""; p = f.parent[p] {
			above = above || f.readable(p)
		}
		if f.readable(id) && !above {
			ids = append(ids, folderURN(id))
		}
	}
	return sorted(ids)
}

// Rules: DATA-37, DATA-52
func TestRightsOnRandomTreesAreThoseOfABruteForceAnswer(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		s := newScene(w)
		for seed := range uint64(3) {
			w.Must(w.Admin.RemoveMember(w.Context(), w.Operator(), membership(s.hub.ID, s.outsider)))
			w.Must(w.Admin.SetMember(w.Context(), w.Operator(), membership(s.hub.ID, s.outsider)))
			f := s.forest(seed)
			by := as(s.outsider)
			by.token = s.token(by)
			for _, id := range f.order {
				_, standing := f.standing(id)
				if standing.Level() != f.effective(id) {
					t.Errorf("seed %d: level %d, want %d", seed, standing.Level(), f.effective(id))
				}
				if got := s.get(by, s.folderURL(id)).Status; (got == 200) != f.readable(id) {
					t.Errorf("seed %d: %d, readable: %t", seed, got, f.readable(id))
				}
			}
			var top []string
			for _, r := range s.ok(by, s.towerURL()+"/topFolders").many(t) {
				top = append(top, r.ID)
			}
			if got := sorted(top); !slices.Equal(got, f.top()) {
				t.Errorf("seed %d: top folders %v, want %v", seed, got, f.top())
			}
		}
	})
}

func (f *forest) standing(id string) (storage.Folder, storage.Standing) {
	f.Helper()
	place, folder, err := f.Store.FindFolder(f.Context(), storage.Caller{ClientID: app, UserID: f.outsider}, f.tower.ID,
		id)
	f.Must(err)
	return folder, place.Standing
}

func TestSchemasOfExtensionsAreThere(t *testing.T) {
	s := newSQLiteScene(t)
	extension := s.ok(as(s.hubAdmin), s.itemURL(s.report)).one(t).Attributes["extension"].(map[string]any)
	href := extension["schema"].(map[string]any)["href"].(string)
	got := s.ok(caller{token: "-"}, href)
	if got.Header.Get("Content-Type") != "application/schema+json" ||
		!strings.Contains(string(got.Body), `"$id":"`+href+`"`) {
		t.Errorf("%v %s", got.Header, got.Body)
	}
	s.ok(caller{token: "-"}, "/schema/v1/versions/items:my-own.core:File-1.0.3") // as types of clients may be written
	s.refused(caller{token: "-"}, "/schema/v1/versions/nonsense", 404, "SCHEMA_NOT_FOUND", nil)
	s.refused(caller{token: "-"}, "/schema/v1/versions/%ff", 400, "MALFORMED_PATH", nil)
	s.refused(caller{token: "-"}, "/schema/v1/versions/%20%25", 404, "SCHEMA_NOT_FOUND", nil)
}
