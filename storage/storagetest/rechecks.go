package storagetest

import (
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

func keepRecheck(w *World) {
	w.Upstream("up")
	identity := w.identity("up", w.User().ID)
	other := w.identity("up", w.User().ID)
	recheck := storage.UpstreamRecheck{UpstreamID: "up", Issuer: identity.Issuer, Subject: identity.Subject,
		AskedAt: w.Now(), ToldAt: w.Now()}
	all := func(userID string) []storage.UpstreamRecheck {
		w.Helper()
		all, err := w.Store.ListRechecks(w.Ctx(), "up", userID)
		w.Must(err)
		return all
	}
	w.Must(w.Store.KeepRecheck(w.Ctx(), recheck)) // nothing to ask with
	w.Equal(0, len(all(identity.UserID)))
	recheck.Token = []byte{1}
	w.Must(w.Store.KeepRecheck(w.Ctx(), recheck))
	recheck.UserID = identity.UserID
	w.Equal([]storage.UpstreamRecheck{recheck}, all(identity.UserID))
	w.Equal(0, len(all(other.UserID)))
	later := w.Now().Add(time.Minute)
	won := make([]bool, racers)
	for _, err := range w.race(racers, func(store storage.Identity, i int) (err error) {
		won[i], err = store.ClaimRecheck(w.Ctx(), recheck, later)
		return err
	}) {
		w.Must(err)
	}
	one := 0
	for _, yes := range won {
		if yes {
			one++
		}
	}
	w.Equal(1, one)
	recheck.AskedAt = later
	w.Equal([]storage.UpstreamRecheck{recheck}, all(identity.UserID))
	recheck.ToldAt = later
	w.Must(w.Store.KeepRecheck(w.Ctx(), storage.UpstreamRecheck{UpstreamID: "up", Issuer: identity.Issuer,
		Subject: identity.Subject, AskedAt: later, ToldAt: later}))
	w.Equal([]storage.UpstreamRecheck{recheck}, all(identity.UserID))
	ended := func() {
		w.Helper()
		w.Must(w.Store.KeepRecheck(w.Ctx(), recheck)) // of one that has ended nothing is kept
		identity.EndedAt = time.Time{}
		w.Must(w.Store.NoteIdentity(w.Ctx(), identity))
		w.Equal(0, len(all(identity.UserID)))
		w.Must(w.Store.KeepRecheck(w.Ctx(), recheck))
	}
	w.Must(w.Store.EndIdentity(w.Ctx(), w.Act(), identity))
	ended()
	w.Must(w.Store.EndRechecked(w.Ctx(), w.Act(), recheck))
	ended()
	session, _ := w.sessionBy(identity, "")
	late := recheck // they have come by it since, with or without another token
	for _, change := range []func(){func() { recheck.Token = []byte{2} }, func() { recheck.ToldAt = w.Now() }} {
		change()
		w.Must(w.Store.KeepRecheck(w.Ctx(), recheck))
		w.Refused(w.Store.EndRechecked(w.Ctx(), w.Act(), late), fault.Conflict, storage.ReasonToldSince)
		w.Equal("live", w.sessionState(session))
		late.Token = recheck.Token
	}
	w.Must(w.Store.EndRechecked(w.Ctx(), w.Act(), recheck))
	w.Equal("ended", w.sessionState(session))
	ended()
	endOf(w, "up", storage.UpstreamEnds{})
	w.Equal(1, len(all(identity.UserID)))
	endOf(w, "up", storage.UpstreamEnds{Rechecks: true})
	w.Equal(0, len(all(identity.UserID)))
	word := logoutOf(w, identity, "")
	word.EndGrants = true
	w.Must(w.Store.HearLogout(w.Ctx(), w.Act(), word))
	ended()
	force := w.Act()
	force.Force = true
	w.Must(w.Store.UnlinkIdentity(w.Ctx(), force, identity))
	w.Must(w.Store.LinkIdentity(w.Ctx(), w.Act(), identity))
	w.Equal(0, len(all(identity.UserID)))
}

func dueRechecks(w *World) {
	w.Upstream("up")
	w.Upstream("other")
	began := w.Now()
	sessions := map[string]storage.LoginSession{}
	due := func(want []string, of storage.RecheckDue, limit int) {
		w.Helper()
		of.UpstreamID, of.Now = "up", w.Now()
		if of.AskedAfter.IsZero() {
			of.AskedAfter = began.Add(24 * time.Hour)
		}
		got, err := w.Store.ListDueRechecks(w.Ctx(), of, limit)
		w.Must(err)
		var ids []string
		for _, one := range got {
			ids = append(ids, one.UserID)
		}
		w.Equal(want, ids)
	}
	var ids []string
	for i := range 4 {
		at := began.Add(time.Duration(i) * time.Minute)
		identity := w.identity("up", w.User().ID)
		ids = append(ids, identity.UserID)
		sessions[identity.UserID], _ = w.sessionBy(identity, "")
		w.Must(w.Store.KeepRecheck(w.Ctx(), storage.UpstreamRecheck{UpstreamID: "up", Issuer: identity.Issuer,
			Subject: identity.Subject, Token: []byte{1}, AskedAt: at, ToldAt: began}))
	}
	w.identity("other", ids[0])
	soon := began.Add(time.Hour)
	due(ids, storage.RecheckDue{AskedBefore: soon, ToldBefore: soon}, 10)
	due(ids[:2], storage.RecheckDue{AskedBefore: soon, ToldBefore: soon}, 2)
	due(ids[:2], storage.RecheckDue{AskedBefore: began.Add(time.Minute), ToldBefore: soon}, 10)
	due(nil, storage.RecheckDue{AskedBefore: soon, ToldBefore: began.Add(-time.Second)}, 10)
	due(ids, storage.RecheckDue{AskedBefore: soon}, 10)
	due(ids[2:], storage.RecheckDue{AskedAfter: began.Add(2 * time.Minute)}, 10)
	own := w.Session(ids[0])
	w.Must(w.Store.EndUpstreamSessions(w.Ctx(), w.Act(), "up", ids[0]))
	w.Must(w.Store.EndUpstreamSessions(w.Ctx(), w.Act(), "up", ids[0])) // once more is nothing
	w.Equal([]string{"ended", "live", "live"}, []string{w.sessionState(sessions[ids[0]]), w.sessionState(own),
		w.sessionState(sessions[ids[1]])})
	due(ids[1:], storage.RecheckDue{AskedBefore: soon, ToldBefore: soon}, 10)
	w.Clock.Advance(61 * time.Minute) // their sessions have expired
	due(nil, storage.RecheckDue{AskedBefore: soon, ToldBefore: soon}, 10)
}
