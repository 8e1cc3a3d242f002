package dataapi_test

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

// Rules: DATA-4, DATA-44
func TestEveryStatusOfChangesOfRelationsWithItsDocument(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		s := newScene(w)
		on := thing{"Inner", s.inner, s.deepItem}
		unknown := strings.Repeat("A", 22)
		for _, o := range relationWritings() {
			s.check(s.commonRows(o, on)...)
			body := o.body(s, on)
			for path, status := range map[string]int{
				at(o.template, s.ids("x", "x")):           400,
				at(o.template, s.ids(unknown, unknown)):   404,
				at(o.template, s.ids(s.plans.ID, s.plan)): 403,
				at(o.template, s.ids(s.hidden, s.buried)): o.done, // the editor sees what is hidden
			} {
				if got := s.send(o.method, writer(s.editor), path, body); got.Status != status {
					t.Errorf("%s %s: %d, want %d %s", o.name, path, got.Status, status, got.Body)
				}
			}
			if got := s.run(o, writer(s.editor), on); got.Status != o.done {
				t.Errorf("%s, by whom it may be done: %d %s", o.name, got.Status, got.Body)
			}
		}
	})
}

// Rules: REL-6, REL-9, REL-12
func TestPermissionMatrixOfRelations(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		s := newScene(w)
		want, all := standings(), s.writers()
		cells := 0
		for _, name := range slices.Sorted(maps.Keys(all)) {
			by := all[name]
			if by.token == "" {
				by.token = s.token(by)
			}
			for _, on := range s.things() {
				for _, o := range relationWritings() {
					cells++
					if got, status := s.run(o, by, on), want[name].want(o, on); got.Status != status {
						t.Errorf("%s, %s in %s: %d, want %d\n%s", name, o.name, on.name, got.Status, status, got.Body)
					}
				}
			}
		}
		t.Logf("%d cells", cells)
	})
}

// Rule: DATA-73
func TestRelationsOfALockedProjectDoNotChange(t *testing.T) {
	w := newWorld(t, sqliteURL(t))
	s := newScene(w)
	on := thing{"Inner", s.inner, s.deepItem}
	s.refer(writer(s.editor), s.itemURL(s.deepItem), refTo("folders", folderURN(s.innermost)))
	_, err := s.Admin.ArchiveProject(t.Context(), s.Operator(), s.tower.ID, true)
	s.Must(err)
	for _, o := range relationWritings() {
		if got := s.run(o, writer(s.editor), on); got.Status != http.StatusLocked ||
			got.doc(t).Errors[0].Code != "PROJECT_ARCHIVED" {
			t.Errorf("%s: %d %s", o.name, got.Status, got.Body)
		}
	}
	if got := s.refsAt(as(s.editor), s.itemURL(s.deepItem), ""); len(got) != 1 {
		t.Errorf("references: %q", got)
	}
	busy := fault.New(fault.Locked, storage.ReasonProjectBusy,
		"The project is being rearranged. Try again in a moment.").After(2 * time.Second)
	w.serve(stuck{readable{w.Store}, refusing{busy}})
	for _, o := range relationWritings() {
		if got := s.run(o, writer(s.editor), on); got.Status != http.StatusLocked || got.Header.Get("Retry-After") != "2" {
			t.Errorf("%s: %d %v %s", o.name, got.Status, got.Header, got.Body)
		}
	}
}

// Rule: DATA-5
func TestAFailureOfTheStoreInRelationsIsOursAndTellsNothing(t *testing.T) {
	w := newWorld(t, sqliteURL(t))
	s := newScene(w)
	on := thing{"Inner", s.inner, s.deepItem}
	for status, err := range map[int]error{
		500: fault.New(fault.Internal, "secret", "secret").With("secret", "secret"),
		503: fault.New(fault.Unavailable, "store_unavailable", "The database is out of reach. Try again in a moment."),
	} {
		for _, store := range []apiStore{failing{refusing{err}}, stuck{readable{w.Store}, refusing{err}}} {
			w.serve(store)
			for _, o := range relationWritings() {
				got := s.run(o, writer(s.editor), on)
				if got.Status != status || strings.Contains(string(got.Body), "secret") {
					t.Errorf("%s: %d %s", o.name, got.Status, got.Body)
				}
			}
		}
	}
}
