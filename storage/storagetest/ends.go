package storagetest

import (
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

func endChecks() []treeCheck {
	return []treeCheck{
		{"FindEnds returns folders, items and versions in the order asked for", findEnds},
		{"FindEnds says of each what is granted to the user there, as FindFolder does", findEndsGranted},
		{"FindEnds finds what is hidden, and nothing of another project", findEndsHidden},
	}
}

func (w *Tree) ends(caller storage.Caller, ends ...storage.End) []storage.Found {
	w.Helper()
	_, found, err := w.Data.FindEnds(w.Ctx(), caller, w.Project.ID, ends)
	w.Must(err)
	return found
}

func findEnds(w *Tree) {
	item := w.Item(w.Files.ID, "i")
	now, err := w.Data.AddVersion(w.Ctx(), w.Change(), w.Project.ID, item.Item.ID, newVersion("second"))
	w.Must(err)
	files := w.Look(w.Files.ID)
	got := w.ends(storage.Caller{}, ofVersion(item, 1), ofFolder(w.Files), storage.End{ItemID: "none"}, ofItem(item),
		ofVersion(item, 2), ofVersion(item, 3), ofFolder(w.Files))
	want := []storage.Found{
		{Folder: files, Item: now, Version: item.Tip}, {Folder: files}, {}, {Folder: files, Item: now},
		{Folder: files, Item: now, Version: now.Tip}, {}, {Folder: files},
	}
	w.Equal(want, got)
	w.Equal(0, len(w.ends(storage.Caller{})))
	_, _, err = w.Data.FindEnds(w.Ctx(), storage.Caller{}, w.Project.ID, make([]storage.End, storage.MaxEnds+1))
	w.Refused(err, fault.Invalid, "")
	_, _, err = w.Data.FindEnds(w.Ctx(), storage.Caller{}, "b.none", nil)
	w.Refused(err, fault.NotFound, "")
}

func findEndsGranted(w *Tree) {
	user := w.User().ID
	chain := w.Chain(w.Files.ID, 4)
	item := w.Item(chain[3].ID, "i")
	w.Give(chain[1].ID, user, storage.LevelView)
	w.Must(w.Data.SetFolderGrant(w.Ctx(), w.Change(), w.Project.ID, storage.FolderGrant{
		FolderID: chain[2].ID, GroupID: w.Group("g", user).ID, Level: storage.LevelEdit,
	}))
	caller := storage.Caller{UserID: user}
	ends := []storage.End{ofFolder(w.Files), ofFolder(chain[0]), ofFolder(chain[1]), ofFolder(chain[2]),
		ofFolder(chain[3]), ofItem(item)}
	place, found, err := w.Data.FindEnds(w.Ctx(), caller, w.Project.ID, ends)
	w.Must(err)
	project, err := w.Data.FindProject(w.Ctx(), caller, w.Project.ID)
	w.Must(err)
	w.Equal(project, place)
	for i, f := range found {
		standing := place.Standing
		standing.Granted = f.Granted
		w.Equal(w.Level(user, f.Folder.ID), standing.Level())
		if i == len(found)-1 {
			w.Equal(storage.LevelEdit, f.Granted)
		}
	}
}

func findEndsHidden(w *Tree) {
	folder := w.Folder(w.Files.ID, "f")
	item := w.Item(folder.ID, "i")
	w.hide(folder.ID, true)
	other := w.NewProject(w.Hub.ID, "Other").RootFolderID
	found := w.ends(storage.Caller{}, ofFolder(folder), ofItem(item), storage.End{FolderID: other})
	w.Equal([]any{true, false, item.Item.ID},
		[]any{found[0].Folder.Hidden, found[1].Folder.Visible, found[1].Item.Item.ID})
	w.Equal(storage.Found{}, found[2])
}
