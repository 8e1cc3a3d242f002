package storagetest

import (
	"strings"
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

func (w *World) invited(clientID, id, invitee string, user storage.User) {
	w.Helper()
	w.Must(w.Store.InviteClientMember(w.Ctx(), w.Act(),
		storage.ClientInvitation{ID: id, ClientID: clientID, Invitee: invitee, UserID: user.ID,
			CreatedAt: w.Now(), ExpiresAt: w.Now().Add(time.Hour)}))
}

func (w *World) invitationsOf(userID string) (ids []string) {
	w.Helper()
	all, err := w.Store.ListInvitationsOf(w.Ctx(), userID, w.Now())
	w.Must(err)
	for _, i := range all {
		ids = append(ids, i.ID)
	}
	return ids
}

func (w *World) verified(yes bool) storage.User {
	w.Helper()
	user := w.User()
	user.EmailVerified = yes
	w.Must(w.Store.UpdateUser(w.Ctx(), w.Act(), user, nil))
	return user
}

func invitationsAreAccepted(w *World) {
	client, by := w.Client(), w.User()
	w.Must(w.Store.AddClientMember(w.Ctx(), w.Act(), client.ID, by.ID))
	has, only, named, stranger := w.verified(true), w.verified(false), w.verified(false), w.verified(true)
	w.Refused(w.Store.InviteClientMember(w.Ctx(), w.Act(), storage.ClientInvitation{ID: "i", ClientID: "none",
		Invitee: "x", CreatedAt: w.Now(), ExpiresAt: w.Now()}), fault.NotFound, "")
	first := storage.ClientInvitation{ID: "i1", ClientID: client.ID, Invitee: strings.ToUpper(has.Email), InvitedBy: by.ID,
		CreatedAt: w.Now(), ExpiresAt: w.Now().Add(time.Hour)}
	w.Must(w.Store.InviteClientMember(w.Ctx(), w.Act(), first))
	w.invited(client.ID, "i2", only.Email, storage.User{})
	w.invited(client.ID, "i3", "somebody", named)
	first.App, first.Inviter = client.Name, by.Title()
	got, err := w.Store.ListInvitationsOf(w.Ctx(), has.ID, w.Now())
	w.Must(err)
	w.Equal([]storage.ClientInvitation{first}, got)
	w.Equal([]string(nil), w.invitationsOf(only.ID)) // the address may be another's
	w.Equal([]string{"i3"}, w.invitationsOf(named.ID))
	for id, user := range map[string]storage.User{"i1": stranger, "i2": only, "i3": has, "none": has} {
		w.Refused(w.Store.AcceptClientInvitation(w.Ctx(), w.Act(), id, user.ID), fault.NotFound, "")
		w.Refused(w.Store.DeclineClientInvitation(w.Ctx(), w.Act(), id, user.ID), fault.NotFound, "")
	}
	w.Must(w.Store.AcceptClientInvitation(w.Ctx(), w.Act(), "i1", has.ID))
	w.Refused(w.Store.AcceptClientInvitation(w.Ctx(), w.Act(), "i1", has.ID), fault.NotFound, "")
	w.Must(w.Store.AcceptClientInvitation(w.Ctx(), w.Act(), "i3", named.ID))
	w.Equal(3, len(w.members(client.ID)))
	w.Audited(client.ID, "client.member_added", "client.member_added", "client.member_invited", "client.member_invited",
		"client.member_invited", "client.member_added", "client.created")
}

func invitationsEnd(w *World) {
	client, other, user := w.Client(), w.Client(), w.verified(true)
	w.invited(client.ID, "i1", user.Email, storage.User{})
	w.invited(client.ID, "i2", strings.ToUpper(user.Email), storage.User{}) // in the place of the first
	w.Equal([]string{"i2"}, w.invitationsOf(user.ID))
	w.Refused(w.Store.DeleteClientInvitation(w.Ctx(), w.Act(), other.ID, "i2"), fault.NotFound, "")
	w.Must(w.Store.DeclineClientInvitation(w.Ctx(), w.Act(), "i2", user.ID))
	w.Equal([]string(nil), w.invitationsOf(user.ID))
	w.invited(client.ID, "i3", user.Email, storage.User{})
	w.Must(w.Store.DeleteClientInvitation(w.Ctx(), w.Act(), client.ID, "i3"))
	w.invited(client.ID, "i4", user.Email, storage.User{})
	w.invited(other.ID, "i5", user.Email, storage.User{})
	w.Must(w.Store.DeleteClient(w.Ctx(), w.Act(), other.ID))
	w.Equal([]string{"i4"}, w.invitationsOf(user.ID))
	w.Clock.Advance(time.Hour)
	w.Refused(w.Store.AcceptClientInvitation(w.Ctx(), w.Act(), "i4", user.ID), fault.NotFound, "")
	left, err := w.Store.ListClientInvitations(w.Ctx(), client.ID, w.Now())
	w.Must(err)
	w.Equal([]storage.ClientInvitation(nil), left)
	w.Clock.Advance(storage.KeepSpent)
	swept, err := w.Store.SweepExpired(w.Ctx(), w.Now(), time.Hour, 10)
	w.Must(err)
	w.Equal(1, swept)
}

func invitationsStand(w *World) {
	owner, member, admin, user := w.User(), w.User(), w.User(), w.verified(true)
	yes := true
	w.Must(w.Store.UpdateUser(w.Ctx(), w.Act(), admin, &yes))
	client := w.ownedClient("asked for", owner.ID)
	w.Must(w.Store.AddClientMember(w.Ctx(), w.Act(), client.ID, member.ID))
	by := func(inviter storage.User, want ...string) {
		w.Helper()
		w.Must(w.Store.InviteClientMember(w.Ctx(), w.Act(), storage.ClientInvitation{ID: "by " + inviter.ID,
			ClientID: client.ID, Invitee: user.Email, InvitedBy: inviter.ID, CreatedAt: w.Now(),
			ExpiresAt: w.Now().Add(time.Hour)}))
		w.Equal(want, w.invitationsOf(user.ID))
	}
	for _, inviter := range []storage.User{owner, admin, member} {
		by(inviter, "by "+inviter.ID)
	}
	w.Must(w.Store.SetUserDisabled(w.Ctx(), w.Act(), member.ID, true))
	w.Equal([]string(nil), w.invitationsOf(user.ID))
	w.Must(w.Store.SetUserDisabled(w.Ctx(), w.Act(), member.ID, false))
	w.Equal([]string{"by " + member.ID}, w.invitationsOf(user.ID))
	w.Must(w.Store.DeleteClientMember(w.Ctx(), w.Act(), client.ID, member.ID))
	by(member)
	left, err := w.Store.ListClientInvitations(w.Ctx(), client.ID, w.Now())
	w.Must(err)
	w.Equal([]storage.ClientInvitation(nil), left)
	w.Refused(w.Store.AcceptClientInvitation(w.Ctx(), w.Act(), "by "+member.ID, user.ID), fault.NotFound, "")
	w.Refused(w.Store.DeclineClientInvitation(w.Ctx(), w.Act(), "by "+member.ID, user.ID), fault.NotFound, "")
	w.Must(w.Store.DeleteUser(w.Ctx(), w.Act(), member.ID))
	w.Equal([]string(nil), w.invitationsOf(user.ID))
	w.invited(client.ID, "by the operator", user.Email, storage.User{})
	w.Equal([]string{"by the operator"}, w.invitationsOf(user.ID))
}

// invitationsEndWithMembers has two invitations of one person, by address and by user name, of
// which one is answered.
func invitationsEndWithMembers(w *World) {
	client, user, another := w.Client(), w.verified(true), w.verified(true)
	w.invited(client.ID, "i1", user.Email, storage.User{})
	w.invited(client.ID, "i2", "somebody", user)
	w.invited(client.ID, "i3", another.Email, storage.User{})
	w.Must(w.Store.AcceptClientInvitation(w.Ctx(), w.Act(), "i1", user.ID))
	w.invited(client.ID, "i4", user.Email, storage.User{}) // by whoever does not know of that
	w.Must(w.Store.SetUserDisabled(w.Ctx(), w.Act(), user.ID, true))
	w.Must(w.Store.DeleteClientMember(w.Ctx(), w.Act(), client.ID, user.ID))
	w.Must(w.Store.SetUserDisabled(w.Ctx(), w.Act(), user.ID, false))
	for _, id := range []string{"i2", "i4"} {
		w.Refused(w.Store.AcceptClientInvitation(w.Ctx(), w.Act(), id, user.ID), fault.NotFound, "")
	}
	w.Equal([]string{"i3"}, w.invitationsOf(another.ID))
	w.invited(client.ID, "i5", user.Email, storage.User{})
	w.Equal([]string{"i5"}, w.invitationsOf(user.ID))

	late := w.verified(false)
	w.invited(client.ID, "i6", late.Email, storage.User{})
	w.Must(w.Store.AddClientMember(w.Ctx(), w.Act(), client.ID, late.ID))
	w.Must(w.Store.DeleteClientMember(w.Ctx(), w.Act(), client.ID, late.ID))
	late, err := w.Store.FindUser(w.Ctx(), late.ID)
	w.Must(err)
	late.EmailVerified = true // which they show to be theirs after that
	w.Must(w.Store.UpdateUser(w.Ctx(), w.Act(), late, nil))
	w.Equal(0, len(w.invitationsOf(late.ID)))
}
