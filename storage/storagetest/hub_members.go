package storagetest

import (
	"slices"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

func hubMemberChecks() []treeCheck {
	return []treeCheck{
		{"SetHubMember adds or changes the role, and the same again changes nothing", setHubMember},
		{"a member of a project is one of its hub", setProjectMember},
		{"RemoveHubMember takes away every right in the hub, and in no other", removeHubMember},
		{"RemoveProjectMember takes away own rights in the project, and not those of groups", removeProjectMember},
		{"members come in pages ordered by user id", listMembers},
		{"FindHubMember and FindProjectMember find members alone", findMember},
		{"rights end with the user or service account", rightsEnd},
	}
}

func (w *Tree) members(hubID string) []storage.Member {
	w.Helper()
	all, _, err := w.Data.ListHubMembers(w.Ctx(), hubID, storage.PageRequest{})
	w.Must(err)
	return all
}

func (w *Tree) projectMembers() []storage.Member {
	w.Helper()
	all, _, err := w.Data.ListProjectMembers(w.Ctx(), w.Project.ID, storage.PageRequest{})
	w.Must(err)
	return all
}

func setHubMember(w *Tree) {
	user := w.User().ID
	added := w.Change()
	w.Must(w.Data.SetHubMember(w.Ctx(), added, w.Hub.ID, user, false))
	w.Must(w.Data.SetHubMember(w.Ctx(), w.Change(), w.Hub.ID, user, false))
	w.Told(user, storage.EventMemberSet)
	w.Must(w.Data.SetHubMember(w.Ctx(), w.Change(), w.Hub.ID, user, true))
	w.Equal([]storage.Member{{UserID: user, Admin: true, AddedAt: added.At}}, w.members(w.Hub.ID))
	w.Told(user, storage.EventMemberSet, storage.EventMemberSet)
	w.Unchanged(fault.NotFound, "", func() error { return w.Data.SetHubMember(w.Ctx(), w.Change(), "b.none", user, true) })
	w.Unchanged(fault.NotFound, storage.ReasonUserAbsent, func() error {
		return w.Data.SetHubMember(w.Ctx(), w.Change(), w.Hub.ID, "NOBODY", true)
	})
}

func setProjectMember(w *Tree) {
	user := w.User().ID
	change := w.Change()
	w.Must(w.Data.SetProjectMember(w.Ctx(), change, w.Project.ID, user, true))
	w.Must(w.Data.SetProjectMember(w.Ctx(), w.Change(), w.Project.ID, user, true))
	w.Equal([]storage.Member{{UserID: user, Admin: true, AddedAt: change.At}}, w.projectMembers())
	w.Equal([]storage.Member{{UserID: user, AddedAt: change.At}}, w.members(w.Hub.ID))
	w.Told(user, storage.EventMemberSet, storage.EventMemberSet)
	w.Must(w.Data.SetProjectMember(w.Ctx(), w.Change(), w.Project.ID, user, false))
	w.Equal(false, w.projectMembers()[0].Admin)
	w.Unchanged(fault.NotFound, "", func() error {
		return w.Data.SetProjectMember(w.Ctx(), w.Change(),
			"b.none", user, true)
	})
	w.Unchanged(fault.NotFound, storage.ReasonUserAbsent, func() error {
		return w.Data.SetProjectMember(w.Ctx(), w.Change(), w.Project.ID, "NOBODY", true)
	})
}

// equip gives a user every sort of right in the hub, and a project of another
// hub, and returns the other hub.
func (w *Tree) equip(user string) storage.Hub {
	w.Helper()
	other := w.NewHub("Other")
	foreign := w.NewProject(other.ID, "Foreign")
	w.Must(w.Data.SetProjectMember(w.Ctx(), w.Change(), foreign.ID, user, true))
	w.Must(w.Data.SetProjectMember(w.Ctx(), w.Change(), w.Project.ID, user, true))
	w.Give(w.Files.ID, user, storage.LevelEdit)
	group := w.Group("G", user)
	w.Must(w.Data.SetFolderGrant(w.Ctx(), w.Change(), w.Project.ID,
		storage.FolderGrant{FolderID: w.Plans.ID, GroupID: group.ID, Level: storage.LevelView}))
	w.provision(w.Hub.ID, storage.LevelView, storage.AppForListed, user)
	return other
}

// rightsOf returns what is left of a user in the hub.
func (w *Tree) rightsOf(user string) (left []string) {
	w.Helper()
	is := func(m storage.Member) bool { return m.UserID == user }
	if slices.ContainsFunc(w.members(w.Hub.ID), is) {
		left = append(left, "hub")
	}
	if slices.ContainsFunc(w.projectMembers(), is) {
		left = append(left, "project")
	}
	grants, err := w.Data.ListFolderGrants(w.Ctx(), w.Project.ID, w.Files.ID)
	w.Must(err)
	if len(grants) > 0 {
		left = append(left, "grant")
	}
	groups, err := w.Data.ListGroups(w.Ctx(), w.Hub.ID)
	w.Must(err)
	ids, err := w.Data.ListGroupMembers(w.Ctx(), w.Hub.ID, groups[0].ID)
	w.Must(err)
	if slices.Contains(ids, user) {
		left = append(left, "group")
	}
	apps, err := w.Data.ListAppAccess(w.Ctx(), w.Hub.ID)
	w.Must(err)
	if slices.Contains(apps[0].UserIDs, user) {
		left = append(left, "app")
	}
	return left
}

func removeHubMember(w *Tree) {
	user := w.User().ID
	other := w.equip(user)
	w.Equal([]string{"hub", "project", "grant", "group", "app"}, w.rightsOf(user))
	w.Must(w.Data.RemoveHubMember(w.Ctx(), w.Change(), w.Hub.ID, user))
	w.Equal([]string(nil), w.rightsOf(user))
	w.Equal(1, len(w.members(other.ID)))
	w.Unchanged(fault.NotFound, "", func() error { return w.Data.RemoveHubMember(w.Ctx(), w.Change(), w.Hub.ID, user) })
}

func removeProjectMember(w *Tree) {
	user := w.User().ID
	w.equip(user)
	w.Must(w.Data.RemoveProjectMember(w.Ctx(), w.Change(), w.Project.ID, user))
	w.Equal([]string{"hub", "group", "app"}, w.rightsOf(user))
	w.Equal(storage.LevelNone, w.Level(user, w.Files.ID))
	w.Equal(storage.LevelView, w.Level(user, w.Plans.ID))
	w.Unchanged(fault.NotFound, "", func() error {
		return w.Data.RemoveProjectMember(w.Ctx(), w.Change(), w.Project.ID, user)
	})
}

func listMembers(w *Tree) {
	var want []string
	for range 5 {
		id := w.User().ID
		want = append(want, id)
		w.Must(w.Data.SetProjectMember(w.Ctx(), w.Change(), w.Project.ID, id, false))
	}
	slices.Sort(want)
	type lister func(page storage.PageRequest) ([]storage.Member, string, error)
	for _, list := range []lister{
		func(page storage.PageRequest) ([]storage.Member, string, error) {
			return w.Data.ListHubMembers(w.Ctx(), w.Hub.ID, page)
		},
		func(page storage.PageRequest) ([]storage.Member, string, error) {
			return w.Data.ListProjectMembers(w.Ctx(), w.Project.ID, page)
		},
	} {
		var got []string
		for page := (storage.PageRequest{Limit: 2}); ; {
			members, next, err := list(page)
			w.Must(err)
			for _, m := range members {
				got = append(got, m.UserID)
			}
			if page.After = next; next == "" {
				break
			}
		}
		w.Equal(want, got)
		_, _, err := list(storage.PageRequest{Limit: 201})
		w.Refused(err, fault.Invalid, "")
	}
}

func findMember(w *Tree) {
	user, added := w.User().ID, w.Change()
	w.Must(w.Data.SetHubMember(w.Ctx(), added, w.Hub.ID, user, true))
	inHub := func() (storage.Member, error) { return w.Data.FindHubMember(w.Ctx(), w.Hub.ID, user) }
	inProject := func() (storage.Member, error) { return w.Data.FindProjectMember(w.Ctx(), w.Project.ID, user) }
	got, err := inHub()
	w.Must(err)
	w.Equal(storage.Member{UserID: user, Admin: true, AddedAt: added.At}, got)
	_, err = inProject()
	w.Refused(err, fault.NotFound, "")
	later := w.Change()
	w.Must(w.Data.SetProjectMember(w.Ctx(), later, w.Project.ID, user, false))
	got, err = inProject()
	w.Must(err)
	w.Equal(storage.Member{UserID: user, AddedAt: later.At}, got)
	_, err = w.Data.FindHubMember(w.Ctx(), w.NewHub("Other").ID, user)
	w.Refused(err, fault.NotFound, "")
	_, err = w.Data.FindProjectMember(w.Ctx(), "b.none", user)
	w.Refused(err, fault.NotFound, "")
}

func rightsEnd(w *Tree) {
	user := w.User().ID
	w.equip(user)
	w.Must(w.Store.DeleteUser(w.Ctx(), w.Act(), user))
	w.Equal([]string(nil), w.rightsOf(user))
	robot := w.ServiceAccount()
	w.Give(w.Files.ID, robot.ID, storage.LevelView)
	w.Must(w.Store.DeleteServiceAccount(w.Ctx(), w.Act(), robot.ID))
	w.Equal([]string(nil), w.rightsOf(robot.ID))
	byClient := w.ServiceAccount()
	w.Give(w.Files.ID, byClient.ID, storage.LevelView)
	w.Equal([]string{"hub", "grant"}, w.rightsOf(byClient.ID))
	w.Must(w.Store.DeleteClient(w.Ctx(), w.Act(), byClient.ClientID))
	w.Equal([]string(nil), w.rightsOf(byClient.ID))
}
