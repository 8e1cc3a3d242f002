// Package demotree makes trees of folders and items of any size, the same ones
// for the same seed, to try Portico out and to measure it with.
//
// It stores nothing: storage.BulkStore does. Start at Large.
package demotree

import (
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"iter"
	"time"

	"github.com/portico-id/portico/storage"
)

// Large is a tree of any size. The same seed makes the same tree.
type Large struct {
	Folders int // at least 1
	Items   int
	Seed    uint64
	At      time.Time   // when everything was made
	By      string      // who made it; may be empty
	Step    func(n int) // is told how many folders and items have been made; may be nil
	made    int
}

const (
	branches = 12 // folders in a folder

	// MostVersions is how many versions an item has at most.
	MostVersions = 4
)

// Tree returns the tree's folders, in rows from the top, and items, spread at
// random.
func (l *Large) Tree() storage.BulkTree {
	return storage.BulkTree{Folders: l.folders(), Items: l.items()}
}

func (l *Large) folders() iter.Seq[storage.BulkFolder] {
	return func(yield func(storage.BulkFolder) bool) {
		random, words := dice{l.Seed}, folderWords()
		for i := range l.Folders {
			parent := -1
			if i > 0 {
				parent = (i - 1) / branches
			}
			folder := storage.BulkFolder{
				ID: random.uid(), Parent: parent, CreatedAt: l.At, CreatedBy: l.By,
				Name: fmt.Sprintf("%s %07d", words[random.below(len(words))], i),
			}
			if !yield(folder) {
				return
			}
			l.step()
		}
	}
}

func (l *Large) items() iter.Seq[storage.BulkItem] {
	return func(yield func(storage.BulkItem) bool) {
		random, words, kinds := dice{^l.Seed}, FileWords(), Kinds()
		for i := range l.Items {
			kind := kinds[random.below(len(kinds))]
			item := storage.BulkItem{
				ID: random.uid(), Folder: random.below(l.Folders), CreatedAt: l.At, CreatedBy: l.By,
				Name:     fmt.Sprintf("%s %08d.%s", words[random.below(len(words))], i, kind.Ending),
				Versions: 1 + random.below(MostVersions), FileType: kind.Ending, MimeType: kind.MIME,
			}
			if !yield(item) {
				return
			}
			l.step()
		}
	}
}

func (l *Large) step() {
	if l.made++; l.Step != nil {
		l.Step(l.made)
	}
}

// Kind is a sort of file.
type Kind struct{ Ending, MIME string }

// Kinds returns the sorts of files.
func Kinds() []Kind {
	return []Kind{{"pdf", "application/pdf"}, {"txt", "text/plain"}, {"png", "image/png"}, {"csv", "text/csv"}}
}

// FileWords returns what files are called.
func FileWords() []string {
	return []string{"Plan", "Detail", "Report", "Schedule", "Drawing", "Photo", "Minutes"}
}

func folderWords() []string { return []string{"Level", "Zone", "Building", "Package", "Section"} }

// dice is SplitMix64 (Steele, Lea and Flood, 2014): random enough for names, and
// the same at every run.
type dice struct{ state uint64 }

func (d *dice) next() uint64 {
	d.state += 0x9e3779b97f4a7c15
	z := d.state
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

func (d *dice) below(n int) int { return int(d.next() % uint64(n)) }

func (d *dice) uid() string {
	var b [16]byte
	binary.BigEndian.PutUint64(b[:8], d.next())
	binary.BigEndian.PutUint64(b[8:], d.next())
	return base64.RawURLEncoding.EncodeToString(b[:])
}
