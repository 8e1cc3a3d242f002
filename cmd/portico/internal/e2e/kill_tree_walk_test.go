package e2e

import (
	"fmt"
	"strings"

	"github.com/portico-id/portico/storage"
)

// walk goes through the whole tree, checks what must hold of every tree, and
// returns what lies in it by uid.
func (y *yard) walk() map[string]string {
	y.Helper()
	w := &walker{yard: y, found: map[string]string{}}
	place, err := y.store.FindProject(y.Context(), storage.Caller{}, y.project)
	y.must(err)
	_, root, err := y.store.FindFolder(y.Context(), storage.Caller{}, y.project, place.Project.RootFolderID)
	y.must(err)
	w.folder(root, 0, true)
	// Nothing was created that does not lie in the tree, and nothing lies there
	// that was not created.
	created := 0
	for after := ""; ; {
		events, next, err := y.store.ListEvents(y.Context(), storage.EventQuery{ProjectID: y.project},
			storage.PageRequest{After: after})
		y.must(err)
		for _, e := range events {
			if e.Kind != storage.EventFolderCreated && e.Kind != storage.EventItemCreated {
				continue
			}
			created++
			if w.found[e.Subject] == "" {
				y.Errorf("%s of %s, which is nowhere", e.Kind, e.Subject)
			}
		}
		if next == "" {
			break
		}
		after = next
	}
	if first := 2; len(w.found) != created+first { // Project Files and Plans came with the project
		y.Errorf("%d things were created, and there are %d", created, len(w.found)-first)
	}
	return w.found
}

type walker struct {
	*yard
	found map[string]string
}

// folder checks a folder and everything in it (data model, section 8).
func (w *walker) folder(f storage.Folder, depth int, visible bool) {
	w.Helper()
	visible = visible && !f.Hidden
	if f.Depth != depth || depth > storage.MaxDepth || f.Visible != visible {
		w.Errorf("%s lies %d deep (visible: %t), and says %d (%t)", f.ID, depth, visible, f.Depth, f.Visible)
	}
	folders, items := w.contents(f.ID)
	names, seen := map[string]bool{}, 0
	for _, inner := range folders {
		w.find(inner.ID, fmt.Sprintf("%s in %s, hidden: %t, tip: 0", inner.Name, inner.ParentID, inner.Hidden))
		if inner.ParentID != f.ID || inner.RollupAt.Before(inner.ModifiedAt) || f.RollupAt.Before(inner.RollupAt) {
			w.Errorf("%+v in %+v", inner, f)
		}
		seen += w.name(names, "folder "+inner.Name, inner.Hidden)
		w.folder(inner, depth+1, visible)
	}
	for _, i := range items {
		w.find(i.Item.ID, fmt.Sprintf("%s in %s, hidden: %t, tip: %d", i.Item.Name, i.Item.FolderID,
			i.Item.Hidden, i.Item.Tip))
		if i.Item.FolderID != f.ID || f.RollupAt.Before(i.Item.ModifiedAt) {
			w.Errorf("%+v in %+v", i.Item, f)
		}
		seen += w.name(names, "item "+i.Item.Name, i.Item.Hidden)
		w.versions(i)
	}
	if f.ObjectCount != seen {
		w.Errorf("%d visible things lie in %s, which says %d", seen, f.ID, f.ObjectCount)
	}
}

func (w *walker) contents(folder string) (folders []storage.Folder, items []storage.ItemWithTip) {
	w.Helper()
	for after := ""; ; {
		page, err := w.store.ListContents(w.Context(), w.project, folder,
			storage.ContentsQuery{Hidden: storage.HiddenIncluded}, storage.DataPage{After: after})
		w.must(err)
		folders, items = append(folders, page.Folders...), append(items, page.Items...)
		if page.Next == "" {
			return folders, items
		}
		after = page.Next
	}
}

func (w *walker) find(uid, what string) {
	w.Helper()
	if w.found[uid] != "" {
		w.Errorf("%s lies in two places: %s, and %s", uid, w.found[uid], what)
	}
	w.found[uid] = what
}

// name notes a visible thing's name and returns 1, and 0 for what is hidden.
func (w *walker) name(names map[string]bool, name string, hidden bool) int {
	w.Helper()
	if hidden {
		return 0
	}
	if key := strings.ToLower(name); names[key] {
		w.Errorf("%s is there twice", name)
	} else {
		names[key] = true
	}
	return 1
}

// versions are numbered from 1 to the tip.
func (w *walker) versions(i storage.ItemWithTip) {
	w.Helper()
	number := 0
	for after := ""; ; {
		page, next, err := w.store.ListVersions(w.Context(), w.project, i.Item.ID, storage.VersionQuery{Ascending: true},
			storage.DataPage{After: after})
		w.must(err)
		for _, v := range page {
			if number++; v.Number != number {
				w.Errorf("version %d of %s is at place %d", v.Number, i.Item.ID, number)
			}
		}
		if next == "" {
			break
		}
		after = next
	}
	if i.Item.Tip != number || i.Tip.Number != number {
		w.Errorf("%s has %d versions, and the tip %d", i.Item.ID, number, i.Item.Tip)
	}
}
