package storagetest

import (
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

func sessionChecks() []check {
	return []check{
		{"StartSession adds a session that FindSession returns with its user, and sets LastSignInAt", startSession},
		{"StartSession is NotFound for a disabled user", startSessionDisabled},
		{"StartSession and RenewSession look again at what the sign-in rests on", lookAgain},
		{"FindSession is NotFound when the session expired, was idle, ended, or is unknown", findSessionNot},
		{"FindSession is NotFound when the user is disabled or gone", findSessionUser},
		{"TouchSession moves LastSeenAt forward, and back only where a clock was ahead", touchSession},
		{"ListSessions returns the user's live sessions, newest AuthTime first", listSessions},
		{"EndSession ends one session, and an absent one is no error", endSession},
		{"EndSessions ends all but one and revokes the user's grants", endSessions},
	}
}

func startSession(w *World) {
	user := w.User()
	w.Clock.Advance(time.Minute)
	session := w.Session(user.ID)
	got, gotUser, err := w.Store.FindSession(w.Ctx(), session.TokenHash, w.Now(), w.Now())
	w.Must(err)
	w.Equal(session, got)
	user.LastSignInAt = w.Now()
	w.Equal(user, gotUser)
	w.Audited(user.ID, "user.signed_in", "user.created")
}

func startSessionDisabled(w *World) {
	user := w.User()
	w.Must(w.Store.SetUserDisabled(w.Ctx(), w.Act(), user.ID, true))
	session := storage.LoginSession{
		ID: "s", TokenHash: []byte{1}, UserID: user.ID, AuthTime: w.Now(), CreatedAt: w.Now(), LastSeenAt: w.Now(),
		ExpiresAt: w.Now().Add(time.Hour),
	}
	w.Refused(w.Store.StartSession(w.Ctx(), w.Act(), session, storage.Proof{}), fault.NotFound, "")
	got, err := w.Store.FindUser(w.Ctx(), user.ID)
	w.Must(err)
	w.Equal(time.Time{}, got.LastSignInAt)
}

func findSessionNot(w *World) {
	session := w.Session(w.User().ID)
	find := func(hash []byte, now, idleSince time.Time) error {
		_, _, err := w.Store.FindSession(w.Ctx(), hash, now, idleSince)
		return err
	}
	moment := time.Microsecond
	w.Must(find(session.TokenHash, session.ExpiresAt.Add(-moment), session.LastSeenAt))
	w.Refused(find(session.TokenHash, session.ExpiresAt, session.LastSeenAt), fault.NotFound, "")
	w.Refused(find(session.TokenHash, w.Now(), session.LastSeenAt.Add(moment)), fault.NotFound, "")
	w.Refused(find([]byte("unknown"), w.Now(), w.Now()), fault.NotFound, "")
	w.Must(w.Store.EndSession(w.Ctx(), w.Act(), session.ID))
	w.Refused(find(session.TokenHash, w.Now(), w.Now()), fault.NotFound, "")
}

func findSessionUser(w *World) {
	disabled, deleted := w.User(), w.User()
	first, second := w.Session(disabled.ID), w.Session(deleted.ID)
	w.Must(w.Store.SetUserDisabled(w.Ctx(), w.Act(), disabled.ID, true))
	w.Must(w.Store.DeleteUser(w.Ctx(), w.Act(), deleted.ID))
	w.Equal("ended", w.sessionState(first))
	w.Equal("ended", w.sessionState(second))
}

func touchSession(w *World) {
	session := w.Session(w.User().ID)
	later := w.Now().Add(time.Minute)
	w.Must(w.Store.TouchSession(w.Ctx(), session.ID, later))
	w.Must(w.Store.TouchSession(w.Ctx(), session.ID, w.Now()))
	w.Must(w.Store.TouchSession(w.Ctx(), "unknown", later))
	got, _, err := w.Store.FindSession(w.Ctx(), session.TokenHash, w.Now(), w.Now())
	w.Must(err)
	session.LastSeenAt = later
	w.Equal(session, got)
	for _, at := range []time.Duration{time.Hour, time.Hour - storage.SeenAhead, 0} {
		w.Must(w.Store.TouchSession(w.Ctx(), session.ID, w.Now().Add(at)))
		got, _, err = w.Store.FindSession(w.Ctx(), session.TokenHash, w.Now(), w.Now())
		w.Must(err)
		w.Equal(at == time.Hour-storage.SeenAhead, got.LastSeenAt.After(w.Now().Add(at)))
	}
}

func listSessions(w *World) {
	user, other := w.User(), w.User()
	w.Session(other.ID)
	expired := w.Session(user.ID)
	w.Clock.Advance(24 * time.Hour)
	idle := w.Session(user.ID)
	w.Clock.Advance(time.Hour)
	first := w.Session(user.ID)
	w.Clock.Advance(time.Second)
	second := w.Session(user.ID)
	got, err := w.Store.ListSessions(w.Ctx(), user.ID, w.Now(), w.Now().Add(-time.Minute))
	w.Must(err)
	w.Equal([]storage.LoginSession{second, first}, got)
	got, err = w.Store.ListSessions(w.Ctx(), user.ID, expired.ExpiresAt, time.Time{}.Add(time.Hour))
	w.Must(err)
	w.Equal([]storage.LoginSession{second, first, idle}, got)
}

func endSession(w *World) {
	user := w.User()
	session, other := w.Session(user.ID), w.Session(user.ID)
	for range 2 {
		w.Must(w.Store.EndSession(w.Ctx(), w.Act(), session.ID))
	}
	w.Equal("ended", w.sessionState(session))
	w.Equal("live", w.sessionState(other))
	w.Audited(user.ID, "session.ended", "user.signed_in", "user.signed_in", "user.created")
}

func endSessions(w *World) {
	user, other, client := w.User(), w.User(), w.Client()
	kept, ended, foreign := w.Session(user.ID), w.Session(user.ID), w.Session(other.ID)
	grant, foreignGrant, code := w.Grant(user.ID, client.ID), w.Grant(other.ID, client.ID), w.Code(user.ID, client.ID)
	w.Must(w.Store.EndSessions(w.Ctx(), w.Act(), user.ID, kept.ID))
	w.Equal("live", w.sessionState(kept))
	w.Equal("ended", w.sessionState(ended))
	w.Equal("live", w.sessionState(foreign))
	w.Equal("revoked", w.grantState(grant.ID))
	w.Equal("live", w.grantState(foreignGrant.ID))
	w.Refused(w.Store.RedeemCode(w.Ctx(), w.Act(), code.Hash, w.grantOf(code)), fault.Gone, storage.ReasonRevoked)
	w.Must(w.Store.EndSessions(w.Ctx(), w.Act(), user.ID, ""))
	w.Equal("ended", w.sessionState(kept))
	w.Must(w.Store.EndSessions(w.Ctx(), w.Act(), "NOBODY", ""))
}

func lookAgain(w *World) {
	user := w.User()
	w.Must(w.Store.SetPassword(w.Ctx(), w.Act(), user.ID, "a hash", ""))
	session := w.Session(user.ID)
	begin := func(proof storage.Proof) error {
		another := session
		another.ID, another.TokenHash = w.Source.UID(), w.Source.Bytes(32)
		renewed := session
		renewed.TokenHash = w.Source.Bytes(32)
		err := w.Store.StartSession(w.Ctx(), w.Act(), another, proof)
		w.Equal(err == nil, w.Store.RenewSession(w.Ctx(), w.Act(), renewed, proof) == nil)
		return err
	}
	good := storage.Proof{Password: storage.PasswordDigest("a hash")}
	w.Must(begin(good))
	w.Refused(begin(storage.Proof{Password: storage.PasswordDigest("another hash")}), fault.Gone, storage.ReasonSignInOver)
	w.Refused(begin(storage.Proof{TwoFactor: true}), fault.Gone, storage.ReasonSignInOver)
	w.Authenticator(user.ID)
	session = w.Session(user.ID)
	w.Refused(begin(good), fault.Gone, storage.ReasonSignInOver)
	good.TwoFactor = true
	w.Must(begin(good))
}
