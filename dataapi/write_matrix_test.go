package dataapi_test

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/portico-id/portico/storage"
)

// standing is what somebody may do: the level in each thing, or one status for
// everything.
type standing struct {
	everything int
	levels     map[string]storage.Level
}

func level(outer, inner, plans storage.Level) standing {
	return standing{levels: map[string]storage.Level{"Outer": outer, "Inner": inner, "Plans": plans, "Hidden": outer}}
}

// writers are everyone of the permission matrix with the scopes of changes, and
// people of the levels between.
func (s *scene) writers() map[string]caller {
	s.Helper()
	all := s.callers()
	for name, by := range all {
		all[name] = asWriter(by)
	}
	all["wrong scope"] = as(s.editor) // data:read
	for name, level := range map[string]storage.Level{
		"downloader": storage.LevelDownload, "publisher": storage.LevelPublish, "collaborator": storage.LevelCollaborate,
		"controller": storage.LevelControl,
	} {
		id := s.User(name)
		s.grant(storage.FolderGrant{FolderID: s.outer, UserID: id, Level: level})
		all[name] = writer(id)
	}
	return all
}

func standings() map[string]standing {
	const none, view, download, edit, control = storage.LevelNone, storage.LevelView, storage.LevelDownload,
		storage.LevelEdit, storage.LevelControl
	const forbidden, absent = http.StatusForbidden, http.StatusNotFound
	return map[string]standing{
		"no token":                    {everything: http.StatusUnauthorized},
		"wrong scope":                 {everything: forbidden},
		"two-legged":                  level(control, control, control),
		"two-legged, view":            level(view, view, view),
		"two-legged for editor":       level(edit, edit, none),
		"two-legged for viewer":       level(view, view, none),
		"two-legged for hub admin":    level(control, control, control),
		"view app for hub admin":      level(view, view, view),
		"view app for editor":         {everything: forbidden},
		"two-legged for nobody":       {everything: forbidden},
		"two-legged for elsewhere":    {everything: forbidden},
		"not provisioned":             {everything: forbidden},
		"not provisioned, hub admin":  {everything: forbidden},
		"not provisioned, for editor": {everything: forbidden},
		"hub admin":                   level(control, control, control),
		"project admin":               level(control, control, control),
		"editor":                      level(edit, edit, none),
		"viewer":                      level(view, view, none),
		"deep viewer":                 level(none, view, none),
		"outsider":                    {everything: absent},
		"other hub":                   {everything: absent},
		"service account":             level(none, download, none),
		"downloader":                  level(download, download, none),
		"publisher":                   level(storage.LevelPublish, storage.LevelPublish, none),
		"collaborator":                level(storage.LevelCollaborate, storage.LevelCollaborate, none),
		"controller":                  level(control, control, none),
	}
}

// want is the status of a writing in a thing.
func (w standing) want(o writing, on thing) int {
	has := w.levels[on.name]
	switch {
	case w.everything != 0:
		return w.everything
	case on.name == "Hidden" && has < storage.LevelEdit:
		return http.StatusNotFound
	case has < o.least:
		return http.StatusForbidden
	}
	return o.done
}

// under returns a folder and an item in the thing, made for one request.
func (s *scene) under(on thing) thing {
	s.Helper()
	if on.name == "Hidden" {
		return on // nothing new comes in there
	}
	folder := s.folder(on.folder, s.fresh())
	return thing{on.name, folder, s.item(folder, "a.txt")}
}

// Rules: DATA-84, DATA-85
func TestPermissionMatrixOfChanges(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		s := newScene(w)
		want, all := standings(), s.writers()
		if len(want) != len(all) {
			t.Fatalf("%d callers, %d expectations", len(all), len(want))
		}
		cells := 0
		for _, name := range slices.Sorted(maps.Keys(all)) {
			by := all[name]
			if by.token == "" {
				by.token = s.token(by)
			}
			for _, on := range s.things() {
				here, before := s.prepared(on)
				for _, o := range writings() {
					status := want[name].want(o, on)
					if on.name == "Hidden" && status == http.StatusCreated {
						continue // nothing new comes into what is hidden, whoever asks: that has tests of its own
					}
					cells++
					got := s.run(o, by, here)
					if got.Status != status {
						t.Errorf("%s, %s in %s: %d, want %d\n%s", name, o.name, on.name, got.Status, status, got.Body)
					}
					changes := got.Status < 300 && o.template != storagePath // an object lies in no folder yet
					if after := s.about(here); (after == before) == changes && on.name != "Hidden" {
						t.Errorf("%s, %s in %s: %d, and\n%s\nbecame\n%s", name, o.name, on.name, got.Status, before, after)
					}
					if got.Status < 300 { // what was refused has left everything as it was
						here, before = s.prepared(on)
					}
				}
			}
		}
		t.Logf("%d cells", cells)
	})
}

