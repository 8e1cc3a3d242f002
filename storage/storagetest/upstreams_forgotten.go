package storagetest

import (
	"strings"

	"github.com/portico-id/portico/storage"
)

// forgetGroups has the owner of an address take up, in every way, an account that somebody
// has made with it by an upstream.
func forgetGroups(w *World) {
	w.Upstream("up")
	w.Upstream("lax")
	group := storage.UserGroup{ID: w.Source.UID(), Name: "group", CreatedAt: w.Now()}
	kept := storage.UserGroup{ID: w.Source.UID(), Name: "kept", CreatedAt: w.Now()}
	w.Must(w.Store.CreateUserGroup(w.Ctx(), w.Act(), group))
	w.Must(w.Store.CreateUserGroup(w.Ctx(), w.Act(), kept))
	w.Must(w.Store.SetUpstreamGroups(w.Ctx(), w.Act(), "lax", []storage.UpstreamGroup{{External: "g", GroupID: group.ID}}))
	w.Must(w.Store.CreateSCIMConnection(w.Ctx(), w.Act(),
		storage.SCIMConnection{ID: "company", Name: "Company", CreatedAt: w.Now()}))
	for name, takesUp := range map[string]func(storage.User) error{
		"by another upstream": func(user storage.User) error {
			return w.Store.ClaimByAddress(w.Ctx(), w.Act(), storage.UpstreamIdentity{UpstreamID: "up", Issuer: "i",
				Subject: user.ID, UserID: user.ID, Email: strings.ToUpper(user.Email), LinkedAt: w.Now()})
		},
		"by a link that is mailed": func(user storage.User) error {
			link := w.addressed(storage.LinkPassword, user.ID, user.Email)
			w.Must(w.Store.CreateOneTimeLink(w.Ctx(), w.Act(), link))
			_, err := w.Store.SetPasswordByLink(w.Ctx(), w.Act(), link.Hash, "hash")
			return err
		},
		"by their company": func(user storage.User) error {
			_, err := w.Store.CreateSCIMUser(w.Ctx(), w.Act(), storage.SCIMUser{UserName: "them", Active: true,
				Document: []byte("{}"), User: user, SCIMResource: storage.SCIMResource{ConnectionID: "company",
					CreatedAt: w.Now(), UpdatedAt: w.Now()}}, true)
			return err
		},
	} {
		user := w.User()
		user.EmailVerified = false
		w.Must(w.Store.UpdateUser(w.Ctx(), w.Act(), user, nil))
		w.identity("lax", user.ID)
		w.Must(w.Store.MeetGroups(w.Ctx(), w.Act(), "lax", user.ID, []string{"g"}, false))
		w.Must(w.Store.AddUserGroupMember(w.Ctx(), w.Act(), kept.ID, user.ID))
		w.Must(takesUp(user))
		in, err := w.Store.ListGroupsOfUser(w.Ctx(), user.ID)
		w.Must(err)
		if len(in) != 1 || in[0].ID != kept.ID {
			w.Errorf("taken up %s the account is in %v, though the upstream knows nobody by it", name, in)
		}
	}
}
