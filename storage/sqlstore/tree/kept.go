package tree

import (
	"sync"

	"github.com/portico-id/portico/storage"
)

const (
	// A page with fewer rows is read as fast as it is compared.
	worthKeeping = 16

	// How many rows are kept: some megabytes.
	maxKept = 4_000
)

// keptPages are pages of contents that were read before. Nobody is told one before the
// database has told the same marks of its rows again, which costs it and its driver a
// fraction of the rows. It is safe for concurrent use.
type keptPages struct {
	mu    sync.Mutex
	rows  int
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
	rows := page.size()
	k.rows -= k.known[key].size()
	delete(k.known, key)
	if rows < worthKeeping {
		return
	}
	if k.known == nil || k.rows+rows > maxKept {
		k.known, k.rows = map[pageKey]keptPage{}, 0
	}
	k.known[key], k.rows = page, k.rows+rows
}

func (p keptPage) size() int { return len(p.contents.Folders) + len(p.contents.Items) }
