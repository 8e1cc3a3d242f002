package storagetest

import (
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

func meetNoCompanysGroup(w *World) {
	w.Upstream("up")
	w.Must(w.Store.CreateSCIMConnection(w.Ctx(), w.Act(), storage.SCIMConnection{ID: "company", Name: "Company",
		CreatedAt: w.Now()}))
	company, err := w.Store.CreateSCIMGroup(w.Ctx(), w.Act(), storage.SCIMGroup{DisplayName: "Theirs",
		SCIMResource: storage.SCIMResource{ConnectionID: "company", ID: w.Source.UID(), CreatedAt: w.Now(),
			UpdatedAt: w.Now()}}, nil)
	w.Must(err)
	ours := storage.UserGroup{ID: w.Source.UID(), Name: "Ours", CreatedAt: w.Now()}
	w.Must(w.Store.CreateUserGroup(w.Ctx(), w.Act(), ours))
	set := func(ids ...string) error {
		var groups []storage.UpstreamGroup
		for _, id := range ids {
			groups = append(groups, storage.UpstreamGroup{External: id, GroupID: id})
		}
		return w.Store.SetUpstreamGroups(w.Ctx(), w.Act(), "up", groups)
	}
	w.Must(set(ours.ID))
	w.Refused(set(ours.ID, company.ID), fault.Conflict, storage.ReasonManaged)
	said, err := w.Store.ListUpstreamGroups(w.Ctx(), "up")
	w.Must(err)
	w.Equal([]storage.UpstreamGroup{{UpstreamID: "up", External: ours.ID, GroupID: ours.ID}}, said)
	w.Must(w.Store.DeleteSCIMConnection(w.Ctx(), w.Act(), "company"))
	w.Must(set(company.ID))
}

func breakGlass(w *World) {
	admin := func(email, username, hash string) storage.User {
		user := storage.User{ID: w.Source.PersonID(), Email: email, Username: username, Admin: true, CreatedAt: w.Now(),
			UpdatedAt: w.Now()}
		w.Must(w.Store.CreateUser(w.Ctx(), w.Act(), user, hash))
		return user
	}
	admin("a@example.test", "", "")
	admin("b@example.test", "b", "hash")
	keyed := admin("c@example.test", "", "")
	w.Passkey(keyed.ID)
	off := admin("d@example.test", "", "hash")
	w.Must(w.Store.SetUserDisabled(w.Ctx(), w.Act(), off.ID, true))
	w.User()
	all, err := w.Store.ListBreakGlass(w.Ctx())
	w.Must(err)
	w.Equal([]storage.BreakGlass{{Email: "a@example.test"},
		{Email: "b@example.test", Username: "b", Password: true}, {Email: "c@example.test", Passkey: true}}, all)
}
