package storagetest

import (
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

func transmittalChecks() []treeCheck {
	return []treeCheck{
		{"a transmittal keeps what versions were when they were sent", transmittals},
		{"numbers of transmittals count up in a project, also for fifty at once", transmittalNumbers},
		{"SendTransmittal refuses what is absent, and an archived project", transmittalsRefused},
		{"SendTransmittal refuses what rights and groups don't bear any more", transmittalsOfRights},
		{"who sent something or was sent it finds it, page by page", transmittalsOf},
		{"that somebody has fetched a version is noted once", fetchedOnce},
	}
}

// seers adds people who see all of the project, with these ids, unless they are there.
func (w *Tree) seers(ids ...string) {
	w.Helper()
	for _, id := range ids {
		_, err := w.Store.FindUser(w.Ctx(), id)
		if err != nil {
			w.Must(w.Store.CreateUser(w.Ctx(), w.Act(), storage.User{ID: id, Email: id + "@example.test", CreatedAt: w.Now(),
				UpdatedAt: w.Now()}, ""))
		}
		w.Must(w.Data.SetProjectMember(w.Ctx(), w.Change(), w.Project.ID, id, true))
	}
}

// send sends the versions to people.
func (w *Tree) send(by string, to []string, refs ...storage.VersionRef) storage.Transmittal {
	w.Helper()
	w.seers(append(to, by)...)
	sent, err := w.trySend(w.ChangeBy(by), to, refs...)
	w.Must(err)
	return sent
}

func (w *Tree) trySend(change storage.Change, to []string, refs ...storage.VersionRef) (storage.Transmittal, error) {
	sent := storage.NewTransmittal{Title: "Title", Message: "Message", Versions: refs}
	for _, id := range to {
		sent.To = append(sent.To, storage.SentTo{UserID: id})
	}
	return w.Data.SendTransmittal(w.Ctx(), change, w.Project.ID, sent, func(int) []storage.Mail { return nil })
}

func transmittals(w *Tree) {
	user := w.User().ID
	w.seers(user, "A", "B")
	stored := storage.VersionRef{ItemID: w.stored(w.Files.ID, "a.txt"), Number: 1}
	empty := storage.VersionRef{ItemID: w.Item(w.Plans.ID, "b.txt").Item.ID, Number: 1}
	stage := storage.VersionState{State: "shared", Suitability: "S2", Revision: "P01"}
	w.Must(w.state(stored.ItemID, 1, stage))
	change := w.ChangeBy(user)
	change.Mails = []storage.Mail{{UID: "before", Kind: "k", To: "z@example.test", Words: "{}"}}
	sent, err := w.Data.SendTransmittal(w.Ctx(), change, w.Project.ID, storage.NewTransmittal{Title: "Title",
		Message: "Line\nline", Versions: []storage.VersionRef{empty, stored},
		To: []storage.SentTo{{UserID: "B", Group: "Group"}, {UserID: "A"}}}, func(number int) []storage.Mail {
		return []storage.Mail{{UID: "m" + strconv.Itoa(number), Kind: "k", To: "a@example.test", Words: "{}"}}
	})
	w.Must(err)
	want := storage.Transmittal{Number: 1, Title: "Title", Message: "Line\nline", SentAt: change.At, SentBy: user,
		Versions: 2, To: 2, Size: 7}
	w.Equal(want, sent)
	w.Told("1", storage.EventTransmittalSent)
	for _, address := range []string{"a@example.test", "z@example.test"} {
		mailed, err := w.Store.CountMails(w.Ctx(), address, []string{"k"}, change.At.Add(-time.Hour), 1<<60)
		w.Must(err)
		w.Equal(1, mailed)
	}
	w.Must(w.state(stored.ItemID, 1, storage.VersionState{State: "archived"}))
	_, err = w.Data.RenameVersion(w.Ctx(), w.Change(), w.Project.ID, stored, "other.txt")
	w.Must(err)
	found, versions, to, err := w.Data.FindTransmittal(w.Ctx(), w.Project.ID, 1)
	w.Must(err)
	w.Equal(want, found)
	w.Equal([]storage.SentVersion{{VersionRef: empty, Name: "b.txt"}, {VersionRef: stored, Name: "a.txt", Size: 7,
		SHA256: versions[1].SHA256, VersionState: stage}}, versions)
	w.Equal([]storage.SentTo{{UserID: "A"}, {UserID: "B", Group: "Group"}}, to)
	files, err := w.Data.ListSentFiles(w.Ctx(), w.Project.ID, 1)
	w.Must(err)
	slices.SortFunc(files, func(a, b storage.PackedFile) int { return strings.Compare(a.Name, b.Name) })
	w.Equal([]any{"a.txt", stored.ItemID, 1, true, "blob of a.txt", false},
		[]any{files[0].Name, files[0].ItemID, files[0].Number, files[0].Stored, files[0].Blob, files[1].Stored})
	_, _, _, err = w.Data.FindTransmittal(w.Ctx(), w.Project.ID, 2)
	w.Refused(err, fault.NotFound, "")
}

func transmittalNumbers(w *Tree) {
	ref := storage.VersionRef{ItemID: w.Item(w.Files.ID, "a.txt").Item.ID, Number: 1}
	const makers = 50
	w.seers("S", "A")
	change := w.ChangeBy("S")
	errs, numbers := make([]error, makers), make([]int, makers)
	var group sync.WaitGroup
	for i := range makers {
		group.Go(func() {
			sent, err := w.trySend(change, []string{"A"}, ref)
			errs[i], numbers[i] = err, sent.Number
		})
	}
	group.Wait()
	slices.Sort(numbers)
	for i, err := range errs {
		w.Must(err)
		w.Equal(i+1, numbers[i])
	}
	w.Equal(makers+1, w.send("S", []string{"A"}, ref).Number)
	w.Project = w.NewProject(w.Hub.ID, "Other")
	ref.ItemID = w.Item(w.Folder(w.Project.RootFolderID, "F").ID, "a.txt").Item.ID
	w.Equal(1, w.send("S", []string{"A"}, ref).Number)
}

func transmittalsRefused(w *Tree) {
	ref := storage.VersionRef{ItemID: w.Item(w.Files.ID, "a.txt").Item.ID, Number: 1}
	later := storage.VersionRef{ItemID: ref.ItemID, Number: 2}
	w.seers("A")
	w.Unchanged(fault.NotFound, "", func() error {
		_, err := w.trySend(w.Change(), []string{"A"}, ref, later)
		return err
	})
	w.Unchanged(fault.NotFound, "", func() error {
		_, err := w.Data.SendTransmittal(w.Ctx(), w.Change(), "b.none", storage.NewTransmittal{}, nil)
		return err
	})
	w.setArchived(true)
	w.Unchanged(fault.Locked, storage.ReasonProjectArchived, func() error {
		_, err := w.trySend(w.Change(), []string{"A"}, ref)
		return err
	})
	w.setArchived(false)
	w.Equal(1, w.send("S", []string{"A"}, ref).Number) // no number was lost
}

func transmittalsOfRights(w *Tree) {
	ref := storage.VersionRef{ItemID: w.Item(w.Files.ID, "a.txt").Item.ID, Number: 1}
	group := storage.Group{ID: w.Source.UID(), HubID: w.Hub.ID, Name: "Group", CreatedAt: w.Now()}
	w.Must(w.Data.CreateGroup(w.Ctx(), w.Change(), group))
	give := func(grant storage.FolderGrant) {
		w.Must(w.Data.SetFolderGrant(w.Ctx(), w.Change(), w.Project.ID, grant))
	}
	by, to, in := w.User().ID, w.User().ID, w.User().ID
	w.Must(w.Data.AddGroupMember(w.Ctx(), w.Change(), w.Hub.ID, group.ID, in))
	try := func(groups map[string][]string) error {
		_, err := w.Data.SendTransmittal(w.Ctx(), w.ChangeBy(by), w.Project.ID, storage.NewTransmittal{Title: "T",
			Versions: []storage.VersionRef{ref}, To: []storage.SentTo{{UserID: to}, {UserID: in, Group: "Group"}},
			Groups: groups}, func(int) []storage.Mail { return nil })
		return err
	}
	same := map[string][]string{group.ID: {in}}
	refused := func(groups map[string][]string) {
		w.Helper()
		w.Unchanged(fault.Locked, storage.ReasonSightChanged, func() error { return try(groups) })
	}
	refused(same)
	give(storage.FolderGrant{FolderID: w.Project.RootFolderID, UserID: by, Level: storage.LevelEdit})
	refused(same)
	give(storage.FolderGrant{FolderID: w.Files.ID, UserID: to, Level: storage.LevelView})
	refused(same)
	give(storage.FolderGrant{FolderID: w.Files.ID, GroupID: group.ID, Level: storage.LevelView})
	w.Must(try(same))
	refused(map[string][]string{group.ID: {in, to}})
	refused(map[string][]string{group.ID: nil})
	give(storage.FolderGrant{FolderID: w.Project.RootFolderID, UserID: by, Level: storage.LevelCollaborate})
	refused(same)
	give(storage.FolderGrant{FolderID: w.Project.RootFolderID, UserID: by, Level: storage.LevelEdit})
	w.Must(w.Store.SetUserDisabled(w.Ctx(), w.Act(), in, true))
	refused(same)
}

func transmittalsOf(w *Tree) {
	ref := storage.VersionRef{ItemID: w.Item(w.Files.ID, "a.txt").Item.ID, Number: 1}
	w.send("S", []string{"A", "B"}, ref)
	w.send("A", []string{"B"}, ref)
	w.send("S", []string{"C"}, ref)
	of := func(project, reader string) (numbers []int) {
		for after, first := "", true; first || after != ""; first = false {
			page, next, err := w.Data.ListTransmittals(w.Ctx(), project, reader, storage.PageRequest{After: after, Limit: 2})
			w.Must(err)
			for _, t := range page {
				numbers = append(numbers, t.Number)
			}
			after = next
		}
		return numbers
	}
	for reader, want := range map[string][]int{"": {3, 2, 1}, "S": {3, 1}, "A": {2, 1}, "B": {2, 1}, "C": {3}, "D": nil} {
		w.Equal(want, of(w.Project.ID, reader))
	}
	w.Equal([]int(nil), of("b.none", ""))
}

func fetchedOnce(w *Tree) {
	a := storage.VersionRef{ItemID: w.Item(w.Files.ID, "a.txt").Item.ID, Number: 1}
	b := storage.VersionRef{ItemID: w.Item(w.Files.ID, "b.txt").Item.ID, Number: 1}
	w.send("S", []string{"A", "B"}, a, b)
	first := w.Now()
	note := func(user string, at time.Time, refs ...storage.VersionRef) {
		w.Must(w.Data.NoteFetched(w.Ctx(), w.Project.ID, 1, user, refs, at))
	}
	note("A", first, b)
	note("A", first.Add(time.Hour), b)
	note("B", first.Add(time.Minute), a, b, storage.VersionRef{ItemID: a.ItemID, Number: 2})
	note("S", first, a) // to whom it was not sent
	age := calmAge(w.Data)
	note("B", first.Add(2*time.Hour), a, b)
	w.Equal(age, w.Data.(aging).Age()) // nothing was written
	w.Must(w.Data.NoteFetched(w.Ctx(), w.Project.ID, 9, "A", []storage.VersionRef{a}, first))
	_, _, to, err := w.Data.FindTransmittal(w.Ctx(), w.Project.ID, 1)
	w.Must(err)
	w.Equal([]storage.SentTo{{UserID: "A", Fetched: 1, LastAt: first},
		{UserID: "B", Fetched: 2, LastAt: first.Add(time.Minute)}}, to)
	var all []string
	for after, begun := "", false; !begun || after != ""; begun = true {
		page, next, err := w.Data.ListFetched(w.Ctx(), w.Project.ID, 1, storage.PageRequest{After: after, Limit: 2})
		w.Must(err)
		for _, f := range page {
			all = append(all, f.UserID+" "+f.Name+" "+strconv.Itoa(f.Number)+" "+f.At.Sub(first).String())
		}
		after = next
	}
	w.Equal([]string{"A b.txt 1 0s", "B a.txt 1 1m0s", "B b.txt 1 1m0s"}, all)
}
