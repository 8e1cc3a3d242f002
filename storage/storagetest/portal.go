package storagetest

import (
	"fmt"
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

func memberChecks() []check {
	return []check{
		{"members of a client come back with name and address, and adding one twice changes nothing", addMembers},
		{"AddClientMember refuses an absent client or user", addAbsentMembers},
		{"DeleteClientMember removes one member, and is NotFound again", deleteMembers},
		{"ListClients with a manager keeps what a person owns or is a member of, in pages", listManaged},
		{"members go with their client and with themselves", membersGo},
		{"an invitation is accepted once, by who has the address or had the user name, and by nobody else", invitationsAreAccepted},
		{"an invitation ends, is declined, is taken back and goes with its client", invitationsEnd},
		{"an invitation counts while who made it manages the client, or administers, and is enabled", invitationsStand},
		{"what a member could accept ends with their membership", invitationsEndWithMembers},
		{"who manages a client for longest owns it when its owner goes", clientsAreHandedOver},
	}
}

func (w *World) members(clientID string) []storage.ClientMember {
	w.Helper()
	members, err := w.Store.ListClientMembers(w.Ctx(), clientID)
	w.Must(err)
	return members
}

func addMembers(w *World) {
	client, user := w.Client(), w.User()
	user.Profile.Name = "Ann"
	w.Must(w.Store.UpdateUser(w.Ctx(), w.Act(), user, nil))
	for range 2 {
		w.Must(w.Store.AddClientMember(w.Ctx(), w.Act(), client.ID, user.ID))
	}
	w.Equal([]storage.ClientMember{{ClientID: client.ID, UserID: user.ID, Name: "Ann", Email: user.Email,
		AddedAt: w.Now()}}, w.members(client.ID))
	w.Audited(client.ID, "client.member_added", "client.created")
}

func clientsAreHandedOver(w *World) {
	owner, first, second := w.User(), w.User(), w.User()
	managed, alone := w.ownedClient("managed", owner.ID), w.ownedClient("alone", owner.ID)
	for _, u := range []storage.User{first, second} {
		w.Must(w.Store.AddClientMember(w.Ctx(), w.Act(), managed.ID, u.ID))
		w.Clock.Advance(time.Second)
	}
	both, err := w.Store.ListClientMembers(w.Ctx(), alone.ID, managed.ID)
	w.Must(err)
	w.Equal([]string{first.ID, second.ID}, []string{both[0].UserID, both[1].UserID})
	w.Equal(managed.ID, both[0].ClientID)
	w.Must(w.Store.DeleteUser(w.Ctx(), w.Act(), owner.ID))
	for id, want := range map[string]string{managed.ID: first.ID, alone.ID: owner.ID} {
		got, err := w.Store.FindClient(w.Ctx(), id)
		w.Must(err)
		w.Equal(want, got.OwnerUserID)
	}
	left := w.members(managed.ID)
	w.Equal(1, len(left))
	w.Equal(second.ID, left[0].UserID)
	w.Audited(managed.ID, "client.handed_over", "client.member_added", "client.member_added", "client.created")
}

func addAbsentMembers(w *World) {
	client, user := w.Client(), w.User()
	w.Refused(w.Store.AddClientMember(w.Ctx(), w.Act(), "none", user.ID), fault.NotFound, "")
	w.Refused(w.Store.AddClientMember(w.Ctx(), w.Act(), client.ID, "NOBODY"), fault.NotFound, "")
	w.Equal([]storage.ClientMember(nil), w.members(client.ID))
}

func deleteMembers(w *World) {
	client, user, other := w.Client(), w.User(), w.User()
	for _, u := range []storage.User{user, other} {
		w.Must(w.Store.AddClientMember(w.Ctx(), w.Act(), client.ID, u.ID))
	}
	w.Must(w.Store.DeleteClientMember(w.Ctx(), w.Act(), client.ID, user.ID))
	w.Refused(w.Store.DeleteClientMember(w.Ctx(), w.Act(), client.ID, user.ID), fault.NotFound, "")
	if left := w.members(client.ID); len(left) != 1 || left[0].UserID != other.ID {
		w.Errorf("left are %+v", left)
	}
	w.Audited(client.ID, "client.member_removed", "client.member_added", "client.member_added", "client.created")
}

func listManaged(w *World) {
	user, other := w.User(), w.User()
	for i := range 3 {
		w.ownedClient(fmt.Sprintf("own%d", i), user.ID)
		w.ownedClient(fmt.Sprintf("other%d", i), other.ID)
	}
	w.Must(w.Store.AddClientMember(w.Ctx(), w.Act(), "other1", user.ID))
	w.Must(w.Store.AddClientMember(w.Ctx(), w.Act(), "own0", user.ID)) // both at once is one
	var got []string
	for after, more := "", true; more; {
		clients, err := w.Store.ListClients(w.Ctx(), storage.ClientFilter{Manager: user.ID},
			storage.PageRequest{After: after, Limit: 3})
		w.Must(err)
		w.Equal(4, clients.Total)
		for _, c := range clients.Rows {
			got = append(got, c.ID)
		}
		after, more = clients.Next, clients.Next != ""
	}
	w.Equal([]string{"other1", "own0", "own1", "own2"}, got)
}

func membersGo(w *World) {
	client, user, other := w.Client(), w.User(), w.User()
	for _, u := range []storage.User{user, other} {
		w.Must(w.Store.AddClientMember(w.Ctx(), w.Act(), client.ID, u.ID))
	}
	w.Must(w.Store.DeleteUser(w.Ctx(), w.Act(), user.ID))
	if left := w.members(client.ID); len(left) != 1 || left[0].UserID != other.ID {
		w.Errorf("left are %+v", left)
	}
	w.Must(w.Store.DeleteClient(w.Ctx(), w.Act(), client.ID))
	w.Equal([]storage.ClientMember(nil), w.members(client.ID))
}

func failureChecks() []check {
	return []check{
		{"failures of a client come back newest first, with every field, from a time on", listFailures},
		{"failures of absent clients are passed over", absentFailures},
		{"the oldest failures of a client beyond the limit are dropped, and no other client's", dropFailures},
		{"failures are swept away after a week", sweepFailures},
	}
}

func (w *World) failure(clientID, got string) storage.ClientFailure {
	return storage.ClientFailure{
		ClientID: clientID, At: w.Now(), Kind: storage.FailureRedirect, Got: got, Expected: "e\nf", Times: 2,
		RequestID: "r", Address: "192.0.2.1",
	}
}

func (w *World) failures(clientID string, since time.Time) []storage.ClientFailure {
	w.Helper()
	failures, err := w.Store.ListClientFailures(w.Ctx(), clientID, since)
	w.Must(err)
	return failures
}

func listFailures(w *World) {
	a, b := w.Client(), w.Client()
	first := w.failure(a.ID, "1")
	w.Must(w.Store.RecordClientFailures(w.Ctx(), []storage.ClientFailure{first, w.failure(b.ID, "b")}))
	w.Clock.Advance(time.Hour)
	second := w.failure(a.ID, "2")
	w.Clock.Advance(time.Second)
	third := w.failure(a.ID, "3")
	w.Must(w.Store.RecordClientFailures(w.Ctx(), []storage.ClientFailure{third, second})) // as they were noted
	w.Equal([]storage.ClientFailure{third, second, first}, w.failures(a.ID, first.At))
	w.Equal([]storage.ClientFailure{third}, w.failures(a.ID, third.At))
	w.Must(w.Store.RecordClientFailures(w.Ctx(), nil))
}

func absentFailures(w *World) {
	client := w.Client()
	w.Must(w.Store.RecordClientFailures(w.Ctx(),
		[]storage.ClientFailure{w.failure("none", "x"), w.failure(client.ID, "y")}))
	w.Equal([]storage.ClientFailure(nil), w.failures("none", time.Unix(0, 0)))
	w.Equal([]storage.ClientFailure{w.failure(client.ID, "y")}, w.failures(client.ID, time.Unix(0, 0)))
}

func dropFailures(w *World) {
	client, other := w.Client(), w.Client()
	w.Must(w.Store.RecordClientFailures(w.Ctx(), []storage.ClientFailure{w.failure(other.ID, "other")}))
	var many []storage.ClientFailure
	for i := range storage.MaxClientFailures + 5 {
		many = append(many, w.failure(client.ID, fmt.Sprint(i)))
	}
	w.Must(w.Store.RecordClientFailures(w.Ctx(), many))
	left := w.failures(client.ID, time.Unix(0, 0))
	if len(left) != storage.MaxClientFailures || left[len(left)-1].Got != "5" {
		w.Errorf("%d are left", len(left))
	}
	w.Equal([]storage.ClientFailure{w.failure(other.ID, "other")}, w.failures(other.ID, time.Unix(0, 0)))
}

func sweepFailures(w *World) {
	client := w.Client()
	old := w.failure(client.ID, "old")
	w.Must(w.Store.RecordClientFailures(w.Ctx(), []storage.ClientFailure{old}))
	w.Clock.Advance(storage.KeepClientFailures)
	fresh := w.failure(client.ID, "fresh")
	w.Must(w.Store.RecordClientFailures(w.Ctx(), []storage.ClientFailure{fresh}))
	_, err := w.Store.SweepExpired(w.Ctx(), w.Now(), time.Hour, 10)
	w.Must(err)
	w.Equal([]storage.ClientFailure{fresh}, w.failures(client.ID, time.Unix(0, 0)))
}
