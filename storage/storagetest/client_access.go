package storagetest

import (
	"fmt"
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

func accessChecks() []check {
	return []check{
		{"a restricted client is for the groups and people that are named, for as long as they are", restrictedClient},
		{"what a client gave is worth nothing while it is not for the person", narrowedClient},
		{"a client is named for neither absent groups nor people, and of an absent client nobody is", absentAccess},
		{"groups and people are named for a client up to a number", fullAccess},
	}
}

// restrict makes the client one that is only for those who are named.
func (w *World) restrict(client storage.Client) {
	w.Helper()
	client.Restricted = true
	w.Must(w.Store.UpdateClient(w.Ctx(), w.Act(), client))
}

func (w *World) mayUse(clientID, userID string) bool {
	w.Helper()
	may, err := w.Store.MayUseClient(w.Ctx(), clientID, userID)
	w.Must(err)
	return may
}

func restrictedClient(w *World) {
	client, user, other := w.Client(), w.User(), w.User()
	group := w.userGroup("Editors")
	w.Must(w.Store.AddUserGroupMember(w.Ctx(), w.Act(), group.ID, user.ID))
	by, as := storage.ClientAccess{UserID: user.ID}, storage.ClientAccess{GroupID: group.ID}
	is := func(want bool) {
		w.Helper()
		w.Equal(want, w.mayUse(client.ID, user.ID))
		w.Equal(!client.Restricted, w.mayUse(client.ID, other.ID))
	}
	is(true)
	client.Restricted = true
	w.Must(w.Store.UpdateClient(w.Ctx(), w.Act(), client))
	is(false)
	for _, who := range []storage.ClientAccess{by, as} {
		for range 2 {
			w.Must(w.Store.AllowClient(w.Ctx(), w.Act(), client.ID, who))
		}
		is(true)
		w.Must(w.Store.DisallowClient(w.Ctx(), w.Act(), client.ID, who))
		is(false)
		w.Refused(w.Store.DisallowClient(w.Ctx(), w.Act(), client.ID, who), fault.NotFound, "")
	}
	w.Audited(client.ID, "client.access_taken", "client.access_given", "client.access_taken", "client.access_given",
		"client.updated", "client.created")
	w.Must(w.Store.AllowClient(w.Ctx(), w.Act(), client.ID, as))
	w.Must(w.Store.AllowClient(w.Ctx(), w.Act(), client.ID, by))
	named, err := w.Store.ListClientAccess(w.Ctx(), client.ID)
	w.Must(err)
	w.Equal([]storage.ClientAccess{{GroupID: group.ID, Name: "Editors"},
		{UserID: user.ID, Name: user.Profile.Name, Email: user.Email}}, named)
	w.Must(w.Store.DisallowClient(w.Ctx(), w.Act(), client.ID, by))
	w.Must(w.Store.DeleteUserGroup(w.Ctx(), w.Act(), group.ID)) // of a list that is empty nobody is on it
	is(false)
}

func narrowedClient(w *World) {
	query := w.liveToken()
	client, err := w.Store.FindClient(w.Ctx(), query.ClientID)
	w.Must(err)
	who := storage.ClientAccess{UserID: query.UserID}
	code := w.Code(query.UserID, client.ID)
	w.restrict(client)

	w.Equal(false, w.active(query))
	w.Equal(true, w.active(storage.TokenQuery{ClientID: client.ID})) // the client itself goes on
	w.Refused(w.redeem(code), fault.Gone, storage.ReasonRevoked)
	_, err = w.rotate(query.GrantID, 1, time.Minute)
	w.Refused(err, fault.Gone, storage.ReasonRevoked)

	w.Must(w.Store.AllowClient(w.Ctx(), w.Act(), client.ID, who))
	w.Equal(true, w.active(query))
	w.Must(w.redeem(code))
	_, err = w.rotate(query.GrantID, 1, time.Minute)
	w.Must(err)
}

func absentAccess(w *World) {
	client, user := w.Client(), w.User()
	for _, who := range []storage.ClientAccess{{UserID: "NOBODY"}, {GroupID: "none"}} {
		w.Refused(w.Store.AllowClient(w.Ctx(), w.Act(), client.ID, who), fault.NotFound, "")
	}
	w.Refused(w.Store.AllowClient(w.Ctx(), w.Act(), "none", storage.ClientAccess{UserID: user.ID}), fault.NotFound, "")
	w.Equal(false, w.mayUse("none", user.ID))
	w.Equal(false, w.mayUse(client.ID, "NOBODY"))
	named, err := w.Store.ListClientAccess(w.Ctx(), "none")
	w.Must(err)
	w.Equal([]storage.ClientAccess(nil), named)
}

func fullAccess(w *World) {
	client := w.Client()
	for i := range storage.MaxClientAccess {
		group := w.userGroup(fmt.Sprint("group ", i))
		w.Must(w.Store.AllowClient(w.Ctx(), w.Act(), client.ID, storage.ClientAccess{GroupID: group.ID}))
	}
	who := storage.ClientAccess{UserID: w.User().ID}
	w.Refused(w.Store.AllowClient(w.Ctx(), w.Act(), client.ID, who), fault.Conflict, storage.ReasonAccessFull)
}
