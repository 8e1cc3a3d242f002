package storagetest

import (
	"fmt"
	"slices"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

func treeRaceChecks() []treeCheck {
	return []treeCheck{
		{"of 50 folders with one name at once one is created", raceFolders},
		{"of 50 items with one name at once one is created", raceItems},
		{"of 50 folders renamed to one name at once one gets it", raceFolderNames},
		{"50 versions added at once get the numbers 2 to 51", raceVersions},
		{"folders moved at once never make a circle or lose a folder", raceMoves},
		{"folders created and moved at once lie where their path says", raceCreateAndMove},
		{"folding while others write loses nothing", raceFolds},
		{"of 50 users who reserve one item at once one gets it", raceReserve},
		{"of 50 items that take one object at once one gets it", raceObject},
		{"50 that complete one upload at once get one object", raceStoreBytes},
		{"an upload is ended or noted, never both", raceEndUpload},
		{"uploads hold no more than they may", raceHolding},
		{"50 objects stored at once stay within the quota", raceQuota},
		{"an object is taken or dropped, never both", raceDrop},
		{"of 50 sendings of one request at once one is carried out", raceOnce},
	}
}

// changes returns n changes, made before a race since the clock is none for
// many hands.
func (w *Tree) changes(n int) []storage.Change {
	var all []storage.Change
	for range n {
		all = append(all, w.Change())
	}
	return all
}

// treeRace is a race of all with both halves of the store.
func (w *Tree) treeRace(try func(data storage.Store, i int, change storage.Change) error) []error {
	w.Helper()
	changes := w.changes(racers)
	return w.race(racers, func(store storage.Identity, i int) error {
		data := w.both(store)
		for {
			// On a busy machine so many may not all have their turn in time: they
			// try again, as clients do.
			if err := try(data, i, changes[i]); !busy(err) {
				return err
			}
		}
	})
}

// busy reports whether a change did not have its turn in time.
func busy(err error) bool {
	return fault.HasReason(err, storage.ReasonProjectBusy) || fault.HasReason(err, storage.ReasonBusy)
}

func raceFolders(w *Tree) {
	results := w.treeRace(func(data storage.Store, i int, change storage.Change) error {
		_, err := data.CreateFolder(w.Ctx(), change, w.Project.ID,
			storage.Folder{ID: fmt.Sprint(i), ParentID: w.Files.ID, Name: "One"})
		return err
	})
	w.oneWins(results, fault.Conflict, storage.ReasonNameTaken)
	w.Equal(1, w.Look(w.Files.ID).ObjectCount)
	w.Equal([]string{"One/"}, w.Names(w.Files.ID, storage.ContentsQuery{}))
}

func raceItems(w *Tree) {
	results := w.treeRace(func(data storage.Store, i int, change storage.Change) error {
		_, err := data.CreateItem(w.Ctx(), change, w.Project.ID, newItem(fmt.Sprint(i), w.Files.ID, "One"), newVersion("One"))
		return err
	})
	w.oneWins(results, fault.Conflict, storage.ReasonNameTaken)
	w.Equal(1, w.Look(w.Files.ID).ObjectCount)
}

func raceFolderNames(w *Tree) {
	var ids []string
	for i := range racers {
		ids = append(ids, w.Folder(w.Files.ID, fmt.Sprint(i)).ID)
	}
	results := w.treeRace(func(data storage.Store, i int, change storage.Change) error {
		_, err := data.UpdateFolder(w.Ctx(), change, w.Project.ID, ids[i], storage.FolderPatch{Name: ptr("One")})
		return err
	})
	w.oneWins(results, fault.Conflict, storage.ReasonNameTaken)
}

func raceVersions(w *Tree) {
	item := w.Item(w.Files.ID, "a.txt").Item.ID
	got := make([]int, racers)
	results := w.treeRace(func(data storage.Store, i int, change storage.Change) error {
		added, err := data.AddVersion(w.Ctx(), change, w.Project.ID, item, newVersion("v"))
		got[i] = added.Tip.Number
		return err
	})
	w.Equal(map[string]int{"ok": racers}, each(results))
	slices.Sort(got)
	var want []int
	for i := range racers {
		want = append(want, i+2)
	}
	w.Equal(want, got)
	w.Equal(racers+1, w.LookItem(item).Item.Tip)
	w.Equal(racers+1, len(w.Events(storage.EventQuery{Subject: item})))
}

// wholeTree checks that every folder is found from the root, where it says it
// is, and counts what lies in it. It returns how many folders there are.
func (w *Tree) wholeTree(folderID string, depth int) int {
	w.Helper()
	folder := w.Look(folderID)
	contents, err := w.Data.ListContents(w.Ctx(), w.Project.ID, folderID,
		storage.ContentsQuery{Hidden: storage.HiddenIncluded}, storage.DataPage{})
	w.Must(err)
	w.Equal(depth, folder.Depth)
	w.Equal(depth, len(w.way(folderID)))
	w.Equal(folder.ObjectCount, len(contents.Folders)+len(contents.Items))
	n := 1
	for _, f := range contents.Folders {
		if f.RollupAt.After(folder.RollupAt) {
			w.Errorf("%s has changed at %v, but %s above it at %v", f.Name, f.RollupAt, folder.Name, folder.RollupAt)
		}
		n += w.wholeTree(f.ID, depth+1)
	}
	return n
}

// movedAway takes what moves at once may come to.
func movedAway(err error) error {
	if fault.HasReason(err, storage.ReasonCycle) || fault.HasReason(err, storage.ReasonTooDeep) {
		return nil
	}
	return err
}

func raceMoves(w *Tree) {
	var ids []string
	for i := range 6 {
		ids = append(ids, w.Folder(w.Files.ID, fmt.Sprint("f", i)).ID)
		w.Folder(ids[i], fmt.Sprint("below ", i))
	}
	for round := range 3 {
		results := w.treeRace(func(data storage.Store, i int, change storage.Change) error {
			from, to := ids[(i+round)%len(ids)], ids[(i*5+i/6+round)%len(ids)]
			_, err := data.UpdateFolder(w.Ctx(), change, w.Project.ID, from, storage.FolderPatch{ParentID: &to})
			return movedAway(err)
		})
		w.Equal(map[string]int{"ok": racers}, each(results))
		w.Equal(3+2*len(ids), w.wholeTree(w.Project.RootFolderID, 0))
	}
}

func raceCreateAndMove(w *Tree) {
	chain := w.Chain(w.Files.ID, 3)
	places := []string{w.Plans.ID, w.Files.ID}
	results := w.treeRace(func(data storage.Store, i int, change storage.Change) error {
		if i%5 == 0 {
			_, err := data.UpdateFolder(w.Ctx(), change, w.Project.ID, chain[0].ID,
				storage.FolderPatch{ParentID: &places[i/5%2]})
			return err
		}
		_, err := data.CreateFolder(w.Ctx(), change, w.Project.ID,
			storage.Folder{ID: fmt.Sprint(i), ParentID: chain[i%3].ID, Name: fmt.Sprint(i)})
		return err
	})
	w.Equal(map[string]int{"ok": racers}, each(results))
	w.Equal(3+3+racers-racers/5, w.wholeTree(w.Project.RootFolderID, 0))
	w.foldAll()
	w.Equal(3+3+racers-racers/5, w.wholeTree(w.Project.RootFolderID, 0))
}

func raceFolds(w *Tree) {
	results := w.treeRace(func(data storage.Store, i int, change storage.Change) error {
		if i%5 == 0 {
			_, err := data.FoldChanges(w.Ctx(), 7)
			return err
		}
		_, err := data.CreateItem(w.Ctx(), change, w.Project.ID, newItem(fmt.Sprint(i), w.Files.ID, fmt.Sprint(i)),
			newVersion("v"))
		return err
	})
	w.Equal(map[string]int{"ok": racers}, each(results))
	for range 2 {
		w.Equal(racers-racers/5, w.Look(w.Files.ID).ObjectCount)
		w.wholeTree(w.Project.RootFolderID, 0)
		w.foldAll()
	}
}

func raceReserve(w *Tree) {
	item := w.Item(w.Files.ID, "a.txt").Item.ID
	var users []string
	for range racers {
		users = append(users, w.User().ID)
	}
	results := w.treeRace(func(data storage.Store, i int, change storage.Change) error {
		change.Caller.UserID = users[i]
		_, err := data.ReserveItem(w.Ctx(), change, w.Project.ID, item)
		return err
	})
	w.oneWins(results, fault.Locked, storage.ReasonReserved)
}

func raceObject(w *Tree) {
	w.Object("k")
	version := newVersion("v")
	version.Bucket, version.ObjectKey = "bucket", "k"
	results := w.treeRace(func(data storage.Store, i int, change storage.Change) error {
		_, err := data.CreateItem(w.Ctx(), change, w.Project.ID, newItem(fmt.Sprint(i), w.Files.ID, fmt.Sprint(i)), version)
		return err
	})
	w.oneWins(results, fault.Conflict, storage.ReasonObjectUsed)
}

func raceStoreBytes(w *Tree) {
	w.reserve("k")
	w.Must(w.Data.BeginUpload(w.Ctx(), w.Change(), w.upload("k", "u")))
	bytes := storage.Bytes{Blob: "u", Size: 1, SHA256: []byte{1}}
	objects := make([]storage.Object, racers)
	for _, err := range w.treeRace(func(data storage.Store, i int, change storage.Change) error {
		var err error
		objects[i], err = data.StoreBytes(w.Ctx(), change, "b", "k", bytes)
		return err
	}) {
		w.Must(err)
	}
	for _, object := range objects {
		w.Equal(objects[0], object)
	}
	w.Told("b/k", storage.EventObjectStored, storage.EventObjectMade)
}

func raceEndUpload(w *Tree) {
	w.reserve("k")
	w.Must(w.Data.BeginUpload(w.Ctx(), w.Change(), w.upload("k", "u")))
	ended := make([]bool, racers)
	results := w.treeRace(func(data storage.Store, i int, change storage.Change) error {
		if i%2 == 0 {
			var err error
			ended[i], err = data.EndUpload(w.Ctx(), "u")
			return err
		}
		_, err := data.StoreBytes(w.Ctx(), change, "b", "k", storage.Bytes{Blob: "u", Size: 1, SHA256: []byte{1}})
		return err
	})
	object, err := w.Data.FindObject(w.Ctx(), "b", "k")
	w.Must(err)
	noted := object.State == storage.ObjectStored
	w.Equal(!noted, slices.Contains(ended, true))
	for i, err := range results {
		if i%2 == 1 && !noted {
			w.Refused(err, fault.Gone, storage.ReasonUploadEnded)
			continue
		}
		w.Must(err)
	}
}

func raceHolding(w *Tree) {
	w.Must(w.Data.SetLimits(w.Ctx(), w.Change(), w.Project.ID, storage.Limits{Quota: 2}))
	for i := range racers {
		w.reserve(fmt.Sprint(i))
		w.Must(w.Data.BeginUpload(w.Ctx(), w.Change(), w.upload(fmt.Sprint(i), fmt.Sprint(i))))
	}
	won := 0
	for _, err := range w.treeRace(func(data storage.Store, i int, _ storage.Change) error {
		return data.HoldBytes(w.Ctx(), fmt.Sprint(i), 1)
	}) {
		if err == nil {
			won++
			continue
		}
		w.Refused(err, fault.Forbidden, storage.ReasonQuota)
	}
	w.Equal(4, won)
}

func raceQuota(w *Tree) {
	w.Must(w.Data.SetLimits(w.Ctx(), w.Change(), w.Project.ID, storage.Limits{Quota: 10}))
	for i := range racers {
		w.reserve(fmt.Sprint(i))
	}
	won := 0
	for _, err := range w.treeRace(func(data storage.Store, i int, change storage.Change) error {
		_, err := data.StoreBytes(w.Ctx(), change, "b", fmt.Sprint(i),
			storage.Bytes{Blob: fmt.Sprint(i), Size: 1, SHA256: []byte{1}})
		return err
	}) {
		if err == nil {
			won++
			continue
		}
		w.Refused(err, fault.Forbidden, storage.ReasonQuota)
	}
	w.Equal(10, won)
	w.limitsAre(storage.Limits{Quota: 10, Used: 10})
}

func raceDrop(w *Tree) {
	for i := range racers {
		w.Must(w.store(fmt.Sprint(i), 1))
	}
	w.Clock.Advance(storage.UploadLifetime)
	for range racers / 10 {
		w.mark(10)
	}
	w.Clock.Advance(storage.OrphanGrace)
	act := w.Act()
	results := w.treeRace(func(data storage.Store, i int, change storage.Change) error {
		if i%5 == 0 {
			_, err := data.DropOrphans(w.Ctx(), act, 10)
			return err
		}
		version := newVersion("v")
		version.Bucket, version.ObjectKey = "b", fmt.Sprint(i)
		_, err := data.CreateItem(w.Ctx(), change, w.Project.ID, newItem(fmt.Sprint(i), w.Files.ID, fmt.Sprint(i)), version)
		return err
	})
	for i, err := range results {
		if i%5 == 0 {
			w.Must(err)
			continue
		}
		if err != nil {
			w.Refused(err, fault.NotFound, storage.ReasonObjectAbsent)
		}
		_, absent := w.Data.FindObject(w.Ctx(), "b", fmt.Sprint(i))
		w.Equal(err == nil, absent == nil)
	}
}

func raceOnce(w *Tree) {
	results := w.treeRace(func(data storage.Store, i int, change storage.Change) error {
		change.Once = storage.Once{Key: "key", Fingerprint: "asked"}
		_, err := data.CreateFolder(w.Ctx(), change, w.Project.ID,
			storage.Folder{ID: fmt.Sprint(i), ParentID: w.Files.ID, Name: fmt.Sprint(i)})
		return err
	})
	w.oneWins(results, fault.Conflict, storage.ReasonDone)
	w.Equal(1, w.Look(w.Files.ID).ObjectCount)
}
