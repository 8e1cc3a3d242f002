package storagetest

import (
	"strings"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

func flowChecks() []treeCheck {
	return []treeCheck{
		{"a version gets a state, and keeps what else its data has", versionState},
		{"SetVersionState refuses what is absent, changed, archived or taken", versionStateRefused},
		{"a copy begins without a state", copyWithoutState},
		{"contents are narrowed by the states of tips", contentsByState},
		{"how files are called is kept, and taken back", namings},
	}
}

func (w *Tree) state(itemID string, number int, s storage.VersionState) error {
	return w.Data.SetVersionState(w.Ctx(), w.Change(), w.Project.ID, storage.VersionRef{ItemID: itemID, Number: number}, s)
}

func (w *Tree) version(itemID string, number int) storage.Version {
	w.Helper()
	_, _, _, version, err := w.Data.FindVersion(w.Ctx(), storage.Caller{}, w.Project.ID,
		storage.VersionRef{ItemID: itemID, Number: number})
	w.Must(err)
	return version
}

func versionState(w *Tree) {
	version := newVersion("a.txt")
	version.Extension.Data = `{"own": 1}`
	item := w.Item(w.Files.ID, "a.txt").Item.ID
	w.Version(item, version)
	was := w.version(item, 2)
	shared := storage.VersionState{State: "shared", Suitability: "S2", Revision: "P01"}
	user := w.User().ID
	change := w.ChangeBy(user)
	w.Must(w.Data.SetVersionState(w.Ctx(), change, w.Project.ID, storage.VersionRef{ItemID: item, Number: 2}, shared))
	got := w.version(item, 2)
	w.Equal(shared, storage.StateOf(got.Extension))
	w.Equal([]any{was.Revision + 1, change.At, user}, []any{got.Revision, got.ModifiedAt, got.ModifiedBy})
	w.Equal(storage.VersionState{}, storage.StateOf(w.version(item, 1).Extension))
	w.Told(item, storage.EventVersionState, storage.EventVersionAdded, storage.EventItemCreated)
	w.Must(w.state(item, 2, shared)) // no change
	w.Equal(got, w.version(item, 2))
	w.Must(w.state(item, 2, storage.VersionState{}))
	w.Equal(`{"own":1}`, strings.ReplaceAll(w.version(item, 2).Extension.Data, " ", ""))
	w.Equal(change.At.Before(w.Look(w.Files.ID).RollupAt), true)
}

func versionStateRefused(w *Tree) {
	item := w.Item(w.Files.ID, "a.txt").Item.ID
	w.Version(item, newVersion("a.txt"))
	first := storage.VersionState{State: "shared", Revision: "P01"}
	w.Must(w.state(item, 1, first))
	w.Unchanged(fault.Conflict, storage.ReasonRevisionTaken, func() error { return w.state(item, 2, first) })
	w.Unchanged(fault.NotFound, "", func() error { return w.state(item, 3, first) })
	w.Unchanged(fault.NotFound, "", func() error { return w.state("none", 1, first) })
	w.Unchanged(fault.PreconditionFailed, storage.ReasonChanged, func() error {
		change := w.Change()
		change.Seen = 7
		return w.Data.SetVersionState(w.Ctx(), change, w.Project.ID, storage.VersionRef{ItemID: item, Number: 2},
			storage.VersionState{State: "wip"})
	})
	w.Must(w.state(w.Item(w.Files.ID, "b.txt").Item.ID, 1, first)) // of another file
	w.setArchived(true)
	w.Unchanged(fault.Locked, storage.ReasonProjectArchived, func() error {
		return w.state(item, 2, storage.VersionState{State: "wip"})
	})
	w.Unchanged(fault.Locked, storage.ReasonProjectArchived, func() error {
		return w.Data.SetNaming(w.Ctx(), w.Change(), w.Project.ID, storage.Naming{})
	})
}

func copyWithoutState(w *Tree) {
	version := newVersion("a.txt")
	version.Extension.Data = `{"own": 1}`
	item := w.Item(w.Files.ID, "a.txt").Item.ID
	w.Version(item, version)
	w.Must(w.state(item, 2, storage.VersionState{State: "published"}))
	made := w.Version(item, storage.NewVersion{CopyFrom: &storage.VersionRef{ItemID: item, Number: 2}})
	w.Equal(`{"own":1}`, strings.ReplaceAll(w.version(item, made.Tip.Number).Extension.Data, " ", ""))
}

func contentsByState(w *Tree) {
	w.Folder(w.Files.ID, "Folder")
	for _, name := range []string{"a.txt", "b.txt", "c.txt"} {
		item := w.Item(w.Files.ID, name).Item.ID
		if name != "c.txt" {
			w.Must(w.state(item, 1, storage.VersionState{State: "shared", Revision: "P0" + name[:1]}))
		}
		if name == "b.txt" {
			w.Version(item, newVersion(name)) // the tip has none
		}
	}
	query := func(of storage.StateField, values ...string) storage.ContentsQuery {
		return storage.ContentsQuery{Stated: []storage.StateCondition{
			{Of: of, TextCondition: storage.TextCondition{Op: storage.OpEqual, Values: values}}}}
	}
	w.Equal([]string{"a.txt"}, w.Names(w.Files.ID, query(storage.StateItself, "shared", "wip")))
	w.Equal([]string{"a.txt"}, w.Names(w.Files.ID, query(storage.StateRevision, "P0a")))
	w.Equal([]string(nil), w.Names(w.Files.ID, query(storage.StateRevision, "P0b")))
	w.Equal([]string(nil), w.Names(w.Files.ID, query(storage.StateSuitability, "S1")))
	a := w.named("a.txt")
	w.Must(w.state(a, 1, storage.VersionState{State: "published"}))
	w.Equal([]string(nil), w.Names(w.Files.ID, query(storage.StateItself, "shared")))
	w.Equal([]string{"a.txt"}, w.Names(w.Files.ID, query(storage.StateItself, "published")))
	w.Must(w.state(a, 1, storage.VersionState{}))
	w.Equal([]string(nil), w.Names(w.Files.ID, query(storage.StateItself, "published")))
}

func namings(w *Tree) {
	find := func(project string) storage.Naming {
		rule, err := w.Data.FindNaming(w.Ctx(), project)
		w.Must(err)
		return rule
	}
	w.Equal(storage.Naming{}, find(w.Project.ID))
	rule := storage.Naming{Separator: "-", Holding: w.Files.ID,
		Fields: []storage.NamingField{{Name: "Type", Values: []string{"DR"}}, {Name: "Number", Digits: 4}}}
	for _, fields := range [][]storage.NamingField{rule.Fields[:1], rule.Fields} {
		rule.Fields = fields
		w.Must(w.Data.SetNaming(w.Ctx(), w.Change(), w.Project.ID, rule))
		w.Equal(rule, find(w.Project.ID))
	}
	w.Equal(storage.Naming{}, find("b.none"))
	w.Must(w.Data.SetNaming(w.Ctx(), w.Change(), w.Project.ID, storage.Naming{}))
	w.Equal(storage.Naming{}, find(w.Project.ID))
	w.Told(w.Project.ID, storage.EventProjectNaming, storage.EventProjectNaming, storage.EventProjectNaming,
		storage.EventProjectCreated)
	w.Refused(w.Data.SetNaming(w.Ctx(), w.Change(), "b.none", rule), fault.NotFound, "")
}
