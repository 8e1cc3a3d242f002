package storagetest

import (
	"fmt"
	"time"

	"github.com/portico-id/portico/storage"
)

// due returns the ids of what is due.
func (t *Twin) due() []string {
	t.Helper()
	documents, err := t.Data.ListDue(t.Ctx(), t.Now(), 10)
	t.Must(err)
	var ids []string
	for _, d := range documents {
		ids = append(ids, d.ID)
	}
	return ids
}

func advance(w *Tree) {
	t := w.NewTwin("Tower")
	var ids []string
	for i := range 3 {
		ids = append(ids, t.imported(fmt.Sprintf("i%d", i)).ID)
	}
	t.looked(ids...)
	position := func() int64 {
		n, err := w.Data.Position(w.Ctx(), "twins")
		w.Must(err)
		return n
	}
	w.Equal(int64(0), position())
	touch := func(to int64, due ...storage.Touched) {
		w.Clock.Advance(time.Second)
		w.Must(w.Data.Advance(w.Ctx(), "twins", to, w.Now(), due))
	}
	touch(5, storage.Touched{ItemID: "i1"}, storage.Touched{ItemID: "none"})
	w.Equal(int64(5), position())
	w.Equal([]string{ids[1]}, t.due())
	touch(5, storage.Touched{ItemID: "i0"})
	touch(4, storage.Touched{ItemID: "i0"})
	w.Equal([]string{ids[1]}, t.due())
	touch(6, storage.Touched{ProjectID: w.Project.ID})
	w.Equal([]string{ids[1], ids[0], ids[2]}, t.due())
	w.Must(w.Data.Postpone(w.Ctx(), ids[1], w.Now().Add(time.Hour)))
	w.Equal([]string{ids[0], ids[2]}, t.due())
	t.looked(ids[0], ids[2])
	w.Equal(0, len(t.due()))
	touch(7, storage.Touched{HubID: w.Hub.ID})
	w.Equal(3, len(t.due()))
	touch(8, storage.Touched{ItemID: "i2"})
	w.Equal(ids[2], t.due()[0]) // before those that were due already
	w.Must(w.Data.Postpone(w.Ctx(), ids[0], w.Now().Add(time.Hour)))
	touch(9, storage.Touched{})
	w.Equal(3, len(t.due()))
	for n := 1; n > 0; {
		stamped, err := w.Data.StampEvents(w.Ctx(), 100)
		w.Must(err)
		n = stamped
	}
	last, err := w.Data.LastPosition(w.Ctx())
	w.Must(err)
	events, err := w.Data.ListStamped(w.Ctx(), last-2, 200)
	w.Must(err)
	w.Equal(2, len(events))
	w.Equal(last, events[1].Position)
}

func dueWithoutEvents(w *Tree) {
	t := w.NewTwin("Tower")
	user, client := w.User().ID, w.Client().ID
	by := map[string]storage.Caller{
		"user": {ClientID: client, UserID: user}, "client": {ClientID: client}, "another": {ClientID: "another"},
	}
	ids := map[string]string{}
	for item, caller := range by {
		d := t.document(item, 1)
		d.By = caller
		d, _, err := w.Data.ImportDocument(w.Ctx(), w.Change(), d)
		w.Must(err)
		w.Equal([]string{d.ID}, t.due())
		t.looked(d.ID)
		ids[item] = d.ID
	}
	newer := t.document("another", 2)
	newer.ID = ids["another"]
	w.Must(w.Data.RefreshDocument(w.Ctx(), w.Change(), newer))
	w.Equal([]string{newer.ID}, t.due())
	t.looked(newer.ID)
	for _, disabled := range []bool{true, false} {
		w.Must(w.Data.SetUserDisabled(w.Ctx(), w.Change().Act, user, disabled))
		w.Equal([]string{ids["user"]}, t.due())
		t.looked(ids["user"])
	}
	w.Must(w.Data.DeleteUser(w.Ctx(), w.Change().Act, user))
	w.Equal([]string{ids["user"]}, t.due())
	t.looked(ids["user"])
	w.Must(w.Data.DeleteClient(w.Ctx(), w.Change().Act, client))
	w.Equal(2, len(t.due()))
}

func dueOfRobots(w *Tree) {
	t := w.NewTwin("Tower")
	robot := w.ServiceAccount()
	d := t.document("manual", 1)
	d.By = storage.Caller{ClientID: robot.ClientID, UserID: robot.ID}
	d, _, err := w.Data.ImportDocument(w.Ctx(), w.Change(), d)
	w.Must(err)
	t.looked(d.ID)
	for name, act := range map[string]func(){
		"SetServiceAccountStatus": func() { w.setStatus(w.findAccount(robot.ID), storage.ServiceAccountDisabled) },
		"DeactivateServiceAccounts": func() {
			_, err := w.Store.DeactivateServiceAccounts(w.Ctx(), w.Act(), robot.ExpiresAt.Add(day), 10)
			w.Must(err)
		},
	} {
		w.setStatus(w.findAccount(robot.ID), storage.ServiceAccountEnabled)
		t.looked(d.ID)
		w.Equal([]string(nil), t.due())
		act()
		w.Equal([]string{name, d.ID}, append([]string{name}, t.due()...))
	}
	t.looked(d.ID)
	w.Must(w.Store.DeleteServiceAccount(w.Ctx(), w.Act(), robot.ID))
	w.Equal([]string{d.ID}, t.due())
}

func dueAnew(w *Tree) {
	t := w.NewTwin("Tower")
	user := w.User().ID
	d := t.document("manual", 1)
	d.By = storage.Caller{UserID: user}
	d, _, err := w.Data.ImportDocument(w.Ctx(), w.Change(), d)
	w.Must(err)
	for name, act := range map[string]func(){
		"a change of rights": func() { w.Must(w.Data.SetUserDisabled(w.Ctx(), w.Change().Act, user, true)) },
		"an event": func() {
			to, err := w.Data.Position(w.Ctx(), "documents")
			w.Must(err)
			w.Must(w.Data.Advance(w.Ctx(), "documents", to+1, w.Now(), []storage.Touched{{ItemID: d.Source.ItemID}}))
		},
		"a change of policy": func() {
			policy := storage.PolicyAuto
			if t.look(d.ID).Policy == policy {
				policy = storage.PolicyNotify
			}
			_, err := w.Data.UpdateDocument(w.Ctx(), w.Change(), d.FacilityID, d.ID, storage.DocumentPatch{Policy: &policy})
			w.Must(err)
		},
	} {
		seen := t.look(d.ID)
		w.Clock.Advance(time.Second)
		act()
		seen.State, seen.Newest = storage.DocumentOutdated, seen.Newest+1
		w.Must(w.Data.SetDocumentState(w.Ctx(), w.Change(), seen))
		w.Equal([]any{name, seen.State, seen.Newest, []string{d.ID}},
			[]any{name, t.look(d.ID).State, t.look(d.ID).Newest, t.due()})
		t.looked(d.ID)
		w.Equal([]string(nil), t.due())
	}
}
