package storagetest

import (
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

func twinChecks() []treeCheck {
	return []treeCheck{
		{"CreateFacility makes a default model as well, and refuses an absent hub and taken ids", createFacility},
		{"UpdateFacility replaces name and props", updateFacility},
		{"FindFacility and FindModel tell how the caller stands", twinStanding},
		{"ListFacilities pages by name, and only within the hub", listFacilities},
		{"SetTwinMember gives and changes access, and makes the user a member of the hub", setTwinMember},
		{"access to facilities ends with the membership of the hub, and with the user", twinAccessEnds},
		{"CreateModel adds models after the default one", createModels},
	}
}

// Twin is a facility in a Tree.
type Twin struct {
	*Tree
	Facility storage.Facility
	Model    storage.TwinModel
}

// NewTwin adds a facility with its default model to the hub.
func (w *Tree) NewTwin(name string) *Twin {
	w.Helper()
	change := w.Change()
	t := &Twin{
		Tree: w,
		Facility: storage.Facility{ID: w.Source.UID(), HubID: w.Hub.ID, Name: name, Props: `{"Identity Data":{"Owner":"Ä"}}`,
			CreatedAt: change.At, ModifiedAt: change.At},
		Model: storage.TwinModel{ID: w.Source.UID(), Label: "Default", Default: true, CreatedAt: change.At},
	}
	w.Must(w.Data.CreateFacility(w.Ctx(), change, t.Facility, t.Model))
	return t
}

func (t *Twin) standing(caller storage.Caller) storage.TwinPlace {
	t.Helper()
	place, err := t.Data.FindFacility(t.Ctx(), caller, t.Facility.ID)
	t.Must(err)
	return place
}

func createFacility(w *Tree) {
	t := w.NewTwin("Tower 🏗")
	place := t.standing(storage.Caller{})
	w.Equal(t.Facility, place.Facility)
	w.Equal(w.Hub.ID, place.Hub.ID)
	w.Equal(storage.TwinOwner, place.Access())
	models, err := w.Data.ListModels(w.Ctx(), t.Facility.ID)
	w.Must(err)
	w.Equal([]storage.TwinModel{t.Model}, models)
	w.Told(t.Facility.ID, storage.EventTwinCreated)
	w.Unchanged(fault.Conflict, "", func() error {
		return w.Data.CreateFacility(w.Ctx(), w.Change(), t.Facility, storage.TwinModel{ID: w.Source.UID()})
	})
	other := t.Facility
	other.ID = w.Source.UID()
	w.Unchanged(fault.Conflict, "", func() error { return w.Data.CreateFacility(w.Ctx(), w.Change(), other, t.Model) })
	other.HubID = "b.none"
	w.Unchanged(fault.NotFound, "", func() error {
		return w.Data.CreateFacility(w.Ctx(), w.Change(), other, storage.TwinModel{ID: w.Source.UID()})
	})
}

func updateFacility(w *Tree) {
	t := w.NewTwin("Before")
	change := w.Change()
	want := t.Facility
	want.Name, want.Props, want.ModifiedAt = "After", "", change.At
	w.Must(w.Data.UpdateFacility(w.Ctx(), change, want.ID, become(want)))
	w.Equal(want, t.standing(storage.Caller{}).Facility)
	w.Told(t.Facility.ID, storage.EventTwinUpdated, storage.EventTwinCreated)
	w.Unchanged(fault.NotFound, "", func() error {
		return w.Data.UpdateFacility(w.Ctx(), w.Change(), "none", become(want))
	})
}

func twinStanding(w *Tree) {
	t := w.NewTwin("Tower")
	member, admin, nobody, client := w.User().ID, w.User().ID, w.User().ID, w.Client().ID
	w.Must(w.Data.SetTwinMember(w.Ctx(), w.Change(), t.Facility.ID, member, storage.TwinManage))
	w.Must(w.Data.SetHubMember(w.Ctx(), w.Change(), w.Hub.ID, admin, true))
	w.Must(w.Data.SetHubMember(w.Ctx(), w.Change(), w.Hub.ID, nobody, false))
	for level, byApp := range map[storage.Level]storage.TwinAccess{
		storage.LevelView: storage.TwinRead, storage.LevelDownload: storage.TwinRead,
		storage.LevelPublish: storage.TwinReadWrite,
		storage.LevelEdit:    storage.TwinReadWrite, storage.LevelControl: storage.TwinOwner,
	} {
		w.Must(w.Data.ProvisionApp(w.Ctx(), w.Change(), storage.AppAccess{HubID: w.Hub.ID, ClientID: client, Level: level,
			Users: storage.AppForMembers}))
		for caller, want := range map[storage.Caller]storage.TwinAccess{
			{ClientID: client}:                                 byApp,
			{ClientID: client, UserID: member}:                 storage.TwinManage,
			{ClientID: client, UserID: member, OnBehalf: true}: min(byApp, storage.TwinManage),
			{ClientID: client, UserID: admin}:                  storage.TwinOwner,
			{ClientID: client, UserID: admin, OnBehalf: true}:  byApp,
			{ClientID: client, UserID: nobody}:                 storage.TwinNone,
			{ClientID: client, UserID: w.Source.PersonID()}:    storage.TwinNone,
			{ClientID: w.Source.ClientID(), UserID: member}:    storage.TwinNone,
			{ClientID: w.Source.ClientID()}:                    storage.TwinNone,
			{UserID: member}:                                   storage.TwinManage,
		} {
			if got := t.standing(caller).Access(); got != want {
				w.Errorf("%+v at level %d has access %d, want %d", caller, level, got, want)
			}
			place, err := w.Data.FindModel(w.Ctx(), caller, t.Model.ID)
			w.Must(err)
			w.Equal(want, place.Access())
		}
	}
	_, err := w.Data.FindFacility(w.Ctx(), storage.Caller{}, "none")
	w.Refused(err, fault.NotFound, "")
	_, err = w.Data.FindModel(w.Ctx(), storage.Caller{}, "none")
	w.Refused(err, fault.NotFound, "")
}

// listTwinPlaces holds that a page is the same with how somebody stands there.
func listTwinPlaces(w *Tree, page storage.PageRequest, want []storage.Facility, after string) {
	caller := storage.Caller{UserID: w.User().ID}
	w.Must(w.Data.SetTwinMember(w.Ctx(), w.Change(), want[0].ID, caller.UserID, storage.TwinReadWrite))
	places, next, err := w.Data.ListTwinPlaces(w.Ctx(), caller, w.Hub.ID, page)
	w.Must(err)
	w.Equal(after, next)
	w.Equal(len(want), len(places))
	for _, got := range places {
		one, err := w.Data.FindFacility(w.Ctx(), caller, got.Facility.ID)
		w.Must(err)
		w.Equal(one, got)
	}
}

func listFacilities(w *Tree) {
	for _, name := range []string{"b", "A", "ä", "a"} {
		w.NewTwin(name)
	}
	var names []string
	for page := (storage.PageRequest{Limit: 3}); ; {
		some, next, err := w.Data.ListFacilities(w.Ctx(), w.Hub.ID, page)
		w.Must(err)
		for _, f := range some {
			names = append(names, f.Name)
		}
		listTwinPlaces(w, page, some, next)
		if page.After = next; next == "" {
			break
		}
	}
	w.Equal(4, len(names))
	w.Equal([]string{"b", "ä"}, names[2:])
	none, _, err := w.Data.ListFacilities(w.Ctx(), w.NewHub("Other").ID, storage.PageRequest{})
	w.Must(err)
	w.Equal(0, len(none))
	_, _, err = w.Data.ListFacilities(w.Ctx(), w.Hub.ID, storage.PageRequest{After: "x"})
	w.Refused(err, fault.Invalid, "")
}

func (t *Twin) members() []storage.TwinMember {
	t.Helper()
	members, _, err := t.Data.ListTwinMembers(t.Ctx(), t.Facility.ID, storage.PageRequest{})
	t.Must(err)
	return members
}

func setTwinMember(w *Tree) {
	t, user := w.NewTwin("Tower"), w.User().ID
	change := w.Change()
	for range 2 {
		w.Must(w.Data.SetTwinMember(w.Ctx(), change, t.Facility.ID, user, storage.TwinRead))
	}
	w.Told(t.Facility.ID, storage.EventTwinMemberSet, storage.EventTwinCreated)
	w.Must(w.Data.SetTwinMember(w.Ctx(), w.Change(), t.Facility.ID, user, storage.TwinOwner))
	w.Equal([]storage.TwinMember{{UserID: user, Access: storage.TwinOwner, AddedAt: change.At}}, t.members())
	_, err := w.Data.FindHubMember(w.Ctx(), w.Hub.ID, user)
	w.Must(err)
	w.Unchanged(fault.NotFound, storage.ReasonUserAbsent, func() error {
		return w.Data.SetTwinMember(w.Ctx(), w.Change(), t.Facility.ID, "NOBODY", storage.TwinRead)
	})
	w.Unchanged(fault.NotFound, "", func() error {
		return w.Data.SetTwinMember(w.Ctx(), w.Change(), "none",
			user, storage.TwinRead)
	})
	w.Unchanged(fault.Invalid, "", func() error {
		return w.Data.SetTwinMember(w.Ctx(), w.Change(), t.Facility.ID, user, storage.TwinNone)
	})
	w.Must(w.Data.RemoveTwinMember(w.Ctx(), w.Change(), t.Facility.ID, user))
	w.Equal(0, len(t.members()))
	w.Unchanged(fault.NotFound, "", func() error {
		return w.Data.RemoveTwinMember(w.Ctx(), w.Change(),
			t.Facility.ID, user)
	})
}

func twinAccessEnds(w *Tree) {
	t, stays, leaves, dies := w.NewTwin("Tower"), w.User().ID, w.User().ID, w.User()
	for _, user := range []string{stays, leaves, dies.ID} {
		w.Must(w.Data.SetTwinMember(w.Ctx(), w.Change(), t.Facility.ID, user, storage.TwinRead))
	}
	w.Must(w.Data.RemoveHubMember(w.Ctx(), w.Change(), w.Hub.ID, leaves))
	w.Must(w.Store.DeleteUser(w.Ctx(), w.Act(), dies.ID))
	members := t.members()
	w.Equal(1, len(members))
	w.Equal(stays, members[0].UserID)
}

func createModels(w *Tree) {
	t := w.NewTwin("Tower")
	want := []storage.TwinModel{t.Model}
	for _, label := range []string{"Structure", "Heating"} {
		change := w.Change()
		model := storage.TwinModel{ID: w.Source.UID(), Label: label, CreatedAt: change.At}
		w.Must(w.Data.CreateModel(w.Ctx(), change, t.Facility.ID, model))
		want = append(want, model)
	}
	models, err := w.Data.ListModels(w.Ctx(), t.Facility.ID)
	w.Must(err)
	w.Equal(want, models)
	w.Told(t.Facility.ID, storage.EventTwinModelCreated, storage.EventTwinModelCreated, storage.EventTwinCreated)
	w.Unchanged(fault.Conflict, "", func() error {
		return w.Data.CreateModel(w.Ctx(), w.Change(),
			t.Facility.ID, t.Model)
	})
	w.Unchanged(fault.NotFound, "", func() error {
		return w.Data.CreateModel(w.Ctx(), w.Change(), "none", storage.TwinModel{ID: w.Source.UID()})
	})
}
