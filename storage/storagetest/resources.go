package storagetest

import (
	"fmt"
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

func resourceChecks() []check {
	return []check{
		{"CreateResource adds a resource that is found and listed with every field", createResource},
		{"a key is one resource's", takenResourceKey},
		{"PatchResource replaces everything but ID, Disabled, TokensFrom and CreatedAt", updateResource},
		{"what a resource was sent before it was disabled stays ended when it is enabled again", disableResource},
		{"what a resource was sent in the second in which it was disabled stays ended", disableInASecond},
		{"ResourceEnds tells until when resources had their addresses that have them no more", endResources},
		{"an absent resource is NotFound to every method", absentResource},
		{"there are so many resources at most, though many are made at once", fullResources},
	}
}

// Resource adds an enabled resource.
func (w *World) Resource(name string) storage.Resource {
	w.Helper()
	r := unkept(w, name)
	w.Must(w.Store.CreateResource(w.Ctx(), w.Act(), r))
	r.TokensFrom = w.Now().Truncate(time.Second)
	return r
}

// unkept returns one that is not kept yet.
func unkept(w *World, name string) storage.Resource {
	address := "https://" + name + ".example.test"
	return storage.Resource{
		ID: w.Source.UID(), Identifier: address + "/", Key: address, Name: name, Scopes: []string{"b", "a"},
		DefaultScopes: []string{"a"}, Everyone: true, Clients: []string{"c1"}, ClientID: "c2", Algorithm: "ES256",
		Lifetime: time.Minute, ProofNeeded: true, ACR: "strong", MaxAge: time.Hour, CreatedAt: w.Now(), UpdatedAt: w.Now(),
	}
}

func createResource(w *World) {
	second, first := w.Resource("second"), w.Resource("First")
	got, err := w.Store.FindResource(w.Ctx(), second.ID)
	w.Must(err)
	w.Equal(second, got)
	all, err := w.Store.ListResources(w.Ctx())
	w.Must(err)
	w.Equal([]storage.Resource{first, second}, all)
	w.Audited(first.ID, "resource.created")
	w.Must(w.Store.DeleteResource(w.Ctx(), w.Act(), first.ID))
	all, err = w.Store.ListResources(w.Ctx())
	w.Must(err)
	w.Equal([]storage.Resource{second}, all)
	w.Audited(first.ID, "resource.deleted", "resource.created")
}

func takenResourceKey(w *World) {
	one, other := w.Resource("one"), w.Resource("other")
	twin := one
	twin.ID = w.Source.UID()
	w.Refused(w.Store.CreateResource(w.Ctx(), w.Act(), twin), fault.Conflict, storage.ReasonResourceTaken)
	other.Key = one.Key
	w.Refused(w.Store.PatchResource(w.Ctx(), w.Act(), other, nil), fault.Conflict, storage.ReasonResourceTaken)
	w.Must(w.Store.PatchResource(w.Ctx(), w.Act(), one, nil))
}

func updateResource(w *World) {
	before := w.Resource("one")
	w.Clock.Advance(time.Hour)
	after := storage.Resource{ID: before.ID, Identifier: "urn:x", Key: "urn:x", Name: "Other", Disabled: true,
		UpdatedAt: before.UpdatedAt}
	w.Must(w.Store.PatchResource(w.Ctx(), w.Act(), after, nil))
	after.Disabled, after.TokensFrom, after.CreatedAt, after.UpdatedAt = false, before.TokensFrom,
		before.CreatedAt, w.Now()
	got, err := w.Store.FindResource(w.Ctx(), before.ID)
	w.Must(err)
	w.Equal(after, got)
	w.Refused(w.Store.PatchResource(w.Ctx(), w.Act(), before, nil), fault.Conflict, storage.ReasonChanged)
	w.Audited(before.ID, "resource.updated", "resource.created")
}

func disableResource(w *World) {
	r := w.Resource("one")
	for _, disabled := range []bool{true, true, false} {
		w.Clock.Advance(time.Minute)
		w.Must(w.Store.SetResourceDisabled(w.Ctx(), w.Act(), r.ID, disabled))
	}
	got, err := w.Store.FindResource(w.Ctx(), r.ID)
	w.Must(err)
	r.TokensFrom = w.Now().Truncate(time.Second)
	w.Equal(r, got)
	w.Audited(r.ID, "resource.enabled", "resource.disabled", "resource.created")
}

func disableInASecond(w *World) {
	r := w.Resource("one")
	w.Clock.Advance(time.Minute)
	for _, disabled := range []bool{true, false} {
		w.Must(w.Store.SetResourceDisabled(w.Ctx(), w.Act(), r.ID, disabled))
	}
	got, err := w.Store.FindResource(w.Ctx(), r.ID)
	w.Must(err)
	r.TokensFrom = w.Now().Truncate(time.Second).Add(time.Second)
	w.Equal(r, got)
}

func endResources(w *World) {
	ends := func() map[string]time.Time {
		w.Helper()
		ends, err := w.Store.ResourceEnds(w.Ctx())
		w.Must(err)
		return ends
	}
	next := func() time.Time { return w.Now().Truncate(time.Second).Add(2 * time.Second) }
	gone, moved, stays := w.Resource("gone"), w.Resource("moved"), w.Resource("stays")
	w.Equal(map[string]time.Time{}, ends())
	w.Must(w.Store.DeleteResource(w.Ctx(), w.Act(), gone.ID))
	first := next()
	w.Clock.Advance(time.Minute)
	stays.Name = "Other"
	w.Must(w.Store.PatchResource(w.Ctx(), w.Act(), stays, nil))
	was := moved.Key
	moved.Identifier, moved.Key = "urn:moved", "urn:moved"
	w.Must(w.Store.PatchResource(w.Ctx(), w.Act(), moved, nil))
	w.Equal(map[string]time.Time{gone.Key: first, was: next()}, ends())
	twin := moved
	twin.Key = stays.Key
	w.Refused(w.Store.PatchResource(w.Ctx(), w.Act(), twin, nil), fault.Conflict, storage.ReasonResourceTaken)
	w.Equal(map[string]time.Time{gone.Key: first, was: next()}, ends())

	again := gone
	again.ID = w.Source.UID()
	w.Must(w.Store.CreateResource(w.Ctx(), w.Act(), again))
	w.Clock.Advance(time.Minute)
	w.Must(w.Store.DeleteResource(w.Ctx(), w.Act(), again.ID))
	w.Equal(map[string]time.Time{gone.Key: next(), was: next().Add(-time.Minute)}, ends())
}

func absentResource(w *World) {
	_, err := w.Store.FindResource(w.Ctx(), "nothing")
	w.Refused(err, fault.NotFound, "")
	w.Refused(w.Store.PatchResource(w.Ctx(), w.Act(), storage.Resource{ID: "nothing"}, nil), fault.NotFound, "")
	w.Refused(w.Store.SetResourceDisabled(w.Ctx(), w.Act(), "nothing", true), fault.NotFound, "")
	w.Refused(w.Store.DeleteResource(w.Ctx(), w.Act(), "nothing"), fault.NotFound, "")
}

func fullResources(w *World) {
	const left = 5
	for i := range storage.MaxResources - left {
		w.Resource(fmt.Sprint(i))
	}
	results := w.race(racers, func(store storage.Identity, i int) error {
		return store.CreateResource(w.Ctx(), w.Act(), unkept(w, fmt.Sprint("more", i)))
	})
	w.Equal(map[string]int{"ok": left, "conflict " + storage.ReasonResourcesFull: racers - left}, each(results))
}
