package archive

import (
	"cmp"
	"encoding/binary"
	"hash/crc32"
	"slices"
	"strings"

	"github.com/portico-id/portico/storage"
)

// missingName is the file that names what could not be packed.
const missingName = "_missing.txt"

// content is what is packed of a folder, by the keys of folders, in the order of names.
type content struct {
	folders map[int64][]storage.PackedFolder // by parent
	files   map[int64][]storage.PackedFile
	served  func(storage.PackedFile) (missing string)
	entries []entry
	missing []string
}

func newContent(folders []storage.PackedFolder, files []storage.PackedFile,
	served func(storage.PackedFile) string) *content {
	return &content{
		folders: apart(folders[1:], func(f storage.PackedFolder) (int64, string) { return f.ParentKey, f.Name }),
		files:   apart(files, func(f storage.PackedFile) (int64, string) { return f.FolderKey, f.Name }),
		served:  served, entries: make([]entry, 0, len(folders)+len(files)),
	}
}

// apart orders all by folder and name where they are, for there may be very many, and
// returns those of each folder.
func apart[T any](all []T, of func(T) (folder int64, name string)) map[int64][]T {
	slices.SortFunc(all, func(a, b T) int {
		x, first := of(a)
		y, second := of(b)
		return cmp.Or(cmp.Compare(x, y), cmp.Compare(first, second))
	})
	by, begun := map[int64][]T{}, 0
	for i := range all {
		folder, _ := of(all[i])
		if i+1 < len(all) {
			if next, _ := of(all[i+1]); next == folder {
				continue
			}
		}
		by[folder], begun = all[begun:i+1], i+1
	}
	return by
}

// list returns the entries in the order of their paths, below one folder on top.
func (c *content) list(top storage.PackedFolder, name string, now int64) []entry {
	c.add(top, fit(name)+"/", names{missingName: true})
	if len(c.missing) > 0 {
		slices.Sort(c.missing)
		c.entries = append(c.entries, textEntry(fit(name)+"/"+missingName, strings.Join(c.missing, ""), now))
	}
	slices.SortFunc(c.entries, func(a, b entry) int { return cmp.Compare(a.Path, b.Path) })
	return c.entries
}

func (c *content) add(folder storage.PackedFolder, path string, taken names) {
	files, folders := c.files[folder.Key], c.folders[folder.Key]
	if len(files)+len(folders) == 0 {
		c.entries = append(c.entries, entry{Path: path, Folder: folder.ID})
		return
	}
	for _, f := range folders {
		c.add(f, path+taken.give(f.Name)+"/", names{})
	}
	for _, f := range files {
		at := path + taken.give(f.Name)
		if why := c.served(f); why != "" {
			c.missing = append(c.missing, at+": "+why+"\r\n")
			continue
		}
		c.entries = append(c.entries, fileEntry(at, f))
	}
}

func fileEntry(path string, f storage.PackedFile) entry {
	return entry{Path: path, Size: f.Size, CRC32: binary.BigEndian.Uint32(f.CRC32), Time: f.CreatedAt.Unix(),
		Blob: f.Blob, Item: f.ItemID}
}

func textEntry(path, text string, now int64) entry {
	return entry{Path: path, Size: int64(len(text)), CRC32: crc32.ChecksumIEEE([]byte(text)),
		Time: now, Text: []byte(text)}
}
