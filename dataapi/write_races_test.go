package dataapi_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"testing"

	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore"
)

const tries = 50

// statuses counts the answers by status and code.
func statuses(t *testing.T, answers []answer) map[string]int {
	t.Helper()
	found := map[string]int{}
	for _, a := range answers {
		key := fmt.Sprint(a.Status)
		if a.Status >= 400 {
			key += " " + a.doc(t).Errors[0].Code
		}
		found[key]++
	}
	return found
}

func only(t *testing.T, got map[string]int, want map[string]int) {
	t.Helper()
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Fatalf("got %v, want %v", got, want)
	}
}

// Rule: DATA-62
func TestOfFiftyThatTakeOneNameAtOnceOneWins(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		s := newScene(w)
		spelling := func(i int, name string) string {
			if i%2 == 0 {
				return name
			}
			return "ÄPFEL " + name[len("äpfel "):]
		}
		folders := make([]func() answer, tries)
		items := make([]func() answer, tries)
		for i := range tries {
			folders[i] = s.sendLater(t, posts, writer(s.editor), s.folders(), newFolder(s.middle, spelling(i, "äpfel folder")))
			items[i] = s.sendLater(t, posts, writer(s.editor), s.items(),
				newItem(s.middle, spelling(i, "äpfel item"), s.stored()))
		}
		want := map[string]int{"201": 1, "409 NAME_TAKEN": tries - 1}
		only(t, statuses(t, atOnce(tries, func(i int) answer { return folders[i]() })), want)
		only(t, statuses(t, atOnce(tries, func(i int) answer { return items[i]() })), want)
		// Inner, a folder, an item.
		if got := s.ok(as(s.editor), s.folderURL(s.middle)).one(t).Attributes["objectCount"]; got != 3.0 {
			t.Errorf("%v things lie in the folder", got)
		}
		if kinds := s.newest(2); !slices.Equal(kinds, []string{storage.EventItemCreated, storage.EventFolderCreated}) {
			t.Errorf("events: %v", kinds)
		}
	})
}

// Rule: DATA-80
func TestFiftyVersionsAtOnceAreNumberedWithoutGap(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		s := newScene(w)
		item := s.item(s.middle, "hot.txt")
		requests := make([]func() answer, tries)
		for i := range tries {
			requests[i] = s.sendLater(t, posts, writer(s.editor), s.versions(),
				newVersion(item, fmt.Sprintf("v%d.txt", i), s.stored()))
		}
		answers := atOnce(tries, func(i int) answer { return requests[i]() })
		only(t, statuses(t, answers), map[string]int{"201": tries})
		var numbers []int
		for i, a := range answers {
			r := a.one(t)
			numbers = append(numbers, int(r.Attributes["versionNumber"].(float64)))
			if r.Attributes["name"] != fmt.Sprintf("v%d.txt", i) {
				t.Errorf("request %d is answered with %v", i, r.Attributes["name"])
			}
		}
		slices.Sort(numbers)
		for i, n := range numbers {
			if n != i+2 {
				t.Fatalf("numbers %v", numbers)
			}
		}
		got := s.ok(as(s.editor), s.itemURL(item)+"/versions").many(t)
		if len(got) != tries+1 || s.ok(as(s.editor), s.itemURL(item)).one(t).Relationships["tip"].Data.ID != versionURN(item,
			fmt.Sprint(tries+1)) {
			t.Errorf("%d versions", len(got))
		}
	})
}

// Rule: DATA-66
func TestFoldersThatMoveIntoEachOtherAtOnceMakeNoCircle(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		s := newScene(w)
		for round := range 10 {
			a, b := s.folder(s.middle, fmt.Sprint("a", round)), s.folder(s.middle, fmt.Sprint("b", round))
			requests := []func() answer{
				s.sendLater(t, patches, writer(s.editor), s.folderURL(a), moveOf("folders", folderURN(a), b)),
				s.sendLater(t, patches, writer(s.editor), s.folderURL(b), moveOf("folders", folderURN(b), a)),
			}
			only(t, statuses(t, atOnce(2, func(i int) answer { return requests[i]() })),
				map[string]int{"200": 1, "400 CYCLE": 1})
		}
	})
}

