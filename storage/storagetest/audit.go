package storagetest

import (
	"fmt"
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

func auditChecks() []check {
	return []check{
		{"RecordAudit adds an event that comes back with every field", recordAudit},
		{"FindAudit returns one event, or NotFound", findAudit},
		{"acts write who, when, and in answer to which request", actsAreAudited},
		{"an act that fails writes no event", failedActsAreNot},
		{"ListAudit returns pages, newest first", listAuditPages},
		{"ListAudit narrows by kind, subject, actor and time, and by all at once", listAuditFilters},
		{"ListAudit refuses a cursor that is none", listAuditCursor},
		{"SweepAudit removes what is old, in batches, the oldest first, once it was kept", sweepAudit},
	}
}

func recordAudit(w *World) {
	event := storage.AuditEvent{
		Act: storage.Act{
			At: w.Now(), Actor: storage.Actor{Kind: storage.ActorClient, ID: "c"}, RequestID: "r", Address: "192.0.2.1",
		},
		Kind: "user.sign_in_failed", Subject: "s", Detail: `{"a": 1}`,
	}
	w.Must(w.Store.RecordAudit(w.Ctx(), event))
	events, next, err := w.Store.ListAudit(w.Ctx(), storage.AuditFilter{}, storage.PageRequest{})
	w.Must(err)
	w.Equal("", next)
	if len(events) != 1 || events[0].ID == 0 {
		w.Fatalf("events are %+v", events)
	}
	event.ID = events[0].ID
	w.Equal(event, events[0])
}

func sweepAudit(w *World) {
	for i := range 5 {
		w.event("k", fmt.Sprint(i), "")
		w.Clock.Advance(time.Hour)
	}
	before := w.Now().Add(-90 * time.Minute) // of the fourth is 2 hours ago
	var kept []string
	keep := func(events []storage.AuditEvent) error {
		for _, e := range events {
			kept = append(kept, e.Subject)
		}
		return nil
	}
	for _, want := range []int{3, 1, 0} {
		n, err := w.Store.SweepAudit(w.Ctx(), before, 3, keep)
		w.Must(err)
		w.Equal(want, n)
	}
	w.Equal([]string{"0", "1", "2", "3"}, kept)
	full := fault.New(fault.Unavailable, "", "full")
	_, err := w.Store.SweepAudit(w.Ctx(), w.Now(), 3, func([]storage.AuditEvent) error { return full })
	w.Refused(err, fault.Unavailable, "")
	events, _, err := w.Store.ListAudit(w.Ctx(), storage.AuditFilter{Kind: "k"}, storage.PageRequest{})
	w.Must(err)
	w.Equal(1, len(events))
}

func findAudit(w *World) {
	w.event("k", "a", "x")
	w.event("k", "b", "y")
	events, _, err := w.Store.ListAudit(w.Ctx(), storage.AuditFilter{Subject: "a"}, storage.PageRequest{})
	w.Must(err)
	got, err := w.Store.FindAudit(w.Ctx(), events[0].ID)
	w.Must(err)
	w.Equal(events[0], got)
	for _, id := range []int64{-1, 0, events[0].ID + 1000} {
		_, err := w.Store.FindAudit(w.Ctx(), id)
		w.Refused(err, fault.NotFound, "")
	}
}

func actsAreAudited(w *World) {
	user := w.User()
	act := storage.Act{
		At: w.Now(), Actor: storage.Actor{Kind: storage.ActorUser, ID: "admin"}, RequestID: "r1", Address: "192.0.2.9",
	}
	w.Must(w.Store.SetUserDisabled(w.Ctx(), act, user.ID, true))
	events, _, err := w.Store.ListAudit(w.Ctx(), storage.AuditFilter{ActorID: "admin"}, storage.PageRequest{})
	w.Must(err)
	if len(events) != 1 {
		w.Fatalf("events are %+v", events)
	}
	w.Equal(act, events[0].Act)
	w.Equal("user.disabled", events[0].Kind)
}

func failedActsAreNot(w *World) {
	first, second := w.User(), w.User()
	second.Email = first.Email
	w.Refused(w.Store.UpdateUser(w.Ctx(), w.Act(), second, nil), fault.Conflict, "")
	w.Refused(w.Store.DeleteUser(w.Ctx(), w.Act(), "NOBODY"), fault.NotFound, "")
	w.Audited(second.ID, "user.created")
	w.Audited("NOBODY")
}

// event records one of the kind, about the subject, by the actor.
func (w *World) event(kind, subject, actor string) {
	w.Helper()
	act := w.Act()
	act.Actor.ID = actor
	w.Must(w.Store.RecordAudit(w.Ctx(), storage.AuditEvent{Act: act, Kind: kind, Subject: subject}))
}

func listAuditPages(w *World) {
	for i := range 5 {
		w.event("k", fmt.Sprint(i), "")
	}
	var subjects [][]string
	for after, more := "", true; more; {
		events, next, err := w.Store.ListAudit(w.Ctx(), storage.AuditFilter{Kind: "k"},
			storage.PageRequest{After: after, Limit: 2})
		w.Must(err)
		var page []string
		for _, event := range events {
			page = append(page, event.Subject)
		}
		subjects, after, more = append(subjects, page), next, next != ""
	}
	w.Equal([][]string{{"4", "3"}, {"2", "1"}, {"0"}}, subjects)
}

func listAuditFilters(w *World) {
	start := w.Now()
	w.event("k1", "a", "x")
	w.event("k2", "b", "x")
	w.Clock.Advance(time.Hour)
	w.event("k1", "c", "y")
	w.event("k1", "a", "y")
	for _, c := range []struct {
		filter storage.AuditFilter
		want   []string
	}{
		{storage.AuditFilter{Kind: "k1"}, []string{"k1 a y", "k1 c y", "k1 a x"}},
		{storage.AuditFilter{Subject: "a"}, []string{"k1 a y", "k1 a x"}},
		{storage.AuditFilter{ActorID: "x"}, []string{"k2 b x", "k1 a x"}},
		{storage.AuditFilter{Since: w.Now()}, []string{"k1 a y", "k1 c y"}},
		{storage.AuditFilter{Until: w.Now()}, []string{"k2 b x", "k1 a x"}},
		{storage.AuditFilter{Kind: "k1", Subject: "a", ActorID: "x", Since: start, Until: w.Now()}, []string{"k1 a x"}},
		{storage.AuditFilter{Kind: "k3"}, nil},
	} {
		events, _, err := w.Store.ListAudit(w.Ctx(), c.filter, storage.PageRequest{})
		w.Must(err)
		var got []string
		for _, e := range events {
			got = append(got, e.Kind+" "+e.Subject+" "+e.Act.Actor.ID)
		}
		w.Equal(c.want, got)
	}
}

func listAuditCursor(w *World) {
	_, _, err := w.Store.ListAudit(w.Ctx(), storage.AuditFilter{}, storage.PageRequest{After: "x"})
	w.Refused(err, fault.Invalid, "")
}
