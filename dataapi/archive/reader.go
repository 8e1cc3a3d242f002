package archive

import (
	"bytes"
	"context"
	"errors"
	"io"
	"time"

	"github.com/portico-id/portico/storage"
)

// lookAgain is how long what a reader gives may rest on one look at the rights.
const lookAgain = 10 * time.Second

// reader is an archive as a file: an io.ReadSeekCloser, as http.ServeContent
// wants one. It holds a page of the list and one open file, however large the
// whole is. Not for concurrent use.
type reader struct {
	ctx     context.Context // of the request that the reader lives as long as
	rules   *Rules
	archive storage.Archive
	who     reading

	offset int64
	piece  io.ReadCloser // nil: to be opened at the offset
	rest   int64         // of the piece
	page   page
	loaded bool
	looked time.Time
}

// Seek implements io.Seeker. It costs nothing.
func (r *reader) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekCurrent:
		offset += r.offset
	case io.SeekEnd:
		offset += r.archive.Size
	}
	if offset < 0 {
		return 0, errors.New("seeking to before the start")
	}
	if offset == r.offset {
		return offset, nil
	}
	r.offset = offset
	return offset, r.Close()
}

// Close implements io.Closer.
func (r *reader) Close() error {
	if r.piece == nil {
		return nil
	}
	err := r.piece.Close()
	r.piece = nil
	return err
}

// Read implements io.Reader.
func (r *reader) Read(p []byte) (int, error) {
	for r.piece == nil || r.rest == 0 {
		if err := r.Close(); err != nil {
			return 0, err
		}
		if r.offset >= r.archive.Size {
			return 0, io.EOF
		}
		if err := r.open(); err != nil {
			return 0, err
		}
	}
	n, err := r.piece.Read(p[:min(int64(len(p)), r.rest)])
	r.offset, r.rest = r.offset+int64(n), r.rest-int64(n)
	if !errors.Is(err, io.EOF) {
		return n, err
	}
	if r.rest > 0 {
		return n, io.ErrUnexpectedEOF
	}
	return n, nil
}

// open opens what is at the offset.
func (r *reader) open() error {
	if err := r.look(); err != nil {
		return err
	}
	if r.offset >= r.archive.Central {
		return r.openDirectory()
	}
	e, begins, ok := r.page.at(r.offset)
	if !r.loaded || !ok {
		if err := r.load(); err != nil {
			return err
		}
		if e, begins, ok = r.page.at(r.offset); !ok {
			return errors.New("a page of an archive is not where it should be")
		}
	}
	within := r.offset - begins
	if within < e.head() {
		r.give(e.local()[within:])
		return nil
	}
	within -= e.head()
	if e.Blob == "" {
		r.give(e.Text[within:])
		return nil
	}
	body, err := r.rules.blobs.Open(r.ctx, e.Blob, within, -1)
	r.piece, r.rest = body, e.Size-within
	return err
}

// openDirectory opens a page of the directory, or what closes the archive.
func (r *reader) openDirectory() error {
	closing := r.archive.Size - endLength(int64(r.archive.Files), r.archive.Central)
	if r.offset >= closing {
		end := endRecords(int64(r.archive.Files), r.archive.Central, closing-r.archive.Central)
		r.give(end[r.offset-closing:])
		return nil
	}
	if err := r.load(); err != nil {
		return err
	}
	r.give(r.page.directory()[r.offset-r.page.central:])
	return nil
}

func (r *reader) give(b []byte) {
	r.piece, r.rest = io.NopCloser(bytes.NewReader(b)), int64(len(b))
}

// load reads the page with the offset, of which everything must still be there
// for whoever reads.
func (r *reader) load() error {
	kept, err := r.rules.store.FindArchivePage(r.ctx, r.archive, r.offset)
	if err == nil {
		r.page, err = unpack(kept)
	}
	if err != nil {
		return err
	}
	r.loaded, r.looked = true, time.Time{}
	return r.look()
}

// look asks again, for each page and from time to time, whether all of it is still
// there for whoever reads.
func (r *reader) look() error {
	now := r.rules.ambient.Now()
	if !r.loaded || now.Sub(r.looked).Abs() < lookAgain {
		return nil
	}
	r.looked = now
	return r.rules.stillMay(r.ctx, r.who, r.archive, r.page)
}
