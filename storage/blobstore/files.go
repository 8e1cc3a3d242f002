package blobstore

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strconv"
	"sync"
	"syscall"
	"time"

	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/sealing"
)

// Folders of a Files store.
const (
	stored      = "objects"    // ab/cd/<key>/, by the first two bytes of the key
	uploading   = "uploads"    // <key>/
	temporary   = "temporary"  // what is being written or removed
	quarantined = "quarantine" // <key>/
)

// Files keeps bytes in a directory. Stored bytes are a folder of parts whose
// names sort in their order: `cat objects/ab/cd/<key>/*` gives them. So
// completing an upload is one rename and copies nothing, however large it is.
//
// Whatever is to last is written under a temporary name on the same file
// system, synced, renamed, and the folder synced (data model, section 6).
type Files struct {
	root    *os.Root
	ambient *ambient.Source
	buffers sync.Pool // of bytes on their way
}

// OpenFiles opens the directory, and makes it if it is not there.
func OpenFiles(dir string, source *ambient.Source) (*Files, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	f := &Files{root: root, ambient: source}
	for _, folder := range []string{stored, uploading, temporary, quarantined} {
		if err := f.mkdir(folder); err != nil {
			return nil, errors.Join(err, root.Close())
		}
	}
	return f, nil
}

// Close gives the directory back.
func (f *Files) Close() error { return f.root.Close() }

// Begin implements Store.
func (f *Files) Begin(_ context.Context, key string) (string, error) {
	if err := checkKey(key); err != nil {
		return "", err
	}
	return key, asFault(f.mkdir(path.Join(uploading, key)))
}

// PutPart implements Store.
func (f *Files) PutPart(ctx context.Context, key, _ string, number int, body io.Reader, size int64) (Part, error) {
	if err := checkPart(key, number); err != nil {
		return Part{}, err
	}
	folder := path.Join(uploading, key)
	if _, err := f.root.Stat(folder); err != nil {
		return Part{}, orEnded(err)
	}
	name := path.Join(temporary, f.ambient.UID())
	err := f.write(ctx, name, body, size)
	if err == nil {
		err = orEnded(f.root.Rename(name, path.Join(folder, partName(number))))
	}
	if err != nil {
		_ = f.root.Remove(name)
		return Part{}, asFault(err)
	}
	if err := f.sync(folder); err != nil {
		return Part{}, orEnded(err)
	}
	info, err := f.root.Stat(path.Join(folder, partName(number)))
	if err != nil {
		return Part{}, orEnded(err)
	}
	return newPart(number, info), nil
}

// SignPart implements Store: files have no addresses.
func (f *Files) SignPart(context.Context, string, string, int, time.Duration) (string, error) {
	return "", nil
}

// Parts implements Store.
func (f *Files) Parts(_ context.Context, key, _ string) ([]Part, error) {
	if err := checkKey(key); err != nil {
		return nil, err
	}
	parts, err := f.parts(path.Join(uploading, key))
	return parts, orEnded(err)
}

// Complete implements Store.
func (f *Files) Complete(ctx context.Context, key, upload string, parts []Part) error {
	found, err := f.Parts(ctx, key, upload)
	if fault.HasReason(err, ReasonUploadEnded) {
		if _, absent := f.Stat(ctx, key); absent == nil {
			return f.syncStored(key) // whoever completed it may not have come so far
		}
	}
	if err != nil {
		return err
	}
	if err := sameParts(found, parts); err != nil {
		return err
	}
	for _, folder := range []string{path.Dir(path.Dir(place(key))), path.Dir(place(key))} {
		if err := f.mkdir(folder); err != nil {
			return asFault(err)
		}
	}
	err = f.root.Rename(path.Join(uploading, key), place(key))
	if errors.Is(err, fs.ErrNotExist) {
		if _, absent := f.Stat(ctx, key); absent == nil {
			return f.syncStored(key)
		}
	}
	if err != nil {
		return orEnded(err)
	}
	return f.syncStored(key)
}

