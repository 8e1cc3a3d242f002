package storagetest

import (
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

func consentChecks() []check {
	return []check{
		{"FindConsent is NotFound without one", findConsentNot},
		{"ListConsents returns the user's, ordered by client id", listConsents},
		{"WithdrawConsent forgets it and revokes the user's grants to that client", withdrawConsent},
		{"WithdrawConsent of an absent consent is no error, and still revokes", withdrawAbsentConsent},
	}
}

func findConsentNot(w *World) {
	_, err := w.Store.FindConsent(w.Ctx(), w.User().ID, w.Client().ID)
	w.Refused(err, fault.NotFound, "")
}

func listConsents(w *World) {
	user, other := w.User(), w.User()
	for _, id := range []string{"b", "a"} {
		w.ownedClient(id, "")
		w.allow(w.Request(id), user.ID, "openid")
	}
	w.allow(w.Request("a"), other.ID, "openid")
	got, err := w.Store.ListConsents(w.Ctx(), user.ID)
	w.Must(err)
	consent := storage.Consent{UserID: user.ID, Scopes: []string{"openid"}, CreatedAt: w.Now(), UpdatedAt: w.Now()}
	a, b := consent, consent
	a.ClientID, b.ClientID = "a", "b"
	w.Equal([]storage.Consent{a, b}, got)
}

func withdrawConsent(w *World) {
	user, other, client, kept := w.User(), w.User(), w.Client(), w.Client()
	w.allow(w.Request(client.ID), user.ID, "openid")
	w.allow(w.Request(kept.ID), user.ID, "openid")
	grant, keptGrant, foreign := w.Grant(user.ID, client.ID), w.Grant(user.ID, kept.ID), w.Grant(other.ID, client.ID)
	code := w.Code(user.ID, client.ID)
	w.Must(w.Store.WithdrawConsent(w.Ctx(), w.Act(), user.ID, client.ID))
	_, err := w.Store.FindConsent(w.Ctx(), user.ID, client.ID)
	w.Refused(err, fault.NotFound, "")
	_, err = w.Store.FindConsent(w.Ctx(), user.ID, kept.ID)
	w.Must(err)
	w.Equal("revoked", w.grantState(grant.ID))
	w.Equal("live", w.grantState(keptGrant.ID))
	w.Equal("live", w.grantState(foreign.ID))
	w.Refused(w.Store.RedeemCode(w.Ctx(), w.Act(), code.Hash, w.grantOf(code)), fault.Gone, storage.ReasonRevoked)
	w.Audited(user.ID, "consent.withdrawn", "user.signed_in", "user.signed_in", "user.signed_in", "consent.granted",
		"consent.granted", "user.created")
}

func withdrawAbsentConsent(w *World) {
	user, client := w.User(), w.Client()
	w.Must(w.Store.WithdrawConsent(w.Ctx(), w.Act(), user.ID, client.ID))
	w.Must(w.Store.WithdrawConsent(w.Ctx(), w.Act(), "NOBODY", client.ID))
	w.Audited(user.ID, "user.created")
	grant := w.Grant(user.ID, client.ID)
	w.Must(w.Store.WithdrawConsent(w.Ctx(), w.Act(), user.ID, client.ID))
	w.Equal("revoked", w.grantState(grant.ID))
}
