package storagetest

import (
	"slices"
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

func logoutChecks() []check {
	return []check{
		{"RenewSession keeps ID, user and CreatedAt and replaces the rest", renewSession},
		{"RenewSession tells clients nothing", renewSessionTellsNobody},
		{"RenewSession is NotFound for an ended, expired or foreign session and a disabled user", renewSessionNot},
		{"EndSession makes a delivery for each client that joined and wants to know", endSessionTells},
		{"whatever else ends sessions makes deliveries too, but not for what it keeps", othersTell},
		{"an act that fails makes no delivery", failedEndTellsNobody},
		{"JoinSession may be repeated, and is NotFound for an ended session and an absent client", joinSession},
		{"of 50 ends of one session at once one makes the delivery", raceEndSession},
		{"50 joins at the end of a session either count or are NotFound", raceJoinSession},
		{"ListDueLogouts returns what is due, longest due first, at most limit and perClient", listDueLogouts},
		{"ListDueLogouts follows the client's address and leaves out clients that can't be told", dueLogoutsFollowClient},
		{"RecordLogoutAttempt counts attempts and notes the last", recordLogoutAttempt},
		{"ListLogoutDeliveries returns pages, newest first, of one client", listLogoutDeliveries},
		{"SweepExpired removes deliveries after a week, whatever became of them", sweepLogoutDeliveries},
	}
}

// listener adds a client that wants to be told of logouts.
func (w *World) listener() storage.Client {
	w.Helper()
	client := w.Client()
	client.BackchannelLogoutURI = "https://client.example.test/" + client.ID
	w.Must(w.Store.UpdateClient(w.Ctx(), w.Act(), client))
	return client
}

// joined starts a session that the clients join.
func (w *World) joined(userID string, clients ...storage.Client) storage.LoginSession {
	w.Helper()
	session := w.Session(userID)
	for _, client := range clients {
		w.Must(w.Store.JoinSession(w.Ctx(), session.ID, client.ID))
	}
	return session
}

// told returns the ids of the sessions whose end the client is told, sorted.
func (w *World) told(client storage.Client) []string {
	w.Helper()
	deliveries, _, err := w.Store.ListLogoutDeliveries(w.Ctx(), client.ID, storage.PageRequest{})
	w.Must(err)
	var ids []string
	for _, delivery := range deliveries {
		ids = append(ids, delivery.SessionID)
	}
	slices.Sort(ids)
	return ids
}

func sorted(ids ...string) []string {
	slices.Sort(ids)
	return ids
}

// renewed is the session after its user proved anew who they are.
func (w *World) renewed(session storage.LoginSession) storage.LoginSession {
	session.TokenHash, session.AuthTime, session.LastSeenAt = w.Source.Bytes(32), w.Now(), w.Now()
	session.ExpiresAt, session.ACR, session.AMR = w.Now().Add(24*time.Hour), "urn:portico:acr:2", []string{"pwd", "otp"}
	session.Address, session.UserAgent, session.MetRequest = "198.51.100.1", "Other", w.Source.Token()
	session.CameAt = time.Time{}
	return session
}

func renewSession(w *World) {
	user := w.User()
	former, other := w.Session(user.ID), w.Session(user.ID)
	w.Clock.Advance(time.Hour)
	fresh := w.renewed(former)
	given := fresh
	given.CreatedAt = w.Now() // is not taken over
	w.Must(w.Store.RenewSession(w.Ctx(), w.Act(), given, storage.Proof{}))
	got, gotUser, err := w.Store.FindSession(w.Ctx(), fresh.TokenHash, w.Now(), w.Now())
	w.Must(err)
	w.Equal(fresh, got)
	w.Equal(w.Now(), gotUser.LastSignInAt)
	w.Equal("ended", w.sessionState(former))
	w.Equal("live", w.sessionState(other))
	w.Audited(user.ID, "user.signed_in", "user.signed_in", "user.signed_in", "user.created")
}

func renewSessionTellsNobody(w *World) {
	user, client := w.User(), w.listener()
	session := w.joined(user.ID, client)
	w.Must(w.Store.RenewSession(w.Ctx(), w.Act(), w.renewed(session), storage.Proof{}))
	w.Equal(0, len(w.told(client)))
	w.Must(w.Store.EndSession(w.Ctx(), w.Act(), session.ID))
	w.Equal([]string{session.ID}, w.told(client))
}

func renewSessionNot(w *World) {
	user, other := w.User(), w.User()
	session := w.Session(user.ID)
	refused := func(change func(*storage.LoginSession)) {
		given := w.renewed(session)
		change(&given)
		w.Refused(w.Store.RenewSession(w.Ctx(), w.Act(), given, storage.Proof{}), fault.NotFound, "")
	}
	refused(func(s *storage.LoginSession) { s.ID = "unknown" })
	refused(func(s *storage.LoginSession) { s.UserID = other.ID })
	w.Equal("live", w.sessionState(session))
	found, err := w.Store.FindUser(w.Ctx(), other.ID)
	w.Must(err)
	w.Equal(time.Time{}, found.LastSignInAt) // nothing of a refused act is kept

	w.Must(w.Store.SetUserDisabled(w.Ctx(), w.Act(), user.ID, true))
	refused(func(*storage.LoginSession) {})
	w.Must(w.Store.SetUserDisabled(w.Ctx(), w.Act(), user.ID, false))
	refused(func(*storage.LoginSession) {}) // it has ended
	expired := w.Session(user.ID)
	given := w.renewed(expired)
	w.Clock.Advance(24 * time.Hour)
	w.Refused(w.Store.RenewSession(w.Ctx(), w.Act(), given, storage.Proof{}), fault.NotFound, "")
}

func endSessionTells(w *World) {
	user, first, second, deaf, disabled, stranger := w.User(), w.listener(), w.listener(), w.Client(),
		w.listener(), w.listener()
	session := w.joined(user.ID, first, second, deaf, disabled)
	w.joined(user.ID, stranger)
	w.Must(w.Store.SetClientDisabled(w.Ctx(), w.Act(), disabled.ID, true))
	w.Clock.Advance(time.Minute)
	for range 2 {
		w.Must(w.Store.EndSession(w.Ctx(), w.Act(), session.ID))
	}
	for _, client := range []storage.Client{deaf, disabled, stranger} {
		w.Equal(0, len(w.told(client)))
	}
	for _, client := range []storage.Client{first, second} {
		got, _, err := w.Store.ListLogoutDeliveries(w.Ctx(), client.ID, storage.PageRequest{})
		w.Must(err)
		w.Equal(1, len(got))
		w.Equal([]storage.LogoutDelivery{{
			ID: got[0].ID, ClientID: client.ID, URI: client.BackchannelLogoutURI, UserID: user.ID, SessionID: session.ID,
			Progress: storage.Progress{CreatedAt: w.Now(), NextAt: w.Now()},
		}}, got)
	}
}

func othersTell(w *World) {
	for _, end := range []func(userID, keep string) error{
		func(userID, keep string) error { return w.Store.EndSessions(w.Ctx(), w.Act(), userID, keep) },
		func(userID, keep string) error { return w.Store.SetPassword(w.Ctx(), w.Act(), userID, "hash", keep) },
		func(userID, _ string) error { return w.Store.SetUserDisabled(w.Ctx(), w.Act(), userID, true) },
		func(userID, _ string) error { return w.Store.DeleteUser(w.Ctx(), w.Act(), userID) },
	} {
		user, client := w.User(), w.listener()
		one, two, kept := w.joined(user.ID, client), w.joined(user.ID, client), w.joined(user.ID, client)
		w.joined(w.User().ID, client)
		w.Must(end(user.ID, kept.ID))
		want := sorted(one.ID, two.ID, kept.ID)
		if w.sessionState(kept) == "live" {
			want = sorted(one.ID, two.ID)
		}
		w.Equal(want, w.told(client))
	}
}

func failedEndTellsNobody(w *World) {
	client := w.listener()
	w.joined(w.User().ID, client)
	w.Must(w.Store.EndSession(w.Ctx(), w.Act(), "unknown"))
	w.Must(w.Store.EndSessions(w.Ctx(), w.Act(), "NOBODY", ""))
	w.Refused(w.Store.SetPassword(w.Ctx(), w.Act(), "NOBODY", "hash", ""), fault.NotFound, "")
	w.Refused(w.Store.DeleteUser(w.Ctx(), w.Act(), "NOBODY"), fault.NotFound, "")
	w.Equal(0, len(w.told(client)))
}

func joinSession(w *World) {
	user, client := w.User(), w.listener()
	session := w.joined(user.ID, client, client)
	w.Refused(w.Store.JoinSession(w.Ctx(), session.ID, "unknown"), fault.NotFound, "")
	w.Must(w.Store.EndSession(w.Ctx(), w.Act(), session.ID))
	w.Equal([]string{session.ID}, w.told(client))
	w.Refused(w.Store.JoinSession(w.Ctx(), session.ID, client.ID), fault.NotFound, "")
}

func raceEndSession(w *World) {
	user, client := w.User(), w.listener()
	session := w.joined(user.ID, client)
	act := w.Act()
	for _, err := range w.race(racers, func(store storage.Identity, i int) error {
		if i%10 == 0 {
			return store.EndSessions(w.Ctx(), act, user.ID, "")
		}
		return store.EndSession(w.Ctx(), act, session.ID)
	}) {
		w.Must(err)
	}
	w.Equal([]string{session.ID}, w.told(client))
}

func raceJoinSession(w *World) {
	user := w.User()
	session := w.Session(user.ID)
	clients := make([]storage.Client, racers)
	for i := range clients {
		clients[i] = w.listener()
	}
	act := w.Act()
	results := w.race(racers, func(store storage.Identity, i int) error {
		if i == racers/2 {
			return store.EndSession(w.Ctx(), act, session.ID)
		}
		return store.JoinSession(w.Ctx(), session.ID, clients[i].ID)
	})
	for i, err := range results {
		switch {
		case i == racers/2:
			w.Must(err)
		case err == nil:
			w.Equal([]string{session.ID}, w.told(clients[i]))
		default:
			w.Refused(err, fault.NotFound, "")
			w.Equal(0, len(w.told(clients[i])))
		}
	}
}

func (w *World) due(limit, perClient int) []storage.LogoutDelivery {
	w.Helper()
	due, err := w.Store.ListDueLogouts(w.Ctx(), w.Now(), limit, perClient)
	w.Must(err)
	return due
}

func listDueLogouts(w *World) {
	user, busy, quiet := w.User(), w.listener(), w.listener()
	var sessions []string
	for _, client := range []storage.Client{busy, busy, busy, quiet} {
		session := w.joined(user.ID, client)
		w.Must(w.Store.EndSession(w.Ctx(), w.Act(), session.ID))
		sessions = append(sessions, session.ID)
		w.Clock.Advance(time.Second)
	}
	ids := func(due []storage.LogoutDelivery) []string {
		var all []string
		for _, delivery := range due {
			all = append(all, delivery.SessionID)
		}
		return all
	}
	w.Equal(sessions, ids(w.due(10, 10)))
	w.Equal(sessions[:2], ids(w.due(2, 10)))
	w.Equal([]string{sessions[0], sessions[1], sessions[3]}, ids(w.due(10, 2)))

	first := w.due(1, 1)[0]
	w.Must(w.Store.RecordLogoutAttempt(w.Ctx(), storage.DeliveryAttempt{
		DeliveryID: first.ID, At: w.Now(), Failure: "down", NextAt: w.Now().Add(time.Minute),
	}))
	w.Equal(sessions[1:], ids(w.due(10, 10)))
	w.Clock.Advance(time.Minute - time.Microsecond)
	w.Equal(sessions[1:], ids(w.due(10, 10)))
	w.Clock.Advance(time.Microsecond)
	w.Equal(append(sessions[1:4:4], sessions[0]), ids(w.due(10, 10)))
}

func dueLogoutsFollowClient(w *World) {
	user, moved, silent, disabled := w.User(), w.listener(), w.listener(), w.listener()
	session := w.joined(user.ID, moved, silent, disabled)
	w.Must(w.Store.EndSession(w.Ctx(), w.Act(), session.ID))
	w.Equal(3, len(w.due(10, 10)))
	moved, silent = readClient(w, moved.ID), readClient(w, silent.ID)
	moved.BackchannelLogoutURI, silent.BackchannelLogoutURI = "https://new.example.test", ""
	w.Must(w.Store.UpdateClient(w.Ctx(), w.Act(), moved))
	w.Must(w.Store.UpdateClient(w.Ctx(), w.Act(), silent))
	w.Must(w.Store.SetClientDisabled(w.Ctx(), w.Act(), disabled.ID, true))
	due := w.due(10, 10)
	w.Equal(1, len(due))
	w.Equal("https://new.example.test", due[0].URI)
	w.Must(w.Store.DeleteClient(w.Ctx(), w.Act(), moved.ID))
	w.Equal(0, len(w.due(10, 10)))
}

func recordLogoutAttempt(w *World) {
	user, client := w.User(), w.listener()
	w.Must(w.Store.EndSession(w.Ctx(), w.Act(), w.joined(user.ID, client).ID))
	want := w.due(1, 1)[0]
	record := func(attempt storage.DeliveryAttempt) {
		attempt.DeliveryID, attempt.At = want.ID, w.Now()
		w.Must(w.Store.RecordLogoutAttempt(w.Ctx(), attempt))
		want.Attempts, want.LastAt, want.LastStatus = want.Attempts+1, w.Now(), attempt.Status
		want.Failure, want.NextAt = attempt.Failure, attempt.NextAt
		got, _, err := w.Store.ListLogoutDeliveries(w.Ctx(), client.ID, storage.PageRequest{})
		w.Must(err)
		w.Equal([]storage.LogoutDelivery{want}, got)
	}
	w.Clock.Advance(time.Second)
	record(storage.DeliveryAttempt{Status: 503, Failure: "Answer 503.", NextAt: w.Now().Add(time.Minute)})
	w.Clock.Advance(time.Minute)
	record(storage.DeliveryAttempt{Failure: "No answer.", NextAt: w.Now().Add(time.Minute)})
	w.Clock.Advance(time.Minute)
	want.DeliveredAt = w.Now()
	record(storage.DeliveryAttempt{Status: 200})
	w.Equal(0, len(w.due(1, 1)))
	w.Must(w.Store.RecordLogoutAttempt(w.Ctx(), storage.DeliveryAttempt{DeliveryID: want.ID + 1, At: w.Now()}))
}

func listLogoutDeliveries(w *World) {
	user, client, other := w.User(), w.listener(), w.listener()
	var want []string
	for range 5 {
		session := w.joined(user.ID, client, other)
		w.Must(w.Store.EndSession(w.Ctx(), w.Act(), session.ID))
		want = append([]string{session.ID}, want...)
	}
	var got []string
	pages := 0
	for after, more := "", true; more; pages++ {
		page, next, err := w.Store.ListLogoutDeliveries(w.Ctx(), client.ID, storage.PageRequest{After: after, Limit: 2})
		w.Must(err)
		for _, delivery := range page {
			w.Equal(client.ID, delivery.ClientID)
			got = append(got, delivery.SessionID)
		}
		after, more = next, next != ""
	}
	w.Equal(want, got)
	w.Equal(3, pages)
	_, _, err := w.Store.ListLogoutDeliveries(w.Ctx(), client.ID, storage.PageRequest{After: "no cursor"})
	w.Refused(err, fault.Invalid, "")
	_, _, err = w.Store.ListLogoutDeliveries(w.Ctx(), client.ID, storage.PageRequest{Limit: storage.MaxPage + 1})
	w.Refused(err, fault.Invalid, "")
}

func sweepLogoutDeliveries(w *World) {
	user, client := w.User(), w.listener()
	for i := range 3 {
		w.Must(w.Store.EndSession(w.Ctx(), w.Act(), w.joined(user.ID, client).ID))
		if i > 0 {
			continue
		}
		w.Must(w.Store.RecordLogoutAttempt(w.Ctx(),
			storage.DeliveryAttempt{DeliveryID: w.due(1, 1)[0].ID, At: w.Now(), Status: 200}))
	}
	w.Clock.Advance(storage.KeepLogoutDeliveries - time.Microsecond)
	w.Equal(0, w.sweep(100))
	w.Clock.Advance(time.Microsecond)
	w.Equal(2, w.sweep(2))
	w.Equal(1, w.sweep(2))
	w.Equal(0, len(w.told(client)))
}
