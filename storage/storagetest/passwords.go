package storagetest

import (
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

func passwordChecks() []check {
	return []check{
		{"SetPassword replaces the hash, revokes every grant and ends every session but one", setPassword},
		{"SetPassword without a session to keep ends all of them", setPasswordKeepsNone},
		{"SetPassword withdraws codes that nobody has redeemed yet", setPasswordWithdrawsCodes},
		{"RehashPassword replaces the hash only if it still is the old one, and nothing else", rehashPassword},
	}
}

func setPassword(w *World) {
	user, client := w.User(), w.Client()
	grant, kept, other := w.Grant(user.ID, client.ID), w.Session(user.ID), w.Session(user.ID)
	w.Must(w.Store.SetPassword(w.Ctx(), w.Act(), user.ID, "fresh", kept.ID))
	hash, err := w.Store.FindPasswordHash(w.Ctx(), user.ID)
	w.Must(err)
	w.Equal("fresh", hash)
	w.Equal("revoked", w.grantState(grant.ID))
	w.Equal("live", w.sessionState(kept))
	w.Equal("ended", w.sessionState(other))
	w.Audited(user.ID, "user.password_set", "user.signed_in", "user.signed_in", "user.signed_in", "user.created")
}

func setPasswordKeepsNone(w *World) {
	user := w.User()
	session := w.Session(user.ID)
	w.Must(w.Store.SetPassword(w.Ctx(), w.Act(), user.ID, "fresh", ""))
	w.Equal("ended", w.sessionState(session))
}

func setPasswordWithdrawsCodes(w *World) {
	user, client := w.User(), w.Client()
	code := w.Code(user.ID, client.ID)
	w.Must(w.Store.SetPassword(w.Ctx(), w.Act(), user.ID, "fresh", ""))
	w.Refused(w.Store.RedeemCode(w.Ctx(), w.Act(), code.Hash, w.grantOf(code)), fault.Gone, storage.ReasonRevoked)
	w.Equal("absent", w.grantState(code.GrantID))
}

func rehashPassword(w *World) {
	user, client := w.User(), w.Client()
	grant, session := w.Grant(user.ID, client.ID), w.Session(user.ID)
	w.Must(w.Store.RehashPassword(w.Ctx(), user.ID, "hash of "+user.ID, "stronger"))
	w.Must(w.Store.RehashPassword(w.Ctx(), user.ID, "hash of "+user.ID, "late"))
	w.Must(w.Store.RehashPassword(w.Ctx(), "NOBODY", "a", "b"))
	hash, err := w.Store.FindPasswordHash(w.Ctx(), user.ID)
	w.Must(err)
	w.Equal("stronger", hash)
	w.Equal("live", w.grantState(grant.ID))
	w.Equal("live", w.sessionState(session))
}
