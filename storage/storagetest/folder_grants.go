package storagetest

import (
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

func grantedChecks() []treeCheck {
	return []treeCheck{
		{"SetFolderGrant gives or changes a level, makes a member of the hub, and the same again changes nothing", setGrant},
		{"SetFolderGrant refuses absent folders, users and groups of other hubs, and levels that are none", setGrantRefused},
		{"RemoveFolderGrant takes it back", removeGrant},
		{"ExplainAccess names roles, then own and group grants on the way up, the strongest first", explainAccess},
	}
}

func setGrant(w *Tree) {
	user := w.User().ID
	for _, level := range []storage.Level{storage.LevelView, storage.LevelView, storage.LevelControl} {
		w.Give(w.Files.ID, user, level)
		w.Equal(level, w.Level(user, w.Files.ID))
	}
	w.Told(w.Files.ID, storage.EventGrantSet, storage.EventGrantSet)
	w.Equal(1, len(w.members(w.Hub.ID)))
	group := w.Group("G")
	byGroup := storage.FolderGrant{FolderID: w.Files.ID, GroupID: group.ID, Level: storage.LevelEdit}
	w.Must(w.Data.SetFolderGrant(w.Ctx(), w.Change(), w.Project.ID, byGroup))
	grants, err := w.Data.ListFolderGrants(w.Ctx(), w.Project.ID, w.Files.ID)
	w.Must(err)
	w.Equal([]storage.FolderGrant{{FolderID: w.Files.ID, UserID: user, Level: storage.LevelControl}, byGroup}, grants)
	_, err = w.Data.ListFolderGrants(w.Ctx(), w.Project.ID, "none")
	w.Refused(err, fault.NotFound, "")
}

func setGrantRefused(w *Tree) {
	user := w.User().ID
	foreign := storage.Group{ID: w.Source.UID(), HubID: w.NewHub("Other").ID, Name: "G", CreatedAt: w.Now()}
	w.Must(w.Data.CreateGroup(w.Ctx(), w.Change(), foreign))
	for _, c := range []struct {
		project string
		grant   storage.FolderGrant
		kind    fault.Kind
		reason  string
	}{
		{"b.none", storage.FolderGrant{FolderID: w.Files.ID, UserID: user, Level: 1}, fault.NotFound, ""},
		{w.NewProject(w.Hub.ID, "P").ID, storage.FolderGrant{FolderID: w.Files.ID, UserID: user, Level: 1}, fault.NotFound,
			""},
		{w.Project.ID, storage.FolderGrant{FolderID: "none", UserID: user, Level: 1}, fault.NotFound, ""},
		{w.Project.ID, storage.FolderGrant{FolderID: w.Files.ID, UserID: "NOBODY", Level: 1}, fault.NotFound,
			storage.ReasonUserAbsent},
		{w.Project.ID, storage.FolderGrant{FolderID: w.Files.ID, GroupID: foreign.ID, Level: 1}, fault.NotFound,
			storage.ReasonGroupAbsent},
		{w.Project.ID, storage.FolderGrant{FolderID: w.Files.ID, UserID: user}, fault.Invalid, ""},
		{w.Project.ID, storage.FolderGrant{FolderID: w.Files.ID, UserID: user, Level: 7}, fault.Invalid, ""},
		{w.Project.ID, storage.FolderGrant{FolderID: w.Files.ID, Level: 1}, fault.Invalid, ""},
		{w.Project.ID, storage.FolderGrant{FolderID: w.Files.ID, UserID: user, GroupID: foreign.ID, Level: 1}, fault.Invalid,
			""},
	} {
		w.Unchanged(c.kind, c.reason, func() error { return w.Data.SetFolderGrant(w.Ctx(), w.Change(), c.project, c.grant) })
	}
}

func removeGrant(w *Tree) {
	user := w.User().ID
	w.Give(w.Files.ID, user, storage.LevelEdit)
	grant := storage.FolderGrant{FolderID: w.Files.ID, UserID: user}
	w.Must(w.Data.RemoveFolderGrant(w.Ctx(), w.Change(), w.Project.ID, grant))
	w.Equal(storage.LevelNone, w.Level(user, w.Files.ID))
	w.Unchanged(fault.NotFound, "", func() error {
		return w.Data.RemoveFolderGrant(w.Ctx(), w.Change(), w.Project.ID, grant)
	})
	w.Told(w.Files.ID, storage.EventGrantRemoved, storage.EventGrantSet)
}

func explainAccess(w *Tree) {
	user := w.User().ID
	chain := w.Chain(w.Files.ID, 3)
	group := w.Group("Group", user)
	w.Give(w.Files.ID, user, storage.LevelView)
	w.Give(chain[2].ID, user, storage.LevelDownload)
	w.Give(w.Plans.ID, user, storage.LevelControl) // not on the way
	w.Give(w.Files.ID, w.User().ID, storage.LevelControl)
	byGroup := storage.FolderGrant{FolderID: chain[0].ID, GroupID: group.ID, Level: storage.LevelEdit}
	w.Must(w.Data.SetFolderGrant(w.Ctx(), w.Change(), w.Project.ID, byGroup))
	w.Must(w.Data.SetHubMember(w.Ctx(), w.Change(), w.Hub.ID, user, true))
	w.Must(w.Data.SetProjectMember(w.Ctx(), w.Change(), w.Project.ID, user, true))
	reasons, err := w.Data.ExplainAccess(w.Ctx(), user, w.Project.ID, chain[2].ID)
	w.Must(err)
	w.Equal([]storage.AccessReason{
		{HubAdmin: true},
		{ProjectAdmin: true},
		{Grant: byGroup, GroupName: "Group", FolderName: "level 0"},
		{Grant: storage.FolderGrant{FolderID: chain[2].ID, UserID: user, Level: storage.LevelDownload},
			FolderName: "level 2"},
		{Grant: storage.FolderGrant{FolderID: w.Files.ID, UserID: user, Level: storage.LevelView},
			FolderName: "Project Files"},
	}, reasons)
	_, err = w.Data.ExplainAccess(w.Ctx(), user, w.Project.ID, "none")
	w.Refused(err, fault.NotFound, "")
}