// prepared is under, and about what it returns.
func (s *scene) prepared(on thing) (here thing, about string) {
	s.Helper()
	here = s.under(on)
	return here, s.about(here)
}

// about is a thing of the matrix, and everything that lies right in it.
func (s *scene) about(on thing) string {
	s.Helper()
	const here = `(SELECT id FROM folders WHERE uid = $1)`
	return s.Rows(on.folder, `SELECT * FROM folders WHERE uid = $1`,
		`SELECT * FROM folders WHERE parent_id = `+here+` ORDER BY id`,
		`SELECT * FROM items WHERE folder_id = `+here+` ORDER BY id`,
		`SELECT v.* FROM items i JOIN versions v ON v.item_id = i.id WHERE i.folder_id = `+here+` ORDER BY 1, 2`,
		`SELECT archived FROM projects ORDER BY id`)
}

// Rule: DATA-85
func TestARefusedChangeTellsNothingOfWhatTheCallerMayNotSee(t *testing.T) {
	s := newSQLiteScene(t)
	for name, visible := range s.visible() {
		by := asWriter(s.callersOnce(name))
		by.token = s.token(by)
		var text strings.Builder
		for _, on := range s.things() {
			for _, o := range writings() {
				if got := s.run(o, by, on); got.Status >= 300 {
					text.Write(got.Body)
				}
			}
			for _, target := range []string{s.plans.ID, s.hidden, s.tower.RootFolderID, s.far.RootFolderID} {
				got := s.send(patches, by, s.folderURL(on.folder), moveOf("folders", folderURN(on.folder), target))
				if got.Status >= 300 {
					text.Write(got.Body)
				}
			}
		}
		for thing, secrets := range s.secrets() {
			if slices.Contains(visible, thing) {
				continue
			}
			for _, secret := range secrets {
				if strings.Contains(text.String(), secret) {
					t.Errorf("%s is told %q of %s", name, secret, thing)
				}
			}
		}
	}
}

// Rule: DATA-86
func TestMovingTakesTheRightAtBothEnds(t *testing.T) {
	s := newSQLiteScene(t)
	atParent := pointer("/data/relationships/parent/data/id")
	target := s.folder(s.files.ID, "Target")
	s.grant(storage.FolderGrant{FolderID: target, UserID: s.editor, Level: storage.LevelCollaborate})
	mover := s.User("MOVERMOVERMOVERM")
	s.grant(storage.FolderGrant{FolderID: target, UserID: mover, Level: storage.LevelEdit})
	s.grant(storage.FolderGrant{FolderID: s.outer, UserID: mover, Level: storage.LevelCollaborate})
	folder, item := moveOf("folders", folderURN(s.inner), target), moveOf("items", itemURN(s.report), target)
	for _, user := range []string{s.editor, mover} { // one lacks it there, one here
		s.refuses(patches, writer(user), s.folderURL(s.inner), folder, 403, "NO_PERMISSION", atParent)
		s.refuses(patches, writer(user), s.itemURL(s.report), item, 403, "NO_PERMISSION", atParent)
	}
	s.grant(storage.FolderGrant{FolderID: target, UserID: s.editor, Level: storage.LevelEdit})
	s.changes(writer(s.editor), s.folderURL(s.inner), folder)
	s.changes(writer(s.editor), s.itemURL(s.report), item)
}

// Rule: DATA-91
func TestNoScopeStandsInForAnother(t *testing.T) {
	s := newSQLiteScene(t)
	on := thing{"Inner", s.inner, s.deepItem}
	for _, o := range everyEndpoint() {
		for _, scope := range []string{dataRead, dataWrite, dataCreate} {
			by, want := writer(s.editor), http.StatusForbidden
			if by.scope = scope; scope == o.scope {
				want = o.done
			}
			if got := s.run(o, by, s.under(on)); got.Status != want ||
				(want == http.StatusForbidden && got.doc(t).Errors[0].Code != "INSUFFICIENT_SCOPE") {
				t.Errorf("%s with %s: %d %s", o.name, scope, got.Status, got.Body)
			}
		}
	}
	for _, scope := range []string{dataWrite, dataCreate} {
		by := writer(s.editor)
		by.scope = scope
		s.refused(by, s.folderURL(s.inner), 403, "INSUFFICIENT_SCOPE", nil)
	}
}
