package storagetest

import (
	"slices"
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

func reservationChecks() []treeCheck {
	return []treeCheck{
		{"ReserveItem keeps others from changing the item, and not the holder", reserveItem},
		{"a reservation ends by itself, and reserving again makes it last longer", reservationEnds},
		{"ReleaseItem ends the own reservation only, BreakReservation anyone's", releaseItem},
		{"ListReservations returns pages of what is reserved at the time", listReservations},
	}
}

func reserveItem(w *Tree) {
	item := w.Item(w.Files.ID, "a.txt")
	id := item.Item.ID
	holder, other := w.User().ID, w.User().ID
	change := w.ChangeBy(holder)
	got, err := w.Data.ReserveItem(w.Ctx(), change, w.Project.ID, id)
	w.Must(err)
	item.Item.ReservedBy, item.Item.ReservedAt, item.Item.ReservedUntil = holder, change.At,
		change.At.Add(storage.ReservationLifetime)
	item.Item.Revision = 2
	w.Equal(item, got)
	w.Equal(holder, got.Item.ReservedFor(w.Now()))
	for _, by := range []storage.Change{w.ChangeBy(other), w.Change()} {
		for _, try := range []func() error{
			func() error { _, err := w.Data.ReserveItem(w.Ctx(), w.ChangeBy(other), w.Project.ID, id); return err },
			func() error { _, err := w.Data.AddVersion(w.Ctx(), by, w.Project.ID, id, newVersion("v")); return err },
			func() error {
				_, err := w.Data.UpdateItem(w.Ctx(), by, w.Project.ID, id, storage.ItemPatch{Name: ptr("b")})
				return err
			},
			func() error {
				_, err := w.Data.RenameVersion(w.Ctx(), by, w.Project.ID, storage.VersionRef{ItemID: id, Number: 1}, "b")
				return err
			},
			func() error {
				return w.Data.SetVersionState(w.Ctx(), by, w.Project.ID, storage.VersionRef{ItemID: id, Number: 1},
					storage.VersionState{State: "published"})
			},
		} {
			w.Unchanged(fault.Locked, storage.ReasonReserved, try)
			w.Equal(map[string]string{
				storage.FactHolder: holder, storage.FactUntil: item.Item.ReservedUntil.Format(time.RFC3339Nano),
			}, fault.From(try()).Facts)
		}
	}
	_, err = w.Data.AddVersion(w.Ctx(), w.ChangeBy(holder), w.Project.ID, id, newVersion("v"))
	w.Must(err)
	w.Must(w.Data.SetVersionState(w.Ctx(), w.ChangeBy(holder), w.Project.ID, storage.VersionRef{ItemID: id, Number: 1},
		storage.VersionState{State: "shared"}))
	w.Equal(holder, w.LookItem(id).Item.ReservedBy)
	w.Unchanged(fault.Invalid, "", func() error {
		_,
			err := w.Data.ReserveItem(w.Ctx(), w.Change(), w.Project.ID, id)
		return err
	})
	w.Unchanged(fault.NotFound, "", func() error {
		_, err := w.Data.ReserveItem(w.Ctx(), w.ChangeBy(holder), w.Project.ID, "none")
		return err
	})
	hidden := w.Item(w.Files.ID, "hidden").Item.ID
	w.Must(w.patchItem(hidden, storage.ItemPatch{Hidden: ptr(true)}))
	w.Unchanged(fault.Conflict, storage.ReasonItemHidden, func() error {
		_, err := w.Data.ReserveItem(w.Ctx(), w.ChangeBy(holder), w.Project.ID, hidden)
		return err
	})
}

func reservationEnds(w *Tree) {
	id := w.Item(w.Files.ID, "a.txt").Item.ID
	holder, other := w.User().ID, w.User().ID
	first := w.ChangeBy(holder)
	_, err := w.Data.ReserveItem(w.Ctx(), first, w.Project.ID, id)
	w.Must(err)
	w.Clock.Advance(storage.ReservationLifetime / 2)
	again := w.ChangeBy(holder)
	got, err := w.Data.ReserveItem(w.Ctx(), again, w.Project.ID, id)
	w.Must(err)
	w.Equal([]time.Time{first.At, again.At.Add(storage.ReservationLifetime)},
		[]time.Time{got.Item.ReservedAt, got.Item.ReservedUntil})
	w.Clock.Advance(storage.ReservationLifetime)
	w.Equal("", got.Item.ReservedFor(w.Now()))
	_, err = w.Data.UpdateItem(w.Ctx(), w.ChangeBy(other), w.Project.ID, id, storage.ItemPatch{Name: ptr("b")})
	w.Must(err)
	_, err = w.Data.ReserveItem(w.Ctx(), w.ChangeBy(other), w.Project.ID, id)
	w.Must(err)
	w.Told(id, storage.EventItemReserved, storage.EventItemRenamed, storage.EventItemReserved, storage.EventItemReserved,
		storage.EventItemCreated)
}

func releaseItem(w *Tree) {
	id := w.Item(w.Files.ID, "a.txt").Item.ID
	holder, other := w.User().ID, w.User().ID
	release := func(user string) func() error {
		return func() error {
			_, err := w.Data.ReleaseItem(w.Ctx(), w.ChangeBy(user), w.Project.ID, id)
			return err
		}
	}
	w.Unchanged(fault.Conflict, storage.ReasonNotReserved, release(holder))
	w.Unchanged(fault.Conflict, storage.ReasonNotReserved, func() error {
		_, err := w.Data.BreakReservation(w.Ctx(), w.Change(), w.Project.ID, id)
		return err
	})
	for _, end := range []func() error{
		release(holder),
		func() error {
			_, err := w.Data.BreakReservation(w.Ctx(), w.ChangeBy(other), w.Project.ID, id)
			return err
		},
	} {
		_, err := w.Data.ReserveItem(w.Ctx(), w.ChangeBy(holder), w.Project.ID, id)
		w.Must(err)
		w.Unchanged(fault.Locked, storage.ReasonReserved, release(other))
		w.Must(end())
		item := w.LookItem(id).Item
		w.Equal([]any{"", true, w.Now()}, []any{item.ReservedBy, item.ReservedAt.IsZero(), item.ReservedUntil})
		w.Must(w.patchItem(id, storage.ItemPatch{Name: ptr(w.Source.UID())}))
	}
}

func listReservations(w *Tree) {
	user := w.User().ID
	var want []string
	for range 3 {
		id := w.Item(w.Files.ID, w.Source.UID()).Item.ID
		want = append(want, id)
		_, err := w.Data.ReserveItem(w.Ctx(), w.ChangeBy(user), w.Project.ID, id)
		w.Must(err)
	}
	w.Item(w.Files.ID, "free")
	slices.Sort(want)
	var got []string
	for page := (storage.PageRequest{Limit: 2}); ; {
		items, next, err := w.Data.ListReservations(w.Ctx(), w.Project.ID, w.Now(), page)
		w.Must(err)
		for _, i := range items {
			w.Equal(w.LookItem(i.ID).Item, i)
			got = append(got, i.ID)
		}
		if page.After = next; next == "" {
			break
		}
	}
	w.Equal(want, got)
	items, _, err := w.Data.ListReservations(w.Ctx(), w.Project.ID,
		w.Now().Add(storage.ReservationLifetime), storage.PageRequest{})
	w.Must(err)
	w.Equal(0, len(items))
}
