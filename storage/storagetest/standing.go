package storagetest

import (
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

func standingChecks() []treeCheck {
	return []treeCheck{
		{"the level on a folder is the highest on it or above, own or of a group", inheritedLevel},
		{"hub and project admins have control everywhere in theirs", adminLevel},
		{"an app by itself has its own level, and nothing where it is not provisioned", appLevel},
		{"a user through an app has their own level, and nothing where it is not provisioned", throughAppLevel},
		{"a user whom an app names has the lower of both levels", onBehalfLevel},
		{"grants of who is no member of the hub any more, or disabled, count for nothing", formerLevel},
		{"FindFolder, FindItem and FindVersion agree on place, folder and standing", findsAgree},
		{"FindFolder, FindItem and FindVersion find nothing of another project", findsStayInProject},
		{"what is granted above a folder is told beside what is granted on it", grantedAbove},
		{"ListAncestors returns the way from the root with what is granted on it", listAncestors},
	}
}

func inheritedLevel(w *Tree) {
	user := w.User().ID
	chain := w.Chain(w.Files.ID, 4)
	group := w.Group("G", user)
	w.Give(chain[0].ID, user, storage.LevelDownload)
	w.Give(chain[2].ID, user, storage.LevelView)
	w.Must(w.Data.SetFolderGrant(w.Ctx(), w.Change(), w.Project.ID,
		storage.FolderGrant{FolderID: chain[3].ID, GroupID: group.ID, Level: storage.LevelEdit}))
	var got []storage.Level
	for _, f := range append([]storage.Folder{w.Files}, chain...) {
		got = append(got, w.Level(user, f.ID))
	}
	w.Equal([]storage.Level{0, storage.LevelDownload, storage.LevelDownload, storage.LevelDownload, storage.LevelEdit},
		got)
	w.Equal(storage.LevelNone, w.Level(w.User().ID, chain[3].ID))
}

func adminLevel(w *Tree) {
	hubAdmin, projectAdmin := w.User().ID, w.User().ID
	w.Must(w.Data.SetHubMember(w.Ctx(), w.Change(), w.Hub.ID, hubAdmin, true))
	w.Must(w.Data.SetProjectMember(w.Ctx(), w.Change(), w.Project.ID, projectAdmin, true))
	w.Give(w.Files.ID, projectAdmin, storage.LevelView)
	w.Equal(storage.LevelControl, w.Level(hubAdmin, w.Files.ID))
	w.Equal(storage.LevelControl, w.Level(projectAdmin, w.Files.ID))
	other := w.NewProject(w.Hub.ID, "Other")
	for user, want := range map[string]storage.Level{hubAdmin: storage.LevelControl, projectAdmin: storage.LevelNone} {
		place, _, err := w.Data.FindFolder(w.Ctx(), storage.Caller{UserID: user}, other.ID, other.RootFolderID)
		w.Must(err)
		w.Equal(want, place.Standing.Level())
	}
}

// levelOf returns what any caller may do in Project Files.
func (w *Tree) levelOf(caller storage.Caller) storage.Level {
	w.Helper()
	place, _, err := w.Data.FindFolder(w.Ctx(), caller, w.Project.ID, w.Files.ID)
	w.Must(err)
	return place.Standing.Level()
}

func appLevel(w *Tree) {
	w.Equal(storage.LevelPublish, w.levelOf(storage.Caller{ClientID: w.provision(w.Hub.ID, storage.LevelPublish,
		storage.AppForNobody).ID}))
	w.Equal(storage.LevelNone, w.levelOf(storage.Caller{ClientID: w.provision(w.NewHub("Other").ID, storage.LevelControl,
		storage.AppForMembers).ID}))
	w.Equal(storage.LevelControl, w.levelOf(storage.Caller{}))
}

func throughAppLevel(w *Tree) {
	user := w.User().ID
	w.Give(w.Files.ID, user, storage.LevelEdit)
	client := w.provision(w.Hub.ID, storage.LevelView, storage.AppForNobody)
	w.Equal(storage.LevelEdit, w.levelOf(storage.Caller{ClientID: client.ID, UserID: user}))
	w.Equal(storage.LevelNone, w.levelOf(storage.Caller{ClientID: w.Client().ID, UserID: user}))
}

func onBehalfLevel(w *Tree) {
	low, high, admin := w.User().ID, w.User().ID, w.User().ID
	w.Give(w.Files.ID, low, storage.LevelView)
	w.Give(w.Files.ID, high, storage.LevelEdit)
	w.Must(w.Data.SetHubMember(w.Ctx(), w.Change(), w.Hub.ID, admin, true))
	client := w.provision(w.Hub.ID, storage.LevelPublish, storage.AppForMembers)
	for user, want := range map[string]storage.Level{
		low: storage.LevelView, high: storage.LevelPublish, admin: storage.LevelPublish, w.User().ID: storage.LevelNone,
		"NOBODY": storage.LevelNone,
	} {
		w.Equal(want, w.levelOf(storage.Caller{ClientID: client.ID, UserID: user, OnBehalf: true}))
	}
	silent := w.provision(w.Hub.ID, storage.LevelPublish, storage.AppForNobody)
	w.Equal(storage.LevelNone, w.levelOf(storage.Caller{ClientID: silent.ID, UserID: high, OnBehalf: true}))
}

func formerLevel(w *Tree) {
	user := w.User().ID
	group := w.Group("G", user)
	w.Must(w.Data.SetFolderGrant(w.Ctx(), w.Change(), w.Project.ID,
		storage.FolderGrant{FolderID: w.Files.ID, GroupID: group.ID, Level: storage.LevelEdit}))
	w.Equal(storage.LevelEdit, w.Level(user, w.Files.ID))
	w.Must(w.Store.SetUserDisabled(w.Ctx(), w.Act(), user, true))
	w.Equal(storage.LevelNone, w.Level(user, w.Files.ID))
	w.Must(w.Store.SetUserDisabled(w.Ctx(), w.Act(), user, false))
	w.Must(w.Data.RemoveHubMember(w.Ctx(), w.Change(), w.Hub.ID, user))
	w.Equal(storage.LevelNone, w.Level(user, w.Files.ID))
}

// grantedAbove looks at a folder with a grant of its own, below one with less.
func grantedAbove(w *Tree) {
	user := w.User().ID
	group := w.Group("G", user)
	chain := w.Chain(w.Files.ID, 3)
	is := func(at storage.Folder, above, granted storage.Level) {
		place, folder, err := w.Data.FindFolder(w.Ctx(), storage.Caller{UserID: user}, w.Project.ID, at.ID)
		w.Must(err)
		w.Equal([]storage.Level{above, granted}, []storage.Level{place.Standing.GrantedAbove, place.Standing.Granted})
		w.Equal(at.ID, folder.ID)
	}
	is(chain[1], storage.LevelNone, storage.LevelNone)
	w.Give(chain[1].ID, user, storage.LevelEdit)
	is(chain[0], storage.LevelNone, storage.LevelNone)
	is(chain[1], storage.LevelNone, storage.LevelEdit)
	is(chain[2], storage.LevelEdit, storage.LevelEdit)
	w.Must(w.Data.SetFolderGrant(w.Ctx(), w.Change(), w.Project.ID,
		storage.FolderGrant{FolderID: w.Files.ID, GroupID: group.ID, Level: storage.LevelView}))
	is(w.Files, storage.LevelNone, storage.LevelView)
	is(chain[1], storage.LevelView, storage.LevelEdit)
	w.Must(w.Data.RemoveFolderGrant(w.Ctx(), w.Change(), w.Project.ID,
		storage.FolderGrant{FolderID: w.Files.ID, GroupID: group.ID}))
	is(chain[1], storage.LevelNone, storage.LevelEdit)
}

func findsAgree(w *Tree) {
	user := w.User().ID
	chain := w.Chain(w.Files.ID, 3)
	w.Give(chain[1].ID, user, storage.LevelEdit)
	item := w.Item(chain[2].ID, "a.txt")
	caller := storage.Caller{UserID: user}
	place, folder, err := w.Data.FindFolder(w.Ctx(), caller, w.Project.ID, chain[2].ID)
	w.Must(err)
	w.Equal(storage.LevelEdit, place.Standing.Granted)
	w.Equal(w.Project, place.Project)
	w.Equal(w.Hub, place.Hub)
	itemPlace, itemFolder, gotItem, err := w.Data.FindItem(w.Ctx(), caller, w.Project.ID, item.Item.ID)
	w.Must(err)
	w.Equal(place, itemPlace)
	w.Equal(folder, itemFolder)
	w.Equal(item, gotItem)
	ref := storage.VersionRef{ItemID: item.Item.ID, Number: 1}
	versionPlace, versionFolder, versionItem, version, err := w.Data.FindVersion(w.Ctx(), caller, w.Project.ID, ref)
	w.Must(err)
	w.Equal(place, versionPlace)
	w.Equal(folder, versionFolder)
	w.Equal(item, versionItem)
	w.Equal(item.Tip, version)
}

func findsStayInProject(w *Tree) {
	other := w.NewProject(w.Hub.ID, "Other")
	item := w.Item(w.Files.ID, "a.txt").Item.ID
	for _, project := range []string{other.ID, "b.none"} {
		_, _, err := w.Data.FindFolder(w.Ctx(), storage.Caller{}, project, w.Files.ID)
		w.Refused(err, fault.NotFound, "")
		_, _, _, err = w.Data.FindItem(w.Ctx(), storage.Caller{}, project, item)
		w.Refused(err, fault.NotFound, "")
		_, _, _, _, err = w.Data.FindVersion(w.Ctx(), storage.Caller{}, project, storage.VersionRef{ItemID: item, Number: 1})
		w.Refused(err, fault.NotFound, "")
		_, err = w.Data.ListAncestors(w.Ctx(), "", project, w.Files.ID)
		w.Refused(err, fault.NotFound, "")
		contents, err := w.Data.ListContents(w.Ctx(), project, w.Files.ID, storage.ContentsQuery{}, storage.DataPage{})
		w.Must(err)
		w.Equal(storage.Contents{}, contents)
		versions, _, err := w.Data.ListVersions(w.Ctx(), project, item, storage.VersionQuery{}, storage.DataPage{})
		w.Must(err)
		w.Equal(0, len(versions))
	}
	_, _, _, _, err := w.Data.FindVersion(w.Ctx(), storage.Caller{}, w.Project.ID,
		storage.VersionRef{ItemID: item, Number: 2})
	w.Refused(err, fault.NotFound, "")
}

func listAncestors(w *Tree) {
	user := w.User().ID
	chain := w.Chain(w.Files.ID, 2)
	w.Give(w.Files.ID, user, storage.LevelEdit)
	w.Give(chain[0].ID, user, storage.LevelView)
	w.Edit(chain[1].ID, storage.FolderPatch{Hidden: ptr(true)})
	got, err := w.Data.ListAncestors(w.Ctx(), user, w.Project.ID, chain[1].ID)
	w.Must(err)
	root := w.Look(w.Project.RootFolderID)
	w.Equal([]storage.Ancestor{
		{ID: root.ID, Name: root.Name, Kind: storage.FolderRoot},
		{ID: w.Files.ID, Name: "Project Files", Kind: storage.FolderFiles, Depth: 1, Granted: storage.LevelEdit},
		{ID: chain[0].ID, Name: "level 0", Kind: storage.FolderNormal, Depth: 2, Granted: storage.LevelEdit},
		{ID: chain[1].ID, Name: "level 1", Kind: storage.FolderNormal, Depth: 3, Hidden: true, Granted: storage.LevelEdit},
	}, got)
}
