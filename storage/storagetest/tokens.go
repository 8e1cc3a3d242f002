package storagetest

import (
	"time"

	"github.com/portico-id/portico/storage"
)

func tokenChecks() []check {
	return []check{
		{"TokenActive holds while nothing the query names has ended", tokenActive},
		{"TokenActive asks nothing about empty fields", tokenActiveEmpty},
		{"TokenActive is false for what is absent", tokenActiveAbsent},
		{"TokenActive is false once the jti is revoked, and no other", tokenRevoked},
		{"TokenActive is false once the grant is revoked", tokenGrantRevoked},
		{"TokenActive follows disabling and enabling of user and client", tokenDisabled},
		{"RevokeToken repeated is no error and is audited once", revokeTwice},
	}
}

func (w *World) active(query storage.TokenQuery) bool {
	w.Helper()
	active, err := w.Store.TokenActive(w.Ctx(), query)
	w.Must(err)
	return active
}

// liveToken returns the query of a live token.
func (w *World) liveToken() storage.TokenQuery {
	w.Helper()
	grant := w.liveGrant()
	return storage.TokenQuery{JTI: w.Source.UID(), ClientID: grant.ClientID, GrantID: grant.ID, UserID: grant.UserID}
}

func tokenActive(w *World) {
	w.Equal(true, w.active(w.liveToken()))
}

func tokenActiveEmpty(w *World) {
	w.Equal(true, w.active(storage.TokenQuery{}))
	w.Equal(true, w.active(storage.TokenQuery{ClientID: w.Client().ID}))
	w.Equal(true, w.active(storage.TokenQuery{JTI: "j"}))
}

func tokenActiveAbsent(w *World) {
	live := w.liveToken()
	for name, query := range map[string]storage.TokenQuery{
		"client": {JTI: live.JTI, ClientID: "nobody", GrantID: live.GrantID, UserID: live.UserID},
		"grant":  {JTI: live.JTI, ClientID: live.ClientID, GrantID: "none", UserID: live.UserID},
		"user":   {JTI: live.JTI, ClientID: live.ClientID, GrantID: live.GrantID, UserID: "NOBODY"},
	} {
		if w.active(query) {
			w.Errorf("active with an absent %s", name)
		}
	}
}

func tokenRevoked(w *World) {
	live, other := w.liveToken(), w.liveToken()
	w.Must(w.Store.RevokeToken(w.Ctx(), w.Act(), live.JTI, w.Now().Add(time.Hour)))
	w.Equal(false, w.active(live))
	w.Equal(true, w.active(other))
}

func tokenGrantRevoked(w *World) {
	live := w.liveToken()
	w.Must(w.Store.RevokeGrant(w.Ctx(), w.Act(), live.GrantID))
	w.Equal(false, w.active(live))
}

func tokenDisabled(w *World) {
	live := w.liveToken()
	withoutGrant := storage.TokenQuery{ClientID: live.ClientID, UserID: live.UserID}
	for _, disabled := range []bool{true, false} {
		w.Must(w.Store.SetUserDisabled(w.Ctx(), w.Act(), live.UserID, disabled))
		w.Equal(!disabled, w.active(withoutGrant))
	}
	for _, disabled := range []bool{true, false} {
		w.Must(w.Store.SetClientDisabled(w.Ctx(), w.Act(), live.ClientID, disabled))
		w.Equal(!disabled, w.active(withoutGrant))
	}
	w.Equal(false, w.active(live)) // its grant stays revoked
}

func revokeTwice(w *World) {
	for range 2 {
		w.Must(w.Store.RevokeToken(w.Ctx(), w.Act(), "j", w.Now().Add(time.Hour)))
	}
	w.Audited("j", "token.revoked")
}
