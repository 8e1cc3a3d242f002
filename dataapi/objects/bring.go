package objects

import (
	"context"
	"errors"
	"io"
	"os"
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/blobstore"
)

// A form says neither how long its files are nor sends anything twice. So a part of one
// waits until it is whole, in a file and not in memory: many forms may come at once, and
// slowly. From there it is tried again where the store was slow.

// tries is how often a store that is slow is asked to take what came by a form, and rest
// how long it is left alone after the first of them.
const (
	tries = 3
	rest  = time.Second
)

// waiting is a part until the store has it: a file whose name is gone, so that a server
// that is killed leaves nothing.
type waiting struct {
	*os.File
	size  int64
	named bool // still, where the system removes no open file
}

func (h *Handler) newWaiting() (*waiting, error) {
	file, err := os.CreateTemp(h.waits, ".part-*")
	if err != nil {
		return nil, noRoom(err)
	}
	return &waiting{File: file, named: os.Remove(file.Name()) != nil}, nil
}

func (w *waiting) close() {
	_ = w.Close()
	if w.named {
		_ = os.Remove(w.Name())
	}
}

// fill takes what comes, at most PartSize, and reports whether that was the last of it.
func (w *waiting) fill(body io.Reader) (last bool, err error) {
	if _, err := w.Seek(0, io.SeekStart); err != nil {
		return false, noRoom(err)
	}
	from := &watched{Reader: body}
	w.size, err = io.Copy(w.File, io.LimitReader(from, PartSize))
	switch {
	case from.err != nil && !errors.Is(from.err, io.EOF):
		return false, fault.New(fault.Invalid, blobstore.ReasonBodyEnded,
			"The file ended before all of it had come.").Because(from.err)
	case err != nil:
		return false, noRoom(err)
	}
	return w.size < PartSize, nil
}

func noRoom(err error) error {
	return fault.New(fault.Unavailable, blobstore.ReasonNoSpace,
		"There is no space left for files. Tell the administrator.").Because(err)
}

// watched notes how what is read ends.
type watched struct {
	io.Reader
	err error
}

func (r *watched) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	if err != nil {
		r.err = err
	}
	return n, err
}

// bring cuts a stream into parts.
func (h *Handler) bring(ctx context.Context, upload storage.Upload, body io.Reader, most int64) error {
	part, err := h.newWaiting()
	if err != nil {
		return err
	}
	defer part.close()
	total := int64(0)
	for number, last := 1, false; !last; number++ {
		if last, err = part.fill(body); err != nil {
			return err
		}
		if total += part.size; total > most || number > blobstore.MaxParts {
			return tooLarge(most, total)
		}
		if part.size > 0 || number == 1 {
			if err := again(ctx, func() error { return h.give(ctx, upload, number, part) }); err != nil {
				return err
			}
		}
	}
	return nil
}

// again does something until the store has been slow with it for the last time: all of
// the file would be lost with it.
func again(ctx context.Context, do func() error) error {
	for try := 1; ; try++ {
		err := do()
		if try == tries || !fault.Is(err, fault.Unavailable) {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(time.Duration(try) * rest):
		}
	}
}

func (h *Handler) give(ctx context.Context, upload storage.Upload, number int, part *waiting) error {
	_, err := h.hold(ctx, upload, part.size, func() (blobstore.Part, error) {
		ctx, store := blobstore.TakeTurn(ctx)
		defer store.Done()
		body := store.Going(io.NewSectionReader(part, 0, part.size))
		return h.blobs.PutPart(ctx, upload.ID, upload.Reference, number, body, part.size)
	})
	return err
}
