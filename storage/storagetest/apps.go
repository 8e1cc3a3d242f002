package storagetest

import (
	"slices"
	"strings"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

func appAccessChecks() []treeCheck {
	return []treeCheck{
		{"ProvisionApp lets a client in or replaces what it had, and the same again changes nothing", provisionApp},
		{"ProvisionApp refuses absent hubs, clients and users, and levels and lists that make no sense", provisionRefused},
		{"WithdrawApp takes access away", withdrawApp},
		{"ListHubsOfApps tells where each client is provisioned, in inactive hubs too", hubsOfApps},
		{"access ends with the client", accessEndsWithClient},
	}
}

func provisionApp(w *Tree) {
	a, b := w.User().ID, w.User().ID
	client := w.Client()
	access := storage.AppAccess{
		HubID: w.Hub.ID, ClientID: client.ID, Level: storage.LevelEdit, Users: storage.AppForListed,
		UserIDs: []string{b, a, b},
	}
	change := w.Change()
	w.Must(w.Data.ProvisionApp(w.Ctx(), change, access))
	w.Must(w.Data.ProvisionApp(w.Ctx(), w.Change(), access))
	access.CreatedAt, access.UserIDs, access.ClientName = change.At, []string{a, b}, client.Name
	slices.Sort(access.UserIDs)
	got, err := w.Data.ListAppAccess(w.Ctx(), w.Hub.ID)
	w.Must(err)
	w.Equal([]storage.AppAccess{access}, got)
	access.Level, access.Users, access.UserIDs = storage.LevelView, storage.AppForMembers, nil
	w.Must(w.Data.ProvisionApp(w.Ctx(), w.Change(), access))
	got, err = w.Data.ListAppAccess(w.Ctx(), w.Hub.ID)
	w.Must(err)
	w.Equal([]storage.AppAccess{access}, got)
	w.Told(client.ID, storage.EventAppSet, storage.EventAppSet)
}

func provisionRefused(w *Tree) {
	client := w.Client()
	good := storage.AppAccess{HubID: w.Hub.ID, ClientID: client.ID, Level: storage.LevelView, Users: storage.AppForNobody}
	for _, c := range []struct {
		spoil  func(*storage.AppAccess)
		kind   fault.Kind
		reason string
	}{
		{func(a *storage.AppAccess) { a.HubID = "b.none" }, fault.NotFound, ""},
		{func(a *storage.AppAccess) { a.ClientID = "none" }, fault.NotFound, storage.ReasonClientAbsent},
		{func(a *storage.AppAccess) { a.Users, a.UserIDs = storage.AppForListed, []string{"NOBODY"} }, fault.NotFound,
			storage.ReasonUserAbsent},
		{func(a *storage.AppAccess) { a.Level = storage.LevelNone }, fault.Invalid, ""},
		{func(a *storage.AppAccess) { a.Level = storage.LevelControl + 1 }, fault.Invalid, ""},
		{func(a *storage.AppAccess) { a.Users = "some" }, fault.Invalid, ""},
		{func(a *storage.AppAccess) { a.UserIDs = []string{"X"} }, fault.Invalid, ""},
	} {
		bad := good
		c.spoil(&bad)
		w.Unchanged(c.kind, c.reason, func() error { return w.Data.ProvisionApp(w.Ctx(), w.Change(), bad) })
	}
	w.Must(w.Data.ProvisionApp(w.Ctx(), w.Change(), good))
}

func withdrawApp(w *Tree) {
	client := w.provision(w.Hub.ID, storage.LevelView, storage.AppForListed, w.User().ID)
	w.Must(w.Data.WithdrawApp(w.Ctx(), w.Change(), w.Hub.ID, client.ID))
	w.Equal([]string(nil), w.hubs(storage.Caller{ClientID: client.ID}, storage.HubQuery{}))
	w.Unchanged(fault.NotFound, "", func() error { return w.Data.WithdrawApp(w.Ctx(), w.Change(), w.Hub.ID, client.ID) })
	w.Told(client.ID, storage.EventAppWithdrawn, storage.EventAppSet)
}

func accessEndsWithClient(w *Tree) {
	client := w.provision(w.Hub.ID, storage.LevelView, storage.AppForListed, w.User().ID)
	w.Must(w.Store.DeleteClient(w.Ctx(), w.Act(), client.ID))
	got, err := w.Data.ListAppAccess(w.Ctx(), w.Hub.ID)
	w.Must(err)
	w.Equal([]storage.AppAccess(nil), got)
}

func hubsOfApps(w *Tree) {
	inactive := w.NewHub("Aardvark")
	first := w.provision(w.Hub.ID, storage.LevelEdit, storage.AppForListed, w.User().ID, w.User().ID)
	second := w.provision(inactive.ID, storage.LevelView, storage.AppForMembers)
	w.provision(w.Hub.ID, storage.LevelView, storage.AppForNobody) // is not asked for
	w.Must(w.Data.ProvisionApp(w.Ctx(), w.Change(), storage.AppAccess{
		HubID: inactive.ID, ClientID: first.ID, Level: storage.LevelView, Users: storage.AppForNobody,
	}))
	w.Must(w.Data.SetHubActive(w.Ctx(), w.Change(), inactive.ID, false))
	got, err := w.Data.ListHubsOfApps(w.Ctx(), []string{second.ID, first.ID, "nobody"})
	w.Must(err)
	want := []storage.AppHub{
		{ClientID: first.ID, HubID: inactive.ID, HubName: "Aardvark", Level: storage.LevelView, Users: storage.AppForNobody},
		{ClientID: first.ID, HubID: w.Hub.ID, HubName: w.Hub.Name, HubActive: true, Level: storage.LevelEdit,
			Users: storage.AppForListed, Listed: 2},
		{ClientID: second.ID, HubID: inactive.ID, HubName: "Aardvark", Level: storage.LevelView,
			Users: storage.AppForMembers},
	}
	slices.SortStableFunc(want, func(a, b storage.AppHub) int { return strings.Compare(a.ClientID, b.ClientID) })
	w.Equal(want, got)
	for _, none := range [][]string{nil, {"nobody"}} {
		got, err := w.Data.ListHubsOfApps(w.Ctx(), none)
		w.Must(err)
		w.Equal(0, len(got))
	}
	_, err = w.Data.ListHubsOfApps(w.Ctx(), make([]string, storage.MaxPage+1))
	w.Refused(err, fault.Invalid, "")
}
