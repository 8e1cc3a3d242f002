package tree

import (
	"sync"

	"github.com/portico-id/portico/storage"
)

const (
	// A page with fewer rows is read as fast as it is compared.
	worthKeeping = 16

	// How many bytes are kept.
	maxKept = 8 << 20

	// What a row takes besides its texts of any length.
	rowSize = 1 << 10
)

// keptPages are pages of contents that were read before. Nobody is told one before the
// database has told the same marks of its rows again, which costs it and its driver a
// fraction of the rows. It is safe for concurrent use.
type keptPages struct {
	mu    sync.Mutex
	bytes int
	known map[pageKey]keptPage
}

// pageKey is what was asked for, without filters.
type pageKey struct {
	projectID, folderID string
	hidden              storage.HiddenFilter
	descending, newest  bool
	page                storage.DataPage
}

// keptPage is never changed.
type keptPage struct {
	marks    marks
	contents storage.Contents
}

// marks are those of the folders and of the items of a page.
type marks struct{ folders, items mark }

// mark is that of so many rows at most; 0 when they were not read.
type mark struct {
	room int
	text string
}

// marked puts marks of rows together as the database does.
func marked[R any](room int, rows []R, of func(R) string) mark {
	text := make([]byte, 0, len(rows)*64)
	for _, r := range rows {
		text = append(append(text, of(r)...), '\n')
	}
	return mark{room, string(text)}
}

func (k *keptPages) find(key pageKey) (keptPage, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	was, known := k.known[key]
	return was, known
}

// keep remembers a page. When there are too many, all others are forgotten.
func (k *keptPages) keep(key pageKey, page keptPage) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.bytes -= k.known[key].size()
	delete(k.known, key)
	bytes := page.size()
	if len(page.contents.Folders)+len(page.contents.Items) < worthKeeping {
		return
	}
	if k.known == nil || k.bytes+bytes > maxKept {
		k.known, k.bytes = map[pageKey]keptPage{}, 0
	}
	k.known[key], k.bytes = page, k.bytes+bytes
}

// size is about how many bytes a page takes.
func (p keptPage) size() int {
	n := rowSize * (len(p.contents.Folders) + len(p.contents.Items))
	for _, f := range p.contents.Folders {
		n += len(f.Extension.Data)
	}
	for _, i := range p.contents.Items {
		n += len(i.Item.Extension.Data) + len(i.Tip.Extension.Data)
	}
	return n
}
