package storagetest

import (
	"strings"
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

func filesStay(w *Tree) {
	for _, patch := range []storage.FolderPatch{
		{Name: ptr("Other")}, {Name: ptr("PROJECT FILES")}, {Hidden: ptr(true)}, {ParentID: ptr(w.Plans.ID)},
		{ExtensionData: ptr(`{"a": 1}`), Hidden: ptr(true)},
	} {
		w.Unchanged(fault.Forbidden, storage.ReasonFilesFolder, func() error {
			_, err := w.Data.UpdateFolder(w.Ctx(), w.Change(), w.Project.ID, w.Files.ID, patch)
			return err
		})
	}
	same := storage.FolderPatch{Name: ptr(w.Files.Name), ParentID: ptr(w.Project.RootFolderID), Hidden: ptr(false),
		ExtensionData: ptr(`{"a": 1}`)}
	w.Equal(`{"a": 1}`, w.Edit(w.Files.ID, same).Extension.Data)
	other := w.Edit(w.Plans.ID, storage.FolderPatch{Name: ptr("Other"), ParentID: ptr(w.Files.ID), Hidden: ptr(true)})
	w.Equal([]any{"Other", w.Files.ID, true}, []any{other.Name, other.ParentID, other.Hidden})
	place, _, err := w.Data.FindFolder(w.Ctx(), storage.Caller{}, w.Project.ID, w.Files.ID)
	w.Must(err)
	place.Standing.ProjectAdmin = true
	top, err := w.Data.ListTopFolders(w.Ctx(), place, storage.TopQuery{InProjectFiles: true})
	w.Must(err)
	w.Equal(1, len(top))
}

// filesComeBack has a project of before, whose folder was renamed.
func filesComeBack(w *Tree) {
	files := w.Source.UID()
	project := storage.Project{
		ID: "b." + w.Source.UUID(), HubID: w.Hub.ID, Name: "Old", Type: "ACC", Active: true, RootFolderID: w.Source.UID(),
		Extension: w.Project.Extension, CreatedAt: w.Now(), UpdatedAt: w.Now(),
	}
	w.Must(w.Data.CreateProject(w.Ctx(), w.Change(), project,
		[]storage.Folder{{ID: files, Name: "Files", Kind: storage.FolderFiles}}))
	rename := func(name string) error {
		_, err := w.Data.UpdateFolder(w.Ctx(), w.Change(), project.ID, files, storage.FolderPatch{Name: &name})
		return err
	}
	w.Refused(rename("Other"), fault.Forbidden, storage.ReasonFilesFolder)
	w.Must(rename(storage.FilesName))
	w.Refused(rename("Files"), fault.Forbidden, storage.ReasonFilesFolder)
}

func folderChecks() []treeCheck {
	return []treeCheck{
		{"CreateFolder returns what FindFolder finds, with every field", createFolder},
		{"CreateFolder refuses absent and hidden parents, taken names and ids", createFolderRefused},
		{"names are taken without regard to case and Unicode form, among visible folders of one parent only", folderNames},
		{"folders lie at most 25 levels deep", folderDepth},
		{"UpdateFolder renames, and an old name is free again", renameFolder},
		{"UpdateFolder changes everything at once or nothing", updateFolderAtOnce},
		{"UpdateFolder with what is so already is no change", updateFolderNothing},
		{"UpdateFolder refuses a revision that is not the one seen", updateFolderSeen},
		{"the root stays as it is", rootStays},
		{"the folder of a project's files keeps its name and place and is not hidden", filesStay},
		{"the folder of a project's files that was renamed before can have its name again", filesComeBack},
	}
}

func createFolder(w *Tree) {
	user := w.User().ID
	change := w.ChangeBy(user)
	got, err := w.Data.CreateFolder(w.Ctx(), change, w.Project.ID, storage.Folder{
		ID: "uid", ParentID: w.Files.ID, Name: "Näme",
		Extension: storage.Extension{Type: "folders:a:B", Version: "1.1", Data: `{"x": "y"}`},
	})
	w.Must(err)
	want := storage.Folder{
		ID: "uid", ProjectID: w.Project.ID, ParentID: w.Files.ID, Name: "Näme", Kind: storage.FolderNormal,
		Depth: 2, Visible: true,
		Extension: storage.Extension{Type: "folders:a:B", Version: "1.1", Data: `{"x": "y"}`}, Revision: 1,
		Stamp:    storage.Stamp{CreatedAt: change.At, CreatedBy: user, ModifiedAt: change.At, ModifiedBy: user},
		RollupAt: change.At,
	}
	w.Equal(want, got)
	w.Equal(want, w.Look("uid"))
	event := w.Events(storage.EventQuery{Subject: "uid"})[0]
	w.Equal([]string{storage.EventFolderCreated, w.Hub.ID, w.Project.ID, w.Files.ID},
		[]string{event.Kind, event.HubID, event.ProjectID, event.FolderID})
}

func createFolderRefused(w *Tree) {
	w.Folder(w.Files.ID, "Taken")
	taken := w.Folder(w.Plans.ID, "x").ID
	foreign := w.NewProject(w.Hub.ID, "Other").RootFolderID
	try := func(project, id, parent, name string) func() error {
		return func() error {
			_, err := w.Data.CreateFolder(w.Ctx(), w.Change(), project, storage.Folder{ID: id, ParentID: parent, Name: name})
			return err
		}
	}
	w.Unchanged(fault.NotFound, "", try("b.none", "a", w.Files.ID, "New"))
	w.Unchanged(fault.NotFound, storage.ReasonParentAbsent, try(w.Project.ID, "a", "none", "New"))
	w.Unchanged(fault.NotFound, storage.ReasonParentAbsent, try(w.Project.ID, "a", foreign, "New"))
	w.Unchanged(fault.Conflict, storage.ReasonNameTaken, try(w.Project.ID, "a", w.Files.ID, "TAKEN"))
	w.Unchanged(fault.Conflict, "", try(w.Project.ID, taken, w.Files.ID, "New"))
	child := w.Folder(w.Plans.ID, "Child")
	w.Edit(w.Plans.ID, storage.FolderPatch{Hidden: ptr(true)})
	w.Unchanged(fault.Conflict, storage.ReasonParentHidden, try(w.Project.ID, "a", w.Plans.ID, "New"))
	w.Unchanged(fault.Conflict, storage.ReasonParentHidden, try(w.Project.ID, "a", child.ID, "New"))
	w.Edit(w.Plans.ID, storage.FolderPatch{Hidden: ptr(false)})
	w.Must(try(w.Project.ID, "a", child.ID, "New")())
}

func folderNames(w *Tree) {
	first := w.Folder(w.Files.ID, "Straße é")
	for _, same := range []string{"STRASSE É", "straße e\u0301"} {
		_, err := w.tryFolder(w.Data, w.Files.ID, same)
		w.Refused(err, fault.Conflict, storage.ReasonNameTaken)
	}
	w.Folder(w.Plans.ID, "Straße é")
	w.Item(w.Files.ID, "Straße é") // items have names of their own
	w.Edit(first.ID, storage.FolderPatch{Hidden: ptr(true)})
	second := w.Folder(w.Files.ID, "STRASSE É")
	_, err := w.Data.UpdateFolder(w.Ctx(), w.Change(), w.Project.ID, first.ID, storage.FolderPatch{Hidden: ptr(false)})
	w.Refused(err, fault.Conflict, storage.ReasonNameTaken)
	restored := w.Edit(first.ID, storage.FolderPatch{Hidden: ptr(false), Name: ptr("Other")})
	w.Equal([]any{"Other", true}, []any{restored.Name, restored.Visible})
	_, err = w.Data.UpdateFolder(w.Ctx(), w.Change(), w.Project.ID, first.ID, storage.FolderPatch{Name: ptr("strasse é")})
	w.Refused(err, fault.Conflict, storage.ReasonNameTaken)
	w.Equal("straße É", w.Edit(second.ID, storage.FolderPatch{Name: ptr("straße É")}).Name) // its own, written otherwise
	long := strings.Repeat("ß", 255)
	w.Equal(long, w.Folder(w.Files.ID, long).Name)
}

func folderDepth(w *Tree) {
	chain := w.Chain(w.Files.ID, storage.MaxDepth-1)
	deepest := chain[len(chain)-1]
	w.Equal(storage.MaxDepth, deepest.Depth)
	w.Unchanged(fault.Invalid, storage.ReasonTooDeep, func() error {
		_, err := w.tryFolder(w.Data, deepest.ID, "too deep")
		return err
	})
	w.Item(deepest.ID, "deep.txt")
}

func renameFolder(w *Tree) {
	folder := w.Folder(w.Files.ID, "Old")
	user := w.User().ID
	change := w.ChangeBy(user)
	got, err := w.Data.UpdateFolder(w.Ctx(), change, w.Project.ID, folder.ID,
		storage.FolderPatch{Name: ptr("New"), ExtensionData: ptr(`{"d": 1}`)})
	w.Must(err)
	folder.Name, folder.Extension.Data, folder.Revision = "New", `{"d": 1}`, 2
	folder.ModifiedAt, folder.ModifiedBy, folder.RollupAt = change.At, user, change.At
	w.Equal(folder, got)
	w.Equal(folder, w.Look(folder.ID))
	w.Folder(w.Files.ID, "Old")
	w.Told(folder.ID, storage.EventFolderUpdated, storage.EventFolderRenamed, storage.EventFolderCreated)
	w.Unchanged(fault.NotFound, "", func() error {
		_, err := w.Data.UpdateFolder(w.Ctx(), w.Change(), w.Project.ID, "none", storage.FolderPatch{Name: ptr("x")})
		return err
	})
}

func updateFolderAtOnce(w *Tree) {
	folder := w.Folder(w.Files.ID, "A")
	w.Folder(w.Plans.ID, "Taken")
	all := storage.FolderPatch{Name: ptr("Taken"), ParentID: ptr(w.Plans.ID), Hidden: ptr(false), ExtensionData: ptr("{}")}
	w.Unchanged(fault.Conflict, storage.ReasonNameTaken, func() error {
		_, err := w.Data.UpdateFolder(w.Ctx(), w.Change(), w.Project.ID, folder.ID, all)
		return err
	})
	w.Equal(folder, w.Look(folder.ID))
	all.Hidden = ptr(true) // hidden folders take no name away
	got := w.Edit(folder.ID, all)
	w.Equal([]any{"Taken", w.Plans.ID, true, false, "{}", int64(2)},
		[]any{got.Name, got.ParentID, got.Hidden, got.Visible, got.Extension.Data, got.Revision})
	w.Told(folder.ID, storage.EventFolderUpdated, storage.EventFolderHidden, storage.EventFolderMoved,
		storage.EventFolderRenamed, storage.EventFolderCreated)
}

func updateFolderNothing(w *Tree) {
	folder := w.Folder(w.Files.ID, "A")
	got := w.Edit(folder.ID, storage.FolderPatch{
		Name: ptr("A"), ParentID: ptr(w.Files.ID), Hidden: ptr(false), ExtensionData: ptr(folder.Extension.Data),
	})
	w.Equal(folder, got)
	w.Equal(folder, w.Edit(folder.ID, storage.FolderPatch{}))
	w.Told(folder.ID, storage.EventFolderCreated)
}

func updateFolderSeen(w *Tree) {
	folder := w.Folder(w.Files.ID, "A")
	w.Edit(folder.ID, storage.FolderPatch{Name: ptr("B")})
	change := w.Change()
	change.Seen = folder.Revision
	w.Unchanged(fault.PreconditionFailed, storage.ReasonChanged, func() error {
		_, err := w.Data.UpdateFolder(w.Ctx(), change, w.Project.ID, folder.ID, storage.FolderPatch{Name: ptr("C")})
		return err
	})
	change.Seen = w.Look(folder.ID).Revision
	change.At = change.At.Add(time.Second)
	_, err := w.Data.UpdateFolder(w.Ctx(), change, w.Project.ID, folder.ID, storage.FolderPatch{Name: ptr("C")})
	w.Must(err)
}

func rootStays(w *Tree) {
	for _, patch := range []storage.FolderPatch{{Name: ptr("x")}, {Hidden: ptr(true)}, {ParentID: ptr(w.Files.ID)},
		{ExtensionData: ptr("{}")}} {
		w.Unchanged(fault.Invalid, storage.ReasonRootFolder, func() error {
			_, err := w.Data.UpdateFolder(w.Ctx(), w.Change(), w.Project.ID, w.Project.RootFolderID, patch)
			return err
		})
	}
}
