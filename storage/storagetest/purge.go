package storagetest

import (
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

func purgeChecks() []treeCheck {
	return []treeCheck{
		{"PurgeHidden removes what was hidden before the time, with all below, and nothing else", purgeHidden},
		{"PurgeHidden removes at most limit things at a time", purgeLimit},
	}
}

func purgeHidden(w *Tree) {
	chain := w.Chain(w.Files.ID, 3)
	below := w.Item(chain[2].ID, "below").Item.ID
	item, kept := w.Item(w.Files.ID, "item").Item.ID, w.Item(w.Files.ID, "kept").Item.ID
	restored := w.Folder(w.Files.ID, "restored")
	w.hide(restored.ID, true)
	w.hide(restored.ID, false)
	w.hide(chain[1].ID, true)
	w.Must(w.patchItem(item, storage.ItemPatch{Hidden: ptr(true)}))
	w.Clock.Advance(time.Hour)
	cut := w.Now()
	late := w.Folder(w.Files.ID, "late")
	w.hide(late.ID, true)
	n, err := w.Data.PurgeHidden(w.Ctx(), w.Change(), w.Project.ID, cut, 100)
	w.Must(err)
	w.Equal(2, n)
	n, err = w.Data.PurgeHidden(w.Ctx(), w.Change(), w.Project.ID, cut, 100)
	w.Must(err)
	w.Equal(0, n)
	for _, gone := range []string{chain[1].ID, chain[2].ID} {
		_, _, err := w.Data.FindFolder(w.Ctx(), storage.Caller{}, w.Project.ID, gone)
		w.Refused(err, fault.NotFound, "")
	}
	for _, gone := range []string{item, below} {
		_, _, _, err := w.Data.FindItem(w.Ctx(), storage.Caller{}, w.Project.ID, gone)
		w.Refused(err, fault.NotFound, "")
	}
	w.LookItem(kept)
	w.Equal([]string{"late/", "level 0/", "restored/", "kept"},
		w.Names(w.Files.ID, storage.ContentsQuery{Hidden: storage.HiddenIncluded}))
	w.Equal(storage.EventItemPurged, w.Events(storage.EventQuery{Subject: item})[0].Kind)
	w.Equal(storage.EventFolderPurged, w.Events(storage.EventQuery{Subject: chain[1].ID})[0].Kind)
	_, err = w.Data.PurgeHidden(w.Ctx(), w.Change(), "b.none", cut, 1)
	w.Refused(err, fault.NotFound, "")
}

func purgeLimit(w *Tree) {
	for _, name := range []string{"a", "b", "c"} {
		w.hide(w.Folder(w.Files.ID, name).ID, true)
		w.Must(w.patchItem(w.Item(w.Files.ID, name).Item.ID, storage.ItemPatch{Hidden: ptr(true)}))
	}
	var counts []int
	for {
		n, err := w.Data.PurgeHidden(w.Ctx(), w.Change(), w.Project.ID, w.Now(), 4)
		w.Must(err)
		counts = append(counts, n)
		if n == 0 {
			break
		}
	}
	w.Equal([]int{4, 2, 0}, counts)
}
