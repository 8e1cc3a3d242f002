package storagetest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

// RunPaging reads a folder of many items page by page, from both ends, while
// writers add, rename and hide things in it, and checks that what was there
// throughout is seen exactly once. Between any two pages something changes.
func RunPaging(t testing.TB, engine Engine, items int) {
	t.Helper()
	p := &paging{Tree: NewTree(t, engine), folders: items / 20, items: items, changed: make(chan struct{})}
	p.Must(p.Data.LoadTree(p.Ctx(), p.Change(), p.Project.ID, p.tree()))
	ctx, stop := context.WithCancel(p.Ctx())
	defer stop()
	errs := make([]error, 3)
	var writers sync.WaitGroup
	for i := range errs {
		writers.Go(func() {
			defer stop()
			errs[i] = p.write(ctx, byte(workerSeeds+i))
		})
	}
	forwards := p.read(ctx, storage.ContentsQuery{})
	backwards := p.read(ctx, storage.ContentsQuery{Descending: true})
	stop()
	writers.Wait()
	p.Must(errors.Join(errs...))
	p.check(forwards)
	p.check(backwards)
}

// paging is a folder that is read while it changes. Of its things, every tenth
// is renamed now and then, and every tenth hidden and shown.
type paging struct {
	*Tree
	folders, items int
	changed        chan struct{} // takes a value for a change that is waited for
}

func (p *paging) tree() storage.BulkTree {
	made := p.Now()
	return storage.BulkTree{
		Into: p.Files.ID, FolderType: "folders:portico.core:Folder", ItemType: "items:portico.core:File",
		VersionType: "versions:portico.core:File",
		Folders: func(yield func(storage.BulkFolder) bool) {
			for i := 0; i < p.folders && yield(storage.BulkFolder{ID: folderNo(i), Parent: -1, Name: fmt.Sprintf("%06d", i),
				CreatedAt: made}); i++ {
			}
		},
		Items: func(yield func(storage.BulkItem) bool) {
			for i := 0; i < p.items && yield(storage.BulkItem{ID: itemNo(i), Folder: -1, Name: fmt.Sprintf("%06d", i),
				CreatedAt: made}); i++ {
			}
		},
	}
}

func folderNo(i int) string { return fmt.Sprint("folder", i) }
func itemNo(i int) string   { return fmt.Sprint("item", i) }

// stays reports whether nobody touches a thing.
func stays(i int) bool { return i%10 != 3 && i%10 != 7 }

// read returns how often each thing was seen.
func (p *paging) read(ctx context.Context, query storage.ContentsQuery) map[string]int {
	p.Helper()
	seen := map[string]int{}
	limit := min(storage.MaxPage, max(1, p.items/50))
	for after := ""; ; {
		page, err := p.Data.ListContents(p.Ctx(), p.Project.ID, p.Files.ID, query,
			storage.DataPage{After: after, Limit: limit})
		p.Must(err)
		for _, f := range page.Folders {
			seen[f.ID]++
		}
		for _, i := range page.Items {
			seen[i.Item.ID]++
		}
		if after = page.Next; after == "" {
			return seen
		}
		select {
		case <-p.changed:
		case <-ctx.Done():
			return seen // a writer has failed
		}
	}
}

func (p *paging) check(seen map[string]int) {
	p.Helper()
	for i := range p.items {
		if n := seen[itemNo(i)]; stays(i) && n != 1 {
			p.Errorf("item %d was seen %d times", i, n)
		}
	}
	for i := range p.folders {
		if n := seen[folderNo(i)]; stays(i) && n != 1 {
			p.Errorf("folder %d was seen %d times", i, n)
		}
	}
	p.Logf("%d things seen, of which %d folders and %d items were there from the first", len(seen), p.folders, p.items)
}

// write changes what lies in the folder until it is told to stop.
func (p *paging) write(ctx context.Context, number byte) error {
	source, _ := ambient.Fixed(p.Now(), number)
	for {
		err := p.writeOne(ctx, source)
		if ctx.Err() != nil {
			return nil
		}
		if fault.HasReason(err, storage.ReasonNameTaken) || busy(err) {
			continue
		}
		if err != nil {
			return err
		}
		select {
		case p.changed <- struct{}{}:
		default: // nobody waits
		}
	}
}

func (p *paging) writeOne(ctx context.Context, source *ambient.Source) error {
	draw := func(n int) int {
		b := source.Bytes(3)
		return (int(b[0])<<16 | int(b[1])<<8 | int(b[2])) % n
	}
	change := storage.Change{Act: storage.Act{At: source.Now()}}
	name := fmt.Sprintf("%06d %d", draw(p.items), draw(10)) // anywhere between the others
	renamed, hidden := 10*draw(p.items/10)+3, 10*draw(p.items/10)+7
	var err error
	switch draw(8) {
	case 0, 1:
		_, err = p.Data.CreateItem(ctx, change, p.Project.ID, newItem(source.UID(), p.Files.ID, name), newVersion(name))
	case 2:
		_, err = p.Data.CreateFolder(ctx, change, p.Project.ID,
			storage.Folder{ID: source.UID(), ParentID: p.Files.ID, Name: name})
	case 3, 4:
		_, err = p.Data.UpdateItem(ctx, change, p.Project.ID, itemNo(renamed), storage.ItemPatch{Name: &name})
	case 5:
		_, err = p.Data.UpdateFolder(ctx, change, p.Project.ID, folderNo(renamed%(p.folders/10*10)),
			storage.FolderPatch{Name: &name})
	case 6:
		_, err = p.Data.UpdateItem(ctx, change, p.Project.ID, itemNo(hidden), storage.ItemPatch{Hidden: ptr(draw(2) == 0)})
	default:
		_, err = p.Data.UpdateFolder(ctx, change, p.Project.ID, folderNo(hidden%(p.folders/10*10)),
			storage.FolderPatch{Hidden: ptr(draw(2) == 0)})
	}
	return err
}
