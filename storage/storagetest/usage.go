package storagetest

import (
	"time"

	"github.com/portico-id/portico/storage"
)

func usageChecks() []check {
	return []check{
		{"AddUsage adds to the hour and to the day, of each client and of the server apart", addUsage},
		{"AddUsage of several servers adds up, and counts each person once", addUsageTogether},
		{"AddUsage passes over a client that is not there, and usage goes with its client", usageOfAbsent},
		{"AddUsage takes as many clients as there may be", usageOfMany},
		{"SweepExpired forgets by what people were counted, then hours, then days", sweepUsage},
	}
}

// used is what was counted of a client since ever, without times.
func used(w *World, clientID string, span storage.UsageSpan) (began []time.Time, all []storage.Usage) {
	w.Helper()
	all, err := w.Store.ListUsage(w.Ctx(), clientID, span, time.Time{}.Add(time.Hour))
	w.Must(err)
	for i := range all {
		began, all[i].Began = append(began, all[i].Began), time.Time{}
	}
	return began, all
}

func addUsage(w *World) {
	client, other := w.Client(), w.Client()
	day := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	at := func(hour int) time.Time { return day.Add(time.Duration(hour) * time.Hour) }
	one := storage.UsageCounts{SignIns: 1, Tokens: 2, Refused: 3, Failed: 4}
	w.Must(w.Store.AddUsage(w.Ctx(), nil))
	w.Must(w.Store.AddUsage(w.Ctx(), []storage.UsageAdded{
		{ClientID: client.ID, Hour: at(9), UsageCounts: one, Crowd: storage.Crowd{7}},
		{ClientID: client.ID, Hour: at(10), UsageCounts: one, Crowd: storage.Crowd{7, 8}},
		{ClientID: client.ID, Hour: at(10), UsageCounts: one},
		{Hour: at(10), UsageCounts: storage.UsageCounts{Failed: 1}},
	}))
	w.Must(w.Store.AddUsage(w.Ctx(), []storage.UsageAdded{{ClientID: client.ID, Hour: at(24), UsageCounts: one}}))
	twice := storage.UsageCounts{SignIns: 2, Tokens: 4, Refused: 6, Failed: 8}
	began, got := used(w, client.ID, storage.UsageHour)
	w.Equal([]time.Time{at(9), at(10), at(24)}, began)
	w.Equal([]storage.Usage{{UsageCounts: one, People: 1}, {UsageCounts: twice, People: 2}, {UsageCounts: one}}, got)
	began, got = used(w, client.ID, storage.UsageDay)
	w.Equal([]time.Time{day, at(24)}, began)
	w.Equal([]storage.Usage{{UsageCounts: storage.UsageCounts{SignIns: 3, Tokens: 6, Refused: 9, Failed: 12}, People: 2},
		{UsageCounts: one}}, got)
	_, got = used(w, "", storage.UsageDay)
	w.Equal([]storage.Usage{{UsageCounts: storage.UsageCounts{Failed: 1}}}, got)
	_, got = used(w, other.ID, storage.UsageDay)
	w.Equal(0, len(got))
	late, err := w.Store.ListUsage(w.Ctx(), client.ID, storage.UsageHour, at(10))
	w.Must(err)
	w.Equal(2, len(late))
}

func addUsageTogether(w *World) {
	client, hour := w.Client(), time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	stores := []storage.Identity{w.Store, w.Second(2)}
	failed := make(chan error, 10)
	for i := range 10 {
		go func() {
			of := storage.UsageAdded{Hour: hour, UsageCounts: storage.UsageCounts{Tokens: 1},
				Crowd: storage.Crowd{uint32(i), 100}}
			ofApp := of
			ofApp.ClientID = client.ID
			failed <- stores[i%2].AddUsage(w.Ctx(), []storage.UsageAdded{of, ofApp})
		}()
	}
	for range 10 {
		w.Must(<-failed)
	}
	for _, of := range []string{"", client.ID} {
		_, got := used(w, of, storage.UsageDay)
		w.Equal([]storage.Usage{{UsageCounts: storage.UsageCounts{Tokens: 10}, People: 11}}, got)
	}
}

func usageOfAbsent(w *World) {
	client, hour := w.Client(), time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	one := storage.UsageCounts{Tokens: 1}
	w.Must(w.Store.AddUsage(w.Ctx(), []storage.UsageAdded{
		{ClientID: "nobody", Hour: hour, UsageCounts: one, Crowd: storage.Crowd{1}},
		{ClientID: client.ID, Hour: hour, UsageCounts: one}, {Hour: hour, UsageCounts: one},
	}))
	_, got := used(w, "nobody", storage.UsageHour)
	w.Equal(0, len(got))
	_, got = used(w, client.ID, storage.UsageHour)
	w.Equal(1, len(got))
	w.Must(w.Store.DeleteClient(w.Ctx(), w.Act(), client.ID))
	_, got = used(w, client.ID, storage.UsageHour)
	w.Equal(0, len(got))
	_, got = used(w, "", storage.UsageHour)
	w.Equal(1, len(got))
}

func usageOfMany(w *World) {
	client, hour := w.Client(), time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	var crowd storage.Crowd
	for i := range 3 * storage.CrowdSize {
		crowd = append(crowd, uint32(i)<<20)
	}
	var added []storage.UsageAdded
	for i := range 400 {
		added = append(added, storage.UsageAdded{ClientID: client.ID, Hour: hour.Add(time.Duration(i) * time.Hour),
			UsageCounts: storage.UsageCounts{Tokens: 1}, Crowd: crowd[:1+i%3]})
	}
	added[399].Crowd = crowd.Met()
	w.Must(w.Store.AddUsage(w.Ctx(), added))
	_, got := used(w, client.ID, storage.UsageHour)
	w.Equal(400, len(got))
	w.Equal(true, got[399].People > 2*storage.CrowdSize)
	_, got = used(w, client.ID, storage.UsageDay)
	w.Equal(17, len(got))
	w.Equal(storage.Usage{UsageCounts: storage.UsageCounts{Tokens: 24}, People: 3}, got[0])
}

func sweepUsage(w *World) {
	hour := w.Now().Truncate(24 * time.Hour)
	add := func(mark uint32) {
		w.Must(w.Store.AddUsage(w.Ctx(), []storage.UsageAdded{{Hour: hour, UsageCounts: storage.UsageCounts{SignIns: 1},
			Crowd: storage.Crowd{mark}}}))
	}
	people := func() (of []int64) {
		for _, span := range []storage.UsageSpan{storage.UsageHour, storage.UsageDay} {
			_, got := used(w, "", span)
			for _, u := range got {
				of = append(of, u.People)
			}
		}
		return of
	}
	until := func(after time.Duration) { w.Clock.Advance(hour.Add(after).Sub(w.Now())) }
	add(1)
	add(2)
	until(storage.KeepCrowds - time.Microsecond)
	w.Equal(0, w.sweep(100))
	add(1) // who is known still
	w.Equal([]int64{2, 2}, people())
	until(storage.KeepCrowds)
	w.Equal(2, w.sweep(100))
	w.Equal([]int64{2, 2}, people())
	add(1) // of a server that comes late: nobody knows who was there
	w.Equal([]int64{2, 2}, people())
	w.Equal(2, w.sweep(100))
	until(storage.KeepUsageHours)
	w.Equal(1, w.sweep(100))
	w.Equal([]int64{2}, people())
	until(storage.KeepUsageDays - time.Microsecond)
	w.Equal(0, w.sweep(100))
	until(storage.KeepUsageDays)
	w.Equal(1, w.sweep(100))
	w.Equal(0, len(people()))
}
