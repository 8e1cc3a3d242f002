package archive

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"slices"

	"github.com/portico-id/portico/storage"
)

// pageSize is how many entries are kept, and looked at again, together: as many
// as the store finds at once.
const pageSize = storage.MaxEnds

// page is some entries of an archive.
type page struct {
	entries []entry
	start   int64 // where the first begins
	central int64 // where its line in the directory begins
}

// pagesOf cuts a list into pages, and says how long the files are, and the
// directory.
func pagesOf(entries []entry) (pages []storage.ArchivePage, files, directory int64, err error) {
	offset, line := int64(0), int64(0)
	for some := range slices.Chunk(entries, pageSize) {
		kept, err := pack(some)
		if err != nil {
			return nil, 0, 0, err
		}
		pages = append(pages, storage.ArchivePage{Start: offset, Central: line, Entries: kept})
		for _, e := range some {
			line += e.line(offset)
			offset += e.length()
		}
	}
	for i := range pages {
		pages[i].Central += offset // the directory comes behind the files
	}
	return pages, offset, line, nil
}

func pack(entries []entry) ([]byte, error) {
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestSpeed)
	if err == nil {
		err = json.NewEncoder(w).Encode(entries)
	}
	if err == nil {
		err = w.Close()
	}
	return b.Bytes(), err
}

func unpack(kept storage.ArchivePage) (page, error) {
	p := page{start: kept.Start, central: kept.Central}
	r, err := gzip.NewReader(bytes.NewReader(kept.Entries))
	if err == nil {
		err = json.NewDecoder(r).Decode(&p.entries)
	}
	return p, err
}

// at returns the entry that has the offset, and where it begins.
func (p page) at(offset int64) (entry, int64, bool) {
	begins := p.start
	for _, e := range p.entries {
		if offset < begins+e.length() {
			return e, begins, offset >= begins
		}
		begins += e.length()
	}
	return entry{}, 0, false
}

// directory returns the lines of the page.
func (p page) directory() []byte {
	var b []byte
	offset := p.start
	for _, e := range p.entries {
		b = append(b, e.central(offset)...)
		offset += e.length()
	}
	return b
}
