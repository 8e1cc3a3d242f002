package storagetest

import (
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

func factorChecks() []check {
	return []check{
		{"AddAuthenticator ends all sessions but one, and grants, and is told of the user", addAuthenticator},
		{"there is one authenticator a user, of those who add one at once one wins", raceAddAuthenticator},
		{"SpendStep takes a code once, and none before it", spendStep},
		{"of fifty who use one code of an authenticator one wins", raceStep},
		{"SpendRecoveryCode takes each code once, of its own user", spendRecoveryCode},
		{"of fifty who use one recovery code one wins", raceRecoveryCode},
		{"ReplaceRecoveryCodes voids those before", replaceRecoveryCodes},
		{"RemoveAuthenticator leaves nothing, and ends sessions and grants", removeAuthenticator},
		{"ResealAuthenticator replaces the secret that was read, and nothing else", resealAuthenticator},
	}
}

// Authenticator gives the user one, with two recovery codes.
func (w *World) Authenticator(userID string) storage.Authenticator {
	w.Helper()
	a := storage.Authenticator{UserID: userID, Secret: []byte("sealed " + userID), LastStep: 100, CreatedAt: w.Now()}
	w.Must(w.Store.AddAuthenticator(w.Ctx(), w.Act(), a, [][]byte{[]byte("one"), []byte("two")}, storage.LoginSession{}))
	a.Codes = 2
	return a
}

func (w *World) hasTwoFactors(userID string) bool {
	w.Helper()
	user, err := w.Store.FindUser(w.Ctx(), userID)
	w.Must(err)
	return user.TwoFactor
}

func addAuthenticator(w *World) {
	user, other := w.User(), w.User()
	kept, ended, others := w.Session(user.ID), w.Session(user.ID), w.Session(other.ID)
	grant := w.Grant(user.ID, w.Client().ID)
	kept.ACR, kept.AMR = storage.ACRTwoFactors, storage.AMRTwoFactors()
	a := storage.Authenticator{UserID: user.ID, Secret: []byte{1, 2}, LastStep: 7, CreatedAt: w.Now()}
	w.Must(w.Store.AddAuthenticator(w.Ctx(), w.Act(), a, [][]byte{{1}, {2}, {3}}, kept))
	got, err := w.Store.FindAuthenticator(w.Ctx(), user.ID)
	w.Must(err)
	a.Codes = 3
	w.Equal(a, got)
	w.Equal([]string{"live", "ended", "live", "revoked"},
		[]string{w.sessionState(kept), w.sessionState(ended), w.sessionState(others), w.grantState(grant.ID)})
	w.Equal([]bool{true, false}, []bool{w.hasTwoFactors(user.ID), w.hasTwoFactors(other.ID)})
	strong, _, err := w.Store.FindSession(w.Ctx(), kept.TokenHash, w.Now(), w.Now())
	w.Must(err)
	w.Equal(kept, strong)
	w.Audited(user.ID, "user.factor_added", "user.signed_in", "user.signed_in", "user.signed_in", "user.created")
	w.Refused(w.Store.AddAuthenticator(w.Ctx(), w.Act(), a, nil, kept), fault.Conflict, storage.ReasonHasFactor)
	a.UserID = "NOBODY"
	w.Refused(w.Store.AddAuthenticator(w.Ctx(), w.Act(), a, nil, storage.LoginSession{}), fault.NotFound, "")
	_, err = w.Store.FindAuthenticator(w.Ctx(), other.ID)
	w.Refused(err, fault.NotFound, "")
	w.Must(w.Store.DeleteUser(w.Ctx(), w.Act(), user.ID))
	_, err = w.Store.FindAuthenticator(w.Ctx(), user.ID)
	w.Refused(err, fault.NotFound, "")
}

func raceAddAuthenticator(w *World) {
	user := w.User()
	w.oneWins(w.race(racers, func(store storage.Identity, i int) error {
		return store.AddAuthenticator(w.Ctx(), w.Act(), storage.Authenticator{UserID: user.ID, Secret: []byte{byte(i)}, CreatedAt: w.Now()}, nil, storage.LoginSession{})
	}), fault.Conflict, storage.ReasonHasFactor)
}

func spendStep(w *World) {
	user := w.User()
	w.Refused(w.Store.SpendStep(w.Ctx(), user.ID, 101), fault.Gone, storage.ReasonSpent)
	w.Authenticator(user.ID)
	for _, used := range []int64{99, 100} {
		w.Refused(w.Store.SpendStep(w.Ctx(), user.ID, used), fault.Gone, storage.ReasonSpent)
	}
	w.Must(w.Store.SpendStep(w.Ctx(), user.ID, 102))
	for _, used := range []int64{101, 102} {
		w.Refused(w.Store.SpendStep(w.Ctx(), user.ID, used), fault.Gone, storage.ReasonSpent)
	}
	w.Must(w.Store.SpendStep(w.Ctx(), user.ID, 103))
}

func raceStep(w *World) {
	user := w.User()
	w.Authenticator(user.ID)
	w.oneWins(w.race(racers, func(store storage.Identity, _ int) error {
		return store.SpendStep(w.Ctx(), user.ID, 101)
	}), fault.Gone, storage.ReasonSpent)
}

func spendRecoveryCode(w *World) {
	user, other := w.User(), w.User()
	w.Authenticator(user.ID)
	w.Refused(w.Store.SpendRecoveryCode(w.Ctx(), w.Act(), other.ID, []byte("one")), fault.Gone, storage.ReasonSpent)
	w.Refused(w.Store.SpendRecoveryCode(w.Ctx(), w.Act(), user.ID, []byte("three")), fault.Gone, storage.ReasonSpent)
	w.Must(w.Store.SpendRecoveryCode(w.Ctx(), w.Act(), user.ID, []byte("one")))
	w.Audited(user.ID, "user.recovery_code_used", "user.factor_added", "user.created")
	w.Refused(w.Store.SpendRecoveryCode(w.Ctx(), w.Act(), user.ID, []byte("one")), fault.Gone, storage.ReasonSpent)
	got, err := w.Store.FindAuthenticator(w.Ctx(), user.ID)
	w.Must(err)
	w.Equal(1, got.Codes)
}

func raceRecoveryCode(w *World) {
	user := w.User()
	w.Authenticator(user.ID)
	w.oneWins(w.race(racers, func(store storage.Identity, _ int) error {
		return store.SpendRecoveryCode(w.Ctx(), w.Act(), user.ID, []byte("two"))
	}), fault.Gone, storage.ReasonSpent)
}

func replaceRecoveryCodes(w *World) {
	user := w.User()
	w.Refused(w.Store.ReplaceRecoveryCodes(w.Ctx(), w.Act(), user.ID, [][]byte{{9}}), fault.NotFound, "")
	w.Authenticator(user.ID)
	session := w.Session(user.ID)
	w.Must(w.Store.ReplaceRecoveryCodes(w.Ctx(), w.Act(), user.ID, [][]byte{{9}}))
	w.Audited(user.ID, "user.recovery_codes_made", "user.signed_in", "user.factor_added", "user.created")
	w.Equal("live", w.sessionState(session))
	w.Refused(w.Store.SpendRecoveryCode(w.Ctx(), w.Act(), user.ID, []byte("one")), fault.Gone, storage.ReasonSpent)
	w.Must(w.Store.SpendRecoveryCode(w.Ctx(), w.Act(), user.ID, []byte{9}))
}

func removeAuthenticator(w *World) {
	user := w.User()
	w.Refused(w.Store.RemoveAuthenticator(w.Ctx(), w.Act(), user.ID, ""), fault.NotFound, "")
	w.Authenticator(user.ID)
	kept, ended, grant := w.Session(user.ID), w.Session(user.ID), w.Grant(user.ID, w.Client().ID)
	w.Must(w.Store.RemoveAuthenticator(w.Ctx(), w.Act(), user.ID, kept.ID))
	w.Audited(user.ID, "user.factor_removed", "user.signed_in", "user.signed_in", "user.signed_in", "user.factor_added", "user.created")
	w.Equal([]string{"live", "ended", "revoked"}, []string{w.sessionState(kept), w.sessionState(ended), w.grantState(grant.ID)})
	w.Equal(false, w.hasTwoFactors(user.ID))
	w.Refused(w.Store.SpendRecoveryCode(w.Ctx(), w.Act(), user.ID, []byte("one")), fault.Gone, storage.ReasonSpent)
	w.Refused(w.Store.RemoveAuthenticator(w.Ctx(), w.Act(), user.ID, ""), fault.NotFound, "")
	w.Authenticator(user.ID) // there can be another
}

func resealAuthenticator(w *World) {
	a, b := w.Authenticator(w.User().ID), w.Authenticator(w.User().ID)
	w.Must(w.Store.ResealAuthenticator(w.Ctx(), a.UserID, a.Secret, []byte("fresh")))
	w.Must(w.Store.ResealAuthenticator(w.Ctx(), b.UserID, []byte("not it"), []byte("fresh")))
	all, err := w.Store.ListSealedAuthenticators(w.Ctx(), "", 10)
	w.Must(err)
	got := map[string]string{}
	for _, one := range all {
		got[one.UserID] = string(one.Secret)
	}
	w.Equal(map[string]string{a.UserID: "fresh", b.UserID: string(b.Secret)}, got)
	some, err := w.Store.ListSealedAuthenticators(w.Ctx(), all[0].UserID, 1)
	w.Must(err)
	w.Equal(all[1:], some)
}
