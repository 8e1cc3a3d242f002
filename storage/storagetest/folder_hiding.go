package storagetest

import (
	"github.com/portico-id/portico/storage"
)

func hideChecks() []treeCheck {
	return []treeCheck{
		{"hiding a folder hides everything below, and restoring shows it again", hideFolder},
		{"restoring leaves hidden what is hidden itself, and all below that", restoreAround},
		{"a folder restored below a hidden one stays invisible", restoreBelowHidden},
		{"hidden things don't count", hiddenDontCount},
	}
}

func (w *Tree) hide(folderID string, hidden bool) storage.Folder {
	w.Helper()
	return w.Edit(folderID, storage.FolderPatch{Hidden: &hidden})
}

// visible returns which of the folders are visible.
func (w *Tree) visible(folders []storage.Folder) []bool {
	w.Helper()
	var all []bool
	for _, f := range folders {
		all = append(all, w.Look(f.ID).Visible)
	}
	return all
}

func hideFolder(w *Tree) {
	chain := w.Chain(w.Files.ID, 3)
	hidden := w.hide(chain[1].ID, true)
	w.Equal([]bool{true, false}, []bool{hidden.Hidden, hidden.Visible})
	w.Equal([]bool{true, false, false}, w.visible(chain))
	w.Equal(false, w.Look(chain[2].ID).Hidden)
	w.hide(chain[1].ID, false)
	w.Equal([]bool{true, true, true}, w.visible(chain))
	w.Told(chain[1].ID, storage.EventFolderRestored, storage.EventFolderHidden, storage.EventFolderCreated)
}

func restoreAround(w *Tree) {
	chain := w.Chain(w.Files.ID, 6)
	for _, i := range []int{4, 2, 0} {
		w.hide(chain[i].ID, true)
	}
	w.hide(chain[0].ID, false)
	w.Equal([]bool{true, true, false, false, false, false}, w.visible(chain))
	w.hide(chain[2].ID, false)
	w.Equal([]bool{true, true, true, true, false, false}, w.visible(chain))
}

func restoreBelowHidden(w *Tree) {
	chain := w.Chain(w.Files.ID, 3)
	w.hide(chain[1].ID, true)
	w.hide(chain[0].ID, true)
	restored := w.hide(chain[1].ID, false)
	w.Equal([]bool{false, false}, []bool{restored.Hidden, restored.Visible})
	w.hide(chain[0].ID, false)
	w.Equal([]bool{true, true, true}, w.visible(chain))
}

func hiddenDontCount(w *Tree) {
	folder, item := w.Folder(w.Files.ID, "A"), w.Item(w.Files.ID, "a.txt")
	w.Equal(2, w.Look(w.Files.ID).ObjectCount)
	w.hide(folder.ID, true)
	w.Equal(1, w.Look(w.Files.ID).ObjectCount)
	_, err := w.Data.UpdateItem(w.Ctx(), w.Change(), w.Project.ID, item.Item.ID, storage.ItemPatch{Hidden: ptr(true)})
	w.Must(err)
	w.Equal(0, w.Look(w.Files.ID).ObjectCount)
	w.Must(w.move(folder.ID, w.Plans.ID))
	w.Equal([]int{0, 0}, []int{w.Look(w.Files.ID).ObjectCount, w.Look(w.Plans.ID).ObjectCount})
	w.hide(folder.ID, false)
	w.Equal(1, w.Look(w.Plans.ID).ObjectCount)
}
