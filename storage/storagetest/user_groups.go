package storagetest

import (
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

func userGroupChecks() []check {
	return []check{
		{"a group comes back as it was given", findUserGroup},
		{"two groups can't have one name, whatever its case", takenUserGroup},
		{"groups are listed by name, in pages", listUserGroups},
		{"people are put into groups and taken out again", userGroupMembers},
		{"absent groups and users are NotFound", absentUserGroups},
		{"a group goes without its people, and people go out of their groups", userGroupsGo},
	}
}

func (w *World) userGroup(name string) storage.UserGroup {
	w.Helper()
	group := storage.UserGroup{ID: w.Source.UID(), Name: name, Description: "d", CreatedAt: w.Now()}
	w.Must(w.Store.CreateUserGroup(w.Ctx(), w.Act(), group))
	return group
}

// groupsOf returns the names of the user's groups.
func (w *World) groupsOf(userID string) []string {
	w.Helper()
	groups, err := w.Store.ListGroupsOfUser(w.Ctx(), userID)
	w.Must(err)
	var names []string
	for _, g := range groups {
		names = append(names, g.Name)
	}
	return names
}

func findUserGroup(w *World) {
	group := w.userGroup("Editors")
	got, err := w.Store.FindUserGroup(w.Ctx(), group.ID)
	w.Must(err)
	w.Equal(group, got)
	named, err := w.Store.FindUserGroupByName(w.Ctx(), "EDITORS")
	w.Must(err)
	w.Equal(group, named)
	_, err = w.Store.FindUserGroupByName(w.Ctx(), "Editor")
	w.Refused(err, fault.NotFound, "")
	w.Audited(group.ID, "user_group.created")
}

// changeGroup makes the group what it is given as.
func changeGroup(w *World, group storage.UserGroup) error {
	_, err := w.Store.UpdateUserGroup(w.Ctx(), w.Act(), group.ID, become(group))
	return err
}

func takenUserGroup(w *World) {
	group, other := w.userGroup("Editors"), w.userGroup("Readers")
	w.Refused(w.Store.CreateUserGroup(w.Ctx(), w.Act(), storage.UserGroup{ID: "x", Name: "EDITORS", CreatedAt: w.Now()}),
		fault.Conflict, storage.ReasonGroupNameTaken)
	other.Name = "editors"
	w.Refused(changeGroup(w, other), fault.Conflict, storage.ReasonGroupNameTaken)
	group.Name, group.Description = "EDITORS", "new"
	w.Must(changeGroup(w, group))
	got, err := w.Store.FindUserGroup(w.Ctx(), group.ID)
	w.Must(err)
	w.Equal(group, got)
	w.Audited(group.ID, "user_group.updated", "user_group.created")
}

func listUserGroups(w *World) {
	for _, name := range []string{"c", "B", "ä"} {
		w.userGroup(name)
	}
	var names []string
	for after, more := "", true; more; {
		groups, err := w.Store.ListUserGroups(w.Ctx(), "", storage.PageRequest{After: after, Limit: 2})
		w.Must(err)
		w.Equal(3, groups.Total)
		for _, g := range groups.Rows {
			names = append(names, g.Name)
		}
		after, more = groups.Next, groups.Next != ""
	}
	w.Equal([]string{"ä", "B", "c"}, names)
	found, err := w.Store.ListUserGroups(w.Ctx(), "A", storage.PageRequest{})
	w.Must(err)
	w.Equal(1, found.Total)
}

func userGroupMembers(w *World) {
	user, other := w.User(), w.User()
	editors, readers := w.userGroup("editors"), w.userGroup("Approvers")
	for range 2 {
		w.Must(w.Store.AddUserGroupMember(w.Ctx(), w.Act(), editors.ID, user.ID))
	}
	w.Must(w.Store.AddUserGroupMember(w.Ctx(), w.Act(), readers.ID, user.ID))
	w.Must(w.Store.AddUserGroupMember(w.Ctx(), w.Act(), readers.ID, other.ID))
	w.Equal([]string{"Approvers", "editors"}, w.groupsOf(user.ID))
	people, err := w.Store.ListUsers(w.Ctx(), storage.UserFilter{GroupID: readers.ID}, storage.PageRequest{Limit: 1})
	w.Must(err)
	if len(people.Rows) != 1 || people.Next == "" || people.Total != 2 {
		w.Errorf("the first page is %+v", people)
	}
	found, err := w.Store.FindUserGroup(w.Ctx(), readers.ID)
	w.Must(err)
	w.Equal(2, found.Members)
	w.Must(w.Store.DeleteUserGroupMember(w.Ctx(), w.Act(), editors.ID, user.ID))
	w.Refused(w.Store.DeleteUserGroupMember(w.Ctx(), w.Act(), editors.ID, user.ID), fault.NotFound, "")
	w.Equal([]string{"Approvers"}, w.groupsOf(user.ID))
	w.Audited(editors.ID, "user_group.member_removed", "user_group.member_added", "user_group.created")
}

func absentUserGroups(w *World) {
	user, group := w.User(), w.userGroup("editors")
	_, err := w.Store.FindUserGroup(w.Ctx(), "none")
	for _, err := range []error{
		err,
		changeGroup(w, storage.UserGroup{ID: "none", Name: "n"}),
		w.Store.DeleteUserGroup(w.Ctx(), w.Act(), "none"),
		w.Store.AddUserGroupMember(w.Ctx(), w.Act(), "none", user.ID),
		w.Store.AddUserGroupMember(w.Ctx(), w.Act(), group.ID, "NOBODY"),
		w.Store.DeleteUserGroupMember(w.Ctx(), w.Act(), group.ID, user.ID),
	} {
		w.Refused(err, fault.NotFound, "")
	}
}

func userGroupsGo(w *World) {
	user, other := w.User(), w.User()
	editors, readers := w.userGroup("editors"), w.userGroup("readers")
	for _, g := range []storage.UserGroup{editors, readers} {
		w.Must(w.Store.AddUserGroupMember(w.Ctx(), w.Act(), g.ID, user.ID))
		w.Must(w.Store.AddUserGroupMember(w.Ctx(), w.Act(), g.ID, other.ID))
	}
	w.Must(w.Store.DeleteUserGroup(w.Ctx(), w.Act(), editors.ID))
	w.Equal([]string{"readers"}, w.groupsOf(user.ID))
	w.Must(w.Store.DeleteUser(w.Ctx(), w.Act(), user.ID))
	found, err := w.Store.FindUserGroup(w.Ctx(), readers.ID)
	w.Must(err)
	w.Equal(1, found.Members)
	w.Audited(editors.ID, "user_group.deleted", "user_group.member_added", "user_group.member_added", "user_group.created")
}