// syncStored makes the rename of completed bytes last.
func (f *Files) syncStored(key string) error {
	return asFault(errors.Join(f.sync(path.Dir(place(key))), f.sync(uploading)))
}

// Abort implements Store.
func (f *Files) Abort(_ context.Context, key, _ string) error {
	if err := checkKey(key); err != nil {
		return err
	}
	return f.discard(path.Join(uploading, key))
}

// write keeps exactly size bytes of the body under the name.
func (f *Files) write(ctx context.Context, name string, body io.Reader, size int64) error {
	file, err := f.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer file.Close()
	// Large files come in many parts: a buffer for each would be most of our memory.
	buffer, lent := f.buffers.Get().(*[]byte)
	if !lent {
		made := make([]byte, copySize)
		buffer = &made
	}
	defer f.buffers.Put(buffer)
	// Only a writer that is nothing else lets the buffer be of our size.
	n, err := io.CopyBuffer(struct{ io.Writer }{file}, io.LimitReader(body, size), *buffer)
	var full *fs.PathError
	switch {
	case errors.As(err, &full):
		return err
	case err != nil || n < size:
		return bodyEnded(err)
	case ctx.Err() != nil:
		return ctx.Err()
	}
	if err := file.Sync(); err != nil {
		return err
	}
	return file.Close()
}

// mkdir makes a folder that lasts; one that is there is fine.
func (f *Files) mkdir(folder string) error {
	err := f.root.Mkdir(folder, 0o700)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return f.sync(path.Dir(folder))
}

// sync makes what was created, renamed or removed in the folder last.
func (f *Files) sync(folder string) error {
	opened, err := f.root.Open(folder)
	if err != nil {
		return err
	}
	return errors.Join(opened.Sync(), opened.Close())
}

// discard lets a folder vanish at once, and then removes it.
func (f *Files) discard(folder string) error {
	name := path.Join(temporary, f.ambient.UID())
	err := f.root.Rename(folder, name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = f.sync(path.Dir(folder))
	}
	return asFault(errors.Join(err, f.root.RemoveAll(name)))
}

// place is the folder of stored bytes.
func place(key string) string {
	bytes, _ := sealing.Decode(key[:4])
	name := hex.EncodeToString(bytes)
	return path.Join(stored, name[:2], name[2:4], key)
}

func partName(number int) string { return fmt.Sprintf("%05d", number) }

func newPart(number int, info fs.FileInfo) Part {
	tag := strconv.FormatInt(info.ModTime().UnixNano(), 36) + "-" + strconv.FormatInt(info.Size(), 36)
	return Part{Number: number, Size: info.Size(), ETag: tag}
}

// parts returns what lies in a folder of parts, in order.
func (f *Files) parts(folder string) ([]Part, error) {
	entries, err := fs.ReadDir(f.root.FS(), folder)
	if err != nil {
		return nil, err
	}
	parts := make([]Part, 0, len(entries))
	for _, entry := range entries {
		number, err := strconv.Atoi(entry.Name())
		if err != nil {
			return nil, fmt.Errorf("%s is no part", path.Join(folder, entry.Name()))
		}
		info, err := entry.Info()
		if err != nil {
			return nil, err
		}
		parts = append(parts, newPart(number, info))
	}
	return parts, nil
}

func sameParts(found, named []Part) error {
	if len(found) != len(named) {
		return partsChanged()
	}
	for i, part := range found {
		if part.Number != named[i].Number || part.Size != named[i].Size || part.ETag != named[i].ETag {
			return partsChanged()
		}
	}
	return nil
}

// orEnded turns the absence of an upload's folder into the upload's end.
func orEnded(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return UploadEnded().Because(err)
	}
	return asFault(err)
}

// asFault gives what a file system says a kind.
func asFault(err error) error {
	var already *fault.Error
	switch {
	case err == nil || errors.As(err, &already):
		return err
	case errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT):
		return fault.New(fault.Unavailable, ReasonNoSpace,
			"There is no space left for files. Tell the administrator.").Because(err)
	case errors.Is(err, fs.ErrNotExist):
		return fault.From(absent()).Because(err)
	}
	return err
}