// Rule: DATA-68
func TestDescriptionsLaidOverAtOnceAllStay(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		s := newScene(w)
		requests := make([]func() answer, 8)
		for i := range requests {
			body := patchOf("folders", folderURN(s.inner), object{"extension": object{"data": object{fmt.Sprint("part", i): i}}})
			later := s.sendLater(t, patches, writer(s.editor), s.folderURL(s.inner), body)
			requests[i] = later
		}
		only(t, statuses(t, atOnce(len(requests), func(i int) answer { return requests[i]() })),
			map[string]int{"200": len(requests)})
		extension := s.ok(as(s.editor), s.folderURL(s.inner)).one(t).Attributes["extension"].(map[string]any)
		shown := extension["data"].(map[string]any)
		for i := range requests {
			if shown[fmt.Sprint("part", i)] != float64(i) {
				t.Errorf("part %d is lost: %v", i, shown)
			}
		}
	})
}

// Rule: DATA-69
func TestOfFiftyThatDependOnOneStateOneWins(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		s := newScene(w)
		tag := s.ok(as(s.editor), s.folderURL(s.inner)).Header.Get("ETag")
		requests := make([]func() answer, tries)
		for i := range tries {
			body := patchOf("folders", folderURN(s.inner), object{"name": fmt.Sprint("name ", i)})
			requests[i] = s.sendLater(t, http.MethodPatch, writer(s.editor), s.folderURL(s.inner), body, "If-Match", tag)
		}
		only(t, statuses(t, atOnce(tries, func(i int) answer { return requests[i]() })),
			map[string]int{"200": 1, "412 CHANGED": tries - 1})
	})
}

// Rule: DATA-93
func TestWhatComesIntoAFolderThatIsHiddenAtThatMomentIsHiddenWithItOrRefused(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		s := newScene(w)
		before := len(s.ok(as(s.viewer), s.folderURL(s.inner)+"/contents").many(t))
		acts := make([]func() answer, tries)
		for i := range acts {
			acts[i] = s.sendLater(t, posts, writer(s.editor), s.folders(), newFolder(s.inner, s.fresh()))
		}
		hidden := func(hide bool) object {
			return patchOf("folders", folderURN(s.middle), object{"hidden": hide})
		}
		acts[tries/2] = s.sendLater(t, patches, writer(s.editor), s.folderURL(s.middle), hidden(true)) // Middle holds Inner
		var made []resource
		for i, got := range atOnce(tries, func(i int) answer { return acts[i]() }) {
			switch got.Status {
			case http.StatusCreated:
				made = append(made, got.one(t))
			case http.StatusOK:
			case http.StatusServiceUnavailable: // whoever waited for too many others did nothing
				if i == tries/2 {
					s.changes(writer(s.editor), s.folderURL(s.middle), hidden(true))
				}
			default:
				if got.Status != http.StatusConflict || got.doc(t).Errors[0].Code != "PARENT_HIDDEN" {
					t.Errorf("%d %s", got.Status, got.Body)
				}
			}
		}
		for _, r := range made {
			s.refused(as(s.viewer), s.folderURL(uidOf(r)), 404, "FOLDER_NOT_FOUND", nil)
			s.ok(as(s.editor), s.folderURL(uidOf(r)))
		}
		s.changes(writer(s.editor), s.folderURL(s.middle), hidden(false))
		for _, r := range made {
			s.ok(as(s.viewer), s.folderURL(uidOf(r)))
		}
		got := s.ok(as(s.viewer), s.folderURL(s.inner)+"/contents").many(t)
		count := s.ok(as(s.viewer), s.folderURL(s.inner)).one(t).Attributes["objectCount"]
		if len(got) != before+len(made) || count != float64(len(got)) {
			t.Errorf("%d were there and %d were made; now there are %d, and %v are counted", before, len(made), len(got), count)
		}
	})
}

// overtaken is a store in which a version is renamed between the reading and the
// writing of the first change that is asked for.
type overtaken struct {
	*sqlstore.Store
	by     storage.Change
	called string
}

func (o *overtaken) RenameVersion(ctx context.Context, change storage.Change, projectID string,
	ref storage.VersionRef, name string) (storage.Version, error) {
	if o.called != "" {
		if _, err := o.Store.RenameVersion(ctx, o.by, projectID, ref, o.called); err != nil {
			return storage.Version{}, err
		}
		o.called = ""
	}
	return o.Store.RenameVersion(ctx, change, projectID, ref, name)
}

// Rule: DATA-85
func TestWhoChangesNothingOfAVersionTakesNoChangeOfOthersBack(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		s := newScene(w)
		w.serve(&overtaken{w.Store, w.Operator(), "renamed.txt"})
		urn := versionURN(s.deepItem, "1")
		got := s.changes(writer(s.deep), s.versionURL(s.deepItem, "1"), data("versions", object{"id": urn}))
		if name := got.one(t).Attributes["name"]; name != "renamed.txt" { // by who only sees it
			t.Errorf("the version is called %v", name)
		}
	})
}
