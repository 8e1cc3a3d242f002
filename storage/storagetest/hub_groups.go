package storagetest

import (
	"slices"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

func hubGroupChecks() []treeCheck {
	return []treeCheck{
		{"CreateGroup refuses absent hubs, taken ids and names taken in the hub", createGroup},
		{"RenameGroup refuses names taken in the hub, and the same name changes nothing", renameGroup},
		{"DeleteGroup takes what was given to the group", deleteGroup},
		{"AddGroupMember makes members of the hub, and repeating it changes nothing", groupMembers},
	}
}

func createGroup(w *Tree) {
	group := w.Group("Engineers")
	other := w.Group("Architects")
	groups, err := w.Data.ListGroups(w.Ctx(), w.Hub.ID)
	w.Must(err)
	w.Equal([]storage.Group{other, group}, groups)
	try := func(id, hub, name string) func() error {
		return func() error {
			return w.Data.CreateGroup(w.Ctx(), w.Change(), storage.Group{ID: id, HubID: hub, Name: name, CreatedAt: w.Now()})
		}
	}
	w.Unchanged(fault.Conflict, storage.ReasonNameTaken, try("x", w.Hub.ID, "ENGINEERS"))
	w.Unchanged(fault.Conflict, "", try(group.ID, w.Hub.ID, "Another"))
	w.Unchanged(fault.NotFound, "", try("x", "b.none", "Another"))
	w.Must(try("x", w.NewHub("Other").ID, "Engineers")())
	w.Must(try("y", w.Hub.ID, group.ID)()) // has the id of another for its name
	for handle, want := range map[string]string{
		group.ID: group.ID, "Engineers": group.ID, "y": "y", "Architects": other.ID,
	} {
		found, err := w.Data.FindGroup(w.Ctx(), w.Hub.ID, handle)
		w.Must(err)
		w.Equal([]string{want, w.Hub.ID}, []string{found.ID, found.HubID})
	}
	for _, none := range []string{"x", "ENGINEERS", ""} {
		_, err := w.Data.FindGroup(w.Ctx(), w.Hub.ID, none)
		w.Refused(err, fault.NotFound, storage.ReasonGroupAbsent)
	}
	w.Told(group.ID, storage.EventGroupCreated)
}

func renameGroup(w *Tree) {
	group := w.Group("Engineers")
	w.Group("Architects")
	elsewhere := w.NewHub("Other").ID
	rename := func(hub, id, name string) func() error {
		return func() error { return w.Data.RenameGroup(w.Ctx(), w.Change(), hub, id, name) }
	}
	w.Must(rename(w.Hub.ID, group.ID, "ENGINEERS")())
	w.Must(rename(w.Hub.ID, group.ID, "ENGINEERS")())
	w.Must(rename(w.Hub.ID, group.ID, "Zoning")())
	groups, err := w.Data.ListGroups(w.Ctx(), w.Hub.ID)
	w.Must(err)
	w.Equal([]string{"Architects", "Zoning"}, []string{groups[0].Name, groups[1].Name})
	w.Unchanged(fault.Conflict, storage.ReasonNameTaken, rename(w.Hub.ID, group.ID, "ARCHITECTS"))
	w.Unchanged(fault.NotFound, "", rename(w.Hub.ID, "none", "Free"))
	w.Unchanged(fault.NotFound, "", rename(elsewhere, group.ID, "Free"))
	w.Told(group.ID, storage.EventGroupRenamed, storage.EventGroupRenamed, storage.EventGroupCreated)
}

func deleteGroup(w *Tree) {
	user := w.User().ID
	group := w.Group("G", user)
	w.Must(w.Data.SetFolderGrant(w.Ctx(), w.Change(), w.Project.ID,
		storage.FolderGrant{FolderID: w.Files.ID, GroupID: group.ID, Level: storage.LevelEdit}))
	w.Equal(storage.LevelEdit, w.Level(user, w.Files.ID))
	other := w.NewHub("Other").ID
	w.Unchanged(fault.NotFound, "", func() error { return w.Data.DeleteGroup(w.Ctx(), w.Change(), other, group.ID) })
	w.Must(w.Data.DeleteGroup(w.Ctx(), w.Change(), w.Hub.ID, group.ID))
	w.Equal(storage.LevelNone, w.Level(user, w.Files.ID))
	grants, err := w.Data.ListFolderGrants(w.Ctx(), w.Project.ID, w.Files.ID)
	w.Must(err)
	w.Equal(0, len(grants))
	w.Unchanged(fault.NotFound, "", func() error { return w.Data.DeleteGroup(w.Ctx(), w.Change(), w.Hub.ID, group.ID) })
}

func groupMembers(w *Tree) {
	users := []string{w.User().ID, w.User().ID}
	slices.Sort(users)
	group := w.Group("G", users[1], users[0], users[0])
	w.Told(group.ID, storage.EventGroupJoined, storage.EventGroupJoined, storage.EventGroupCreated)
	w.Equal(2, len(w.members(w.Hub.ID)))
	ids, err := w.Data.ListGroupMembers(w.Ctx(), w.Hub.ID, group.ID)
	w.Must(err)
	w.Equal(users, ids)
	w.Must(w.Data.RemoveGroupMember(w.Ctx(), w.Change(), w.Hub.ID, group.ID, users[0]))
	ids, err = w.Data.ListGroupMembers(w.Ctx(), w.Hub.ID, group.ID)
	w.Must(err)
	w.Equal(users[1:], ids)
	w.Unchanged(fault.NotFound, "", func() error {
		return w.Data.RemoveGroupMember(w.Ctx(), w.Change(), w.Hub.ID, group.ID, users[0])
	})
	w.Unchanged(fault.NotFound, storage.ReasonGroupAbsent, func() error {
		return w.Data.AddGroupMember(w.Ctx(), w.Change(), w.Hub.ID, "none", users[0])
	})
	w.Unchanged(fault.NotFound, storage.ReasonUserAbsent, func() error {
		return w.Data.AddGroupMember(w.Ctx(), w.Change(), w.Hub.ID, group.ID, "NOBODY")
	})
}
