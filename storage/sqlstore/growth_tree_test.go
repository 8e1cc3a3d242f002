package sqlstore_test

import (
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/portico-id/portico/storage"
)

// growingTree says what a tree of so many items is made of: a chain down to
// depth 25, the wide folder, and all others in folders of ten each, eight below
// one. Ids are as long and as scattered as real ones.
type growingTree struct {
	folders   int // beside the chain and the wide folder
	scattered int // items in them
	wide      int // items in the wide folder
	items     int // altogether
}

// mostAtOnce keeps one load to a size that it is done with in a minute or two.
const mostAtOnce = 1_000_000

func scatteredID(kind uint64, n int) string {
	random := rand.NewPCG(kind, uint64(n))
	var id [16]byte
	binary.LittleEndian.PutUint64(id[:8], random.Uint64())
	binary.LittleEndian.PutUint64(id[8:], random.Uint64())
	return base64.RawURLEncoding.EncodeToString(id[:])
}

func folderID(n int) string { return scatteredID(1, n) }
func itemID(n int) string   { return scatteredID(2, n) }
func chainID(n int) string  { return fmt.Sprint("chain", n) }

const wideID = "wide"

func bulkTree(into string) storage.BulkTree {
	return storage.BulkTree{
		Into: into, FolderType: "folders:portico.core:Folder", ItemType: "items:portico.core:File",
		VersionType: "versions:portico.core:File",
	}
}

// trunk is what the tree begins with: the wide folder, and the chain.
func (g *growingTree) trunk(made time.Time) storage.BulkTree {
	all := bulkTree("")
	all.Folders = func(yield func(storage.BulkFolder) bool) {
		for i := range storage.MaxDepth {
			if !yield(storage.BulkFolder{ID: chainID(i), Parent: i - 1, Name: chainID(i), CreatedAt: made}) {
				return
			}
		}
		yield(storage.BulkFolder{ID: wideID, Parent: -1, Name: "Wide", CreatedAt: made})
	}
	return all
}

// parts are what is to be loaded until there are so many items.
func (g *growingTree) parts(made time.Time, items int) []storage.BulkTree {
	var all []storage.BulkTree
	if wide := min(mostInOne, items/2); wide > g.wide {
		part := bulkTree(wideID)
		part.Items = bulkItems(made, "wide ", g.wide, wide, func(int) int { return -1 },
			func(i int) string { return scatteredID(3, i) })
		all, g.wide = append(all, part), wide
	}
	for g.scattered+g.wide < items {
		from, to := g.scattered, min(items-g.wide, g.scattered+mostAtOnce)
		first, last := from/itemsToFolder, (to+itemsToFolder-1)/itemsToFolder
		part := bulkTree("")
		part.Folders = bulkFolders(made, first, last)
		part.Items = bulkItems(made, "", from, to, func(i int) int { return i/itemsToFolder - first }, itemID)
		all, g.scattered, g.folders = append(all, part), to, last
	}
	g.items = items
	return all
}

func bulkFolders(made time.Time, first, last int) func(func(storage.BulkFolder) bool) {
	return func(yield func(storage.BulkFolder) bool) {
		for i := first; i < last; i++ {
			parent := (i-first)/8 - 1
			if !yield(storage.BulkFolder{ID: folderID(i), Parent: parent, Name: fmt.Sprint("Folder ", i), CreatedAt: made}) {
				return
			}
		}
	}
}

// bulkItems have three versions each tenth time, and one else.
func bulkItems(made time.Time, prefix string, from, to int, folder func(int) int,
	id func(int) string) func(func(storage.BulkItem) bool) {
	return func(yield func(storage.BulkItem) bool) {
		for i := from; i < to; i++ {
			item := storage.BulkItem{
				ID: id(i), Folder: folder(i), Name: fmt.Sprintf("Item %s%d.pdf", prefix, i), CreatedAt: made,
				Versions: 1, MimeType: "application/pdf", FileType: "pdf", Size: 1000,
			}
			if i%10 == 0 {
				item.Versions = 3
			}
			if !yield(item) {
				return
			}
		}
	}
}
