package storagetest

import (
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

func hubChecks() []treeCheck {
	return []treeCheck{
		{"CreateHub keeps every field, and refuses a taken id", createHub},
		{"UpdateHub replaces name, region and extension, and nothing else", updateHub},
		{"SetHubActive switches, repeating it changes nothing, and FindHub finds inactive ones", hubActive},
		{"ListHubs orders by name key and id, and narrows by id, name, extension type and state", listHubs},
		{"ListHubs shows a user the hubs of which they are a member", listHubsOfUser},
		{"ListHubs shows an app the hubs in which it is provisioned", listHubsOfApp},
		{"ListHubs shows a user with an app what both may see, and says when there is more elsewhere", listHubsOfBoth},
		{"ListHubs shows an app that names a user the hubs that let it act for them", listHubsOnBehalf},
		{"ListHubs narrows to the hubs that the caller administers", listHubsOfAdmin},
		{"ListHubs shows a disabled user nothing", listHubsOfDisabled},
	}
}

func createHub(w *Tree) {
	hub, standing, err := w.Data.FindHub(w.Ctx(), storage.Caller{}, w.Hub.ID)
	w.Must(err)
	w.Equal(w.Hub, hub)
	w.Equal(storage.LevelControl, standing.Level())
	w.Unchanged(fault.Conflict, "", func() error { return w.Data.CreateHub(w.Ctx(), w.Change(), w.Hub) })
	_, _, err = w.Data.FindHub(w.Ctx(), storage.Caller{}, "b.none")
	w.Refused(err, fault.NotFound, "")
	w.Told(w.Hub.ID, storage.EventHubCreated)
}

func updateHub(w *Tree) {
	change := w.Change()
	hub := w.Hub
	hub.Name, hub.Region, hub.Extension = "Renamed", "US",
		storage.Extension{Type: "hubs:a:B", Version: "2.0", Data: `{"x": 1}`}
	wish := hub
	wish.CreatedAt = change.At
	w.Must(w.Data.UpdateHub(w.Ctx(), change, hub.ID, become(wish)))
	got, _, err := w.Data.FindHub(w.Ctx(), storage.Caller{}, hub.ID)
	w.Must(err)
	hub.UpdatedAt = change.At
	w.Equal(hub, got)
	wish.Name, wish.Active = "Closed", false
	w.Must(w.Data.UpdateHub(w.Ctx(), change, hub.ID, become(wish)))
	got, _, err = w.Data.FindHub(w.Ctx(), storage.Caller{}, hub.ID)
	w.Must(err)
	w.Equal([]any{"Closed", false}, []any{got.Name, got.Active})
	w.Told(hub.ID, storage.EventHubDeactivated, storage.EventHubUpdated, storage.EventHubUpdated, storage.EventHubCreated)
	w.Unchanged(fault.NotFound, "", func() error {
		return w.Data.UpdateHub(w.Ctx(), w.Change(), "b.none", become(wish))
	})
}

func hubActive(w *Tree) {
	for range 2 {
		w.Must(w.Data.SetHubActive(w.Ctx(), w.Change(), w.Hub.ID, false))
	}
	hub, _, err := w.Data.FindHub(w.Ctx(), storage.Caller{}, w.Hub.ID)
	w.Must(err)
	w.Equal(false, hub.Active)
	w.Equal([]string(nil), w.hubs(storage.Caller{}, storage.HubQuery{}))
	w.Equal([]string{"Hub"}, w.hubs(storage.Caller{}, storage.HubQuery{Inactive: true}))
	w.Must(w.Data.SetHubActive(w.Ctx(), w.Change(), w.Hub.ID, true))
	w.Told(w.Hub.ID, storage.EventHubActivated, storage.EventHubDeactivated, storage.EventHubCreated)
	w.Unchanged(fault.NotFound, "", func() error { return w.Data.SetHubActive(w.Ctx(), w.Change(), "b.none", true) })
}

// hubs returns the names of the hubs that the caller sees.
func (w *Tree) hubs(caller storage.Caller, query storage.HubQuery) []string {
	w.Helper()
	list, err := w.Data.ListHubs(w.Ctx(), caller, query)
	w.Must(err)
	var names []string
	for _, hub := range list.Hubs {
		names = append(names, hub.Name)
	}
	return names
}

func listHubs(w *Tree) {
	other := w.NewHub("another")
	w.NewHub("Zürich")
	w.Equal([]string{"another", "Hub", "Zürich"}, w.hubs(storage.Caller{}, storage.HubQuery{}))
	w.Equal([]string{"another"}, w.hubs(storage.Caller{}, storage.HubQuery{IDs: []string{other.ID, "b.none"}}))
	w.Equal([]string(nil), w.hubs(storage.Caller{}, storage.HubQuery{IDs: []string{}}))
	for _, c := range []struct {
		condition storage.TextCondition
		want      []string
	}{
		{storage.TextCondition{Op: storage.OpEqual, Values: []string{"Hub", "hub"}}, []string{"Hub"}},
		{storage.TextCondition{Op: storage.OpStarts, Values: []string{"an", "Z"}}, []string{"another", "Zürich"}},
		{storage.TextCondition{Op: storage.OpEnds, Values: []string{"ich"}}, []string{"Zürich"}},
		{storage.TextCondition{Op: storage.OpContains, Values: []string{"u"}}, []string{"Hub"}},
		{storage.TextCondition{Op: storage.OpContains, Values: []string{"%"}}, nil},
		{storage.TextCondition{Op: storage.OpLess, Values: []string{"Hub"}}, nil},
		{storage.TextCondition{Op: storage.OpAtMost, Values: []string{"Hub"}}, []string{"Hub"}},
		{storage.TextCondition{Op: storage.OpMore, Values: []string{"Hub"}}, []string{"another", "Zürich"}},
		{storage.TextCondition{Op: storage.OpAtLeast, Values: []string{"Zürich"}}, []string{"another", "Zürich"}},
	} {
		w.Equal(c.want, w.hubs(storage.Caller{}, storage.HubQuery{Names: []storage.TextCondition{c.condition}}))
	}
	types := []storage.TextCondition{{Op: storage.OpEqual, Values: []string{"hubs:portico.core:Hub"}}}
	w.Equal(3, len(w.hubs(storage.Caller{}, storage.HubQuery{ExtensionTypes: types})))
	_, err := w.Data.ListHubs(w.Ctx(), storage.Caller{},
		storage.HubQuery{Names: []storage.TextCondition{{Op: "like", Values: []string{"a"}}}})
	w.Refused(err, fault.Invalid, "")
}

func listHubsOfUser(w *Tree) {
	w.NewHub("closed")
	user, robot, stranger := w.User(), w.ServiceAccount(), w.User()
	w.Must(w.Data.SetHubMember(w.Ctx(), w.Change(), w.Hub.ID, user.ID, false))
	w.Must(w.Data.SetHubMember(w.Ctx(), w.Change(), w.Hub.ID, robot.ID, true))
	w.Equal([]string{"Hub"}, w.hubs(storage.Caller{UserID: user.ID}, storage.HubQuery{}))
	w.Equal([]string{"Hub"}, w.hubs(storage.Caller{UserID: robot.ID}, storage.HubQuery{}))
	w.Equal([]string(nil), w.hubs(storage.Caller{UserID: stranger.ID}, storage.HubQuery{}))
}

// provision lets a new client into the hub.
func (w *Tree) provision(hubID string, level storage.Level, users storage.AppUsers, listed ...string) storage.Client {
	w.Helper()
	client := w.Client()
	w.Must(w.Data.ProvisionApp(w.Ctx(), w.Change(), storage.AppAccess{
		HubID: hubID, ClientID: client.ID, Level: level, Users: users, UserIDs: listed,
	}))
	return client
}

func listHubsOfApp(w *Tree) {
	w.NewHub("closed")
	client := w.provision(w.Hub.ID, storage.LevelView, storage.AppForNobody)
	list, err := w.Data.ListHubs(w.Ctx(), storage.Caller{ClientID: client.ID}, storage.HubQuery{})
	w.Must(err)
	w.Equal(storage.HubList{Hubs: []storage.Hub{w.Hub}}, list)
	w.Equal([]string(nil), w.hubs(storage.Caller{ClientID: w.Client().ID}, storage.HubQuery{}))
}

func listHubsOfBoth(w *Tree) {
	user := w.User()
	other := w.NewHub("Other")
	client := w.provision(w.Hub.ID, storage.LevelView, storage.AppForNobody)
	caller := storage.Caller{ClientID: client.ID, UserID: user.ID}
	w.Must(w.Data.SetHubMember(w.Ctx(), w.Change(), w.Hub.ID, user.ID, false))
	w.Equal([]string{"Hub"}, w.hubs(caller, storage.HubQuery{}))
	w.Equal(false, w.elsewhere(caller))
	w.Must(w.Data.SetHubMember(w.Ctx(), w.Change(), other.ID, user.ID, false))
	w.Equal([]string{"Hub"}, w.hubs(caller, storage.HubQuery{}))
	w.Equal(true, w.elsewhere(caller))
	w.Must(w.Data.SetHubActive(w.Ctx(), w.Change(), other.ID, false))
	w.Equal(false, w.elsewhere(caller))
}

func (w *Tree) elsewhere(caller storage.Caller) bool {
	w.Helper()
	list, err := w.Data.ListHubs(w.Ctx(), caller, storage.HubQuery{IDs: []string{}})
	w.Must(err)
	return list.Elsewhere
}

func listHubsOnBehalf(w *Tree) {
	user, listed := w.User(), w.User()
	for _, u := range []storage.User{user, listed} {
		w.Must(w.Data.SetHubMember(w.Ctx(), w.Change(), w.Hub.ID, u.ID, false))
	}
	forAll := w.provision(w.Hub.ID, storage.LevelView, storage.AppForMembers)
	forSome := w.provision(w.Hub.ID, storage.LevelView, storage.AppForListed, listed.ID)
	forNone := w.provision(w.Hub.ID, storage.LevelView, storage.AppForNobody)
	for _, c := range []struct {
		client, user string
		open         bool
	}{
		{forAll.ID, user.ID, true}, {forAll.ID, listed.ID, true},
		{forSome.ID, user.ID, false}, {forSome.ID, listed.ID, true},
		{forNone.ID, user.ID, false}, {forNone.ID, listed.ID, false},
		{forAll.ID, w.User().ID, false},
	} {
		caller := storage.Caller{ClientID: c.client, UserID: c.user, OnBehalf: true}
		if got := len(w.hubs(caller, storage.HubQuery{})) == 1; got != c.open {
			w.Errorf("%+v: open is %v", caller, got)
		}
		_, standing, err := w.Data.FindHub(w.Ctx(), caller, w.Hub.ID)
		w.Must(err)
		w.Equal(c.open, standing.Admitted())
	}
	w.Equal(true, w.elsewhere(storage.Caller{ClientID: forNone.ID, UserID: user.ID, OnBehalf: true}))
}

func listHubsOfAdmin(w *Tree) {
	user, other := w.User().ID, w.NewHub("Other").ID
	closed := w.NewHub("Closed").ID
	for hub, admin := range map[string]bool{w.Hub.ID: true, other: false, closed: true} {
		w.Must(w.Data.SetHubMember(w.Ctx(), w.Change(), hub, user, admin))
	}
	w.Must(w.Data.SetHubActive(w.Ctx(), w.Change(), closed, false))
	w.Equal([]string{"Hub", "Other"}, w.hubs(storage.Caller{UserID: user}, storage.HubQuery{}))
	w.Equal([]string{"Hub"}, w.hubs(storage.Caller{UserID: user}, storage.HubQuery{Administered: true}))
	w.Equal([]string{"Closed", "Hub"}, w.hubs(storage.Caller{UserID: user},
		storage.HubQuery{Administered: true, Inactive: true}))
}

func listHubsOfDisabled(w *Tree) {
	user := w.User()
	w.Must(w.Data.SetHubMember(w.Ctx(), w.Change(), w.Hub.ID, user.ID, false))
	w.Must(w.Store.SetUserDisabled(w.Ctx(), w.Act(), user.ID, true))
	w.Equal([]string(nil), w.hubs(storage.Caller{UserID: user.ID}, storage.HubQuery{}))
	w.Must(w.Store.SetUserDisabled(w.Ctx(), w.Act(), user.ID, false))
	w.Equal([]string{"Hub"}, w.hubs(storage.Caller{UserID: user.ID}, storage.HubQuery{}))
}
