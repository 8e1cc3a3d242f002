package storagetest

import (
	"slices"
	"strings"
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

const (
	day  = 24 * time.Hour
	keep = 30 * day
)

func upkeepChecks() []check {
	return []check{
		{"SweepExpired removes codes a day past their end and login requests KeepSpent past theirs", sweepCodesAndRequests},
		{"SweepExpired removes sessions and revocations KeepSpent past their end", sweepSessionsAndRevocations},
		{"SweepExpired by a clock that is an hour ahead removes nothing that lives", sweepAhead},
		{"SweepExpired removes grants that ended or were revoked more than keepGrants ago", sweepGrants},
		{"OldestExpired tells since when something waits to be swept", oldestExpired},
		{"SweepExpired removes at most limit rows of each kind and returns how many", sweepInBatches},
		{"SweepExpired removes users who signed up and never came back", sweepLapsed},
		{"AcquireLease gives a duty to one holder until the lease ends", acquireLease},
		{"AcquireLease by a clock that was an hour ahead holds nobody up", wrongLease},
		{"AcquireLease lets the holder renew, and duties are apart", renewLease},
		{"Ping is nil while the store serves", ping},
		{"ListCalled says what people, clients and groups are called", listCalled},
		{"SetPolicy decides what it names, and empty is undecided", setPolicy},
		{"KeepServerSettings replaces what was kept before", keepServerSettings},
	}
}

func oldestExpired(w *World) {
	oldest := func() time.Time {
		got, err := w.Store.OldestExpired(w.Ctx(), w.Now(), keep)
		w.Must(err)
		return got
	}
	w.Equal(time.Time{}, oldest())
	user, client := w.User(), w.Client()
	w.Code(user.ID, client.ID)
	request := w.Request(client.ID)
	w.Equal(time.Time{}, oldest())
	w.Clock.Advance(4 * time.Hour)
	w.Equal(request.ExpiresAt.Add(storage.KeepSpent), oldest())
	w.sweep(100)
	w.Equal(time.Time{}, oldest())
}

func (w *World) sweep(limit int) int {
	w.Helper()
	n, err := w.Store.SweepExpired(w.Ctx(), w.Now(), keep, limit)
	w.Must(err)
	return n
}

func sweepCodesAndRequests(w *World) {
	user, client := w.User(), w.Client()
	code, request := w.Code(user.ID, client.ID), w.Request(client.ID)
	w.Clock.Advance(time.Hour + storage.KeepSpent - time.Microsecond)
	w.Equal(0, w.sweep(100))
	_, err := w.Store.FindLoginRequest(w.Ctx(), request.ID, request.CreatedAt)
	w.Must(err)
	w.Clock.Advance(time.Microsecond)
	w.Equal(1, w.sweep(100))
	_, err = w.Store.FindLoginRequest(w.Ctx(), request.ID, request.CreatedAt)
	w.Refused(err, fault.NotFound, "")
	w.Clock.Advance(day - time.Hour - storage.KeepSpent + time.Minute - time.Microsecond)
	w.Equal(0, w.sweep(100))
	_, err = w.Store.FindCode(w.Ctx(), code.Hash)
	w.Must(err)
	w.Clock.Advance(time.Microsecond)
	w.Equal(1, w.sweep(100)) // its session stays for longer
	_, err = w.Store.FindCode(w.Ctx(), code.Hash)
	w.Refused(err, fault.NotFound, "")
}

// sweepLapsed removes whoever nobody has taken up, be it by a password, by another server or
// by a company, also where somebody else has said before that their address is proven.
func sweepLapsed(w *World) {
	var ids []string
	w.Upstream("up")
	w.Must(w.Store.CreateSCIMConnection(w.Ctx(), w.Act(),
		storage.SCIMConnection{ID: "c", Name: "Works", CreatedAt: w.Now()}))
	proven := func(id string) storage.User {
		user, err := w.Store.FindUser(w.Ctx(), id)
		w.Must(err)
		user.EmailVerified = true
		w.Must(w.Store.UpdateUser(w.Ctx(), w.Act(), user, nil))
		return user
	}
	for _, take := range []func(id string) error{
		func(string) error { return nil },
		func(id string) error { return w.Store.SetPassword(w.Ctx(), w.Act(), id, "h", "") },
		func(id string) error {
			_, err := w.Store.SetPasswordByLink(w.Ctx(), w.Act(), w.link(storage.LinkPassword, id), "h")
			return err
		},
		func(id string) error {
			return w.Store.LinkByAddress(w.Ctx(), w.Act(), storage.UpstreamIdentity{UpstreamID: "up", Issuer: "i", Subject: "s",
				UserID: id, Email: proven(id).Email, LinkedAt: w.Now()})
		},
		func(id string) error {
			_, err := w.Store.CreateSCIMUser(w.Ctx(), w.Act(), storage.SCIMUser{UserName: "them", Active: true, User: proven(id),
				Document:     []byte("{}"),
				SCIMResource: storage.SCIMResource{ConnectionID: "c", CreatedAt: w.Now(), UpdatedAt: w.Now()}}, true)
			return err
		},
	} {
		id := w.Source.PersonID()
		user := storage.User{ID: id, Email: id + "@example.test", CreatedAt: w.Now(), UpdatedAt: w.Now(),
			EndsAt: w.Now().Add(day)}
		w.Must(w.Store.CreateUser(w.Ctx(), w.Act(), user, ""))
		got, err := w.Store.FindUser(w.Ctx(), id)
		w.Must(err)
		w.Equal(user, got)
		w.Must(take(id))
		ids = append(ids, id)
	}
	w.Clock.Advance(day + storage.KeepSpent - time.Microsecond)
	w.Equal(0, w.sweep(100))
	w.Clock.Advance(time.Microsecond)
	w.Equal(1, w.sweep(100))
	_, err := w.Store.FindUser(w.Ctx(), ids[0])
	w.Refused(err, fault.NotFound, "")
	for _, id := range ids[1:] {
		user, err := w.Store.FindUser(w.Ctx(), id)
		w.Must(err)
		w.Equal(true, user.EndsAt.IsZero())
	}
}

func sweepSessionsAndRevocations(w *World) {
	session := w.Session(w.User().ID)
	w.Must(w.Store.RevokeToken(w.Ctx(), w.Act(), "j", session.ExpiresAt))
	w.Clock.Advance(day + storage.KeepSpent - time.Microsecond)
	w.Equal(0, w.sweep(100))
	w.Equal(false, w.active(storage.TokenQuery{JTI: "j"})) // should the clock be ahead, and be put right
	w.Clock.Advance(time.Microsecond)
	w.Equal(2, w.sweep(100))
	w.Equal(true, w.active(storage.TokenQuery{JTI: "j"}))
}

// What one server takes for over by its clock others still go on with.
func sweepAhead(w *World) {
	session, user := w.Session(w.User().ID), w.verified(true)
	w.Clock.Advance(day - time.Minute)
	w.Must(w.Store.TouchSession(w.Ctx(), session.ID, w.Now()))
	client := w.Client()
	request, link := w.Request(client.ID), w.link(storage.LinkPassword, user.ID)
	w.invited(client.ID, "i", user.Email, storage.User{})
	w.Upstream("up")
	w.Must(w.Store.BeginAttempt(w.Ctx(), storage.UpstreamAttempt{StateHash: []byte{1}, UpstreamID: "up",
		Browser: []byte{2}, Request: request.ID, ExpiresAt: w.Now().Add(10 * time.Minute)}))
	signedUp := storage.User{ID: w.Source.PersonID(), Email: "new@example.test", EndsAt: w.Now().Add(time.Minute),
		CreatedAt: w.Now(), UpdatedAt: w.Now()}
	w.Must(w.Store.CreateUser(w.Ctx(), w.Act(), signedUp, ""))
	typed := w.kept("a")
	w.Must(w.Store.KeepImport(w.Ctx(), storage.Import{ID: "i1", UserID: user.ID, File: []byte("x"), At: w.Now()}))
	_, err := w.Store.SweepExpired(w.Ctx(), w.Now().Add(time.Hour), keep, 100)
	w.Must(err)
	w.Equal(typed.Page, w.show().Page)
	_, err = w.Store.FindImport(w.Ctx(), user.ID, "i1", w.Now())
	w.Must(err)
	_, err = w.Store.FindUser(w.Ctx(), signedUp.ID)
	w.Must(err)
	w.Equal("live", w.sessionState(session))
	_, err = w.Store.FindLoginRequest(w.Ctx(), request.ID, w.Now())
	w.Must(err)
	w.Equal(true, w.hasLink(link, storage.LinkPassword))
	w.Equal([]string{"i"}, w.invitationsOf(user.ID))
	_, err = w.Store.SpendAttempt(w.Ctx(), "up", []byte{1}, []byte{2}, w.Now())
	w.Must(err)
}

func sweepGrants(w *World) {
	user, client := w.User(), w.Client()
	ended, revoked, rotated := w.Grant(user.ID, client.ID), w.Grant(user.ID, client.ID), w.Grant(user.ID, client.ID)
	code := w.Code(user.ID, client.ID)
	noRefresh := w.grantOf(code)
	noRefresh.Generation, noRefresh.RotatedAt, noRefresh.ExpiresAt = 0, time.Time{}, time.Time{}
	w.Must(w.Store.RedeemCode(w.Ctx(), w.Act(), code.Hash, noRefresh))
	w.Must(w.Store.RevokeGrant(w.Ctx(), w.Act(), revoked.ID))
	w.Clock.Advance(10 * day)
	_, err := w.rotate(rotated.ID, 1, 0)
	w.Must(err)
	w.sweep(100) // the codes go
	states := func() []string {
		return []string{w.grantState(ended.ID), w.grantState(revoked.ID), w.grantState(rotated.ID),
			w.grantState(noRefresh.ID)}
	}
	w.Clock.Advance(keep - 10*day - time.Microsecond)
	w.Equal(0, w.sweep(100))
	w.Clock.Advance(time.Microsecond) // 30 days
	w.Equal(2, w.sweep(100))
	w.Equal([]string{"live", "absent", "live", "absent"}, states())
	w.Clock.Advance(lifetime)
	w.Equal(1, w.sweep(100))
	w.Equal([]string{"absent", "absent", "live", "absent"}, states())
	w.Clock.Advance(10 * day)
	w.Equal(1, w.sweep(100))
}

func sweepInBatches(w *World) {
	user, client := w.User(), w.Client()
	for range 5 {
		w.Grant(user.ID, client.ID) // with its code and its session
		w.Session(user.ID)
	}
	w.Clock.Advance(100 * day)
	live := w.Session(user.ID)
	for _, want := range []int{6, 6, 4, 2, 2, 0} { // of ten sessions, five codes and five grants
		w.Equal(want, w.sweep(2))
	}
	w.Equal("live", w.sessionState(live))
}

// lease asks for a minute.
func (w *World) lease(name, holder string) bool {
	w.Helper()
	return w.leaseFor(name, holder, 0, time.Minute)
}

// leaseFor asks by a clock that is so much ahead.
func (w *World) leaseFor(name, holder string, ahead, length time.Duration) bool {
	w.Helper()
	now := w.Now().Add(ahead)
	got, err := w.Store.AcquireLease(w.Ctx(), name, holder, now, now.Add(length))
	w.Must(err)
	return got
}

// pass lets some time pass, for the store's clock and for ours.
func (w *World) pass() {
	w.Clock.Advance(50 * time.Millisecond)
	time.Sleep(50 * time.Millisecond)
}

func acquireLease(w *World) {
	w.Equal(true, w.lease("sweep", "one"))
	w.Equal(false, w.lease("sweep", "two"))
	w.Equal(true, w.leaseFor("sweep", "one", 0, time.Millisecond))
	w.pass()
	w.Equal(true, w.lease("sweep", "two"))
	w.Equal(false, w.lease("sweep", "one"))
	w.Equal(true, w.leaseFor("sweep", "two", 0, 0)) // given back
	w.pass()
	w.Equal(true, w.lease("sweep", "one"))
}

func wrongLease(w *World) {
	w.Equal(true, w.leaseFor("sweep", "one", time.Hour, time.Millisecond))
	w.pass()
	w.Equal(true, w.lease("sweep", "two"))
	w.Equal(false, w.lease("sweep", "one"))
}

func renewLease(w *World) {
	w.Equal(true, w.leaseFor("sweep", "one", 0, time.Millisecond))
	w.Equal(true, w.lease("sweep", "one"))
	w.Equal(true, w.lease("rotate", "two"))
	w.pass()
	w.Equal(false, w.lease("sweep", "two"))
}

func ping(w *World) {
	w.Must(w.Store.Ping(w.Ctx()))
}

func listCalled(w *World) {
	user, client := w.User(), w.Client()
	group := storage.UserGroup{ID: "G1", Name: "Editors", CreatedAt: w.Now()}
	w.Must(w.Store.CreateUserGroup(w.Ctx(), w.Act(), group))
	found, err := w.Store.ListCalled(w.Ctx(), []string{user.ID, client.ID, group.ID, "gone", ""})
	w.Must(err)
	slices.SortFunc(found, func(a, b storage.Called) int { return strings.Compare(string(a.Kind), string(b.Kind)) })
	w.Equal([]storage.Called{{ID: client.ID, Kind: storage.CalledClient, Name: client.Name},
		{ID: group.ID, Kind: storage.CalledGroup, Name: group.Name},
		{ID: user.ID, Kind: storage.CalledUser, Name: user.Title()}}, found)
	none, err := w.Store.ListCalled(w.Ctx(), nil)
	w.Must(err)
	w.Equal(0, len(none))
}

func setPolicy(w *World) {
	said := map[string]string{}
	for _, change := range []map[string]string{{"a": "1", "b": "2"}, {"b": "3"}, {"a": "", "c": "4"}} {
		w.Must(w.Store.SetPolicy(w.Ctx(), w.Act(), change))
		for name, value := range change {
			if said[name] = value; value == "" {
				delete(said, name)
			}
		}
		got, err := w.Store.FindPolicy(w.Ctx())
		w.Must(err)
		w.Equal(said, got)
	}
	w.Audited("", "policy.set", "policy.set", "policy.set")
}

func keepServerSettings(w *World) {
	for _, settings := range []storage.ServerSettings{{}, {"A": "1", "B": "2"}, {"B": "3", "C": "4"}} {
		w.Must(w.Store.KeepServerSettings(w.Ctx(), settings))
		got, err := w.Store.FindServerSettings(w.Ctx())
		w.Must(err)
		w.Equal(settings, got)
	}
}
