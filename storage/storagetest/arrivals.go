package storagetest

import (
	"errors"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

func arrivalChecks() []check {
	return []check{
		{"Arrive keeps all that its work adds, which that finds meanwhile", arriveKeeps},
		{"Arrive keeps nothing when its work fails, and returns why", arriveFails},
		{"AddPeople is a Conflict for an address, a name and a group that others have", arriveConflicts},
	}
}

// moved are who and what arrives in these checks.
func moved(w *World) (storage.UserGroup, storage.Arrival, storage.Client) {
	group := storage.UserGroup{ID: w.Source.UID(), Name: "Staff", Description: "All", CreatedAt: w.Now()}
	person := storage.Arrival{User: newPerson("f50a74a7-6557", "ann@example.test", "ann", w), PasswordHash: "$2b$04$x",
		Groups: []string{group.ID}}
	return group, person, storage.Client{ID: "wiki", Name: "Wiki", Type: storage.ClientWeb,
		Profile:   storage.ProfileStandard,
		Secrets:   []storage.ClientSecret{{ID: w.Source.UID(), Hash: []byte("hash"), CreatedAt: w.Now()}},
		CreatedAt: w.Now(), UpdatedAt: w.Now()}
}

func arriveKeeps(w *World) {
	group, person, client := moved(w)
	w.Must(w.Store.Arrive(w.Ctx(), w.Act(), func(in storage.Arriving) error {
		w.Must(in.AddGroup(w.Ctx(), group))
		w.Must(in.AddPeople(w.Ctx(), []storage.Arrival{person}))
		w.Must(in.AddClient(w.Ctx(), client))
		for _, by := range [][2][]string{
			{{person.ID}, nil}, {nil, {"ANN@example.test"}}, {{"X"}, {"Ann", "ann@example.test"}},
		} {
			found, err := in.FindArrivals(w.Ctx(), by[0], by[1])
			w.Must(err)
			w.Equal([]storage.Arrival{person}, found)
		}
		groups, err := in.FindArrivedGroups(w.Ctx(), []string{"STAFF", "Guests"})
		w.Must(err)
		w.Equal(1, len(groups))
		w.Equal(group.ID, groups[0].ID)
		clients, err := in.FindArrivedClients(w.Ctx(), []string{client.ID, "absent"})
		w.Must(err)
		w.Equal([]storage.Client{client}, clients)
		return nil
	}))
	found, hash, err := w.Store.FindUserByLogin(w.Ctx(), "ann")
	w.Must(err)
	w.Equal(person.User, found)
	w.Equal(person.PasswordHash, hash)
	of, err := w.Store.ListGroupsOfUser(w.Ctx(), person.ID)
	w.Must(err)
	w.Equal(1, len(of))
	w.Audited(person.ID, "user.created")
	w.Audited(client.ID, "client.created")
	w.Audited(group.ID, "user_group.member_added", "user_group.created")
}

func arriveFails(w *World) {
	group, person, client := moved(w)
	why := fault.New(fault.Invalid, "why", "Because.")
	err := w.Store.Arrive(w.Ctx(), w.Act(), func(in storage.Arriving) error {
		w.Must(in.AddGroup(w.Ctx(), group))
		w.Must(in.AddPeople(w.Ctx(), []storage.Arrival{person}))
		w.Must(in.AddClient(w.Ctx(), client))
		return why
	})
	if !errors.Is(err, why) {
		w.Errorf("Arrive = %v", err)
	}
	for what, err := range map[string]error{
		"user":   second(w.Store.FindUser(w.Ctx(), person.ID)),
		"group":  second(w.Store.FindUserGroup(w.Ctx(), group.ID)),
		"client": second(w.Store.FindClient(w.Ctx(), client.ID)),
	} {
		if !fault.Is(err, fault.NotFound) {
			w.Errorf("%s: %v", what, err)
		}
	}
}

func second[T any](_ T, err error) error { return err }

func arriveConflicts(w *World) {
	w.Must(w.Store.CreateUser(w.Ctx(), w.Act(), newPerson("A", "a@example.test", "ay", w), ""))
	group, _, _ := moved(w)
	w.Must(w.Store.CreateUserGroup(w.Ctx(), w.Act(), group))
	for reason, work := range map[string]func(storage.Arriving) error{
		storage.ReasonEmailTaken: func(in storage.Arriving) error {
			return in.AddPeople(w.Ctx(), []storage.Arrival{{User: newPerson("B", "A@example.test", "", w)}})
		},
		storage.ReasonUsernameTaken: func(in storage.Arriving) error {
			return in.AddPeople(w.Ctx(), []storage.Arrival{{User: newPerson("B", "b@example.test", "AY", w)}})
		},
		storage.ReasonGroupNameTaken: func(in storage.Arriving) error {
			return in.AddGroup(w.Ctx(), storage.UserGroup{ID: w.Source.UID(), Name: "staff", CreatedAt: w.Now()})
		},
	} {
		w.Refused(w.Store.Arrive(w.Ctx(), w.Act(), work), fault.Conflict, reason)
	}
}
