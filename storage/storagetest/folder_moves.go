package storagetest

import (
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

func moveChecks() []treeCheck {
	return []treeCheck{
		{"a move takes everything below along", moveFolder},
		{"a move into itself or below is refused", moveIntoItself},
		{"a move that would make the subtree too deep is refused", moveTooDeep},
		{"a move to absent, foreign or hidden folders and to taken names is refused", moveRefused},
		{"a move out of a hidden folder makes visible what is not hidden itself", moveOutOfHidden},
	}
}

func (w *Tree) move(folderID, parentID string) error {
	_, err := w.Data.UpdateFolder(w.Ctx(), w.Change(), w.Project.ID, folderID, storage.FolderPatch{ParentID: &parentID})
	return err
}

// way returns the names from the root to the folder, without the root.
func (w *Tree) way(folderID string) []string {
	w.Helper()
	all, err := w.Data.ListAncestors(w.Ctx(), "", w.Project.ID, folderID)
	w.Must(err)
	var names []string
	for _, a := range all[1:] {
		names = append(names, a.Name)
	}
	return names
}

func moveFolder(w *Tree) {
	user := w.User().ID
	chain := w.Chain(w.Files.ID, 4)
	item := w.Item(chain[3].ID, "a.txt")
	w.Give(w.Plans.ID, user, storage.LevelView)
	w.Must(w.move(chain[1].ID, w.Plans.ID))
	w.Equal([]string{"Plans", "level 1", "level 2", "level 3"}, w.way(chain[3].ID))
	w.Equal([]int{2, 3, 4}, []int{w.Look(chain[1].ID).Depth, w.Look(chain[2].ID).Depth, w.Look(chain[3].ID).Depth})
	w.Equal(storage.LevelView, w.Level(user, chain[3].ID))
	w.Equal([]string(nil), w.Names(chain[0].ID, storage.ContentsQuery{}))
	w.Equal([]int{0, 1}, []int{w.Look(chain[0].ID).ObjectCount, w.Look(w.Plans.ID).ObjectCount})
	_, folder, _, err := w.Data.FindItem(w.Ctx(), storage.Caller{}, w.Project.ID, item.Item.ID)
	w.Must(err)
	w.Equal(w.Look(chain[3].ID), folder)
	event := w.Events(storage.EventQuery{Subject: chain[1].ID})[0]
	w.Equal([]string{storage.EventFolderMoved, w.Plans.ID, `{"from":"` + chain[0].ID + `","to":"` + w.Plans.ID + `"}`},
		[]string{event.Kind, event.FolderID, event.Data})
	w.Must(w.move(chain[1].ID, w.Project.RootFolderID))
	w.Equal([]string{"level 1", "level 2", "level 3"}, w.way(chain[3].ID))
}

func moveIntoItself(w *Tree) {
	chain := w.Chain(w.Files.ID, 3)
	for _, hidden := range []bool{false, true} {
		w.Edit(chain[0].ID, storage.FolderPatch{Hidden: &hidden})
		for _, to := range chain {
			w.Unchanged(fault.Invalid, storage.ReasonCycle, func() error { return w.move(chain[0].ID, to.ID) })
		}
	}
	w.Edit(chain[0].ID, storage.FolderPatch{Hidden: ptr(false)})
	w.Must(w.move(chain[2].ID, chain[0].ID))
}

func moveTooDeep(w *Tree) {
	chain := w.Chain(w.Files.ID, 20) // levels 2 to 21
	small := w.Chain(w.Plans.ID, 5)
	w.Unchanged(fault.Invalid, storage.ReasonTooDeep, func() error { return w.move(small[0].ID, chain[19].ID) })
	w.Must(w.move(small[1].ID, chain[19].ID)) // four levels fit
	w.Equal(storage.MaxDepth, w.Look(small[4].ID).Depth)
}

func moveRefused(w *Tree) {
	folder, taken := w.Folder(w.Files.ID, "A"), w.Folder(w.Plans.ID, "a")
	foreign := w.NewProject(w.Hub.ID, "Other").RootFolderID
	w.Unchanged(fault.NotFound, storage.ReasonParentAbsent, func() error { return w.move(folder.ID, "none") })
	w.Unchanged(fault.NotFound, storage.ReasonParentAbsent, func() error { return w.move(folder.ID, foreign) })
	w.Unchanged(fault.Conflict, storage.ReasonNameTaken, func() error { return w.move(folder.ID, w.Plans.ID) })
	w.Edit(taken.ID, storage.FolderPatch{Hidden: ptr(true)})
	w.Unchanged(fault.Conflict, storage.ReasonParentHidden, func() error { return w.move(folder.ID, taken.ID) })
	w.Must(w.move(folder.ID, w.Plans.ID))
}

func moveOutOfHidden(w *Tree) {
	chain := w.Chain(w.Plans.ID, 4)
	w.Edit(chain[2].ID, storage.FolderPatch{Hidden: ptr(true)})
	w.Edit(w.Plans.ID, storage.FolderPatch{Hidden: ptr(true)})
	w.Equal(false, w.Look(chain[0].ID).Visible)
	w.Must(w.move(chain[0].ID, w.Files.ID))
	var visible []bool
	for _, f := range chain {
		visible = append(visible, w.Look(f.ID).Visible)
	}
	w.Equal([]bool{true, true, false, false}, visible)
}
