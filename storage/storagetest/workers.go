package storagetest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

// Workers change one tree at random, all at once. They know nothing of each
// other: each finds what it changes by looking around in the tree.
type Workers struct {
	Data    storage.Store
	Project storage.Project
	UserID  string // who is given levels in folders
	First   int    // number of the first worker; what a worker draws follows from its number
	Count   int
	Steps   int // of each worker

	// After is called by a worker after each of its changes, on the worker's
	// own goroutine. An error ends the work.
	After func(ctx context.Context) error
}

// workerSeeds is where the seeds of workers begin: the World's own is below, so
// that no two draw the same ids.
const workerSeeds = 100

// Run lets them work, and returns how many changes were made. A change that is
// refused by the rules of the tree is none; any other refusal is an error.
func (w Workers) Run(ctx context.Context) (int, error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var made atomic.Int64
	errs := make([]error, w.Count)
	var group sync.WaitGroup
	for i := range w.Count {
		group.Go(func() {
			source, clock := ambient.Fixed(time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC), byte(workerSeeds+w.First+i))
			one := worker{Workers: w, source: source, clock: clock, number: w.First + i}
			if errs[i] = one.run(ctx, &made); errs[i] != nil {
				stop()
			}
		})
	}
	group.Wait()
	return int(made.Load()), errors.Join(errs...)
}

// worker is one of them.
type worker struct {
	Workers
	source *ambient.Source
	clock  *ambient.FixedClock
	number int
}

func (w worker) run(ctx context.Context, made *atomic.Int64) error {
	for step := range w.Steps {
		w.clock.Advance(time.Second)
		what, err := w.step(ctx)
		if ctx.Err() != nil {
			return nil // another one has found something
		}
		if err == nil {
			made.Add(1)
			err = w.After(ctx)
		}
		if err != nil && !againstTheRules(err) {
			return fmt.Errorf("worker %d, step %d, %s: %w", w.number, step, what, err)
		}
	}
	return nil
}

// againstTheRules reports whether a change was refused for what the tree was
// like at that moment, or because it took too long to get a turn.
func againstTheRules(err error) bool {
	for _, reason := range []string{
		storage.ReasonNameTaken, storage.ReasonParentHidden, storage.ReasonItemHidden, storage.ReasonTooDeep,
		storage.ReasonCycle, storage.ReasonRootFolder, storage.ReasonFilesFolder,
		storage.ReasonProjectBusy, storage.ReasonBusy,
	} {
		if fault.HasReason(err, reason) {
			return true
		}
	}
	return false
}

func (w worker) draw(n int) int {
	b := w.source.Bytes(2)
	return (int(b[0])<<8 | int(b[1])) % n
}

func (w worker) name() string { return fmt.Sprint("Name ", w.draw(9)) }

func (w worker) change() storage.Change {
	return storage.Change{Act: storage.Act{At: w.source.Now(), Actor: storage.Actor{Kind: storage.ActorOperator}}}
}

// around goes down from the root as far as it likes, and returns where it
// stands and what lies there.
func (w worker) around(ctx context.Context) (string, storage.Contents, error) {
	folder := w.Project.RootFolderID
	for {
		contents, err := w.Data.ListContents(ctx, w.Project.ID, folder,
			storage.ContentsQuery{Hidden: storage.HiddenIncluded}, storage.DataPage{})
		if err != nil || len(contents.Folders) == 0 || w.draw(4) == 0 {
			return folder, contents, err
		}
		folder = contents.Folders[w.draw(len(contents.Folders))].ID
	}
}

// step makes one change, and says which.
func (w worker) step(ctx context.Context) (string, error) {
	folder, contents, err := w.around(ctx)
	if err != nil {
		return "looking around", err
	}
	if len(contents.Items) > 0 && w.draw(3) > 0 {
		return w.changeItem(ctx, contents.Items[w.draw(len(contents.Items))].Item)
	}
	switch what := w.draw(20); {
	case what < 6:
		_, err = w.Data.CreateFolder(ctx, w.change(), w.Project.ID, storage.Folder{
			ID: w.source.UID(), ParentID: folder, Name: w.name(),
			Extension: storage.Extension{Type: "folders:portico.core:Folder", Version: "1.0"},
		})
		return "adding a folder", err
	case what < 11:
		name := w.name()
		_, err = w.Data.CreateItem(ctx, w.change(), w.Project.ID, newItem(w.source.UID(), folder, name), newVersion(name))
		return "adding an item", err
	case what < 18:
		return w.changeFolder(ctx, folder)
	case what == 18:
		_, err = w.Data.FoldChanges(ctx, 5)
		return "folding", err
	}
	return "giving a level", w.Data.SetFolderGrant(ctx, w.change(), w.Project.ID,
		storage.FolderGrant{FolderID: folder, UserID: w.UserID, Level: storage.Level(1 + w.draw(int(storage.LevelControl)))})
}

func (w worker) changeFolder(ctx context.Context, folder string) (string, error) {
	var patch storage.FolderPatch
	what := w.draw(4)
	switch what {
	case 0:
		patch.Name = ptr(w.name())
	case 1:
		patch.Hidden = ptr(w.draw(3) == 0)
	default:
		to, _, err := w.around(ctx)
		if err != nil {
			return "looking around", err
		}
		patch.ParentID = &to
	}
	_, err := w.Data.UpdateFolder(ctx, w.change(), w.Project.ID, folder, patch)
	return "changing a folder", err
}

func (w worker) changeItem(ctx context.Context, item storage.Item) (string, error) {
	what := w.draw(6)
	if what < 3 {
		version := newVersion(w.name())
		version.Delete, version.RenameItem = w.draw(8) == 0, w.draw(4) == 0
		if w.draw(3) == 0 {
			version.CopyFrom = &storage.VersionRef{ItemID: item.ID, Number: 1 + w.draw(item.Tip)}
		}
		_, err := w.Data.AddVersion(ctx, w.change(), w.Project.ID, item.ID, version)
		return "adding a version", err
	}
	var patch storage.ItemPatch
	switch what {
	case 3:
		patch.Name = ptr(w.name())
	case 4:
		patch.Hidden = ptr(w.draw(3) == 0)
	default:
		to, _, err := w.around(ctx)
		if err != nil {
			return "looking around", err
		}
		patch.FolderID = &to
	}
	_, err := w.Data.UpdateItem(ctx, w.change(), w.Project.ID, item.ID, patch)
	return "changing an item", err
}
