package blobstore

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
	"time"

	"github.com/portico-id/portico/internal/fault"
)

// Stat implements Store.
func (f *Files) Stat(_ context.Context, key string) (Info, error) {
	if err := checkKey(key); err != nil {
		return Info{}, err
	}
	info := Info{Key: key}
	entries, err := fs.ReadDir(f.root.FS(), place(key))
	if err != nil {
		return info, asFault(err)
	}
	for _, entry := range entries {
		file, err := entry.Info()
		if err != nil {
			return info, asFault(err)
		}
		info.Size += file.Size()
		if file.ModTime().After(info.StoredAt) {
			info.StoredAt = file.ModTime().UTC()
		}
	}
	return info, nil
}

// Open implements Store.
func (f *Files) Open(_ context.Context, key string, from, length int64) (io.ReadCloser, error) {
	if err := checkKey(key); err != nil {
		return nil, err
	}
	parts, err := f.parts(place(key))
	if err != nil {
		return nil, asFault(err)
	}
	r := &partsReader{root: f.root, folder: place(key), parts: parts, skip: from, left: length}
	size := int64(0)
	for _, part := range parts {
		size += part.Size
	}
	if length < 0 {
		r.left = size - from
	}
	if from < 0 || r.left < 0 || from+r.left > size {
		return nil, outOfRange()
	}
	return r, nil
}

func outOfRange() error {
	return fault.New(fault.Invalid, "", "The range does not lie within the bytes.")
}

// partsReader reads one part after the other and holds one of them open.
type partsReader struct {
	root   *os.Root
	folder string
	parts  []Part   // not opened yet
	file   *os.File // nil: none is open
	skip   int64    // bytes to pass over
	left   int64    // bytes to give
}

// Read implements io.Reader.
func (r *partsReader) Read(p []byte) (int, error) {
	for r.left > 0 && len(p) > 0 {
		if r.file == nil {
			if err := r.next(); err != nil {
				return 0, err
			}
		}
		n, err := r.file.Read(p[:min(int64(len(p)), r.left)])
		r.left -= int64(n)
		if errors.Is(err, io.EOF) {
			err = r.Close()
		}
		if n > 0 || err != nil {
			return n, err
		}
	}
	if len(p) == 0 {
		return 0, nil
	}
	return 0, io.EOF
}

// next opens the part in which reading goes on.
func (r *partsReader) next() error {
	for len(r.parts) > 0 && r.skip >= r.parts[0].Size {
		r.skip -= r.parts[0].Size
		r.parts = r.parts[1:]
	}
	if len(r.parts) == 0 {
		return io.ErrUnexpectedEOF
	}
	var err error
	if r.file, err = r.root.Open(path.Join(r.folder, partName(r.parts[0].Number))); err != nil {
		r.file = nil
		return asFault(err)
	}
	_, err = r.file.Seek(r.skip, io.SeekStart)
	r.parts, r.skip = r.parts[1:], 0
	return err
}

// Close implements io.Closer.
func (r *partsReader) Close() error {
	if r.file == nil {
		return nil
	}
	err := r.file.Close()
	r.file = nil
	return err
}

// SignGet implements Store: files have no addresses.
func (f *Files) SignGet(context.Context, string, Presentation, time.Duration) (string, error) {
	return "", nil
}

// Delete implements Store.
func (f *Files) Delete(_ context.Context, key string) error {
	if err := checkKey(key); err != nil {
		return err
	}
	return f.discard(place(key))
}

// Quarantine implements Store.
func (f *Files) Quarantine(_ context.Context, key string) error {
	if err := checkKey(key); err != nil {
		return err
	}
	if err := f.root.Rename(place(key), path.Join(quarantined, key)); err != nil {
		return asFault(err)
	}
	return asFault(errors.Join(f.sync(path.Dir(place(key))), f.sync(quarantined)))
}

// List implements Store. It goes by the places of the keys, folder by folder.
func (f *Files) List(ctx context.Context, after string, limit int) ([]Info, error) {
	start := ""
	if after != "" {
		if err := checkKey(after); err != nil {
			return nil, err
		}
		start = place(after)
	}
	var found []Info
	err := f.walk(stored, start, 3, func(name string) error {
		info, err := f.Stat(ctx, path.Base(name))
		if fault.Is(err, fault.NotFound) {
			return nil // removed since
		}
		if err == nil {
			found = append(found, info)
		}
		if err == nil && len(found) == limit {
			err = fs.SkipAll
		}
		return errors.Join(err, ctx.Err())
	})
	if errors.Is(err, fs.SkipAll) {
		err = nil
	}
	return found, asFault(err)
}

// walk calls visit for what lies so many levels below the folder, in order, if
// it comes behind start.
func (f *Files) walk(folder, start string, levels int, visit func(name string) error) error {
	entries, err := fs.ReadDir(f.root.FS(), folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // removed since
	}
	for _, entry := range entries {
		name := path.Join(folder, entry.Name())
		switch {
		case name == start || name < start[:min(len(name), len(start))]:
		case levels > 1:
			err = f.walk(name, start, levels-1, visit)
		default:
			err = visit(name)
		}
		if err != nil {
			return err
		}
	}
	return err
}

// Tidy implements Store. A folder's time is that of the last part put there.
func (f *Files) Tidy(ctx context.Context, before time.Time) error {
	for _, within := range []string{uploading, temporary} {
		entries, err := fs.ReadDir(f.root.FS(), within)
		if err != nil {
			return asFault(err)
		}
		for _, entry := range entries {
			info, err := entry.Info()
			if err != nil || !info.ModTime().Before(before) || ctx.Err() != nil {
				continue // gone since, or still in use
			}
			name := path.Join(within, entry.Name())
			if strings.HasPrefix(name, uploading) {
				err = f.discard(name)
			} else {
				err = f.root.RemoveAll(name)
			}
			if err != nil {
				return asFault(err)
			}
		}
	}
	return ctx.Err()
}
