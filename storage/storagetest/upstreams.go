package storagetest

import (
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

func upstreamChecks() []check {
	return []check{
		{"upstreams are kept whole, and come in their order", keepUpstreams},
		{"disabling an upstream ends what rests on it, and nothing else", disableUpstream},
		{"who is vouched for to a client no more has no grant of it, nor anybody when nobody may", vouchNoMore},
		{"an attempt is taken out once, in its browser, for its upstream, in time", spendAttempt},
		{"an identity is one person's, and nothing begins with a disabled upstream", linkIdentity},
		{"an address links those who have proven it, and no administrator", linkByAddress},
		{"an address that nobody has proven is claimed, and what opened the account goes", claimByAddress},
		{"of fifty who arrive by one identity one joins", raceJoin},
		{"the last way to sign in stays", lastWayIn},
		{"groups follow the upstream, and what people did stays", meetGroups},
		{"no group of a company's is an upstream's", meetNoCompanysGroup},
		{"administrators are told with what they prove who they are", breakGlass},
		{"who is gone from an upstream, or disconnects the last account there, leaves its groups", leaveGroups},
		{"an account that its owner takes up is in no group of an upstream's of before", forgetGroups},
		{"what an upstream is told at the end of a sign-in there is kept with the session alone", keepHint},
		{"sessions end by person or by what the upstream calls them", endUpstreamSessions},
		{"what an upstream is asked with is claimed by one, and ends with the identity", keepRecheck},
		{"those are due who are signed in and were not asked about for long", dueRechecks},
		{"a logout that is heard ends grants, too, where it is to", hearLogoutOfAll},
		{"a logout that ended nothing because of a failure can be heard again", hearLogoutAgain},
	}
}

// Upstream adds an enabled upstream.
func (w *World) Upstream(id string) storage.Upstream {
	w.Helper()
	upstream := storage.Upstream{ID: id, Kind: storage.UpstreamOIDC, Name: "Works", Position: 1,
		Domains: []string{"example.test"}, Config: `{"issuer":"https://up.example.test"}`, Secret: []byte{1},
		CreatedAt: w.Now(), UpdatedAt: w.Now()}
	w.Must(w.Store.CreateUpstream(w.Ctx(), w.Act(), upstream))
	return upstream
}

func (w *World) identity(upstreamID, userID string) storage.UpstreamIdentity {
	w.Helper()
	identity := storage.UpstreamIdentity{UpstreamID: upstreamID, Issuer: "i", Subject: "sub of " + userID, UserID: userID,
		LinkedAt: w.Now()}
	w.Must(w.Store.LinkIdentity(w.Ctx(), w.Act(), identity))
	return identity
}

// sessionBy signs the user in by the identity, and returns a grant that came of it.
func (w *World) sessionBy(identity storage.UpstreamIdentity, sid string) (storage.LoginSession, storage.Grant) {
	w.Helper()
	session := storage.LoginSession{ID: w.Source.UID(), TokenHash: w.Source.Bytes(32), UserID: identity.UserID,
		AuthTime: w.Now(), CreatedAt: w.Now(), LastSeenAt: w.Now(), ExpiresAt: w.Now().Add(time.Hour),
		UpstreamID: identity.UpstreamID, UpstreamSID: sid}
	w.Must(w.Store.StartSession(w.Ctx(), w.Act(), session, storage.Proof{Upstream: identity}))
	code := storage.AuthorizeCode{Hash: w.Source.Bytes(32), GrantID: w.Source.UID(), ClientID: w.Client().ID,
		UserID: identity.UserID, SessionID: session.ID, AuthTime: w.Now(), IssuedAt: w.Now(),
		ExpiresAt:  w.Now().Add(time.Minute),
		UpstreamID: identity.UpstreamID}
	w.Must(w.Store.IssueCode(w.Ctx(), code, nil, ""))
	grant := w.grantOf(code)
	grant.UpstreamID = code.UpstreamID
	w.Must(w.Store.RedeemCode(w.Ctx(), w.Act(), code.Hash, grant))
	return session, grant
}

func keepUpstreams(w *World) {
	b, a := w.Upstream("b"), w.Upstream("a")
	all, err := w.Store.ListUpstreams(w.Ctx())
	w.Must(err)
	w.Equal([]storage.Upstream{a, b}, all)
	w.Refused(w.Store.CreateUpstream(w.Ctx(), w.Act(), a), fault.Conflict, storage.ReasonUpstreamTaken)
	b.Name, b.Position, b.Domains, b.Exclusive, b.Config, b.Secret = "Other", 0, nil, true, "{}", []byte{2}
	read := b
	w.Clock.Advance(time.Second)
	w.Must(w.Store.UpdateUpstream(w.Ctx(), w.Act(), b, storage.UpstreamEnds{}))
	b.UpdatedAt = w.Now()
	found, err := w.Store.FindUpstream(w.Ctx(), "b")
	w.Must(err)
	w.Equal(b, found)
	changed := func(was storage.Upstream) {
		w.Helper()
		err := w.Store.UpdateUpstream(w.Ctx(), w.Act(), was, storage.UpstreamEnds{})
		w.Refused(err, fault.Conflict, storage.ReasonChanged)
	}
	changed(read)
	box := storage.SealedBox{Key: []string{"b"}, Box: b.Secret}
	w.Must(w.Store.Reseal(w.Ctx(), storage.SealedUpstreams, box, []byte{3}))
	changed(b)
	w.Must(w.Store.DeleteUpstream(w.Ctx(), w.Act(), "b"))
	_, err = w.Store.FindUpstream(w.Ctx(), "b")
	w.Refused(err, fault.NotFound, "")
	w.Refused(w.Store.UpdateUpstream(w.Ctx(), w.Act(), b, storage.UpstreamEnds{}), fault.NotFound, "")
	w.Refused(w.Store.DeleteUpstream(w.Ctx(), w.Act(), "b"), fault.NotFound, "")
	w.Refused(w.Store.SetUpstreamDisabled(w.Ctx(), w.Act(), "b", true), fault.NotFound, "")
	w.Audited("b", "upstream.deleted", "upstream.updated", "upstream.created")
}

func vouchNoMore(w *World) {
	up := w.Upstream("up")
	w.Upstream("other")
	user := w.User()
	identity := w.identity("up", user.ID)
	session, grant := w.sessionBy(identity, "")
	_, stays := w.sessionBy(identity, "")
	_, byOther := w.sessionBy(w.identity("other", user.ID), "")
	states := func() []string {
		return []string{w.grantState(grant.ID), w.grantState(stays.ID), w.grantState(byOther.ID)}
	}
	change := func(ends storage.UpstreamEnds) { endOf(w, up.ID, ends) }
	change(storage.UpstreamEnds{})
	w.Equal([]string{"live", "live", "live"}, states())
	change(storage.UpstreamEnds{Clients: []string{grant.ClientID, byOther.ClientID}})
	w.Equal([]string{"revoked", "live", "live"}, states())
	w.Equal("live", w.sessionState(session))
	change(storage.UpstreamEnds{Everybody: true})
	w.Equal([]string{"revoked", "revoked", "live"}, states())
	w.Equal("ended", w.sessionState(session))
}

// endOf ends what is of the upstream, which stays what it is.
func endOf(w *World, id string, ends storage.UpstreamEnds) {
	w.Helper()
	up, err := w.Store.FindUpstream(w.Ctx(), id)
	w.Must(err)
	w.Must(w.Store.UpdateUpstream(w.Ctx(), w.Act(), up, ends))
}

func disableUpstream(w *World) {
	w.Upstream("up")
	w.Upstream("other")
	user := w.User()
	identity := w.identity("up", user.ID)
	session, grant := w.sessionBy(identity, "")
	byOther, otherGrant := w.sessionBy(w.identity("other", user.ID), "")
	own, ownGrant := w.Session(user.ID), w.Grant(user.ID, w.Client().ID)
	pending := w.Code(user.ID, w.Client().ID)
	w.Must(w.Store.SetUpstreamDisabled(w.Ctx(), w.Act(), "up", true))
	w.Equal([]string{"ended", "revoked", "live", "live", "live", "live"}, []string{w.sessionState(session),
		w.grantState(grant.ID), w.sessionState(byOther), w.grantState(otherGrant.ID), w.sessionState(own),
		w.grantState(ownGrant.ID)})
	w.Must(w.Store.RedeemCode(w.Ctx(), w.Act(), pending.Hash, w.grantOf(pending)))
	again := session
	again.ID, again.TokenHash = w.Source.UID(), w.Source.Bytes(32)
	proof := storage.Proof{Upstream: identity}
	w.Refused(w.Store.StartSession(w.Ctx(), w.Act(), again, proof), fault.Gone, storage.ReasonUpstreamDisabled)
	w.Must(w.Store.SetUpstreamDisabled(w.Ctx(), w.Act(), "up", false))
	w.Must(w.Store.StartSession(w.Ctx(), w.Act(), again, proof))
	w.Must(w.Store.DeleteUpstream(w.Ctx(), w.Act(), "up"))
	w.Equal("ended", w.sessionState(again))
}

func spendAttempt(w *World) {
	w.Upstream("up")
	w.Upstream("other")
	attempt := storage.UpstreamAttempt{StateHash: []byte{1}, UpstreamID: "up", Browser: []byte{2}, UserID: "U",
		SessionID: "S", Request: "r", Then: "/apps", ExpiresAt: w.Now().Add(time.Minute)}
	w.Must(w.Store.BeginAttempt(w.Ctx(), attempt))
	spend := func(id string, state, browser byte, now time.Time) (storage.UpstreamAttempt, error) {
		return w.Store.SpendAttempt(w.Ctx(), id, []byte{state}, []byte{browser}, now)
	}
	for _, wrong := range []func() (storage.UpstreamAttempt, error){
		func() (storage.UpstreamAttempt, error) { return spend("other", 1, 2, w.Now()) },
		func() (storage.UpstreamAttempt, error) { return spend("up", 2, 2, w.Now()) },
		func() (storage.UpstreamAttempt, error) { return spend("up", 1, 1, w.Now()) },
		func() (storage.UpstreamAttempt, error) { return spend("up", 1, 2, w.Now().Add(time.Minute)) },
	} {
		_, err := wrong()
		w.Refused(err, fault.NotFound, "")
	}
	got, err := spend("up", 1, 2, w.Now())
	w.Must(err)
	w.Equal(attempt, got)
	_, err = spend("up", 1, 2, w.Now())
	w.Refused(err, fault.NotFound, "")
	w.Must(w.Store.SetUpstreamDisabled(w.Ctx(), w.Act(), "up", true))
	w.Refused(w.Store.BeginAttempt(w.Ctx(), attempt), fault.Gone, storage.ReasonUpstreamDisabled)
}

func linkIdentity(w *World) {
	w.Upstream("up")
	user, other := w.User(), w.User()
	identity := w.identity("up", user.ID)
	w.identity("up", user.ID) // once more is the same
	identity.Email, identity.LastAt = "a@example.test", w.Now()
	w.Must(w.Store.NoteIdentity(w.Ctx(), identity))
	found, err := w.Store.FindIdentity(w.Ctx(), "up", identity.Issuer, identity.Subject)
	w.Must(err)
	w.Equal(identity, found)
	all, err := w.Store.ListIdentities(w.Ctx(), user.ID)
	w.Must(err)
	w.Equal([]storage.UpstreamIdentity{identity}, all)
	taken := identity
	taken.UserID = other.ID
	w.Refused(w.Store.LinkIdentity(w.Ctx(), w.Act(), taken), fault.Conflict, storage.ReasonIdentityTaken)
	taken.Subject = "another"
	w.Must(w.Store.SetUserDisabled(w.Ctx(), w.Act(), other.ID, true))
	w.Refused(w.Store.LinkIdentity(w.Ctx(), w.Act(), taken), fault.NotFound, "")
	w.Must(w.Store.SetUserDisabled(w.Ctx(), w.Act(), other.ID, false))
	w.Must(w.Store.SetUpstreamDisabled(w.Ctx(), w.Act(), "up", true))
	w.Refused(w.Store.LinkIdentity(w.Ctx(), w.Act(), taken), fault.Gone, storage.ReasonUpstreamDisabled)
	w.Must(w.Store.SetUpstreamDisabled(w.Ctx(), w.Act(), "up", false))
	w.Must(w.Store.LinkIdentity(w.Ctx(), w.Act(), taken))
	session, grant := w.sessionBy(identity, "")
	w.Must(w.Store.EndIdentity(w.Ctx(), w.Act(), identity))
	w.Equal([]string{"ended", "revoked"}, []string{w.sessionState(session), w.grantState(grant.ID)})
	w.Refused(w.Store.StartSession(w.Ctx(), w.Act(), session, storage.Proof{Upstream: identity}), fault.Gone,
		storage.ReasonSignInOver)
}

func raceJoin(w *World) {
	w.Upstream("up")
	errs := w.race(racers, func(store storage.Identity, _ int) error {
		id := w.Source.PersonID()
		user := storage.User{ID: id, Email: id + "@example.test", CreatedAt: w.Now(), UpdatedAt: w.Now()}
		return store.JoinByIdentity(w.Ctx(), w.Act(), user,
			storage.UpstreamIdentity{UpstreamID: "up", Issuer: "i", Subject: "s", LinkedAt: w.Now()})
	})
	w.oneWins(errs, fault.Conflict, storage.ReasonIdentityTaken)
	people, err := w.Store.ListUsers(w.Ctx(), storage.UserFilter{}, storage.PageRequest{})
	w.Must(err)
	w.Equal(1, people.Total)
}

func lastWayIn(w *World) {
	w.Upstream("up")
	id := w.Source.PersonID()
	identity := storage.UpstreamIdentity{UpstreamID: "up", Issuer: "i", Subject: "s", UserID: id, LinkedAt: w.Now()}
	w.Must(w.Store.JoinByIdentity(w.Ctx(), w.Act(), storage.User{ID: id, Email: "a@example.test", Admin: true,
		CreatedAt: w.Now(), UpdatedAt: w.Now()}, identity))
	user, err := w.Store.FindUser(w.Ctx(), id)
	w.Must(err)
	w.Equal(false, user.Admin)
	session, grant := w.sessionBy(identity, "")
	w.Refused(w.Store.UnlinkIdentity(w.Ctx(), w.Act(), identity), fault.Conflict, storage.ReasonLastWayIn)
	w.Equal([]string{"live", "live"}, []string{w.sessionState(session), w.grantState(grant.ID)})
	w.Must(w.Store.SetPassword(w.Ctx(), w.Act(), id, "hash", session.ID))
	w.Must(w.Store.UnlinkIdentity(w.Ctx(), w.Act(), identity))
	w.Equal("ended", w.sessionState(session))
	w.Refused(w.Store.UnlinkIdentity(w.Ctx(), w.Act(), identity), fault.NotFound, "")
	w.Must(w.Store.LinkIdentity(w.Ctx(), w.Act(), identity)) // it can come back
	force := w.Act()
	force.Force = true
	w.Must(w.Store.SetPassword(w.Ctx(), w.Act(), id, "", ""))
	w.Upstream("off")
	other := identity
	other.UpstreamID = "off"
	w.Must(w.Store.LinkIdentity(w.Ctx(), w.Act(), other))
	refused := func() {
		w.Helper()
		w.Refused(w.Store.UnlinkIdentity(w.Ctx(), w.Act(), identity), fault.Conflict, storage.ReasonLastWayIn)
	}
	w.Must(w.Store.EndIdentity(w.Ctx(), w.Act(), other))
	refused()
	w.Must(w.Store.NoteIdentity(w.Ctx(), other))
	w.Must(w.Store.SetUpstreamDisabled(w.Ctx(), w.Act(), "off", true))
	refused()
	w.Must(w.Store.SetUpstreamDisabled(w.Ctx(), w.Act(), "off", false))
	w.Must(w.Store.UnlinkIdentity(w.Ctx(), w.Act(), identity))
	w.Must(w.Store.UnlinkIdentity(w.Ctx(), force, other))
}

func meetGroups(w *World) {
	w.Upstream("up")
	user := w.User()
	ids := map[string]string{}
	for _, name := range []string{"one", "two", "manual"} {
		ids[name] = w.Source.UID()
		w.Must(w.Store.CreateUserGroup(w.Ctx(), w.Act(), storage.UserGroup{ID: ids[name], Name: name, CreatedAt: w.Now()}))
	}
	w.Must(w.Store.SetUpstreamGroups(w.Ctx(), w.Act(), "up", []storage.UpstreamGroup{
		{External: "g1", GroupID: ids["one"]}, {External: "g2", GroupID: ids["two"]},
		{External: "g3", GroupID: ids["manual"]}}))
	said, err := w.Store.ListUpstreamGroups(w.Ctx(), "up")
	w.Must(err)
	w.Equal(3, len(said))
	w.Must(w.Store.AddUserGroupMember(w.Ctx(), w.Act(), ids["manual"], user.ID))
	in := func() (names []string) {
		groups, err := w.Store.ListGroupsOfUser(w.Ctx(), user.ID)
		w.Must(err)
		for _, g := range groups {
			names = append(names, g.Name)
		}
		return names
	}
	meet := func(own bool, external ...string) {
		w.Must(w.Store.MeetGroups(w.Ctx(), w.Act(), "up", user.ID, external, own))
	}
	meet(true, "g1", "g2", "g3", "unknown")
	w.Equal([]string{"manual", "one", "two"}, in())
	meet(false, "g1")
	w.Equal([]string{"manual", "one", "two"}, in())
	meet(true, "g1")
	w.Equal([]string{"manual", "one"}, in())
	w.Must(w.Store.SetUpstreamDisabled(w.Ctx(), w.Act(), "up", true))
	w.Refused(w.Store.MeetGroups(w.Ctx(), w.Act(), "up", user.ID, []string{"g2"}, true), fault.Gone,
		storage.ReasonUpstreamDisabled)
	w.Equal([]string{"manual", "one"}, in())
	w.Must(w.Store.DeleteUpstream(w.Ctx(), w.Act(), "up"))
	w.Equal([]string{"manual"}, in())
	w.Refused(w.Store.SetUpstreamGroups(w.Ctx(), w.Act(), "up", nil), fault.NotFound, "")
}

func leaveGroups(w *World) {
	w.Upstream("up")
	user, force := w.User(), w.Act()
	force.Force = true
	one := w.identity("up", user.ID)
	two := one
	two.Subject = "another of theirs"
	w.Must(w.Store.LinkIdentity(w.Ctx(), w.Act(), two))
	group := storage.UserGroup{ID: w.Source.UID(), Name: "group", CreatedAt: w.Now()}
	w.Must(w.Store.CreateUserGroup(w.Ctx(), w.Act(), group))
	w.Must(w.Store.SetUpstreamGroups(w.Ctx(), w.Act(), "up", []storage.UpstreamGroup{{External: "g", GroupID: group.ID}}))
	meet := func() { w.Must(w.Store.MeetGroups(w.Ctx(), w.Act(), "up", user.ID, []string{"g"}, false)) }
	in := func(want int) {
		w.Helper()
		groups, err := w.Store.ListGroupsOfUser(w.Ctx(), user.ID)
		w.Must(err)
		w.Equal(want, len(groups))
	}
	meet()
	in(1)
	w.Must(w.Store.UnlinkIdentity(w.Ctx(), force, two)) // there is another one
	in(1)
	w.Must(w.Store.EndIdentity(w.Ctx(), w.Act(), one))
	in(0)
	w.Must(w.Store.NoteIdentity(w.Ctx(), one)) // they are back
	meet()
	in(1)
	w.Must(w.Store.UnlinkIdentity(w.Ctx(), force, one))
	in(0)
	w.Must(w.Store.AddUserGroupMember(w.Ctx(), w.Act(), group.ID, user.ID))
	w.Must(w.Store.LinkIdentity(w.Ctx(), w.Act(), one))
	w.Must(w.Store.UnlinkIdentity(w.Ctx(), force, one))
	in(1) // into which somebody else has put them
}

func keepHint(w *World) {
	w.Upstream("up")
	identity := w.identity("up", w.User().ID)
	session, _ := w.sessionBy(identity, "")
	hint := func(id string) []byte {
		got, err := w.Store.FindUpstreamHint(w.Ctx(), id)
		w.Must(err)
		return got
	}
	w.Equal([]byte(nil), hint(session.ID))
	proof := storage.Proof{Upstream: identity}
	for _, word := range [][]byte{{1}, {2}, nil, {3}} { // of one who signs in again and again
		proof.UpstreamHint = word
		w.Must(w.Store.RenewSession(w.Ctx(), w.Act(), session, proof))
		w.Equal(word, hint(session.ID))
	}
	w.Must(w.Store.EndSession(w.Ctx(), w.Act(), session.ID))
	w.Equal([]byte(nil), hint(session.ID))
	session.ID, session.TokenHash = w.Source.UID(), w.Source.Bytes(32)
	w.Must(w.Store.StartSession(w.Ctx(), w.Act(), session, proof))
	w.Equal([]byte{3}, hint(session.ID))
}

// logoutOf is the word of the upstream that whose the identity is has signed out.
func logoutOf(w *World, identity storage.UpstreamIdentity, sid string) storage.UpstreamLogout {
	return storage.UpstreamLogout{UpstreamID: identity.UpstreamID, ID: w.Source.UID(), Until: w.Now().Add(time.Minute),
		Issuer: identity.Issuer, Subject: identity.Subject, SID: sid}
}

func endUpstreamSessions(w *World) {
	w.Upstream("up")
	w.Upstream("off")
	user, other := w.User(), w.User()
	identity := w.identity("up", user.ID)
	one, grant := w.sessionBy(identity, "sid1")
	two, _ := w.sessionBy(identity, "sid2")
	three, _ := w.sessionBy(identity, "")
	others, _ := w.sessionBy(w.identity("up", other.ID), "sid1")
	off, _ := w.sessionBy(w.identity("off", user.ID), "sid2")
	own := w.Session(user.ID)
	states := func(want ...string) {
		w.Helper()
		var got []string
		for _, session := range []storage.LoginSession{one, two, three, others, off, own} {
			got = append(got, w.sessionState(session))
		}
		w.Equal(append(want, "live", "live"), got)
	}
	hear := func(word storage.UpstreamLogout) { w.Must(w.Store.HearLogout(w.Ctx(), w.Act(), word)) }
	hear(logoutOf(w, identity, "sid1"))
	states("ended", "live", "live", "live")
	nobody := logoutOf(w, storage.UpstreamIdentity{UpstreamID: "up"}, "")
	hear(nobody) // names neither a person nor a session
	states("ended", "live", "live", "live")
	hear(logoutOf(w, storage.UpstreamIdentity{UpstreamID: "up"}, "sid2")) // a session without its person
	states("ended", "ended", "live", "live")
	hear(logoutOf(w, identity, ""))
	states("ended", "ended", "ended", "live")
	hear(logoutOf(w, identity, ""))
	w.Equal("live", w.grantState(grant.ID))
}

func hearLogoutOfAll(w *World) {
	w.Upstream("up")
	user, other := w.User(), w.User()
	identity := w.identity("up", user.ID)
	word := logoutOf(w, storage.UpstreamIdentity{UpstreamID: "up"}, "sid")
	word.EndGrants = true
	session, grant := w.sessionBy(identity, "sid")
	others, othersGrant := w.sessionBy(w.identity("up", other.ID), "another")
	w.Must(w.Store.HearLogout(w.Ctx(), w.Act(), word))
	w.Equal([]string{"ended", "revoked", "live", "live"}, []string{w.sessionState(session), w.grantState(grant.ID),
		w.sessionState(others), w.grantState(othersGrant.ID)})
	w.Refused(w.Store.StartSession(w.Ctx(), w.Act(), session, storage.Proof{Upstream: identity}), fault.Gone,
		storage.ReasonSignInOver)
	word = logoutOf(w, w.identity("up", other.ID), "")
	word.EndGrants = true
	w.Must(w.Store.HearLogout(w.Ctx(), w.Act(), word))
	w.Equal([]string{"ended", "revoked"}, []string{w.sessionState(others), w.grantState(othersGrant.ID)})
}

func hearLogoutAgain(w *World) {
	w.Upstream("up")
	identity := w.identity("up", w.User().ID)
	session, _ := w.sessionBy(identity, "sid")
	word, fails := logoutOf(w, identity, "sid"), w.Act()
	fails.Mails = []storage.Mail{{UID: "one", To: "a@example.test"}, {UID: "one", To: "a@example.test"}}
	if err := w.Store.HearLogout(w.Ctx(), fails, word); err == nil || w.sessionState(session) != "live" {
		w.Errorf("it was to fail halfway: %v, the session is %s", err, w.sessionState(session))
	}
	w.Must(w.Store.HearLogout(w.Ctx(), w.Act(), word))
	w.Equal("ended", w.sessionState(session))
	w.Refused(w.Store.HearLogout(w.Ctx(), w.Act(), word), fault.Gone, storage.ReasonSpent)
	w.Upstream("other")
	word.UpstreamID = "other" // every upstream's words have names of their own
	w.Must(w.Store.HearLogout(w.Ctx(), w.Act(), word))
}
