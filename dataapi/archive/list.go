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

// content is what is packed of a folder, by the keys of folders.
type content struct {
	folders map[int64][]storage.PackedFolder // by parent
	files   map[int64][]storage.PackedFile
	served  func(storage.PackedFile) (missing string)
	entries []entry
	missing []string
}

func newContent(folders []storage.PackedFolder, files []storage.PackedFile,
	served func(storage.PackedFile) string) *content {
	c := &content{folders: map[int64][]storage.PackedFolder{}, files: map[int64][]storage.PackedFile{}, served: served}
	for _, f := range folders[1:] {
		c.folders[f.ParentKey] = append(c.folders[f.ParentKey], f)
	}
	for _, f := range files {
		c.files[f.FolderKey] = append(c.files[f.FolderKey], f)
	}
	return c
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
	slices.SortFunc(files, func(a, b storage.PackedFile) int { return cmp.Compare(a.Name, b.Name) })
	slices.SortFunc(folders, func(a, b storage.PackedFolder) int { return cmp.Compare(a.Name, b.Name) })
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
