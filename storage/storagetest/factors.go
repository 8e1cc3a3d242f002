package storagetest

import (
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

func factorChecks() []check {
	return []check{
		{"AddPasskey ends all sessions but one, and grants, and is told of the user", addPasskey},
		{"RemovePasskey takes the last way in from nobody", lastPasskey},
		{"a credential is one person's, and nobody has more passkeys than MaxPasskeys", passkeyLimits},
		{"recovery codes come with the first factor and go with the last", codesOfFactors},
		{"UsePasskey lets the counter go forward alone, where there is one", usePasskey},
		{"of fifty who use one answer of a passkey one wins", racePasskey},
		{"RemoveFactors leaves nothing", removeFactors},
		{"AddAuthenticator ends all sessions but one, and grants, and is told of the user", addAuthenticator},
		{"who is not signed in, or no more, adds no factor beside one that is there", addsNoneBeside},
		{"of those who add a first factor at once, of either kind, one wins", raceFirstFactor},
		{"there is one authenticator a user, of those who add one at once one wins", raceAddAuthenticator},
		{"SpendStep takes a code once, and none before it", spendStep},
		{"of fifty who use one code of an authenticator one wins", raceStep},
		{"a sign-in takes each recovery code once, of its own user, and none for nothing", spendRecoveryCode},
		{"of fifty who use one recovery code one wins", raceRecoveryCode},
		{"ReplaceRecoveryCodes voids those before, and ends what was begun", replaceRecoveryCodes},
		{"RemoveAuthenticator leaves nothing, and ends sessions and grants", removeAuthenticator},
	}
}

// Authenticator gives the user one, with two recovery codes.
func (w *World) Authenticator(userID string) storage.Authenticator {
	w.Helper()
	a := storage.Authenticator{UserID: userID, Secret: []byte("sealed " + userID), LastStep: 100, CreatedAt: w.Now()}
	_, err := w.Store.AddAuthenticator(w.Ctx(), w.Act(), a, [][]byte{[]byte("one"), []byte("two")}, adding(w, userID),
		storage.Proof{})
	w.Must(err)
	return a
}

// adding is the session in which the user adds a factor: none for their first.
func adding(w *World, userID string) storage.LoginSession {
	w.Helper()
	if !w.hasTwoFactors(userID) {
		return storage.LoginSession{}
	}
	return w.Session(userID)
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
	first, err := w.Store.AddAuthenticator(w.Ctx(), w.Act(), a, [][]byte{{1}, {2}, {3}}, kept, storage.Proof{})
	w.Must(err)
	w.Equal(true, first)
	w.Equal(storage.Factors{Authenticator: a, Codes: 3}, w.factors(user.ID))
	w.Equal([]string{"live", "ended", "live", "revoked"},
		[]string{w.sessionState(kept), w.sessionState(ended), w.sessionState(others), w.grantState(grant.ID)})
	w.Equal([]bool{true, false}, []bool{w.hasTwoFactors(user.ID), w.hasTwoFactors(other.ID)})
	strong, _, err := w.Store.FindSession(w.Ctx(), kept.TokenHash, w.Now(), w.Now())
	w.Must(err)
	w.Equal(kept, strong)
	w.Audited(user.ID, "user.factor_added", "user.signed_in", "user.signed_in", "user.signed_in", "user.created")
	_, err = w.Store.AddAuthenticator(w.Ctx(), w.Act(), a, nil, kept, storage.Proof{})
	w.Refused(err, fault.Conflict, storage.ReasonHasFactor)
	a.UserID = "NOBODY"
	_, err = w.Store.AddAuthenticator(w.Ctx(), w.Act(), a, nil, storage.LoginSession{}, storage.Proof{})
	w.Refused(err, fault.NotFound, "")
	w.Equal(storage.Factors{}, w.factors(other.ID))
	w.Must(w.Store.DeleteUser(w.Ctx(), w.Act(), user.ID))
	w.Equal(storage.Factors{}, w.factors(user.ID))
}

func addsNoneBeside(w *World) {
	for _, add := range []func(userID string){
		func(userID string) { w.Authenticator(userID) }, func(userID string) { w.Passkey(userID) },
	} {
		user := w.User()
		ended := w.Session(user.ID)
		for _, proof := range []storage.Proof{{Password: storage.PasswordDigest("another")}, {Passkey: "gone"},
			{Upstream: storage.UpstreamIdentity{UpstreamID: "gone"}}} { // what was shown counts no more
			_, err := w.Store.AddAuthenticator(w.Ctx(), w.Act(), storage.Authenticator{UserID: user.ID, Secret: []byte{1},
				CreatedAt: w.Now()}, nil, storage.LoginSession{}, proof)
			w.Equal(true, fault.Is(err, fault.Gone))
			_, err = w.Store.AddPasskey(w.Ctx(), w.Act(), w.passkey(user.ID), nil, storage.LoginSession{}, proof)
			w.Equal(true, fault.Is(err, fault.Gone))
		}
		add(user.ID) // which ends all that was begun by the password alone
		before := w.factors(user.ID)
		for _, keep := range []storage.LoginSession{{}, ended} {
			_, err := w.Store.AddAuthenticator(w.Ctx(), w.Act(), storage.Authenticator{UserID: user.ID, Secret: []byte{1},
				CreatedAt: w.Now()}, [][]byte{{1}}, keep, storage.Proof{})
			w.Refused(err, fault.Conflict, storage.ReasonHasFactor)
			_, err = w.Store.AddPasskey(w.Ctx(), w.Act(), w.passkey(user.ID), [][]byte{{1}}, keep, storage.Proof{})
			w.Refused(err, fault.Conflict, storage.ReasonHasFactor)
		}
		w.Equal(before, w.factors(user.ID))
		w.Passkey(user.ID) // in a session
		w.Equal(len(before.Passkeys)+1, len(w.factors(user.ID).Passkeys))
	}
}

func raceFirstFactor(w *World) {
	user := w.User()
	var passkeys []storage.Passkey
	for range racers {
		passkeys = append(passkeys, w.passkey(user.ID))
	}
	w.oneWins(w.race(racers, func(store storage.Identity, i int) (err error) {
		if i%2 == 0 {
			_, err = store.AddPasskey(w.Ctx(), w.Act(), passkeys[i], nil, storage.LoginSession{}, storage.Proof{})
			return err
		}
		_, err = store.AddAuthenticator(w.Ctx(), w.Act(), storage.Authenticator{UserID: user.ID, Secret: []byte{byte(i)},
			CreatedAt: w.Now()}, nil, storage.LoginSession{}, storage.Proof{})
		return err
	}), fault.Conflict, storage.ReasonHasFactor)
}

func raceAddAuthenticator(w *World) {
	user := w.User()
	w.oneWins(w.race(racers, func(store storage.Identity, i int) error {
		_, err := store.AddAuthenticator(w.Ctx(), w.Act(), storage.Authenticator{UserID: user.ID, Secret: []byte{byte(i)},
			CreatedAt: w.Now()}, nil, storage.LoginSession{}, storage.Proof{})
		return err
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

// spendCode signs in with a recovery code, and nothing before it.
func spendCode(w *World, userID, code string) error {
	w.Helper()
	return w.Store.StartSession(w.Ctx(), w.Act(), newSession(w, userID),
		storage.Proof{TwoFactor: w.hasTwoFactors(userID), Recovery: []byte(code)})
}

func hasCode(w *World, userID, code string) bool {
	w.Helper()
	has, err := w.Store.HasRecoveryCode(w.Ctx(), userID, []byte(code))
	w.Must(err)
	return has
}

func spendRecoveryCode(w *World) {
	user, other := w.User(), w.User()
	w.Authenticator(user.ID)
	w.Equal([]bool{true, false, false},
		[]bool{hasCode(w, user.ID, "one"), hasCode(w, user.ID, "three"), hasCode(w, other.ID, "one")})
	w.Refused(spendCode(w, other.ID, "one"), fault.Gone, storage.ReasonSpent)
	w.Refused(spendCode(w, user.ID, "three"), fault.Gone, storage.ReasonSpent)
	w.Must(spendCode(w, user.ID, "one"))
	w.Audited(user.ID, "user.signed_in", "user.recovery_code_used", "user.factor_added", "user.created")
	w.Refused(spendCode(w, user.ID, "one"), fault.Gone, storage.ReasonSpent)
	session := w.Session(user.ID)
	taken, over := newSession(w, user.ID), storage.Proof{Password: []byte("of another password"), Recovery: []byte("two")}
	w.Refused(w.Store.StartSession(w.Ctx(), w.Act(), taken, over), fault.Gone, storage.ReasonSignInOver)
	taken.ID, over = session.ID, storage.Proof{TwoFactor: true, Recovery: []byte("two")}
	if err := w.Store.StartSession(w.Ctx(), w.Act(), taken, over); err == nil {
		w.Error("there are two sessions of one id")
	}
	w.Equal(true, hasCode(w, user.ID, "two")) // who is not signed in has used none
	w.Must(w.Store.RenewSession(w.Ctx(), w.Act(), session, over))
	w.Equal(0, w.factors(user.ID).Codes)
}

func raceRecoveryCode(w *World) {
	user := w.User()
	w.Authenticator(user.ID)
	var sessions []storage.LoginSession
	for range racers {
		sessions = append(sessions, newSession(w, user.ID))
	}
	w.oneWins(w.race(racers, func(store storage.Identity, i int) error {
		return store.StartSession(w.Ctx(), w.Act(), sessions[i], storage.Proof{TwoFactor: true, Recovery: []byte("two")})
	}), fault.Gone, storage.ReasonSpent)
}

func replaceRecoveryCodes(w *World) {
	user := w.User()
	w.Refused(w.Store.ReplaceRecoveryCodes(w.Ctx(), w.Act(), user.ID, [][]byte{{9}}, ""), fault.NotFound, "")
	w.Authenticator(user.ID)
	kept, ended, grant := w.Session(user.ID), w.Session(user.ID), w.Grant(user.ID, w.Client().ID)
	w.Must(w.Store.ReplaceRecoveryCodes(w.Ctx(), w.Act(), user.ID, [][]byte{{9}}, kept.ID))
	w.Audited(user.ID, "user.recovery_codes_made", "user.signed_in", "user.signed_in", "user.signed_in",
		"user.factor_added", "user.created")
	w.Equal([]string{"live", "ended", "revoked"},
		[]string{w.sessionState(kept), w.sessionState(ended), w.grantState(grant.ID)})
	w.Refused(spendCode(w, user.ID, "one"), fault.Gone, storage.ReasonSpent)
	w.Must(spendCode(w, user.ID, "\t"))
}

func removeAuthenticator(w *World) {
	user := w.User()
	w.Refused(w.Store.RemoveAuthenticator(w.Ctx(), w.Act(), user.ID, ""), fault.NotFound, "")
	w.Authenticator(user.ID)
	kept, ended, grant := w.Session(user.ID), w.Session(user.ID), w.Grant(user.ID, w.Client().ID)
	w.Must(w.Store.RemoveAuthenticator(w.Ctx(), w.Act(), user.ID, kept.ID))
	w.Audited(user.ID, "user.factor_removed", "user.signed_in", "user.signed_in", "user.signed_in",
		"user.factor_added", "user.created")
	w.Equal([]string{"live", "ended", "revoked"},
		[]string{w.sessionState(kept), w.sessionState(ended), w.grantState(grant.ID)})
	w.Equal(false, w.hasTwoFactors(user.ID))
	w.Refused(spendCode(w, user.ID, "one"), fault.Gone, storage.ReasonSpent)
	w.Refused(w.Store.RemoveAuthenticator(w.Ctx(), w.Act(), user.ID, ""), fault.NotFound, "")
	w.Authenticator(user.ID) // there can be another
}

func (w *World) factors(userID string) storage.Factors {
	w.Helper()
	f, err := w.Store.FindFactors(w.Ctx(), userID)
	w.Must(err)
	return f
}

// Passkey gives the user one, with two recovery codes if it is their first factor.
func (w *World) Passkey(userID string) storage.Passkey {
	w.Helper()
	p := w.passkey(userID)
	_, err := w.Store.AddPasskey(w.Ctx(), w.Act(), p, [][]byte{[]byte("one"), []byte("two")}, adding(w, userID),
		storage.Proof{})
	w.Must(err)
	return p
}

func (w *World) passkey(userID string) storage.Passkey {
	return storage.Passkey{
		ID: w.Source.UID(), UserID: userID, Credential: w.Source.Bytes(16), PublicKey: []byte{1, 2},
		Label: "Phone", CreatedAt: w.Now(),
	}
}

func addPasskey(w *World) {
	user := w.User()
	kept, ended, grant := w.Session(user.ID), w.Session(user.ID), w.Grant(user.ID, w.Client().ID)
	kept.ACR, kept.AMR = storage.ACRTwoFactors, storage.AMRPasskey()
	p := w.passkey(user.ID)
	first, err := w.Store.AddPasskey(w.Ctx(), w.Act(), p, [][]byte{{1}, {2}}, kept, storage.Proof{})
	w.Must(err)
	w.Equal(true, first)
	w.Equal(storage.Factors{Passkeys: []storage.Passkey{p}, Codes: 2}, w.factors(user.ID))
	w.Equal([]string{"live", "ended", "revoked"},
		[]string{w.sessionState(kept), w.sessionState(ended), w.grantState(grant.ID)})
	w.Equal(true, w.hasTwoFactors(user.ID))
	w.Audited(user.ID, "user.factor_added", "user.signed_in", "user.signed_in", "user.signed_in", "user.created")
	found, err := w.Store.FindPasskey(w.Ctx(), p.Credential)
	w.Must(err)
	w.Equal(p, found)
	_, err = w.Store.FindPasskey(w.Ctx(), []byte("none"))
	w.Refused(err, fault.NotFound, "")
	w.Must(w.Store.RemovePasskey(w.Ctx(), w.Act(), user.ID, p.ID, kept.ID))
	w.Equal([]any{"live", false, storage.Factors{}},
		[]any{w.sessionState(kept), w.hasTwoFactors(user.ID), w.factors(user.ID)})
	w.Refused(w.Store.RemovePasskey(w.Ctx(), w.Act(), user.ID, p.ID, ""), fault.NotFound, "")
	err = w.Store.StartSession(w.Ctx(), w.Act(), w.renewed(kept), storage.Proof{Passkey: p.ID})
	w.Refused(err, fault.Gone, storage.ReasonSignInOver)
}

func lastPasskey(w *World) {
	user := w.User()
	w.Must(w.Store.SetPassword(w.Ctx(), w.Act(), user.ID, "", ""))
	w.Authenticator(user.ID) // lets nobody in by itself
	one, other := w.Passkey(user.ID), w.Passkey(user.ID)
	w.Must(w.Store.RemovePasskey(w.Ctx(), w.Act(), user.ID, one.ID, ""))
	refused := func() {
		w.Helper()
		w.Refused(w.Store.RemovePasskey(w.Ctx(), w.Act(), user.ID, other.ID, ""), fault.Conflict, storage.ReasonLastWayIn)
	}
	refused()
	w.Equal(1, len(w.factors(user.ID).Passkeys))
	w.Upstream("up")
	identity := storage.UpstreamIdentity{UpstreamID: "up", Issuer: "i", Subject: "s", UserID: user.ID, LinkedAt: w.Now()}
	w.Must(w.Store.LinkIdentity(w.Ctx(), w.Act(), identity))
	w.Must(w.Store.SetUpstreamDisabled(w.Ctx(), w.Act(), "up", true))
	refused()
	w.Must(w.Store.SetUpstreamDisabled(w.Ctx(), w.Act(), "up", false))
	w.Must(w.Store.RemovePasskey(w.Ctx(), w.Act(), user.ID, other.ID, ""))
}

func passkeyLimits(w *World) {
	user, other := w.User(), w.User()
	p := w.Passkey(user.ID)
	taken := w.passkey(other.ID)
	taken.Credential = p.Credential
	_, err := w.Store.AddPasskey(w.Ctx(), w.Act(), taken, nil, storage.LoginSession{}, storage.Proof{})
	w.Refused(err, fault.Conflict, storage.ReasonHasFactor)
	w.Equal(false, w.hasTwoFactors(other.ID))
	w.Refused(w.Store.RemovePasskey(w.Ctx(), w.Act(), other.ID, p.ID, ""), fault.NotFound, "")
	for range storage.MaxPasskeys - 1 {
		w.Passkey(user.ID)
	}
	_, err = w.Store.AddPasskey(w.Ctx(), w.Act(), w.passkey(user.ID), nil, w.Session(user.ID), storage.Proof{})
	w.Refused(err, fault.Conflict, storage.ReasonPasskeyFull)
}

func codesOfFactors(w *World) {
	user := w.User()
	a := w.Authenticator(user.ID)
	first, err := w.Store.AddPasskey(w.Ctx(), w.Act(), w.passkey(user.ID), [][]byte{{9}}, w.Session(user.ID),
		storage.Proof{})
	w.Must(err)
	w.Equal([]any{false, 2}, []any{first, w.factors(user.ID).Codes})
	w.Must(w.Store.RemoveAuthenticator(w.Ctx(), w.Act(), user.ID, ""))
	w.Equal([]any{true, 2}, []any{w.hasTwoFactors(user.ID), w.factors(user.ID).Codes})
	first, err = w.Store.AddAuthenticator(w.Ctx(), w.Act(), a, [][]byte{{9}}, w.Session(user.ID), storage.Proof{})
	w.Must(err)
	w.Equal(false, first)
	w.Must(w.Store.RemoveAuthenticator(w.Ctx(), w.Act(), user.ID, ""))
	w.Must(w.Store.RemovePasskey(w.Ctx(), w.Act(), user.ID, w.factors(user.ID).Passkeys[0].ID, ""))
	w.Equal([]any{false, 0}, []any{w.hasTwoFactors(user.ID), w.factors(user.ID).Codes})
}

func usePasskey(w *World) {
	user := w.User()
	plain, counting := w.Passkey(user.ID), w.Passkey(user.ID)
	use := func(p storage.Passkey, counter int64) error {
		return w.Store.UsePasskey(w.Ctx(), p.ID, counter, w.Now())
	}
	for range 2 {
		w.Must(use(plain, 0))
	}
	w.Must(use(counting, 4_000_000_000))
	for _, counter := range []int64{0, 7, 4_000_000_000} {
		w.Refused(use(counting, counter), fault.Gone, storage.ReasonSpent)
	}
	w.Must(use(counting, 4_000_000_001))
	found, err := w.Store.FindPasskey(w.Ctx(), counting.Credential)
	w.Must(err)
	w.Equal([]any{int64(4_000_000_001), w.Now()}, []any{found.Counter, found.LastUsedAt})
	counting.ID = "none"
	w.Refused(use(counting, 4_000_000_002), fault.Gone, storage.ReasonSpent)
}

func racePasskey(w *World) {
	p := w.Passkey(w.User().ID)
	w.oneWins(w.race(racers, func(store storage.Identity, _ int) error {
		return store.UsePasskey(w.Ctx(), p.ID, 1, w.Now())
	}), fault.Gone, storage.ReasonSpent)
}

func removeFactors(w *World) {
	user := w.User()
	w.Refused(w.Store.RemoveFactors(w.Ctx(), w.Act(), user.ID), fault.NotFound, "")
	w.Authenticator(user.ID)
	w.Passkey(user.ID)
	session, grant := w.Session(user.ID), w.Grant(user.ID, w.Client().ID)
	w.Must(w.Store.RemoveFactors(w.Ctx(), w.Act(), user.ID))
	w.Equal([]string{"ended", "revoked"}, []string{w.sessionState(session), w.grantState(grant.ID)})
	w.Equal([]any{false, storage.Factors{}}, []any{w.hasTwoFactors(user.ID), w.factors(user.ID)})
}
