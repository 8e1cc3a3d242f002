package backup

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/portico-id/portico/internal/fault"
)

// atOnce is how many contents are copied at a time: most are small, and wait for disks
// and object stores.
const atOnce = 4

// content is a line of the list of a snapshot's contents.
type content struct {
	name string // of the file: the key of the bytes, and whether they are encrypted
	size int64
	sum  []byte // SHA-256; nil where they are encrypted
}

func (c content) key() string { return strings.TrimSuffix(c.name, sealed) }

// place is where the bytes lie. The folders sort as the keys do, whatever the file
// system thinks of small and capital letters.
func (c content) place() string { return path.Join(contents, fmt.Sprintf("%02x", c.name[0]), c.name) }

// eachContent calls yield for the lines of a list.
func (v *Vault) eachContent(list string, yield func(content) error) error {
	r, err := v.openList(list)
	if err != nil {
		return err
	}
	defer r.Close()
	for {
		c, err := r.next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = yield(c)
		}
		if err != nil {
			return err
		}
	}
}

// listReader reads a list.
type listReader struct {
	io.Closer
	*tables
	name string
}

func (v *Vault) openList(name string) (*listReader, error) {
	file, err := v.open(name, nil)
	if err != nil {
		return nil, err
	}
	r := &listReader{file, readTables(file), name}
	if _, err := r.tables.next(); err != nil {
		return nil, errors.Join(damaged(name).Because(err), file.Close())
	}
	return r, nil
}

// next returns the next line; io.EOF says that there is none.
func (r *listReader) next() (content, error) {
	var c content
	row, err := r.row()
	if errors.Is(err, io.EOF) {
		return c, err
	}
	if err == nil && len(row) == 3 {
		err = errors.Join(json.Unmarshal(row[0], &c.name), json.Unmarshal(row[1], &c.size), json.Unmarshal(row[2], &c.sum))
	}
	if err != nil || len(c.name) < 2 {
		return c, damaged(r.name).Because(err)
	}
	return c, nil
}

// copyContents copies what is not there yet.
func (t *taking) copyContents(ctx context.Context) error {
	each, ctx := errgroup.WithContext(ctx)
	each.SetLimit(atOnce)
	err := t.vault.eachContent(path.Join(t.draft, listFile), func(c content) error {
		each.Go(func() error { return t.copy(ctx, c) })
		return ctx.Err()
	})
	if failed := each.Wait(); failed != nil {
		err = failed // what has ended the context, if anything has
	}
	if err != nil {
		return err
	}
	folders, err := fs.ReadDir(t.vault.root.FS(), contents)
	for _, folder := range folders {
		err = errors.Join(err, t.vault.sync(path.Join(contents, folder.Name())))
	}
	return errors.Join(err, t.vault.sync(contents))
}

// copy copies the bytes of a key, unless they are there.
func (t *taking) copy(ctx context.Context, c content) error {
	there, err := t.vault.root.Stat(c.place())
	if err == nil && (t.manifest.Encrypted || there.Size() == c.size) {
		t.copied(c, true)
		return nil
	}
	body, err := t.body(ctx, c)
	if fault.Is(err, fault.NotFound) || errors.Is(err, fs.ErrNotExist) {
		t.copied(c, false)
		return nil
	}
	if err != nil {
		return err
	}
	defer body.Close()
	under := path.Join(contents, "."+t.Ambient.UID())
	whole, err := t.fill(ctx, under, c, body)
	if err == nil && whole {
		err = t.vault.root.Mkdir(path.Dir(c.place()), 0o700)
		if err == nil || errors.Is(err, fs.ErrExist) {
			err = t.vault.root.Rename(under, c.place())
		}
	} else {
		_ = t.vault.root.Remove(under)
	}
	if err == nil {
		t.copied(c, whole)
	}
	return err
}

// fill copies bytes into a file, and reports whether they are those that rows tell of.
func (t *taking) fill(ctx context.Context, under string, c content, body io.Reader) (bool, error) {
	d, err := t.vault.create(under, c.name, t.Recipients)
	if err != nil {
		return false, err
	}
	sum := sha256.New()
	n, err := io.Copy(io.MultiWriter(d, sum), heeding{ctx, body})
	if _, failed := d.finish(); err != nil || failed != nil {
		return false, errors.Join(err, failed)
	}
	return n == c.size && (c.sum == nil || bytes.Equal(sum.Sum(nil), c.sum)), nil
}

// copied counts what is dealt with.
func (t *taking) copied(c content, whole bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.done += c.size
	if !whole {
		t.manifest.Missing = append(t.manifest.Missing, c.key())
	}
	t.Moved(t.done, t.manifest.Bytes)
}

// heeding reads no further when the context has ended.
type heeding struct {
	ctx context.Context
	io.Reader
}

func (h heeding) Read(p []byte) (int, error) {
	if err := h.ctx.Err(); err != nil {
		return 0, err
	}
	return h.Reader.Read(p)
}
