package storagetest

import (
	"strings"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

func linkByAddress(w *World) {
	w.Upstream("up")
	user := w.User()
	identity := storage.UpstreamIdentity{UpstreamID: "up", Issuer: "i", Subject: "s", UserID: user.ID,
		Email: strings.ToUpper(user.Email), LinkedAt: w.Now()}
	refused := func(identity storage.UpstreamIdentity) {
		w.Helper()
		w.Refused(w.Store.LinkByAddress(w.Ctx(), w.Act(), identity), fault.Conflict, storage.ReasonNotByAddress)
	}
	change := func(verified, admin bool) {
		user.EmailVerified = verified
		force := w.Act()
		force.Force = true // nobody else is one
		put(w, force, user, &admin)
	}
	refused(identity) // not proven
	change(true, true)
	refused(identity) // an administrator's
	change(true, false)
	other := identity
	other.Email = "another@example.test"
	refused(other)
	w.Must(w.Store.SetUserDisabled(w.Ctx(), w.Act(), user.ID, true))
	refused(identity)
	w.Must(w.Store.SetUserDisabled(w.Ctx(), w.Act(), user.ID, false))
	for range 2 { // once more is the same
		w.Must(w.Store.LinkByAddress(w.Ctx(), w.Act(), identity))
	}
	second := w.User()
	second.EmailVerified = true
	w.Must(w.Store.UpdateUser(w.Ctx(), w.Act(), second, nil))
	identity.UserID, identity.Email = second.ID, second.Email
	w.Refused(w.Store.LinkByAddress(w.Ctx(), w.Act(), identity), fault.Conflict, storage.ReasonIdentityTaken)
	w.Must(w.Store.SetUpstreamDisabled(w.Ctx(), w.Act(), "up", true))
	w.Refused(w.Store.LinkByAddress(w.Ctx(), w.Act(), identity), fault.Gone, storage.ReasonUpstreamDisabled)
}

func claimByAddress(w *World) {
	w.Upstream("up")
	w.Upstream("lax")
	user := w.User()
	before := storage.UpstreamIdentity{UpstreamID: "lax", Issuer: "i", Subject: "thief", UserID: user.ID,
		LinkedAt: w.Now()}
	w.Must(w.Store.LinkIdentity(w.Ctx(), w.Act(), before))
	session, grant := w.sessionBy(before, "")
	link := w.addressed(storage.LinkAddressNew, user.ID, "thief@example.test")
	w.Must(w.Store.CreateOneTimeLink(w.Ctx(), w.Act(), link))
	owner := storage.UpstreamIdentity{UpstreamID: "up", Issuer: "i", Subject: "s", UserID: user.ID,
		Email: strings.ToUpper(user.Email), LinkedAt: w.Now()}
	refused := func(identity storage.UpstreamIdentity, kind fault.Kind, reason string) {
		w.Helper()
		w.Refused(w.Store.ClaimByAddress(w.Ctx(), w.Act(), identity), kind, reason)
		w.Equal([]string{"live", "live"}, []string{w.sessionState(session), w.grantState(grant.ID)})
	}
	change := func(verified, admin bool) {
		user.EmailVerified = verified
		force := w.Act()
		force.Force = true // nobody else is one
		put(w, force, user, &admin)
	}
	change(true, false)
	refused(owner, fault.Conflict, storage.ReasonNotByAddress)
	change(false, true)
	refused(owner, fault.Conflict, storage.ReasonNotByAddress)
	change(false, false)
	other := owner
	other.Email = "another@example.test"
	refused(other, fault.Conflict, storage.ReasonNotByAddress)
	w.Must(w.Store.SetUpstreamDisabled(w.Ctx(), w.Act(), "up", true))
	refused(owner, fault.Gone, storage.ReasonUpstreamDisabled)
	w.Must(w.Store.SetUpstreamDisabled(w.Ctx(), w.Act(), "up", false))
	w.Must(w.Store.ClaimByAddress(w.Ctx(), w.Act(), owner))
	w.Equal([]string{"ended", "revoked"}, []string{w.sessionState(session), w.grantState(grant.ID)})
	hash, err := w.Store.FindPasswordHash(w.Ctx(), user.ID)
	w.Must(err)
	all, err := w.Store.ListIdentities(w.Ctx(), user.ID)
	w.Must(err)
	found, err := w.Store.FindUser(w.Ctx(), user.ID)
	w.Must(err)
	w.Equal([]any{"", []storage.UpstreamIdentity{owner}, true}, []any{hash, all, found.EmailVerified})
	_, err = w.Store.ConfirmAddress(w.Ctx(), w.Act(), link.Hash)
	w.Refused(err, fault.Gone, storage.ReasonSpent)
	w.Refused(w.Store.ClaimByAddress(w.Ctx(), w.Act(), owner), fault.Conflict, storage.ReasonNotByAddress)
}
