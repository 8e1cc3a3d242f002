package storagetest

import "github.com/portico-id/portico/storage"

func personChecks() []treeCheck {
	return []treeCheck{
		{"ListMemberships returns, in pages, what a person belongs to and no other's", listMemberships},
		{"ListAddedVersions returns, in pages, what a person added, wherever they belong by now", listAddedVersions},
		{"ListOwnTransmittals returns, in pages, what a person sent or was sent", listOwnTransmittals},
	}
}

func listMemberships(w *Tree) {
	user, other := w.User().ID, w.User().ID
	project := w.NewProject(w.Hub.ID, "Bridge")
	w.Must(w.Data.SetHubMember(w.Ctx(), w.Change(), w.Hub.ID, user, true))
	w.Must(w.Data.SetProjectMember(w.Ctx(), w.Change(), project.ID, user, false))
	w.Must(w.Data.SetProjectMember(w.Ctx(), w.Change(), w.Project.ID, other, true))
	group := w.userGroup("editors")
	w.Must(w.Store.AddUserGroupMember(w.Ctx(), w.Act(), group.ID, user))
	twin := w.NewTwin("Tower").Facility
	w.Must(w.Data.SetTwinMember(w.Ctx(), w.Change(), twin.ID, user, storage.TwinReadWrite))
	want := []storage.Membership{
		{Kind: "facility", ID: twin.ID, Name: "Tower", Role: "read_write"},
		{Kind: "group", ID: group.ID, Name: "editors", Role: "member"},
		{Kind: "hub", ID: w.Hub.ID, Name: "Hub", Role: "admin"},
		{Kind: "project", ID: project.ID, Name: "Bridge", Role: "member"},
	}
	var got []storage.Membership
	for after, more := "", true; more; {
		page, next, err := w.Data.ListMemberships(w.Ctx(), user, storage.PageRequest{After: after, Limit: 2})
		w.Must(err)
		got, after, more = append(got, page...), next, next != ""
	}
	w.Equal(want, got)
}

func listAddedVersions(w *Tree) {
	user, other := w.User().ID, w.User().ID
	w.Must(w.Data.SetHubMember(w.Ctx(), w.Change(), w.Hub.ID, user, false))
	var want []string
	for _, name := range []string{"a.txt", "b.txt", "c.txt"} {
		item := w.Item(w.Files.ID, name)
		for by, version := range map[string]string{user: "mine of " + name, other: "theirs of " + name} {
			_, err := w.Data.AddVersion(w.Ctx(), w.ChangeBy(by), w.Project.ID, item.Item.ID, newVersion(version))
			w.Must(err)
		}
		want = append(want, "mine of "+name)
	}
	w.Must(w.Data.RemoveHubMember(w.Ctx(), w.Change(), w.Hub.ID, user))
	var got []string
	for after, more := "", true; more; {
		page, next, err := w.Data.ListAddedVersions(w.Ctx(), user, storage.PageRequest{After: after, Limit: 2})
		w.Must(err)
		for _, v := range page {
			w.Equal(w.Project.ID, v.ProjectID)
			got = append(got, v.Name)
		}
		after, more = next, next != ""
	}
	w.Equal(want, got)
}

func listOwnTransmittals(w *Tree) {
	user := w.User().ID
	ref := storage.VersionRef{ItemID: w.Item(w.Files.ID, "a.txt").Item.ID, Number: 1}
	var want []storage.OwnTransmittal
	for i, by := range []string{user, "S", "S", user} {
		to := []string{user, "A"}
		if i != 1 {
			to = to[i%2:]
		}
		sent := w.send(by, to, ref)
		own := storage.OwnTransmittal{ProjectID: w.Project.ID, Number: sent.Number, Title: "Title", SentAt: sent.SentAt}
		if by == user {
			own.Sent, own.Message = true, "Message"
		}
		want = append(want, own)
	}
	w.send("S", []string{"A"}, ref) // nothing of theirs
	at := w.Now()
	w.Must(w.Data.NoteFetched(w.Ctx(), w.Project.ID, 2, user, []storage.VersionRef{ref}, at))
	w.Must(w.Data.NoteFetched(w.Ctx(), w.Project.ID, 2, "A", []storage.VersionRef{ref}, at))
	want[1].Fetched, want[1].LastAt = 1, at
	var got []storage.OwnTransmittal
	for after, more := "", true; more; {
		page, next, err := w.Data.ListOwnTransmittals(w.Ctx(), user, storage.PageRequest{After: after, Limit: 3})
		w.Must(err)
		got, after, more = append(got, page...), next, next != ""
	}
	w.Equal(want, got)
}
