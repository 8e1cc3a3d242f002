package blobstore

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/portico-id/portico/internal/fault"
)

// Answers reports whether the store answers for bytes that a row names, before
// anything is said of them: Unavailable, or an error of our own where they are missing.
func Answers(ctx context.Context, from Store, key string) error {
	_, err := from.Stat(ctx, key)
	if fault.Is(err, fault.NotFound) {
		return fmt.Errorf("the bytes %s are missing", key)
	}
	return err
}

// Reader reads stored bytes from anywhere: an io.ReadSeekCloser, as
// http.ServeContent wants one. Seeking costs nothing; the next Read opens the
// bytes there. Not for concurrent use.
type Reader struct {
	ctx  context.Context // of the request that the reader lives as long as
	from Store
	key  string
	size int64
	at   int64
	body io.ReadCloser // nil: to be opened at the offset
}

// NewReader returns a Reader of bytes that have the size.
func NewReader(ctx context.Context, from Store, key string, size int64) *Reader {
	return &Reader{ctx: ctx, from: from, key: key, size: size}
}

// Read implements io.Reader.
func (r *Reader) Read(p []byte) (int, error) {
	if r.at >= r.size {
		return 0, io.EOF
	}
	if r.body == nil {
		var err error
		if r.body, err = r.from.Open(r.ctx, r.key, r.at, -1); err != nil {
			return 0, err
		}
	}
	n, err := r.body.Read(p)
	r.at += int64(n)
	if errors.Is(err, io.EOF) && r.at < r.size {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

// Seek implements io.Seeker.
func (r *Reader) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekCurrent:
		offset += r.at
	case io.SeekEnd:
		offset += r.size
	}
	if offset < 0 {
		return 0, errors.New("seeking to before the start")
	}
	if offset == r.at {
		return offset, nil
	}
	err := r.Close()
	r.at = offset
	return offset, err
}

// Close implements io.Closer.
func (r *Reader) Close() error {
	if r.body == nil {
		return nil
	}
	err := r.body.Close()
	r.body = nil
	return err
}
