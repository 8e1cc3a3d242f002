package storagetest

import (
	"fmt"
	"strings"
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

func webhookChecks() []treeCheck {
	return []treeCheck{
		{"a webhook is kept, found and removed, with its events", keepWebhooks},
		{"a webhook is behind when the feed goes on, and its project is active", behindWebhooks},
		{"of one webhook and subject the first delivery is due", dueDeliveries},
		{"deliveries are listed newest first, made due again, and forgotten when they were over long ago", deliveryLog},
	}
}

func (w *Tree) hook(id string) storage.Webhook {
	w.Helper()
	change := w.Change()
	hook := storage.Webhook{
		ID: id, HubID: w.Hub.ID, ProjectID: w.Project.ID, FolderID: w.Files.ID, Events: []string{"dm.a", "dm.b"},
		URL: "https://example.test/" + id, Secret: []byte{1, 0, 2}, CreatedAt: change.At, CreatedBy: "U",
	}
	w.Must(w.Data.CreateWebhook(w.Ctx(), change, hook))
	found, err := w.Data.FindWebhook(w.Ctx(), w.Project.ID, id)
	w.Must(err)
	return found
}

func keepWebhooks(w *Tree) {
	made := w.hook("w1")
	last, err := w.Data.LastPosition(w.Ctx())
	w.Must(err)
	want := storage.Webhook{
		ID: "w1", HubID: w.Hub.ID, ProjectID: w.Project.ID, FolderID: w.Files.ID, Events: []string{"dm.a", "dm.b"},
		URL: "https://example.test/w1", Secret: []byte{1, 0, 2}, CreatedAt: made.CreatedAt, CreatedBy: "U", Position: last,
	}
	w.Equal(want, made)
	second := w.hook("w2")
	all, err := w.Data.ListWebhooks(w.Ctx(), w.Project.ID)
	w.Must(err)
	w.Equal([]storage.Webhook{made, second}, all)
	resealed(w.World, storage.SealedWebhooks, "w1", "w2")

	other := w.NewProject(w.NewHub("Other").ID, "Other")
	_, err = w.Data.FindWebhook(w.Ctx(), other.ID, "w1")
	w.Refused(err, fault.NotFound, "")
	w.Refused(w.Data.DeleteWebhook(w.Ctx(), w.Change(), other.ID, "w1"), fault.NotFound, "")
	w.Must(w.Data.DeleteWebhook(w.Ctx(), w.Change(), w.Project.ID, "w1"))
	w.Told("w1", storage.EventWebhookDeleted, storage.EventWebhookCreated)
	w.Refused(w.Data.DeleteWebhook(w.Ctx(), w.Change(), w.Project.ID, "w1"), fault.NotFound, "")

	bad := second
	bad.ID, bad.FolderID = "w3", strings.Repeat("A", 22)
	w.Refused(w.Data.CreateWebhook(w.Ctx(), w.Change(), bad), fault.NotFound, storage.ReasonParentAbsent)
	bad.ProjectID = "absent"
	w.Refused(w.Data.CreateWebhook(w.Ctx(), w.Change(), bad), fault.NotFound, "")
	for i := range storage.MaxWebhooks - 1 {
		w.hook(fmt.Sprint("x", i))
	}
	bad = second
	bad.ID = "w3"
	w.Refused(w.Data.CreateWebhook(w.Ctx(), w.Change(), bad), fault.Conflict, storage.ReasonTooManyWebhooks)
}

// behind returns the ids of the webhooks that are.
func (w *Tree) behind() (ids []string) {
	w.Helper()
	hooks, err := w.Data.ListBehindWebhooks(w.Ctx(), 10)
	w.Must(err)
	for _, hook := range hooks {
		ids = append(ids, hook.ID)
	}
	return ids
}

// queue adds deliveries about the subjects.
func (w *Tree) queue(hook storage.Webhook, now time.Time, subjects ...string) storage.Webhook {
	w.Helper()
	var all []storage.WebhookDelivery
	for _, s := range subjects {
		all = append(all, storage.WebhookDelivery{Event: "dm.a", Subject: s, Body: "{" + s + "}"})
	}
	moved, err := w.Data.QueueDeliveries(w.Ctx(), hook, hook.Position+1, now, all)
	w.Must(err)
	w.Equal(true, moved)
	hook.Position++
	return hook
}

func behindWebhooks(w *Tree) {
	hook := w.hook("w1")
	w.stamped() // its own event
	w.Equal([]string{"w1"}, w.behind())
	hook = w.queue(hook, w.Now())
	w.Equal([]string(nil), w.behind())
	stale := hook
	stale.Position--
	moved, err := w.Data.QueueDeliveries(w.Ctx(), stale, stale.Position+5, w.Now(), nil)
	w.Must(err)
	w.Equal(false, moved)
	w.Folder(w.Files.ID, "new")
	w.stamped()
	w.Equal([]string{"w1"}, w.behind())
	w.setActive(false)
	w.Equal([]string(nil), w.behind())
}

// due returns the bodies of the deliveries that are.
func (w *Tree) due(now time.Time, limit, perHook int) (bodies []string) {
	w.Helper()
	all, err := w.Data.ListDueDeliveries(w.Ctx(), now, limit, perHook)
	w.Must(err)
	for _, d := range all {
		bodies = append(bodies, d.WebhookID+d.Body)
	}
	return bodies
}

func dueDeliveries(w *Tree) {
	now := w.Now()
	first, second := w.hook("w1"), w.hook("w2")
	w.queue(first, now, "a", "a", "b", "c")
	w.queue(second, now.Add(time.Second), "a")
	w.Equal([]string(nil), w.due(now.Add(-time.Second), 10, 10))
	w.Equal([]string{"w1{a}", "w1{b}", "w1{c}"}, w.due(now, 10, 10))
	w.Equal([]string{"w1{a}", "w2{a}", "w1{b}"}, w.due(now.Add(time.Second), 10, 2))
	w.Equal([]string{"w1{a}"}, w.due(now.Add(time.Second), 1, 2))
	all, err := w.Data.ListDueDeliveries(w.Ctx(), now, 1, 1)
	w.Must(err)
	w.Equal("https://example.test/w1", all[0].URL)
	w.Equal([]byte{1, 0, 2}, all[0].Secret)
	attempt := storage.DeliveryAttempt{DeliveryID: all[0].ID, At: now, Status: 500, Failure: "no",
		NextAt: now.Add(time.Hour)}
	w.Must(w.Data.RecordDeliveryAttempt(w.Ctx(), attempt))
	w.Equal([]string{"w1{b}", "w1{c}"}, w.due(now, 10, 10)) // the other of a waits behind it
	attempt.Failure, attempt.Status, attempt.NextAt = "", 200, time.Time{}
	w.Must(w.Data.RecordDeliveryAttempt(w.Ctx(), attempt))
	w.Equal([]string{"w1{a}", "w1{b}", "w1{c}"}, w.due(now, 10, 10))
}

func deliveryLog(w *Tree) {
	now := w.Now()
	w.queue(w.hook("w1"), now, "a", "b", "c")
	list := func(page storage.PageRequest) []storage.WebhookDelivery {
		all, _, err := w.Data.ListDeliveries(w.Ctx(), "w1", page)
		w.Must(err)
		return all
	}
	all := list(storage.PageRequest{})
	w.Equal(3, len(all))
	w.Equal("{c}", all[0].Body)
	_, next, err := w.Data.ListDeliveries(w.Ctx(), "w1", storage.PageRequest{Limit: 1})
	w.Must(err)
	w.Equal("{b}", list(storage.PageRequest{Limit: 1, After: next})[0].Body)
	_, _, err = w.Data.ListDeliveries(w.Ctx(), "w1", storage.PageRequest{After: "x"})
	w.Refused(err, fault.Invalid, "")

	oldest := all[2]
	w.Must(w.Data.RecordDeliveryAttempt(w.Ctx(), storage.DeliveryAttempt{DeliveryID: oldest.ID, At: now, Status: 200}))
	over := list(storage.PageRequest{})[2]
	want := oldest
	want.Attempts, want.LastAt, want.LastStatus, want.NextAt, want.DeliveredAt = 1, now, 200, time.Time{}, now
	w.Equal(want, over)
	w.Must(w.Data.Redeliver(w.Ctx(), "w1", oldest.ID, now.Add(time.Minute)))
	again := list(storage.PageRequest{})[2]
	want.NextAt, want.Attempts = now.Add(time.Minute), 0
	w.Equal(want, again)
	w.Refused(w.Data.Redeliver(w.Ctx(), "w2", oldest.ID, now), fault.NotFound, "")

	sweep := func(now time.Time) int {
		n, err := w.Data.SweepDeliveries(w.Ctx(), now, 10)
		w.Must(err)
		return n
	}
	w.Must(w.Data.RecordDeliveryAttempt(w.Ctx(), storage.DeliveryAttempt{DeliveryID: oldest.ID, At: now, Failure: "no"}))
	w.Equal(0, sweep(now.Add(storage.KeepDeliveries-time.Second)))
	w.Equal(1, sweep(now.Add(storage.KeepDeliveries)))
	w.Equal(2, len(list(storage.PageRequest{}))) // what waits stays
}
